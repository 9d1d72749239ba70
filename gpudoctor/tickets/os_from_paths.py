"""The operating system by the paths and library names in a text, and what those weigh beside a system that is named."""

from collections.abc import Collection, Iterable

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.system import System
from gpudoctor.tickets.fragment import HEARSAY, WORDS, Fragment, fragment
from gpudoctor.tickets.pasted import Pasted

PATHS, MARKS = "paths in the text", "prompts and paths"

_ROOT = r"(?<![\w.:/\\])/"
#: Folders that Linux has and macOS has not: /usr/lib there holds only Apple's own files, and /opt/conda is where the
#: images of Docker have it (github.com/pytorch/pytorch, Dockerfile).
_OF_LINUX = (
    _ROOT + r"(?:home|root|mnt|data|workspace|lib64|proc)/[\w.@~+-]+"
    rf"|{_ROOT}usr/(?:lib(?:32|64)?/(?!swift|system/|lib[\w.+-]+\.dylib)|local/cuda|include/(?:x86_64|aarch64))"
    rf"|{_ROOT}opt/(?:conda|rocm|nvidia|amdgpu)\b"
    # Debian's patch of Python, wiki.debian.org/Python.
    r"|/python3(?:\.\d+)?/dist-packages\b|-linux-gnu\.so\b"
)
#: Those of Homebrew, Anaconda and python.org are on both; they say only that it is not Windows.
_SHARED = _ROOT + r"(?:usr|opt)/[\w.@~+-]+/"
_OF_MACOS = _ROOT + r"(?:Users|opt/homebrew|System/Library|Library/Frameworks)/[\w.-]+|-darwin\.so\b"

_PATHS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "windows",
        re.compile(
            r"\b[A-Z]:\\(?:Users|Program|Windows|Python|ProgramData|Anaconda|Miniconda)"
            r"|\b[A-Z]:\\(?:[^\\\s\"'<>|]+\\){1,12}(?:site-packages|Scripts|Lib)\\|\[MSC v\.\d+ (?:64|32) bit",
            re.I,
        ),
    ),
    ("linux", re.compile(_OF_LINUX)),
    ("macos", re.compile(_OF_MACOS)),
    ("posix", re.compile(_SHARED)),
)

_CLUES: dict[str, re.Pattern[str]] = {
    # Releases of three numbers are those of the drivers for Linux; Windows has two, as in compat/cuda_driver.json.
    "linux": re.compile(
        r"\blib\w+\.so(?:\.\d+)*\b|(?:^|[\s'\"(=:,])/(?:home|root|lib|lib64|etc|proc|dev|mnt)/\w"
        r"|\bdriver version:?\s*\d{3}\.\d{2,3}\.\d{2}\b",
        re.IGNORECASE,
    ),
    "windows": re.compile(r"(?<![\w/])[A-Za-z]:(?:\\\w|/(?:Program|Users|Windows)\b)|\b\w+\.dll\b|\bWinError\b"),
    "macos": re.compile(r"(?:^|[\s'\"(=:,])/(?:Users|opt/homebrew|Applications)/\w|\blib\w+\.dylib\b"),
}


def parse_paths(text: Pasted) -> tuple[Fragment, ...]:
    """The one system whose paths the text holds; none where it holds those of several."""
    found: dict[str, int] = {}
    for number, line in text.filled:
        if "/" in line or "\\" in line or "[MSC" in line:
            for name, pattern in _PATHS:
                if name not in found and pattern.search(line):
                    found[name] = number
    shared = found.pop("posix", None)
    if len(found) == 1 and not ("windows" in found and shared):
        ((name, number),) = found.items()
        return fragment(PATHS, (number,), WORDS, host=System(os=name))  # type: ignore[arg-type]
    if shared and not found:
        return fragment(PATHS, (shared,), WORDS, host=System(is_posix=True))
    return ()


def parse_platform(text: Pasted, stated: Collection[str]) -> tuple[Fragment, ...]:
    """The system whose marks the text bears, where it bears those of one only."""
    if "host" in stated:
        return ()
    seen = {os: place for os, pattern in _CLUES.items() if (place := _first(text, pattern))}
    if "macos" in seen:  # which has libraries of that name, too
        seen.pop("linux", None)
    if len(seen) != 1:
        return ()
    ((os, place),) = seen.items()
    return fragment(MARKS, (place,), HEARSAY, host=System(os=os))  # type: ignore[arg-type]


def _first(text: Pasted, pattern: re.Pattern[str]) -> int | None:
    return next((number for number, _ in text.found(pattern)), None)


def weighed(fragments: Iterable[Fragment]) -> tuple[Fragment, ...]:
    """The fragments, in which paths are weighed against what else is said of the system.

    Who names a Mac has one, whatever paths are like those of Linux; beside an NVIDIA GPU it is only where they sit. On
    Windows no path begins with a slash: what is told of runs in WSL or in a container.
    """
    every = tuple(fragments)
    said = {_os_of(one) for one in every if not _is_by_path(one)} - {None}
    if said == {"macos"} and not any(map(_shows_nvidia, every)):
        return tuple(one for one in every if not (_is_by_path(one) and _is_like_linux(one)))
    if said == {"windows"}:
        return tuple(_as_linux(one) if _is_by_path(one) and _is_like_linux(one) else one for one in every)
    return every


def _is_by_path(one: Fragment) -> bool:
    return one.form in (PATHS, MARKS) and "host" in one.sections


def _shows_nvidia(one: Fragment) -> bool:
    gpus, driver = one.sections.get("gpus"), one.sections.get("driver")
    has_gpu = isinstance(gpus, Gpus) and any(gpu.vendor == "nvidia" for gpu in gpus.devices)
    return has_gpu or (isinstance(driver, Driver) and driver.release is not None)


def _os_of(one: Fragment) -> str | None:
    host = one.sections.get("host")
    return host.os if isinstance(host, System) else None


def _is_like_linux(one: Fragment) -> bool:
    host = one.sections["host"]
    return isinstance(host, System) and (host.os == "linux" or bool(host.is_posix))


def _as_linux(one: Fragment) -> Fragment:
    return fragment(one.form, one.lines, one.rank, host=System(os="linux"))[0]
