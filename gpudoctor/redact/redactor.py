"""The redactor: everything that others may read passes through it."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact
from gpudoctor.facts.codec import from_plain, to_plain
from gpudoctor.redact.credentials import REMOVED, credentials_removed
from gpudoctor.redact.encoded import decoded_replaced
from gpudoctor.redact.identities import Known, Pseudonyms
from gpudoctor.redact.variables import is_allowed

_F = TypeVar("_F", bound=Fact)

#: Fields whose keys are names of environment variables.
_VARIABLES = ("variables",)
#: Fields that name a thing: a package, a GPU, a processor. Who is called like a thing does not rename it.
_NAMES = ("name", "model", "product", "brand", "distribution", "framework", "architecture")
#: No identity is shorter, encoded.
_ENCODED = 8


class Door:
    """One passage: all texts of one report go through the same door, so that a pseudonym means the same everywhere."""

    def __init__(self, known: Known | None = None, keep: tuple[str, ...] = ()) -> None:
        self._pseudonyms = Pseudonyms(known, keep)
        self._credentials: dict[str, int] = {}
        self._dropped = 0

    def text(self, text: str) -> str:
        """The text without credentials and identities; safe to pass twice."""
        text, found = credentials_removed(text)
        for kind, count in found.items():
            self._credentials[kind] = self._credentials.get(kind, 0) + count
        return self._pseudonyms.replace(decoded_replaced(text, self._judge) if len(text) >= _ENCODED else text)

    def _judge(self, run: str, plain: str, decode: Callable[[str], str | None]) -> str | None:
        """An encoded run that holds an identity is shown decoded, with the pseudonym, unless it is found as it is."""
        passed = self._pseudonyms.replace(plain)
        if passed == plain or decode(self._pseudonyms.replace(run)) == passed:
            return None
        return passed if passed.isprintable() else REMOVED

    def fact(self, fact: _F) -> _F:
        """The snapshot, report or other fact with all its texts passed, and without variables that are not allowed."""
        plain = to_plain(fact)
        self._pseudonyms.spare(frozenset(_names(plain)))
        return from_plain(self._value(plain), type(fact))

    @property
    def counts(self) -> dict[str, int]:
        """How many places were replaced, by kind: credentials, users, hostnames, addresses, uuids, serials."""
        counts = {"credentials": sum(self._credentials.values()), **self._pseudonyms.counts, "variables": self._dropped}
        return {kind: count for kind, count in counts.items() if count}

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {key: self._member(key, item) for key, item in value.items()}
        return [self._value(item) for item in value] if isinstance(value, list | tuple) else value

    def _member(self, key: str, value: Any) -> Any:
        if key in _VARIABLES and isinstance(value, dict):
            kept = {name: self._setting(name, text) for name, text in value.items() if is_allowed(name)}
            self._dropped += len(value) - len(kept)
            return kept
        return self._value(value)

    def _setting(self, name: str, value: Any) -> Any:
        """A variable's value, judged with its name beside it."""
        if not isinstance(value, str):
            return value
        passed = self.text(f"{name}={value}")
        return passed.partition("=")[2]


def _names(value: Any) -> Iterator[str]:
    """The words of the names of things, in lower case."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key in _NAMES and isinstance(item, str):
                yield from _SEPARATORS.split(item.lower())
            else:
                yield from _names(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _names(item)


_SEPARATORS = re.compile(r"[\s()/,]+")


def counted(counts: dict[str, int]) -> str:
    """The counts in words: "2 credentials, 5 users"; empty where nothing was replaced."""
    return ", ".join(f"{count} {kind if count != 1 else kind.rstrip('s')}" for kind, count in counts.items())
