"""Why an installer failed, out of what it said: an index that was not reached comes first, the rest follows from it."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from gpudoctor.facts import lazy_re as re

_TELLING = re.compile("error|fatal|no solution|conflict|because|requires|not a trusted", re.IGNORECASE)
#: pip's line about a connection that did not come about; the objects in it, and what is written around them.
_RETRYING = re.compile(
    r"Retrying \(Retry\(total=(?P<left>\d+),.*after connection broken by '(?P<why>.*)': (?P<path>\S+)"
)
_OBJECT = re.compile(r"^\w+\(['\"]?(?:<[^>]*> ?:? ?)?|['\"]?,?\)$")
_HOST = re.compile(r"HTTPS?Connection(?:Pool)?\(host='(?P<host>[^']+)', port=(?P<port>\d+)\):? ?")
#: `conda run` repeats the command that failed.
_REPEATED = re.compile(r"ERROR conda\.cli\.main_run:execute\(\d+\): ")
#: uv's, of which the causes follow line by line, the first of them last.
_FAILED = re.compile(r"error: Request failed after \d+ retr(?:y|ies) in [\d.]+s|error: Failed to fetch: .*")
_CAUSE = re.compile(r"\s*cause: (?P<why>.*)|\s*Caused by: (?P<older>.*)")
_ADDRESS = re.compile(r"https?://[^\s`)]+")
#: What an installer says because an index was not reached.
_FOLLOWS = re.compile(r"ERROR: (?:Could not find a version that satisfies|No matching distribution found)")
#: pip names the indexes where they are not the usual one.
_LOOKING = re.compile(r"Looking in indexes: (?P<addresses>.*)")
#: The page of a package on an index.
_PAGE = re.compile(r"/[^/]+/$")
_OF_ADDRESS = re.compile(r" for url \(\S+\)$")
#: pip's words for a file with another hash than the index, or a file of requirements, names; below: which.
_NO_MATCH = re.compile(r"ERROR: THESE PACKAGES DO NOT MATCH THE HASHES")
_FETCHED = re.compile(r"\s*(?:Downloading|Using cached) (?P<file>\S+)")
_FILE = re.compile(r"\s+(?P<what>\S+) from \S")
_EXPECTED = re.compile(r"\s+Expected (?P<hash>\w+ \w+)")
_GOT = re.compile(r"\s+Got\s+(?P<hash>\w+)")
#: Lines that are kept of a reason, and indexes that are named in it.
_MOST, _INDEXES = 8, 2


def why(lines: tuple[str, ...]) -> str:
    """The lines that say what went wrong, as far as they can be told from the others."""
    changed = tuple(_changed_files(lines))
    if changed:
        return "\n".join(changed)
    lost = unreachable(lines)
    passed_over = (_RETRYING.search, _REPEATED.match, *((_follows,) if lost else ()))
    others = [line for line in lines if not any(is_one(line) for is_one in passed_over)]
    telling = [line for line in others if _TELLING.search(line)]
    if lost:
        return "\n".join((*lost, *telling[-1:]))
    return "\n".join((telling or others)[-_MOST:])


def _changed_files(lines: tuple[str, ...]) -> Iterator[str]:
    """The files with another hash. A download that is cut off ends so, and pip speaks of tampering."""
    start = next((number for number, line in enumerate(lines) if _NO_MATCH.search(line)), len(lines))
    fetched = [match["file"].rpartition("/")[2] for line in lines[:start] if (match := _FETCHED.match(line))]
    what, expected = fetched[-1] if fetched else "a file", ""
    for line in lines[start + 1 :]:
        if named := _FILE.match(line):
            what = named["what"]
        elif asked := _EXPECTED.match(line):
            expected = asked["hash"]
        elif got := _GOT.match(line):
            yield (
                f"{what} has another hash than the index, or a file of requirements, asks for ({expected}; the file "
                f"that came has {got['hash']}). It was cut off or changed on the way, or it is another file. Where a "
                "second try ends so, too, do not install it."
            )


def _follows(line: str) -> bool:
    return bool(_FAILED.match(line) or _CAUSE.match(line) or _FOLLOWS.search(line))


def is_try(line: str) -> bool:
    """Whether pip says in it that a connection did not come about, and that it tries again."""
    return _RETRYING.search(line) is not None


def unreachable(lines: tuple[str, ...], *, given_up: bool = False) -> tuple[str, ...]:
    """The indexes that could not be reached, a sentence for each. `given_up`: its tries were ended before the last."""
    found = tuple(dict.fromkeys((*_by_pip(lines, given_up=given_up), *_by_uv(lines))))
    more = len(found) - _INDEXES
    return found if more <= 0 else (*found[:_INDEXES], f"And {more} more.")


def _by_pip(lines: tuple[str, ...], *, given_up: bool) -> Iterator[str]:
    """The last of its tries has none left (total=0)."""
    named = [urlsplit(word.rstrip(",")) for line in lines for word in _addresses(line)]
    for line in lines:
        match = _RETRYING.search(line)
        if match is not None and (given_up or match["left"] == "0"):
            reason = _OBJECT.sub("", match["why"])
            host = _HOST.search(reason)
            place = "" if host is None else _place(host["host"], host["port"])
            whole = {
                f"{one.scheme}://{one.netloc.rpartition('@')[2]}"
                for one in named
                if place in ("", one.netloc.rpartition("@")[2]) and match["path"].startswith(f"{one.path.rstrip('/')}/")
            }
            # pip may tell the path only; where two indexes have it, that is all that is known.
            where = (whole.pop() if len(whole) == 1 else place) + _PAGE.sub("", match["path"])
            yield f"The package index could not be reached at {where}: {_HOST.sub('', reason)}"


def _addresses(line: str) -> list[str]:
    looking = _LOOKING.search(line)
    return _ADDRESS.findall(looking["addresses"]) if looking is not None else []


def _place(host: str, port: str) -> str:
    return host if port in ("80", "443") else f"{host}:{port}"


def _by_uv(lines: tuple[str, ...]) -> Iterator[str]:
    for number, line in enumerate(lines):
        if _FAILED.match(line):
            causes = [match["why"] or match["older"] for one in lines[number:] if (match := _CAUSE.match(one))]
            address = next((found.group() for text in (line, *causes) if (found := _ADDRESS.search(text))), None)
            if address is not None and causes:
                said = "did not serve" if causes[-1].startswith("HTTP status") else "could not be reached at"
                reason = _OF_ADDRESS.sub("", causes[-1])
                yield f"The package index {said} {_PAGE.sub('', address)}: {reason}"
