"""Regular expressions that are compiled when a text first has the words that they demand, to start faster.

A static check uses some eighty of the thousand expressions of the package, and compiling one took 0.3 ms of CPU time
(mean over all of them, on a busy machine): a module imports this in the place of re.
"""

import re
from collections.abc import Callable
from functools import lru_cache, partial
from re import *  # noqa: F403 - all of it, except for what is defined here
from typing import Any, AnyStr, cast

from gpudoctor.facts.needles import Ways, may_match, ways_of

#: What an expression that was compiled can do, and what comes of it in a text that does not match.
_METHODS: dict[str, Callable[[Any], Any]] = {
    "search": lambda _text: None,
    "match": lambda _text: None,
    "fullmatch": lambda _text: None,
    "finditer": lambda _text: iter(()),
    "findall": lambda _text: [],
    "sub": lambda text: text,
    "subn": lambda text: (text, 0),
    "split": lambda text: [text],
}
#: Texts without its words that an expression is tried on before it is compiled all the same: then they are many.
_MANY = 40


class Expression:
    """An expression that compiles itself when it may match; then its methods are those of the compiled one."""

    def __init__(self, pattern: str | bytes, flags: int, ways: Ways | None = None) -> None:
        self.pattern = pattern
        self._flags = flags
        self._ways = ways
        self._tries = 0

    def __getattr__(self, name: str) -> Any:
        if name in _METHODS:
            if self._ways is None:
                self._ways = ways_of(self.pattern) if isinstance(self.pattern, str) else ()
            if self._ways:
                return partial(self._tried, name, self._ways)
        return getattr(self._compiled(), name)

    def _tried(self, name: str, ways: Ways, *given: Any, **named: Any) -> Any:
        text = given[1 if name.startswith("sub") else 0]
        self._tries += 1
        if self._tries > _MANY or may_match(ways, _lower(text)):
            return getattr(self._compiled(), name)(*given, **named)
        return _METHODS[name](text)

    def _compiled(self) -> re.Pattern[Any]:
        compiled = re.compile(self.pattern, self._flags)
        self.__dict__.update({method: getattr(compiled, method) for method in _METHODS})
        return compiled

    def __repr__(self) -> str:
        return repr(re.compile(self.pattern, self._flags))


def compile(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:  # type: ignore[no-redef]  # noqa: A001 - as re has it
    """The expression, not compiled yet. An error in it shows when it is first used."""
    return cast("re.Pattern[AnyStr]", Expression(pattern, flags))


def demanding(ways: Ways, pattern: str, flags: int = 0) -> re.Pattern[str]:
    """The same of an expression that is not in needles.json: it demands these words."""
    return cast("re.Pattern[str]", Expression(pattern, flags, ways))


def search(pattern: AnyStr, string: AnyStr, flags: int = 0) -> re.Match[AnyStr] | None:  # type: ignore[no-redef]
    """As re.search, with an expression that is kept."""
    return _kept(pattern, int(flags)).search(string)


@lru_cache(maxsize=2048)
def _kept(pattern: AnyStr, flags: int) -> re.Pattern[AnyStr]:
    return compile(pattern, flags)


@lru_cache(maxsize=4)
def _lower(text: str) -> str:
    return text.lower()
