"""Reads from a text where a program ran: WSL, a container, Slurm, conda."""

from functools import cache

from gpudoctor.facts import lazy_re as re
from gpudoctor.knowledge.known_surroundings import frameworks_of_applications, image_with_gpu_code, known_in
from gpudoctor.tables import expressions_of

#: How the names of subjects begin.
_ABOUT = "about-"

#: ASCII, as Chinese text puts no space between its characters and a name: "在Mac上".
_WORDS = re.IGNORECASE | re.MULTILINE | re.ASCII
_PYTHON = re.compile(
    r"\bpython|\bpip\d?\b|\.py\b|\bconda\b|\btraceback\b|^\W*import \w|-packages\b|\bnumpy\b|\bmodule ['\"`]",
    re.I | re.M,
)
_APPTAINER = re.compile(r"\b(?:apptainer|singularity)\b", re.I)
#: Other makers' GPUs count as surroundings only where no product of NVIDIA is named, nor a card that the reporter has.
_OTHERS, _NVIDIA = (
    ("amd", "intel", "intel-arc"),
    re.compile(
        r"\b(?:geforce|[rg]tx ?\d{3,4}|tesla|quadro|nvidia-smi|a100|h100|v100"
        r"|(?:my|and (?:an?|one|the)|(?<!don't )(?<!not )have an?|plus an?|dedicated|discrete)"
        r" nvidia (?:card|d?gpu|graphics))\b",
        re.I,
    ),
)


#: A line of a form that denies, or leaves open, what its label names: "WSL: no", "Container: n/a", "slurm: None".
_DENIED = re.compile(
    r"^[^\n:=]{1,60}[:=][ :\"'*]*(?:none|null|nil|n/?a|no|nope|false|0|unknown|not (?:used|applicable|given|known))"
    r"[ \"'*,.]*$",
    re.IGNORECASE | re.MULTILINE,
)
#: The same in a sentence: "I'm not on Colab", "no docker here", "as others have it on Colab".
_DENIED_IN_PASSING = re.compile(
    r"(?:\b(?:not|isn'?t|no|without|don'?t use|never|unlike|instead of)"
    r"|\bothers? (?:have|had|see|saw)(?: it| this)?)[ \t]+"
    r"(?:(?:on|in|inside|under|using|running|via|with|an?|the|any|google)[ \t]+){0,3}"
    r"(?:coo?ll?ab|kaggle|docker|podman|containers?|wsl ?[12]?|(?:ana|mini)?conda|slurm|kubernetes|vms?"
    r"|virtual machines?|windows|mac ?os|macs?)\b(?! (?:support|version|image|package|file|user|env))",
    re.IGNORECASE,
)
#: What a program prints for every system and every maker alike; the last is PyTorch's, of any machine.
_ANYWHERE = re.compile(
    r"\bcheck that you have an nvidia gpu\b|\bcuda(?:xxx)? ?(?:or|and|/) ?(?:cupy-)?rocm[-\w]*"
    r"|\bon linux or \w{1,40} on mac ?os\b|\bnote: after mac ?os \d+\.\d+",
    re.IGNORECASE,
)


#: An image by its repository: ghcr.io/open-webui/open-webui:main
_IMAGE = re.compile(r"(?<![\w./-])[\w.-]{1,60}(?:/[\w.-]{1,60}){1,2}(?::[\w.-]{1,80})?(?![\w/])", re.ASCII)
#: Characters of a text that is more than a message somebody looks up.
_REPORT = 300


@cache
def _words(*, subjects: bool) -> tuple[tuple[str, str], ...]:
    """What a text is about, or what is around, with the expressions for it."""
    rows = expressions_of("knowledge/surroundings").items()
    return tuple((name, words) for name, words in rows if name.startswith(_ABOUT) is subjects)


#: Packages that an installer lists, or complains of: none need be what the program computes with.
_LISTED = re.compile(
    r"^[ \t>*`-]*(?:\S{1,60}(?:==| )v?\d\S{0,30} (?:requires|depends on|has requirement)\b[^\n]{0,300}"
    r"|[\w.-]{2,60}(?:==|[ \t]{2,}|@ )v?\d[\w.+!-]{0,40}(?:[ \t]{2,}\S[^\n]{0,80})?"
    r"|(?:requirement already satisfied|collecting|using cached|downloading|installing collected packages"
    r"|successfully installed|successfully uninstalled|found existing installation|attempting uninstall)\b"
    r"[^\n]{0,4000})[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)


def without_denied(text: str) -> str:
    """The text without the places and systems that it says it is not about."""
    return _ANYWHERE.sub("", _DENIED_IN_PASSING.sub("", _DENIED.sub("", text)))


#: How PyTorch begins what CUDA says (c10/cuda/CUDAException.cpp); programs that print it too are subjects by name.
_BY_TORCH = re.compile(r"\bCUDA error: [a-z]")


def subjects_in(text: str) -> frozenset[str]:
    """What a text is about: about-torch, about-tensorflow, about-jax, about-another: GPU code of its own.

    A report that names none of them is about a program that is not known here; no-python: nor does it name that.
    """
    told = _LISTED.sub("", text)
    found = _subjects(told) or _subjects(text)
    if not found and _BY_TORCH.search(text):
        return frozenset({f"{_ABOUT}torch"})
    if not found and len(text) > _REPORT:
        found.add(f"{_ABOUT}another")
    return frozenset(found if _PYTHON.search(text) else {*found, "no-python"})


def _subjects(text: str) -> set[str]:
    named = {name for name, words in _words(subjects=True) if re.search(words, text, _WORDS)}
    return named | {f"{_ABOUT}{name}" for name in frameworks_of_applications(text)}


def surroundings_in(text: str) -> frozenset[str]:
    """Where the program ran, as far as the text says so."""
    text = without_denied(text)
    found = {name for name, words in _words(subjects=False) if re.search(words, text, _WORDS)}
    if "wsl" in found and _APPTAINER.search(text):
        found.add("wsl-apptainer")
    if found.issuperset(("jetson-4", "container")):
        found.add("jetson-4-container")
    if found.issuperset(("windows", "conda-is-named", "python3-typed")) and "wsl" not in found:
        found.add("python3-beside-conda")
    names_nvidia = _NVIDIA.search(text) is not None
    if names_nvidia:
        found.difference_update(_OTHERS)
    found |= known_in(text, names_nvidia=names_nvidia)
    # One that the same program publishes with GPU code, too.
    if any(image_with_gpu_code(image) for image in set(_IMAGE.findall(text))):
        found.add("cpu-image")
    return frozenset(found)
