"""Why an installer failed, out of what it said: an index that was not reached comes first, the rest follows from it."""

import re
from collections.abc import Iterator

_TELLING = re.compile("error|fatal|no solution|conflict|because|requires|not a trusted", re.IGNORECASE)
#: pip's line about a connection that did not come about; the objects in it, and what is written around them.
_RETRYING = re.compile(
    r"Retrying \(Retry\(total=(?P<left>\d+),.*after connection broken by '(?P<why>.*)': (?P<path>\S+)"
)
_OBJECT = re.compile(r"^\w+\(['\"]?(?:<[^>]*> ?:? ?)?|['\"]?,?\)$")
_HOST = re.compile(r"HTTPS?Connection(?:Pool)?\(host='(?P<host>[^']+)', port=(?P<port>\d+)\):? ?")
#: uv's, of which the causes follow line by line, the first of them last.
_FAILED = re.compile(r"error: Request failed after \d+ retr(?:y|ies) in [\d.]+s|error: Failed to fetch: .*")
_CAUSE = re.compile(r"\s*cause: (?P<why>.*)|\s*Caused by: (?P<older>.*)")
_ADDRESS = re.compile(r"https?://[^\s`)]+")


def why(lines: tuple[str, ...]) -> str:
    """The lines that say what went wrong, as far as they can be told from the others."""
    lost = unreachable(lines)
    others = [line for line in lines if not _RETRYING.search(line) and not (lost and _of_uv(line))]
    telling = [line for line in others if _TELLING.search(line)]
    # What pip says after that, "could not find a version", follows from it.
    return "\n".join((*lost, *(telling or ([] if lost else others))[-8:]))


def is_try(line: str) -> bool:
    """Whether pip says in it that a connection did not come about, and that it tries again."""
    return _RETRYING.search(line) is not None


def unreachable(lines: tuple[str, ...], *, given_up: bool = False) -> tuple[str, ...]:
    """The indexes that could not be reached, a sentence for each. `given_up`: its tries were ended before the last."""
    return tuple(dict.fromkeys((*_by_pip(lines, given_up=given_up), *_by_uv(lines))))


def _by_pip(lines: tuple[str, ...], *, given_up: bool) -> Iterator[str]:
    """The last of its tries has none left (total=0)."""
    for line in lines:
        match = _RETRYING.search(line)
        if match is not None and (given_up or match["left"] == "0"):
            reason = _OBJECT.sub("", match["why"])
            host = _HOST.search(reason)
            where = match["path"] if host is None else _place(host["host"], host["port"]) + match["path"]
            yield f"The package index could not be reached at {where}: {_HOST.sub('', reason)}"


def _place(host: str, port: str) -> str:
    return host if port in ("80", "443") else f"{host}:{port}"


def _of_uv(line: str) -> bool:
    return bool(_FAILED.match(line) or _CAUSE.match(line))


def _by_uv(lines: tuple[str, ...]) -> Iterator[str]:
    for number, line in enumerate(lines):
        if _FAILED.match(line):
            causes = [match["why"] or match["older"] for one in lines[number:] if (match := _CAUSE.match(one))]
            address = next((found.group() for text in (line, *causes) if (found := _ADDRESS.search(text))), None)
            if address is not None and causes:
                said = "did not serve" if causes[-1].startswith("HTTP status") else "could not be reached at"
                yield f"The package index {said} {address}: {causes[-1]}"
