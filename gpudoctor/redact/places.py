"""Finds secrets by where they stand: after an option, a header, `password=`. Data in places.json."""

import os
from collections.abc import Callable
from functools import cache

import msgspec

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.typed_json import decode_json

#: A name and a sign; then a quoted value, which may hold blanks, or one up to the next blank or separator.
_ASSIGNED = re.compile(
    r"(?P<name>\w[\w.-]{0,59})(?P<close>\\?[\"'`]\]?)?[ \t]{0,20}(?::=|=>|==?|:|\uff1a)[ \t\u3000]{0,20}"
    r"(?P<prefix>[brufRBFU]{1,2}(?=[\"']))?"
    r"(?:(?P<quote>\\?[\"'`])(?P<quoted>[^\n]{0,2000}?)(?=(?P=quote)|\n|\Z)|(?P<bare>[^\s\"'&;,<>(){}\[\]|`\\]{1,4000}))"
)
_QUERY = re.compile(r"(?<=[?&;#])(?P<name>[^=&;#?\s\"'<>]{1,100})=(?P<value>[^&;\s\"'<>]{1,4000})")
_QUERY_NAME = re.compile(r"token|sig|key|secret|auth|pass|credential|session|sas|code|jwt|pwd", re.IGNORECASE)
_KEY_BEGIN = re.compile(r"-----BEGIN[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END = re.compile(r"-----END[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----")
#: The lines of a key: its own, and the headers of an encrypted one; broken as text, as JSON or as one line.
_KEY_LINES = re.compile(
    r"(?:(?:\s|\\[nrt]|\\\\[nrt]|[\"',+])*(?:(?:Proc-Type|DEK-Info|Version|Comment):[^\n\\]{0,100}|[A-Za-z0-9+/=]{16,}|=[A-Za-z0-9+/]{4}(?!\w)))*"
    r"(?:(?:\n|\\n)[ \t]*[A-Za-z0-9+/]{1,76}={0,2}(?=\s*(?:\n|\\n|\Z|[\"'])))?"
)
#: Values that are plainly not secrets: settings, and what people and programs write in their place.
_PLAIN = re.compile(
    r"(?:true|false|none|null|yes|no|on|off|auto|\d{1,3}|unset|not set|n/a|\*+|x+|<[^>]*>|\$\{?\w+\}?|required|"
    r"missing|invalid|expired|error|bytes?|str|string|int|file|env|default|disabled|enabled|\.{3}|\u2026)",
    re.IGNORECASE,
)
#: In front of a bare value; `Authorization: Bearer x` is a header's.
_SCHEMES = frozenset({"bearer", "basic", "digest", "token", "negotiate"})


class Place(msgspec.Struct, frozen=True):
    """A row of places.json: without one of `needs` (lower case) there is no match; the group `secret` is taken out."""

    kind: str
    needs: tuple[str, ...]
    pattern: str
    example: str
    unlike: str
    source: str


class _Places(msgspec.Struct, frozen=True):
    sources: dict[str, str]
    names: tuple[str, ...]
    upper_case_endings: tuple[str, ...]
    places: tuple[Place, ...]


@cache
def _data() -> _Places:
    with open(os.path.join(os.path.dirname(__file__), "places.json"), "rb") as stream:
        return decode_json(stream.read(), type=_Places)


@cache
def _by_need() -> dict[str, tuple[int, ...]]:
    """The numbers of the rows, by the texts of which they need one."""
    found: dict[str, list[int]] = {}
    for number, place in enumerate(_data().places):
        for need in place.needs:
            found.setdefault(need, []).append(number)
    return {need: tuple(numbers) for need, numbers in found.items()}


#: Compiled when a text first asks for it: all of them would take longer than a whole check.
_compiled = cache(re.compile)


def place_kinds() -> tuple[Place, ...]:
    """Every row."""
    return _data().places


def without_placed(text: str, removed: str, count: Callable[[str], None]) -> str:
    """The text without what stands in a telling place; `count` is called with the kind of each."""
    lower = text.lower()
    if "private key" in lower:
        text = _without_keys(text, removed, count)
    by_need = _by_need()
    for number in sorted({number for need in by_need if need in lower for number in by_need[need]}):
        text = _without(_data().places[number], text, removed, count)
    if "=" in text and any(mark in text for mark in "?&;#"):
        text = _QUERY.sub(lambda found: _parameter(found, removed, count), text)
    if any(sign in text for sign in "=:\uff1a"):
        text = _ASSIGNED.sub(lambda found: _assigned(found, removed, count), text)
    return text


def _without(place: Place, text: str, removed: str, count: Callable[[str], None]) -> str:
    regex = _compiled(place.pattern)

    def replace(match: re.Match[str]) -> str:
        group = "secret" if match["secret"] is not None else "secret2"
        if removed in match[group] or (place.kind == "conda token" and not _behind_a_host(text, match.start())):
            return match[0]
        if place.kind == "option" and _is_no_secret(match[group], removed, ""):
            return match[0]
        count(place.kind)
        start, end = match.span(group)
        return match[0][: start - match.start()] + removed + match[0][end - match.start() :]

    return regex.sub(replace, text)


def _without_keys(text: str, removed: str, count: Callable[[str], None]) -> str:
    """A private key up to its end; one that was cut off loses its own lines only."""
    parts, at = [], 0
    for begin in _KEY_BEGIN.finditer(text):
        if begin.start() < at:
            continue
        following = _KEY_BEGIN.search(text, begin.end())
        end = _KEY_END.search(text, begin.end(), following.start() if following else len(text))
        lines = _KEY_LINES.match(text, begin.end())
        stop = end.start() if end else lines.end() if lines else begin.end()
        if text[begin.end() : stop] not in ("", removed):
            count("private key")
            parts.append(text[at : begin.end()] + removed)
        else:
            parts.append(text[at:stop])
        at = stop
    return "".join(parts) + text[at:]


#: Behind a host; a folder may be called t, too.
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:/.{1,80})?")


def _behind_a_host(text: str, at: int) -> bool:
    before = text[max(0, at - 203) : at - 3]
    run = re.split(r"[\s\"'=]", before)[-1]
    return "://" in run or run.startswith("//") or _HOST.fullmatch(run) is not None


def _parameter(match: re.Match[str], removed: str, count: Callable[[str], None]) -> str:
    if not _QUERY_NAME.search(match["name"]) or removed in match["value"]:
        return match[0]
    count("query parameter")
    return f"{match['name']}={removed}"


def _assigned(match: re.Match[str], removed: str, count: Callable[[str], None]) -> str:
    name = match["name"]
    if not _tells(name):
        return match[0]
    quoted = match["quoted"] is not None
    value = match["quoted"] if quoted else match["bare"]
    least = 1 if quoted and " " not in value else 4
    if len(value) < least or _is_no_secret(value, removed, name) or (quoted and _is_prose(match, value)):
        return match[0]
    if value.lower() in _SCHEMES:
        return match[0]
    count("assignment")
    start = match.start("quoted" if quoted else "bare") - match.start()
    return match[0][:start] + removed + match[0][start + len(value) :]


def _tells(name: str) -> bool:
    """The name says that its value is a secret."""
    data = _data()
    lower = name.lower()
    if lower.endswith(data.names) and not lower.endswith(("pad_token", "eos_token", "bos_token", "unk_token")):
        # A word of its own within the name: "sig" but not "config", "pat" but not "compat".
        for word in data.names:
            if lower.endswith(word):
                before = lower[: -len(word)]
                if len(word) > 4 or not before or not before[-1].isalnum():
                    return True
    return name == name.upper() and lower.endswith(data.upper_case_endings)


def _is_prose(match: re.Match[str], value: str) -> bool:
    """A quote that is not closed in its line begins no value, but for a text that was cut."""
    return match.end() == len(match.string) and not value.strip()


def _is_no_secret(value: str, removed: str, name: str) -> bool:
    if removed in value or _PLAIN.fullmatch(value):
        return True
    # The name of a file that holds a secret is none, and helps.
    is_path = name.lower().endswith(("file", "path", "dir")) or value.startswith(("/", "~", "./", "C:\\"))
    return is_path and len(value) < 200 and "=" not in value and not value.startswith("//")
