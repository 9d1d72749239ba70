"""Reads from a text where commands are typed: which Python, installer, container engine, kind of program."""

from functools import cache

from gpudoctor.facts import lazy_re as re
from gpudoctor.knowledge.surroundings import without_denied
from gpudoctor.tables import expressions_of

_CONDA = r"\b(?:conda|mamba|micromamba) (?:install|update|create)\b[^\n]{0,160}"

_FLAGS = re.IGNORECASE | re.MULTILINE | re.ASCII
#: Images by the names of distributions, which say nothing of the system under them.
_IMAGES = re.compile(
    r"(?:\b|/)(?:ubuntu|debian|fedora|archlinux|centos|rockylinux|almalinux|nixos/nix)"
    r"(?::[\w.-]+|(?= (?:nvidia-smi|bash|sh)\b))"
    r"|[\w./-]+:[\w.-]*(?:ubuntu|ubi|rockylinux|centos|debian)[\w.-]*",
    re.IGNORECASE,
)
#: Lists of packages: three lines that install or pin one each, or a command that installs three. What a text is about
#: stands elsewhere in it, too.
_LISTS = re.compile(
    r"(?:^[ \t>*+-]{0,12}(?:\$ ?)?(?:[!%]?(?:python\S* -m )?(?:pip3?|conda|mamba|uv)\b[^\n]{0,80}\binstall\b[^\n]*"
    r"|[A-Za-z][\w.\[\]-]*[ \t]*(?:[=<>~!]=[^\n]*|[ \t]\d[\w.+]*(?:[ \t][^\n]*)?))(?:\n|\Z)){3,}"
    r"|\b(?:pip3?|conda|mamba)\b[^\n]{0,40}\binstall\b(?: +-{0,2}\w[\w.\[\]=<>~!-]*){3,}",
    re.IGNORECASE | re.MULTILINE,
)
#: They bind a program of ggml or libtorch into Python, which is then the place.
_BINDINGS = re.compile(r"\bllama[-_]cpp[-_]python\b|\bllama_cpp\b|\bpywhispercpp\b|\bsite-packages\b", re.IGNORECASE)


@cache
def _words(*, distributions: bool) -> tuple[tuple[str, str], ...]:
    """Places and the expressions for them: distributions, which their kernels tell, too; or the others."""
    rows = expressions_of("knowledge/places").items()
    return tuple((name, words) for name, words in rows if name.startswith("on-") is distributions)


def places_in(text: str) -> frozenset[str]:
    """The places that a text names; a distribution where it names one only."""
    text = without_denied(text)
    about = _LISTS.sub("", text)
    found = {
        name
        for name, words in _words(distributions=False)
        if re.search(words, about if name == "at-another" or name.startswith("of-") else text, _FLAGS)
    }
    if "at-powershell" in found:
        found.discard("at-cmd")
    if "at-native" in found and _BINDINGS.search(text):
        found.discard("at-native")
    text = _IMAGES.sub("", text)
    on = [name for name, words in _words(distributions=True) if re.search(words, text, _FLAGS)]
    found |= {"on-el7"} & set(on)
    on = [name for name in on if name != "on-el7"]
    # Debian's packages and kernels are named in texts about Ubuntu, too.
    on = [name for name in on if name != "on-debian" or on == ["on-debian"]]
    return frozenset(found | set(on if len(on) == 1 else ()))
