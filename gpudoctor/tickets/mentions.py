"""Versions named in sentences, and whose they are: "nvidia-smi says CUDA 12.2, nvcc 11.8"."""

from collections.abc import Iterable, Iterator

from gpudoctor.facts import lazy_re as re
from gpudoctor.tickets.clauses import PRINTED, WIDE, Told

#: What stands between a name and its version; verbs are of those who quote a program.
LINK = (
    r"(?:[\s-]*(?:version|versions|ver\.?|release|is|still|now|at|ist|in|der|nuget|package|nightly|stable|build|says|shows|showing|shown|reports|prints"
    r"|gives|returns|outputs|displays|reads|itself|版本|显示|是|为)(?![a-z])|\.__version__|\s*(?:[=:(]|->|→))*[\s\"'`]*"
)
#: Not a part of a path or of another name; behind a number's slash: "TensorFlow 2.2/CUDA 10.1".
ALONE = r"(?<![\w.-])(?<![^\s\d]/)(?<!^/)"
_AFTER = r"(?![\w.]*\d)"

PYTHON = re.compile(
    rf"(?<![\w./-])(?:python|py(?=[\s=:]?[23]\.\d)){LINK}([23]\.\d{{1,2}}(?:\.\d{{1,2}})?){_AFTER}", re.I
)
_RELEASE = r"(\d{3}\.\d{2,3}(?:\.\d{1,3})?)"
_DRIVER = re.compile(
    rf"\b(?:\w*treiber|drivers?|\w{{0,8}}驱动|nvidia(?=[\s:=v]{{1,3}}\d{{3}}\.)){LINK}v?{_RELEASE}{_AFTER}"
    rf"|(?<![\w.+-]){_RELEASE} (?:\w+ )?(?:drivers?|treiber)\b",
    re.I,
)
#: The branch alone: "driver 535", "nvidia driver == 530", "the 470 driver".
_BRANCH = re.compile(
    rf"\b(?:\w*treiber|(?:nvidia[- ])?drivers?|\w{{0,8}}驱动){LINK}v?([3-6]\d\d)(?:\.x+)?"
    # Another number, a part of a name, a quantity.
    r"(?![\w.%-]*\d|[.-]\w|[\w%]| ?(?:[kmg]i?b|mhz|°?c|w|files?|packages?)\b)"
    r"|(?<![\w.+$-])([3-6]\d\d)(?:\.x+)? (?:series |branch |nvidia )?(?:drivers?|treiber)\b",
    re.I,
)
#: Windows numbers drivers by a scheme of its own: NVIDIA's release is the last five digits (31.0.15.3623 is 536.23).
_OF_WINDOWS = re.compile(r"(?<![\d.])[23]\d\.\d{1,2}\.1(\d)\.(\d\d)(\d\d)(?![\d.]*\d)")
_CUDA = re.compile(
    rf"{ALONE}(?P<name>cuda(?:[ -]?tool ?kit)?|nvcc(?: -v| --version)?|nvidia[- ]?smi)"
    rf"{LINK}v?(?P<version>\d{{1,2}}\.\d)(?:\.\d{{1,3}})?{_AFTER}"
    # "CUDA 11.8 and 12.1" are two.
    rf"(?:(?:,| and| or| &|/|和)\s?v?(?P<other>\d{{1,2}}\.\d)(?:\.\d{{1,3}})?{_AFTER}"
    r"(?! ?(?:cudnn|for|of|python|py|torch|tf)))?",
    re.I,
)
#: After it, a CUDA is the one that the driver can serve, until a toolkit is named.
_OF_DRIVER = re.compile(
    r"\b(?:nvidia[- ]?smi|smi shows)\b(?!.*\b(?:nvcc|tool ?kit|torch|tensorflow)\b)"
    # "driver 595.97 (CUDA 13.2 runtime)", and as nvidia-smi heads its table.
    r"|\bdrivers?\b\W{0,3}(?:version )?\W{0,2}\d{3}\.[\d.]+\W{1,3}\(cuda\W+(?:version )?$"
    r"|\bdriver version\W{1,3}\d{3}\.[\d.]+\W{1,12}cuda version\W+$",
    re.I,
)
_OFFERED = re.compile(
    r"\bdrivers?\b[^.;,]{0,30}\b(?:supports?|offers?|allows|serves|handles)\b[^.;,]{0,30}?\bcuda (?:version )?"
    rf"(\d{{1,2}}\.\d)(?:\.\d{{1,3}})?{_AFTER}",
    re.I,
)
#: "pytorch 2.1 with cuda 11.7": the build's.
_OF_BUILD = re.compile(
    r"\b(?:(?:py)?torch|tensorflow|paddle(?:paddle)?|onnxruntime(?:-gpu)?|xformers)\b[ =:v]{0,3}(?:version )?"
    r"\d[\w.+]{0,20}[ ,(]{1,3}(?:(?:built |compiled )?(?:with|for|on)|\+) (?:nvidia )?$",
    re.I,
)
#: NVIDIA's control panel: "NVIDIA CUDA 11.5.76 driver".
_BY_PANEL = re.compile(r"\bnvidia cuda (\d{1,2}\.\d)(?:\.\d{1,3})? driver\b", re.I)
#: A kernel's release that its suffix makes one, whatever is before it.
KERNEL_BY_SUFFIX = re.compile(
    r"(?<![\w./-])([3-7]\.\d{1,2}\.\d{1,3}-[\w.]*-?(?:generic|lowlatency|aws|azure|gcp|oracle|pve|tegra|amd64|arch\d[\w.-]*|zen\d[\w.-]*"
    r"|default|microsoft-standard-WSL2|[\w.]*\.(?:el|fc|amzn)\d+[\w.]*))(?![\w-]*\d)"
)


def drivers(clause: str) -> Iterator[str]:
    """The releases of NVIDIA's driver that a clause names."""
    yield from (match[1] or match[2] for match in _DRIVER.finditer(clause))
    if "driver" in clause.lower() and (release := of_windows(clause)):
        yield release


def driver_branches(clause: str) -> Iterator[str]:
    """The branches of NVIDIA's driver that a clause names, 535 as 535.x."""
    yield from (f"{match[1] or match[2]}.x" for match in _BRANCH.finditer(clause))


def of_windows(text: str) -> str | None:
    """NVIDIA's release in the version that Windows shows for a driver."""
    match = _OF_WINDOWS.search(text)
    return f"{match[1]}{match[2]}.{match[3]}" if match else None


def toolkits(clause: str) -> Iterator[str]:
    """The releases of CUDA that a clause names, but for those that are the driver's or a build's."""
    for match in _CUDA.finditer(clause):
        if not _is_of_driver(match) and not _OF_BUILD.search(clause[: match.start()]):
            yield from filter(None, match.group("version", "other"))


def offered(clause: str) -> Iterator[str]:
    """The releases of CUDA that a clause says the driver can serve."""
    yield from (match["version"] for match in _CUDA.finditer(clause) if _is_of_driver(match))


def _is_of_driver(match: re.Match[str]) -> bool:
    before = match.string[: match.start("version")]
    if match["name"].lower().startswith("cuda"):
        return bool(_OF_DRIVER.search(before) or _BY_PANEL.match(match.string, max(0, match.start() - len("nvidia "))))
    return bool(_OF_DRIVER.fullmatch(match["name"]))


def supported(lines: Iterable[Told]) -> Iterator[Told]:
    """What a driver is said to support, which no other clause could say of what is there."""
    yield from (
        (number, match[1])
        for number, line in lines
        if not PRINTED.match(line)
        for match in _OFFERED.finditer(line[:WIDE])
    )
