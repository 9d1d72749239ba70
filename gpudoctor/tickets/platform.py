"""Which operating system a text is from, where nobody says so: paths, names of libraries, the driver's numbers."""

from collections.abc import Collection

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.system import System
from gpudoctor.tickets.fragment import HEARSAY, Fragment, fragment
from gpudoctor.tickets.pasted import Pasted

FORM = "prompts and paths"

_CLUES: dict[str, re.Pattern[str]] = {
    # Releases of three numbers are those of the drivers for Linux; Windows has two, as in compat/cuda_driver.json.
    "linux": re.compile(
        r"\blib\w+\.so(?:\.\d+)*\b|(?:^|[\s'\"(=:,])/(?:usr|home|root|lib|lib64|etc|proc|dev|mnt)/\w"
        r"|\bdriver version:?\s*\d{3}\.\d{2,3}\.\d{2}\b",
        re.IGNORECASE,
    ),
    "windows": re.compile(r"(?<![\w/])[A-Za-z]:(?:\\\w|/(?:Program|Users|Windows)\b)|\b\w+\.dll\b|\bWinError\b"),
    "macos": re.compile(r"(?:^|[\s'\"(=:,])/(?:Users|opt/homebrew|Applications)/\w|\blib\w+\.dylib\b"),
}


def parse_platform(text: Pasted, stated: Collection[str]) -> tuple[Fragment, ...]:
    """The system whose marks the text bears, where it bears those of one only."""
    if "host" in stated:
        return ()
    seen = {os: place for os, pattern in _CLUES.items() if (place := _first(text, pattern))}
    if "macos" in seen:  # which has /usr, too
        seen.pop("linux", None)
    if len(seen) != 1:
        return ()
    ((os, place),) = seen.items()
    return fragment(FORM, (place,), HEARSAY, host=System(os=os))  # type: ignore[arg-type]


def _first(text: Pasted, pattern: re.Pattern[str]) -> int | None:
    return next((number for number, _ in text.found(pattern)), None)
