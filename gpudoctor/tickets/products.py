"""The GPUs that people name, as the driver names them: "2x 1080 Ti", "RTX3090 24GB", "Tesla K80", "A100"."""

from collections.abc import Iterator
from typing import Literal

from gpudoctor.facts import lazy_re as re

_MODEL = re.compile(
    r"(?<![\w-])(?:nvidia\s+)?(?:(?P<brand>geforce|quadro|tesla|titan)\s*)?(?:(?P<series>rtx|gtx|gt)\s*)?-?"
    r"(?P<model>(?:pro )?[ahlvkpmt]\d{1,4}[mgsx]?(?:xm)?|[1-9]\d{2,3}(?:mx?)?|titan ?(?:xp|x|v|rtx)|gh200"
    r"|gb\d{2,3}|mx\d{3}|black|xp|v|rtx)"
    r"(?P<tail>(?:[ -]?(?:ti|super|d|ada|blackwell|pcie|sxm\d?|max-q|laptop(?: gpu)?|\d{2,3}gb))*)"
    r"(?: ?(?P<after>[gr]tx)(?! ?\d))?(?![\w.])",
    re.I,
)
#: Numbers that with "Ti" or "SUPER" behind them can be nothing else.
_GEFORCE = re.compile(r"(?:[6-9][5-9]0|[1-5]0[5-9]0|16[56]0)")

#: Numbers of four digits that are no year and no port.
_BARE = re.compile(r"[1-5]0[3-9]0|16[3-6]0")
#: Names that stand for a GPU on their own, wherever they are met: "L2", "M1" and "T5" mean other things too.
_DISTINCT = re.compile(
    r"(?:nvidia\s+)?(?:A(?:10G?|16|30|40|100|800|[2456]\d00)|H(?:20|100|200|800)|L(?:4|20|40S?)|V100S?|P(?:40|100)"
    r"|K(?:40|80)|M(?:40|60)|T4|G[HB]\d{2,3})(?![\w.])",
    re.IGNORECASE,
)
_OTHER_MAKERS = re.compile(
    r"\b(?:AMD(?! (?:Ryzen|EPYC|Threadripper))|Radeon|RX ?\d{3,4}|Instinct"
    r"|Intel(?:\(R\))? (?:Arc|Iris|UHD)|Arc [AB]\d{3}|Iris|Apple)\b",
    re.IGNORECASE,
)
#: What a line names beside graphics that are part of it.
_PROCESSOR = re.compile(r"\b(?:cpu|processor|ryzen|threadripper|epyc|xeon|core\(tm\) i\d|core i\d)\b", re.I)
_AMD = re.compile(
    r"\b(?:AMD )?(?:Radeon )?(?:RX ?(?:[4-9]\d{2,3})(?: ?(?:XTX?|GRE|M|S))?|Radeon (?:VII|Pro \w+|\d{3}M)"
    r"|Instinct MI\d+X?"
    r"|MI(?:50|60|100|210|250X?|300[AX]?|325X|350X))\b",
    re.IGNORECASE,
)
_INTEL = re.compile(
    r"\b(?:Intel(?:\(R\)|®)? )?(?:Arc(?:\(TM\)|™)? ?(?:Pro )?[AB]\d{2,3}M?|Iris(?:\(R\)|®)? (?:Xe|Plus)(?: Graphics)?"
    r"|U?HD Graphics(?: \d+)?|Data Center GPU (?:Max|Flex) \d+)\b",
    re.IGNORECASE,
)
#: Those that mean nothing else, wherever they are met.
_OTHERS_DISTINCT = re.compile(r"(?:AMD )?(?:Radeon )?RX|Instinct|MI\d|.*Arc", re.IGNORECASE)

Product = tuple[Literal["nvidia", "amd", "intel"], str]


def products(value: str) -> Iterator[Product]:
    """The makers and names of the GPUs that a person names."""
    named = tuple(models(value))
    yield from (("nvidia", name) for name in named)
    if not named and not _PROCESSOR.search(value):
        yield from _of_others(value)


def _of_others(value: str) -> Iterator[Product]:
    yield from (("amd", match[0]) for match in _AMD.finditer(value))
    yield from (("intel", match[0]) for match in _INTEL.finditer(value))


def products_in_passing(sentence: str) -> Iterator[Product]:
    """The products in a sentence, where numbers and letters need not mean GPUs."""
    yield from (("nvidia", name) for name in models_in_passing(sentence))
    yield from (one for one in _of_others(sentence) if _OTHERS_DISTINCT.match(one[1]))


def models_in_passing(sentence: str) -> Iterator[str]:
    """The products in a sentence, where numbers and letters need not mean GPUs: those with their maker's word."""
    for match in _MODEL.finditer(sentence):
        if match["brand"] or match["series"] or match["after"] or _is_distinct(match):
            yield from models(match[0])


def _is_distinct(match: re.Match[str]) -> bool:
    if _DISTINCT.match(match[0].strip()):
        return True
    return bool(_GEFORCE.fullmatch(match["model"]) and re.search("ti|super", match["tail"], re.IGNORECASE))


def models(value: str) -> Iterator[str]:
    """The products a person names: RTX 3090, 2x 1080 Ti, Tesla K80, A100. None where another maker's are named."""
    for match in _MODEL.finditer(value) if not _OTHER_MAKERS.search(value) else ():
        brand, series = (match["brand"] or "").lower(), (match["series"] or match["after"] or "").upper()
        model, tail = match["model"].upper().replace("MAX-Q", "Max-Q"), _tail(match["tail"])
        if model.isdecimal() or re.fullmatch(r"\d+MX?", model):
            if brand in ("", "geforce") and (series or brand or tail or _BARE.fullmatch(model)):
                yield f"NVIDIA GeForce {series or _series(model)} {model}{tail}".replace("  ", " ")
            elif brand in ("quadro", "titan"):
                yield " ".join(f"{brand.title()} {series} {model}{tail}".split())
        elif model.startswith("TITAN") or brand == "titan":
            yield f"NVIDIA TITAN {model.removeprefix('TITAN').strip()}{tail}".replace("XP", "Xp")
        elif model.startswith("MX"):
            yield f"NVIDIA GeForce {model}{tail}"
        elif brand in ("tesla", "quadro"):
            yield f"{brand.title()} {series + ' ' if series else ''}{model}{tail}".strip()
        elif re.fullmatch(r"(?:PRO )?[AHLVKPT]\d{1,4}\w*|G[HB]\d+", model) and model not in (
            "V1",
            "V2",
            "V3",
            "V4",
            "A1",
            "T1",
            "P0",
        ):
            yield f"NVIDIA {series + ' ' if series else ''}{model}{tail}"


def _series(model: str) -> str:
    number = int(re.match(r"\d+", model)[0])  # type: ignore[index]
    return "RTX" if number >= 2000 else "GTX" if number >= 400 else ""


def _tail(text: str) -> str:
    words = {
        "ti": "Ti",
        "super": "SUPER",
        "laptop": "Laptop",
        "gpu": "GPU",
        "d": "D",
        "ada": "Ada",
        "max-q": "with Max-Q Design",
    }
    found = re.findall(r"ti|super|laptop|gpu|max-q|(?<![a-z])d(?![a-z])|ada", text.lower())
    return "".join(f" {words[word]}" for word in found)
