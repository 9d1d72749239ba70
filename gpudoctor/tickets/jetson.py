"""A Jetson's L4T release in any spelling, and the one a container image is made for."""

from collections.abc import Iterator

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.system import Container, System
from gpudoctor.knowledge.jetson_builds import l4t_of_jetpacks
from gpudoctor.sources.system import L4T_OF_IMAGE, release_of
from gpudoctor.tickets.fragment import HEARSAY, TOOL, WORDS, Fragment, fragment
from gpudoctor.tickets.pasted import Pasted

FILE, NAMED, IMAGE = "/etc/nv_tegra_release", "the reporter's words", "the image's name"

_NAMED = re.compile(
    r"(?<![\w./:-])(?:nvidia-)?l4t(?:-core)?\W{0,3}(?:version|release)?\W{0,3}\s*R?((?:2[0-9]|3\d)\.\d{1,2}(?:\.\d{1,2})?)(?![\w.]*\d)"
    r"|(?<![\w./:-])\|?\s*L4T\s*\|\s*R?((?:2\d|3\d)\.\d(?:\.\d{1,2})?)",
    re.IGNORECASE,
)
#: "R36.4.0" is a release of L4T only beside words of it.
_BARE = re.compile(r"(?<![\w./:-])R((?:28|3[2-9])\.\d{1,2}\.\d{1,2})(?![\w.]*\d)")
_BESIDE = re.compile(r"\b(?:tegra|jetpack|jetson|l4t|orin|xavier|tx[12]|nano)\b|-tegra\b", re.IGNORECASE)
_JETPACK = re.compile(
    r"\b(?:jetpack|jp(?= ?\d\.\d))\W{0,3}(?:sdk|version|release|is)?\W{0,3}v?(\d\.\d(?:\.\d)?)(?![\w.]*\d)",
    re.IGNORECASE,
)
#: Of which one stands in each text that has anything to read.
_WORDS = ("l4t", "tegra", "jetpack", "jetson", "revision", "orin", "xavier", " tx", "nano")
_NONE = re.compile(r"\b(?:no|not a|without a?|instead of|issue|same) ?(?:jetson|l4t)?\b", re.IGNORECASE)


def parse_jetson(text: Pasted) -> tuple[Fragment, ...]:
    """All of it."""
    lower = text.text.lower()
    return (*_system(text), *_image(text)) if any(word in lower for word in _WORDS) else ()


def _system(text: Pasted) -> tuple[Fragment, ...]:
    for number, line in text.filled:
        if "REVISION" in line and release_of(line):
            return fragment(FILE, (number,), TOOL, host=_jetson(line.strip()[:200]))
    told = dict(reversed([*_told(text)])) or dict(reversed([*_of_jetpack(text)]))
    if len(told) != 1:
        return ()
    ((release, number),) = told.items()
    return fragment(NAMED, (number,), WORDS, host=_jetson(f"R{release}"))


def _jetson(tegra: str) -> System:
    return System(os="linux", arch="aarch64", tegra=tegra)


def _told(text: Pasted) -> Iterator[tuple[str, int]]:
    for number, line in text.filled:
        if len(line) > 600:
            continue
        if "l4t" in line.lower():
            yield from ((match[1] or match[2], number) for match in _NAMED.finditer(line))
        if "R" in line and (bare := _BARE.search(line)) and _BESIDE.search(line) and not _NONE.search(line):
            yield bare[1], number


def _of_jetpack(text: Pasted) -> Iterator[tuple[str, int]]:
    """The L4T of the JetPack that is named."""
    for number, line in text.filled:
        if len(line) <= 600 and ("jetpack" in line.lower() or "JP" in line) and not _NONE.search(line):
            named = (match[1] for match in _JETPACK.finditer(line))
            yield from ((l4t, number) for one in named if (l4t := l4t_of_jetpacks().get(one)))


def _image(text: Pasted) -> tuple[Fragment, ...]:
    """The one image for a Jetson that is named."""
    named = {match[0]: number for number, line in text.filled for match in L4T_OF_IMAGE.finditer(line)}
    if len(named) != 1:
        return ()
    ((image, number),) = named.items()
    return fragment(IMAGE, (number,), HEARSAY, container=Container(image=image))
