"""Output of pip and uv: `list` in all forms, `freeze`, `show`, the end of an installation."""

from collections.abc import Iterator

import msgspec

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.python import Package, Packages
from gpudoctor.facts.typed_json import decode_json
from gpudoctor.sources.package_names import is_relevant, normalise
from gpudoctor.tickets.fragment import REPORT, WORDS, Fragment, fragment
from gpudoctor.tickets.pasted import Pasted

LIST, FREEZE, SHOW, INSTALL, EXCERPT = "pip list", "pip freeze", "pip show", "pip install", "a list of packages"
CONFLICTS = "pip's check of what is installed"

_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*"
_VERSION = r"v?\d+(?:[.!][\w.!]+)?(?:[ab]\d+|rc\d+|[.-]?dev\d+|[.-]?post\d+)?(?:\+[\w.]+)?"
_HEADER = re.compile(r"^\s*Package\s+Version(\s+(?:Build|Channel))?\b")
_DASHES = re.compile(r"^\s*-{3,}[ -]+$")
_ROW = re.compile(rf"^\s*({_NAME})\s+({_VERSION})(?:\s+(\S.*))?$")
_BRACKETS = re.compile(rf"^\s*({_NAME}) \(({_VERSION})(?:, .*)?\)$")
_PINNED = re.compile(
    rf"^\s*(?:[-+]\s+)?(?:\[pip\d?\]\s+)?[`'\"]?({_NAME})(?:\[[\w,-]+\])?\s*==\s*({_VERSION})[`'\",]?\s*(?:;.*|#.*|\\)?$"
)
_DIRECT = re.compile(rf"^\s*(?:\[pip\d?\]\s+)?({_NAME}) @ (?:file|https?)://\S*?/(?:\1|[\w.]+)-({_VERSION}"
    rf"|[\d.]+(?:%2B[\w.]+)?)-\S*\.whl\S*$", re.I)  # fmt: skip
_FIELD = re.compile(r"^\s*(Name|Version|Location|Installer):\s+(\S.*)$")
_INSTALLED = re.compile(r"Successfully installed ((?:\S+-\S+\s*)+)")
_SATISFIED = re.compile(rf"Requirement already satisfied: ({_NAME})\S* in \S+.* \(({_VERSION})\)\s*$")
_CONFLICT = re.compile(
    rf"({_NAME}) ({_VERSION}) (?:requires|has requirement) .{{1,120}}?, but you(?: |'ll )have ({_NAME}) ({_VERSION})"
    r" which is incompatible"
)
#: An excerpt without a header is believed only where it names what this is about.
_EXCERPT = re.compile(rf"^\s*({_NAME})\s{{2,}}({_VERSION})(?:\s+(\S+))?(?:\s+(\S+))?\s*$")


def parse_pip(text: Pasted) -> tuple[Fragment, ...]:
    """All of it."""
    tables = tuple(_tables(text))
    used = {number for one in tables for number in one.lines}
    return (
        *tables,
        *_pinned(text),
        *_shown(text),
        *_installed(text),
        *_conflicts(text),
        *_json(text),
        *_excerpt(text, used),
    )


def _tables(text: Pasted) -> Iterator[Fragment]:
    for start, match in text.matches(_HEADER):
        if match[1]:
            continue
        rows: dict[str, tuple[int, str]] = {}
        for number in range(start + 1, len(text.lines) + 1):
            line = text.lines[number - 1]
            row = _ROW.match(line)
            if row:
                rows[normalise(row[1])] = (number, row[2])
            elif line.strip() and not _DASHES.match(line):
                break
        # Nobody lists a Python with pip and leaves pip out, but one that cut the list.
        whole = "pip" in rows and len(rows) > 5
        yield from _packages(LIST, rows, excerpt=not whole)


def _packages(form: str, rows: dict[str, tuple[int, str]], *, excerpt: bool, rank: int = 0) -> tuple[Fragment, ...]:
    packages = tuple(Package(name=name, version=version) for name, (_, version) in rows.items())
    if not packages:
        return ()
    return fragment(
        form, (number for number, _ in rows.values()), rank, packages=Packages(installed=packages, excerpt=excerpt)
    )


def _pinned(text: Pasted) -> tuple[Fragment, ...]:
    """Lines of `pip freeze` and of collect_env. Few of them may be somebody's requirements, which nobody installed."""
    rows: dict[str, tuple[int, str]] = {}
    tagged = False
    for number, line in text.filled:
        match = (_PINNED.match(line) if "==" in line else None) or (_DIRECT.match(line) if " @ " in line else None)
        if match:
            rows.setdefault(normalise(match[1]), (number, match[2].replace("%2B", "+").rstrip(".")))
            tagged = tagged or "[pip" in line
    named = sum(is_relevant(name) for name in rows)
    if not rows or (not named and len(rows) < 4):
        return ()
    # The pip on PATH may be another Python's: what collect_env imported outranks what it lists.
    rank = REPORT if len(rows) > 8 and not tagged else WORDS
    return _packages("collect_env of PyTorch" if tagged else FREEZE, rows, excerpt=True, rank=rank)


def _shown(text: Pasted) -> tuple[Fragment, ...]:
    rows: dict[str, tuple[int, str]] = {}
    name: tuple[int, str] | None = None
    for number, match in text.matches(_FIELD):
        if match[1] == "Name":
            name = (number, normalise(match[2].strip()))
        elif match[1] == "Version" and name and number == name[0] + 1:
            rows[name[1]] = (number, match[2].strip())
    return _packages(SHOW, rows, excerpt=True)


def _installed(text: Pasted) -> tuple[Fragment, ...]:
    rows: dict[str, tuple[int, str]] = {}
    for number, match in text.found(_INSTALLED):
        for word in match[1].split():
            name, _, version = word.rpartition("-")
            if re.match(_VERSION, version):
                rows[normalise(name)] = (number, version)
    for number, match in text.found(_SATISFIED):
        rows.setdefault(normalise(match[1]), (number, match[2]))
    return _packages(INSTALL, rows, excerpt=True, rank=REPORT)


def _conflicts(text: Pasted) -> tuple[Fragment, ...]:
    """What pip says of packages that do not agree: it names the installed versions of both."""
    rows: dict[str, tuple[int, str]] = {}
    for number, match in text.found(_CONFLICT):
        rows.setdefault(normalise(match[1]), (number, match[2]))
        rows[normalise(match[3])] = (number, match[4])
    return _packages(CONFLICTS, rows, excerpt=True, rank=REPORT)


class _Entry(msgspec.Struct):
    name: str
    version: str


def _json(text: Pasted) -> tuple[Fragment, ...]:
    """`pip list --format=json`: one line."""
    for number, line in text.filled:
        if line.lstrip().startswith('[{"name"'):
            try:
                entries = decode_json(line.strip(), type=list[_Entry])
            except (msgspec.DecodeError, RecursionError):
                continue
            rows = {normalise(one.name): (number, one.version) for one in entries}
            return _packages(LIST, rows, excerpt="pip" not in rows)
    return ()


def _excerpt(text: Pasted, used: set[int]) -> tuple[Fragment, ...]:
    """`pip list | grep torch`: rows without a header; and the old form, with the version in brackets."""
    rows: dict[str, tuple[int, str]] = {}
    installers: dict[str, tuple[str, str | None]] = {}
    brackets = 0
    for number, line in text.filled:
        if number in used or not line or line.lstrip()[:1] in "#|[+":
            continue
        match = _EXCERPT.match(line)
        if match and "." in match[2] and is_relevant(normalise(match[1])):
            rows.setdefault(normalise(match[1]), (number, match[2]))
            if match[3] and (match[4] or re.search(r"py\d|_\d$|pypi", match[3])):
                installers[normalise(match[1])] = (match[3], match[4])
        elif (match := _BRACKETS.match(line)) and is_relevant(normalise(match[1])):
            rows.setdefault(normalise(match[1]), (number, match[2]))
            brackets += 1
    rows = {name: row for name, row in rows.items() if name not in installers}
    return _packages(LIST if brackets else EXCERPT, rows, excerpt=True, rank=REPORT)
