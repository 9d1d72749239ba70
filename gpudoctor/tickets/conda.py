"""Output of conda, mamba and micromamba: `list`, `env export`, `info`."""

from collections.abc import Iterator

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.python import Interpreter, Package, Packages
from gpudoctor.facts.system import System
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.sources.package_names import is_conda_relevant, normalise
from gpudoctor.tickets.fragment import REPORT, Fragment, fragment, source
from gpudoctor.tickets.pasted import Pasted

LIST, EXPORT, INFO, PLAN = "conda list", "conda env export", "conda info", "conda install"

_AT = re.compile(r"^\s*#?\s*packages in environment at (\S+?):?\s*$")
_ROW = re.compile(
    r"^\s*(\[conda\]\s+)?([a-zA-Z_][\w.+-]*)\s{2,}(\d[\w.!+]*)\s+((?!\d+\.\d)[\w.]*\d[\w.]*|<pip>|pypi_\d+|main|mkl)"
    r"(?:\s+([\w./:-]+))?\s*$"
)
_EXPORTED = re.compile(r"^\s*-\s+(?:[\w-]+(?:/[\w-]+)?::)?([a-z_][\w.-]*)=(\d[\w.!+]*)(?:=([\w.]+))?\s*$")
_PLANNED = re.compile(
    r"(?:^|\s)(?:\S*/)?([\w-]+)/(?:linux|win|osx)-(?:64|aarch64|arm64)::([a-z_][\w.-]*?)-(\d[\w.!+]*)-([\w.]+)(?=\s|$)"
)
_CUDA = re.compile(r"(?:^|\s|:\s*)__cuda=(\d+\.\d+)")
_GLIBC = re.compile(r"__glibc=(\d+\.\d+)")
_PLATFORM = re.compile(r"^\s*platform\s*:\s*(linux|win|osx)-(64|aarch64|arm64)")
_SYSTEMS = {"linux": "linux", "win": "windows", "osx": "macos"}


def parse_conda(text: Pasted) -> tuple[Fragment, ...]:
    """All of it."""
    return (*_list(text), *_planned(text), *_export(text), *_info(text))


def _list(text: Pasted) -> Iterator[Fragment]:
    at = next(text.matches(_AT), None)
    rows: dict[str, tuple[int, Package]] = {}
    relevant = 0
    for number, match in text.matches(_ROW):
        name = normalise(match[2])
        known = is_conda_relevant(name) or name == "python"
        if not (at or match[1] or (known and (match[5] or re.search(r"py\d|_\d+$|^h[0-9a-f]{6}", match[4])))):
            continue
        by_pip = match[4].startswith("pypi") or match[4] == "<pip>" or match[5] == "pypi"
        relevant += known
        package = Package(
            name=name,
            version=match[3],
            installer="pip" if by_pip else "conda",
            build=None if by_pip else match[4],
            channel=None if by_pip else _channel(match[5]),
        )
        rows.setdefault(name, (number, package))
    if not rows or not (relevant or at):
        return
    python = rows.get("python")
    whole = at is not None and len(rows) > 5 and python is not None
    lines = [number for number, _ in rows.values()] + ([at[0]] if at else [])
    yield from fragment(
        LIST,
        lines,
        packages=Packages(installed=tuple(package for _, package in rows.values()), excerpt=not whole),
        interpreter=Interpreter(executable="python", chosen_by="report", version=python[1].version, environment="conda")
        if python
        else None,
        host=_system_of(at[1][1]) if at else None,
    )


def _planned(text: Pasted) -> tuple[Fragment, ...]:
    """What conda says that it is going to install: conda-forge/linux-64::pytorch-2.6.0-cpu_mkl_py312_0."""
    rows: dict[str, tuple[int, Package]] = {}
    for number, match in text.found(_PLANNED):
        name = normalise(match[2])
        if is_conda_relevant(name) or name == "python":
            package = Package(name=name, version=match[3], installer="conda", build=match[4], channel=match[1])
            rows.setdefault(name, (number, package))
    packages = tuple(package for _, package in rows.values())
    lines = (number for number, _ in rows.values())
    return fragment(PLAN, lines, REPORT, packages=Packages(installed=packages, excerpt=True) if packages else None)


def _channel(word: str | None) -> str | None:
    return word if word and not word.startswith("http") else None


def _system_of(path: str) -> System | None:
    if re.match(r"[A-Za-z]:\\", path):
        return System(os="windows")
    return System(os="macos") if path.startswith("/Users/") else System(os="linux") if path.startswith("/") else None


def _export(text: Pasted) -> tuple[Fragment, ...]:
    if not any(line.strip() == "dependencies:" for line in text.lines):
        return ()
    rows = [(number, match) for number, match in text.matches(_EXPORTED)]
    packages = tuple(
        Package(name=normalise(match[1]), version=match[2], installer="conda", build=match[3]) for _, match in rows
    )
    python = next((package for package in packages if package.name == "python"), None)
    return fragment(
        EXPORT,
        (number for number, _ in rows),
        REPORT,
        packages=Packages(installed=packages, excerpt=True) if packages else None,
        interpreter=Interpreter(executable="python", chosen_by="report", version=python.version, environment="conda")
        if python
        else None,
    )


def _info(text: Pasted) -> Iterator[Fragment]:
    """Its virtual packages tell what conda saw of the machine: __cuda is what the driver offers."""
    for number, match in text.found(_CUDA):
        driver = Driver(cuda=CudaVersion.parse(match[1]), source=source(INFO, number))
        yield from fragment(INFO, (number,), driver=driver)
    for number, match in text.found(_GLIBC):
        yield from fragment(INFO, (number,), host=System(os="linux", libc="glibc", libc_version=match[1]))
    for number, match in text.matches(_PLATFORM):
        arch = {"64": "x86_64"}.get(match[2], match[2])
        yield from fragment(INFO, (number,), host=System(os=_SYSTEMS[match[1]], arch=arch))  # type: ignore[arg-type]
