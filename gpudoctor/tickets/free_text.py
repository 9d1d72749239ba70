"""Versions, disk space and shared memory in passing: "my PyTorch version is 1.6.0", `df -h` output."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.python import Framework, Frameworks, Interpreter
from gpudoctor.facts.system import Space, System
from gpudoctor.facts.versions import DriverRelease
from gpudoctor.sources.build_tags import local_part, parse_tag
from gpudoctor.tickets.fragment import WORDS, Fragment, fragment, source
from gpudoctor.tickets.machine_words import python_version
from gpudoctor.tickets.mentions import of_windows
from gpudoctor.tickets.pasted import Pasted

FORM, DF = "the reporter's words", "df"

_VERSION = re.compile(
    r"\b(python|pytorch|torch|torchvision|torchaudio|tensorflow|jax|jaxlib"
    r"|keras)['s]{0,2} ver(?:sion)?\b\.?[`*]*\s*(?:is|was|[:=]|==)?"
    r"\s*[`*'\"]*v?(\d+\.\d+\.\d+(?:(?:a|b|rc|\.?dev)\d+)?(?:\+[\w.]+)?)(?![\w.]*\d)",
    re.IGNORECASE,
)
#: Filesystem, size, used, available, share, mount; a container's is named shm.
_DF = re.compile(
    r"^\s*(\S+)\s+(\d+(?:\.\d+)?[KMGT]?)i?B?\s+(\d+(?:\.\d+)?[KMGT]?)i?B?\s+(\d+(?:\.\d+)?[KMGT]?)i?B?\s+\d+%\s+(/dev/shm)\s*$"
)
_UNITS = {"K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}


#: A line that is nothing else.
_DRIVER = re.compile(
    r"^\W*NVIDIA[ :-]+(\d{3}\.\d{2,3}(?:\.\d{1,3})?)\W*$"
    # nvidia-smi's first line, alone or with letters lost.
    r"|driver version: +(\d{3}\.\d{2,3}(?:\.\d{1,3})?) +(?:cuda|kmd|\|)",
    re.IGNORECASE,
)


def parse_in_words(text: Pasted) -> tuple[Fragment, ...]:
    """All of it."""
    shm = _shared_memory(text) if "/dev/shm" in text.text else ()  # noqa: S108 - what df shows
    return (*_driver(text), *_versions(text), *shm)


def _driver(text: Pasted) -> tuple[Fragment, ...]:
    for number, match in text.matches(_DRIVER):
        driver = Driver(release=DriverRelease.parse(match[1] or match[2]), source=source(FORM, number))
        return fragment(FORM, (number,), WORDS, driver=driver)
    for number, line in text.filled:
        # A row of Windows' own list of display adapters.
        if ".1" in line and "NVIDIA" in line and (named := of_windows(line)):
            driver = Driver(release=DriverRelease.parse(named), source=source(FORM, number))
            return fragment(FORM, (number,), WORDS, driver=driver)
    return ()


def _versions(text: Pasted) -> tuple[Fragment, ...]:
    found: dict[str, set[str]] = {}
    places: dict[str, int] = {}
    for number, line in text.filled:
        if "ver" not in line and "Ver" not in line:
            continue
        for match in _VERSION.finditer(line):
            name = match[1].lower().replace("pytorch", "torch")
            found.setdefault(name, set()).add(match[2])
            places.setdefault(name, number)
    # Where several are named, people compare them.
    said = {name: versions.pop() for name, versions in found.items() if len(versions) == 1}
    python = python_version(said.pop("python", ""))
    frameworks = tuple(_framework(name, version, places[name]) for name, version in said.items())
    return fragment(
        FORM,
        (places[name] for name in (*said, *(("python",) if python else ()))),
        WORDS,
        frameworks=Frameworks(found=frameworks) if frameworks else None,
        interpreter=Interpreter(executable="python", chosen_by="report", version=python) if python else None,
    )


def _framework(name: str, version: str, number: int) -> Framework:
    variant, cuda = parse_tag(local_part(version))
    return Framework(name=name, version=version, variant=variant, cuda=cuda, source=source(FORM, number))


def _shared_memory(text: Pasted) -> tuple[Fragment, ...]:
    for number, match in text.matches(_DF):
        total, free = _bytes(match[2]), _bytes(match[4])
        shm = Space(path=match[5], total=total, free=free, filesystem="tmpfs", purpose="shm")
        return fragment(DF, (number,), host=System(spaces=(shm,)))
    return ()


def _bytes(text: str) -> int:
    """64M; a plain number is in blocks of 1024 bytes."""
    unit = _UNITS.get(text[-1])
    return int(float(text[:-1]) * unit) if unit else int(float(text) * 1024)
