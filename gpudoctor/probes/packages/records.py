"""Compares a package's RECORD with the files on disk, and checks that they are made for this Python.

RECORD lists `path,hash,size` of each installed file, relative to the site folder:
https://packaging.python.org/en/latest/specifications/recording-installed-packages/
"""

from collections.abc import Iterable, Iterator, Sequence

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact
from gpudoctor.facts.python import MOST_DAMAGES, Broken, Damage, Foreign, Interpreter
from gpudoctor.host.port import Host, Stat
from gpudoctor.knowledge.frameworks import module_of
from gpudoctor.probes.target.choice import path_rules

#: tensorflow's has 2.5 MB.
LIMIT = 64 * 1024 * 1024
#: Shared libraries are all compared; of the other files this many in all, evenly spread.
SAMPLE = 200
#: Their files are changed after RECORD was written: build prefix, RPATH, stripping.
_REWRITERS = ("apt", "conda", "debian", "dpkg", "easybuild", "guix", "nix", "rpm", "spack")
#: Folders that images are slimmed by, to no harm.
_TESTS = re.compile(r"(?:^|/)tests?/")
#: Installers that always write a RECORD, and cannot take a package away without it.
_RECORDERS = ("pip", "uv")
#: Of an import package, its own folders are asked for: one that is gone has many files, and none may be in the sample.
_DEPTH = 2
_INIT = b"/__init__.py,"
#: What stands in the line of a shared library.
_LIBRARY = {
    "win32": re.compile(rb"\.(?:dll|pyd),"),
    "darwin": re.compile(rb"\.(?:so|dylib),"),
    "linux": re.compile(rb"\.so[,.]"),
}


class Row(Fact, frozen=True):
    """One file of a RECORD; size in bytes."""

    path: str
    digest: str
    size: int


class Record(Fact, frozen=True, kw_only=True):
    """The RECORD of a distribution: its text as it is, since few of its many lines are ever looked at."""

    package: str
    location: str
    #: The metadata folder's name.
    folder: str
    raw: bytes
    #: Where in it the suffixes of shared libraries are.
    libraries: tuple[int, ...]
    #: How many lines state a size (compiled .pyc files and RECORD itself do not).
    sized: int


def parse_row(line: bytes) -> Row | None:
    """A line with a size. None for one without, for a quoted path (one with a comma), and for compiled Python."""
    path, _, rest = line.rstrip(b"\r\n").partition(b",")
    digest, _, size = rest.partition(b",")
    # Compiled files may be listed; any later start of Python, or an installer, compiles them anew.
    if not size.isdigit() or path.startswith(b'"') or path.endswith(b".pyc"):
        return None
    return Row(path.decode("utf-8", "replace"), digest.decode("ascii", "replace"), int(size))


def read_record(host: Host, package: str, location: str, folder: str, installer: str | None) -> Record | Broken | None:
    """The RECORD of a distribution; None where it does not bind the files, or whoever installed it keeps none."""
    if any(name in (installer or "").lower() for name in _REWRITERS) or location.startswith("/nix/store/"):
        return None
    path = path_rules(host).join(location, folder, "RECORD")
    raw = host.read(path, limit=LIMIT)
    if not raw and installer in _RECORDERS:
        return Broken(path=path, reason="it is missing" if raw is None else "it is empty")
    if not isinstance(raw, bytes) or not raw:
        return None
    try:
        raw.isascii() or raw.decode()
    except UnicodeDecodeError:
        return Broken(path=path, reason="it is no text")
    suffixes = _LIBRARY.get(host.platform, _LIBRARY["linux"]).finditer(raw)
    return Record(
        package=package,
        location=location,
        folder=folder,
        raw=raw,
        libraries=tuple(match.start() for match in suffixes),
        sized=raw.count(b",sha256="),
    )


def agreement(host: Host, record: Record | Broken | None) -> float:
    """Which part of the files that a RECORD lists is as it says, in a sample."""
    if not isinstance(record, Record):
        return 0.0
    rows = list(_all_rows(record))
    rows = rows[:: max(1, len(rows) // SAMPLE)]
    found = (host.stat(path_rules(host).join(record.location, row.path)) for row in rows)
    agreeing = sum(isinstance(stat, Stat) and stat.size == row.size for stat, row in zip(found, rows, strict=True))
    return agreeing / len(rows) if rows else 0.0


def find_damage(
    host: Host, records: Sequence[Record], explained: frozenset[tuple[str, str]] = frozenset()
) -> tuple[tuple[Damage, ...], int]:
    """Files missing or of another size than their RECORD says, and how many files were compared.

    `explained` are (location, path) that another distribution owns too, so that a difference is no damage.
    """
    damaged: list[Damage] = []
    checked = 0
    seen = set(explained)

    def compare(rows: Iterable[tuple[Record, Row]]) -> None:
        nonlocal checked
        for record, row in rows:
            if (record.location, row.path) in seen:
                continue
            seen.add((record.location, row.path))
            path = path_rules(host).join(record.location, row.path)
            stat = host.stat(path)
            if stat is not None and not isinstance(stat, Stat):
                continue
            checked += 1
            if stat is None or stat.size != row.size:
                found = None if stat is None else stat.size
                damaged.append(Damage(package=record.package, path=path, expected=row.size, found=found))

    compare(_chosen(records))
    # Where some files are gone, how many there are is asked of all.
    incomplete = {one.package for one in damaged if one.found is None}
    for record in records:
        if record.package in incomplete and len(damaged) < MOST_DAMAGES:
            compare((record, row) for row in _all_rows(record))
    # nvidia/__init__.py goes with whichever NVIDIA package is uninstalled, and no import misses it.
    real = {one.package for one in damaged if one.expected or one.found is not None}
    damaged = [one for one in damaged if one.package in real]
    return tuple(damaged[:MOST_DAMAGES]), checked


def _chosen(records: Sequence[Record]) -> Iterator[tuple[Record, Row]]:
    """Each package's own __init__.py and those of its folders, all shared libraries, then lines evenly spread."""
    for record in records:
        if (first := _own_init(record)) is not None:
            yield record, first
        for row in _folders(record.raw):
            yield record, row
        for row in _rows_at(record.raw, record.libraries):
            if is_library(row.path):
                yield record, row
    step = max(1, sum(len(record.raw) for record in records) // SAMPLE)
    for record in records:
        size = len(record.raw)
        for row in _rows_at(record.raw, range(0, size, max(1, min(step, size // 2)))):
            is_other = is_library(row.path) or row.path.startswith(("..", record.folder)) or _TESTS.search(row.path)
            if not is_other:
                yield record, row


def _all_rows(record: Record) -> Iterator[Row]:
    rows = (row for line in record.raw.splitlines() if (row := parse_row(line)) is not None)
    return (row for row in rows if not (row.path.startswith(("..", record.folder)) or _TESTS.search(row.path)))


def _own_init(record: Record) -> Row | None:
    """The __init__.py of the import package that has the distribution's name: emptied, it imports and has nothing."""
    module = module_of(record.package)
    line = f"{module}/__init__.py,".encode()
    at = 0 if record.raw.startswith(line) else record.raw.find(b"\n" + line) + 1
    return parse_row(record.raw[at : record.raw.find(b"\n", at)]) if at or record.raw.startswith(line) else None


def _folders(raw: bytes) -> Iterator[Row]:
    """The __init__.py of import packages, and of the folders in them."""
    at = raw.find(_INIT)
    while at >= 0:
        start = raw.rfind(b"\n", 0, at) + 1
        if raw.count(b"/", start, at + 1) <= _DEPTH:
            row = parse_row(raw[start : raw.find(b"\n", start)])
            if row is not None and not _TESTS.search(row.path):
                yield row
        at = raw.find(_INIT, at + 1)


def _rows_at(raw: bytes, offsets: Iterable[int]) -> Iterator[Row]:
    """The rows that these places in a RECORD are in, or next after them where that one states no size."""
    end = 0
    for offset in offsets:
        if offset < end:
            continue
        start = raw.rfind(b"\n", 0, offset) + 1
        for _ in range(2):
            end = raw.find(b"\n", start) + 1 or len(raw)
            row = parse_row(raw[start:end])
            if row is not None:
                yield row
                break
            start = end


def is_library(path: str) -> bool:
    """Whether a path is that of a shared library or an extension module."""
    name = path.rpartition("/")[2]
    return name.endswith((".so", ".dll", ".pyd", ".dylib")) or ".so." in name


#: _umath.cpython-312-x86_64-linux-gnu.so, _umath.cp312-win_amd64.pyd
_MODULE = re.compile(rb"\.(?:cpython-3(\d+t?)m?-[\w-]+\.so|cp3(\d+t?)m?-win\w+\.pyd)$")
#: For all from some release on.
_FOR_SEVERAL = (b".abi3.so", b".abi3.pyd")
#: The ABI in the tags of a wheel: packaging.python.org, platform compatibility tags.
_TAG = re.compile(r"(?m)^Tag:[ \t]*([^-\s]+)-([^-\s]+)-")


def find_foreign(host: Host, records: Iterable[Record], interpreter: Interpreter) -> tuple[Foreign, ...]:
    """The distributions that were built for one other Python, by their files' names and by their wheel's tags."""
    major, *minor = (interpreter.version or "").split(".")[:2]
    if (interpreter.implementation or "").lower() != "cpython" or major != "3" or not minor:
        return ()
    own = minor[0] + ("t" if interpreter.free_threaded else "")
    return tuple(one for record in records if (one := _foreign(host, record, own)) is not None)


def _foreign(host: Host, record: Record, own: str) -> Foreign | None:
    first: dict[str, bytes] = {}
    for at in record.libraries:
        name = record.raw[record.raw.rfind(b"\n", 0, at) + 1 : record.raw.find(b",", at)]
        if name.endswith(_FOR_SEVERAL):
            return None
        if match := _MODULE.search(name):
            first.setdefault((match[1] or match[2]).decode(), name)
    # Some packages bring modules for each of several Pythons.
    if len(first) != 1 or own in first:
        return None
    ((tag, module),) = first.items()
    rules = path_rules(host)
    path = rules.join(record.location, module.decode("utf-8", "replace"))
    wheel = host.read_text(rules.join(record.location, record.folder, "WHEEL"), limit=16 * 1024)
    tags = _TAG.findall(wheel) if isinstance(wheel, str) else []
    is_of_it = bool(tags) and all(abi.rstrip("m") == f"cp3{tag}" for _, abi in tags)
    if not is_of_it or not isinstance(host.stat(path), Stat):
        return None
    return Foreign(package=record.package, path=path, python=f"3.{tag}")
