"""GPU models that people name, as the driver names them: "2x 1080 Ti", "RTX3090 24GB", "Tesla K80"."""

from collections.abc import Collection, Iterator
from typing import Literal

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.gpus import Gpu
from gpudoctor.knowledge.cloud_machines import gpus_of_machines
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.tickets.gpu_counts import count_of

_MODEL = re.compile(
    r"(?<![\w-])(?:nvidia\s+)?(?:(?P<brand>geforce|quadro|tesla|titan|grid)\s*)?(?:(?P<series>rtx|gtx|gts|gt|fx|nvs)\s*)?-?"
    r"(?P<model>(?:pro )?[ahlvkpmt]\d{1,4}(?:xm|st|[cmgstx])?|pro [1-6]\d{2,3}|[1-9]\d{2,3}(?:mx?)?"
    r"|titan ?(?:xp|x|v|rtx)|gh200|gb\d{2,3}|mx\d{3}|black|xp|v|rtx)"
    r"(?P<tail>(?:[ -]?(?:ti|super|d|pro|sff|ada|blackwell|pcie|sxm\d?|max-q|laptop(?: ?gpu)?|\d{2,3}gb))*)"
    r"(?: ?(?P<after>[gr]tx|gts?|gso?)(?! ?\d)\+?)?(?-i:s\b)?(?!\w|\.\w)",
    re.I,
)
#: Numbers that with "Ti" or "SUPER" behind them can be nothing else.
_GEFORCE = re.compile(r"(?:[6-9][5-9]0|[1-5]0[5-9]0|16[56]0)")

_BRANDS, _NO_MODELS, _FIRST_GTX = {"grid": "GRID"}, ("V1", "V2", "V3", "V4", "A1", "T1", "P0"), 50
#: Before the 200 series the number came first: 9500 GT.
_FIRST = re.compile(r"[89]\d00M?")
#: Numbers of four digits that are no year and no port.
_BARE = re.compile(r"[1-5]0[3-9]0|16[3-6]0")
#: A number that a word before it makes a GPU: "a dedicated 4070", "my 3090"; not "a 2080 x 1080 image".
_OWNED = re.compile(r"(?:[2-5]0[5-9]0)")
_OWNER = re.compile(r"\b(?:dedicated|discrete|nvidia|single|dual|my|an?|\d ?x)\s+$|显卡\s?[是为:]?\s*$", re.IGNORECASE)
_MEASURED = re.compile(
    r"\s*(?:[x*\u00d7]\s?\d|px|pixels?|images?|steps?|samples?|epochs?|iterations?|points?|tokens?|rows)", re.I
)
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
    r"\b(?:AMD )?(?:Radeon )?(?:RX ?(?:[4-9]\d{2,3})(?: ?(?:XTX?|GRE|M|S))?|(?:Vega ?20 )?Radeon VII"
    r"|Radeon (?:Pro \w+|\d{3,4}[MS])|(?:Pro )?WX ?[2-9]1[03]0|Pro W[5-9]\d00X?"
    r"|R[579] (?:(?:M?[23][2-9][05]|Fury) ?X?2?|Nano)"
    r"|Radeon (?:5[3-7]00|6[4-9][05]0|7[6-9]00|90[67]0)(?: ?XTX?)?"
    r"|(?:RX )?Vega ?(?:56|64|20|Frontier(?: Edition)?)|[5-9]\d\d0 ?XTX?|(?<=AMD )[2-5][2-9]0(?: series)?"
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
_OTHERS_DISTINCT = re.compile(
    r"(?:AMD )?(?:Radeon )?(?:RX|Vega|WX|Pro W|R[579] |\d{3,4} ?XT)|(?:AMD )?Radeon (?:\d{4}$|VII|Pro )"
    r"|Instinct|MI\d|AMD [2-5]|[2-5]\d0|.*Arc",
    re.IGNORECASE,
)

_INTEGRATED = re.compile(r"\b(?:AMD )?Radeon \d{3,4}[MS]\b(?! ?Graphics)", re.IGNORECASE)

Product = tuple[Literal["nvidia", "amd", "intel"], str]


def count_in(text: str) -> int:
    """How many GPUs a text names, where it names one product; 1 where it does not say."""
    found = [match for way in (_MODEL, _AMD) for match in way.finditer(text)]
    counts = (count_of(text[: match.start()], text[match.end() :]) for match in found if any(products(match[0])))
    return max(counts, default=1)


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
    named = (*models_in_passing(sentence),)
    yield from (("nvidia", name) for name in named or gpus_of_machines(sentence))
    yield from (one for one in _of_others(sentence) if _OTHERS_DISTINCT.match(one[1]))
    # Graphics of a processor, where nothing else is named.
    if not named and not _PROCESSOR.search(sentence):
        yield from (("amd", match[0]) for match in _INTEGRATED.finditer(sentence))


def models_in_passing(sentence: str) -> Iterator[str]:
    """The products in a sentence, where numbers and letters need not mean GPUs: those with their maker's word."""
    for match in _MODEL.finditer(sentence):
        named = match["brand"] or match["series"] or match["after"] or match["model"].lower().startswith("titan")
        if named or _is_distinct(match) or _is_owned(match):
            yield from models(match[0])


def _is_owned(match: re.Match[str]) -> bool:
    text = match.string
    return bool(
        _OWNED.fullmatch(match["model"])
        and _OWNER.search(text[max(0, match.start() - 20) : match.start("model")])
        and not _MEASURED.match(text[match.end() :])
    )


def _is_distinct(match: re.Match[str]) -> bool:
    if _DISTINCT.match(match[0].strip().removesuffix("s")):
        return True
    return bool(_GEFORCE.fullmatch(match["model"]) and re.search("ti|super", match["tail"], re.IGNORECASE))


def models(value: str) -> Iterator[str]:
    """The products a person names: RTX 3090, 2x 1080 Ti, Tesla K80, A100. None where another maker's are named."""
    for match in _MODEL.finditer(value) if not _OTHER_MAKERS.search(value) else ():
        model = match["model"].upper()
        name = (
            _numbered(match, model) if re.fullmatch(r"\d+MX?", model) or model.isdecimal() else _lettered(match, model)
        )
        if name:
            yield name


def _numbered(match: re.Match[str], model: str) -> str | None:
    """GeForce RTX 3090, GeForce 9500 GT, Quadro RTX 4000, Quadro FX 2800M, NVS 5200M."""
    brand, series = (match["brand"] or "").lower(), (match["series"] or match["after"] or "").upper()
    tail = _tail(match["tail"])
    if series in ("FX", "NVS"):
        # AMD's processors are called FX, too.
        return " ".join(f"{brand.title()} {series} {model}".split()) if brand == "quadro" or series == "NVS" else None
    if series == "RTX" and not brand and (professional := _professional(model, match["tail"])):
        return professional
    if match["after"] and _FIRST.fullmatch(model):
        return f"NVIDIA GeForce {model} {series}"
    if brand in ("", "geforce") and (series or brand or tail or _BARE.fullmatch(model)):
        return f"NVIDIA GeForce {series or _series(model)} {model}{tail}".replace("  ", " ")
    return " ".join(f"{brand.title()} {series} {model}{tail}".split()) if brand in ("quadro", "titan") else None


def _professional(model: str, tail: str) -> str | None:
    """RTX 6000 Ada, RTX 4000 SFF Ada, and RTX PRO 6000, as it is called in either order: no GeForce."""
    words = tail.lower()
    if "pro" in words:
        return f"NVIDIA RTX PRO {model} Blackwell"
    laptop = " Laptop GPU" if "laptop" in words else ""
    return f"NVIDIA RTX {model}{' SFF' if 'sff' in words else ''} Ada Generation{laptop}" if "ada" in words else None


def _lettered(match: re.Match[str], model: str) -> str | None:
    """TITAN V, GeForce MX150, Tesla K80, GRID K520, A100, H200."""
    brand, series = (match["brand"] or "").lower(), (match["series"] or match["after"] or "").upper()
    tail = _tail(match["tail"])
    # Several of one: "four A6000s", "our H100s".
    model = model[:-1] if re.fullmatch(r"[AHPTKM]\d{1,4}S", model) else model
    if model.startswith("TITAN") or brand == "titan":
        return f"NVIDIA TITAN {model.removeprefix('TITAN').strip()}{tail}".replace("XP", "Xp")
    if re.fullmatch(r"PRO \d+", model):
        return f"NVIDIA RTX {model} Blackwell" if series == "RTX" else None
    if model.startswith("MX"):
        return f"NVIDIA GeForce {model}{tail}"
    if brand in ("tesla", "quadro", "grid"):
        return f"{_BRANDS.get(brand, brand.title())} {series + ' ' if series else ''}{model}{tail}".strip()
    is_one = re.fullmatch(r"(?:PRO )?[AHLVKPT]\d{1,4}\w*|G[HB]\d+", model) and model not in _NO_MODELS
    return f"NVIDIA {series + ' ' if series else ''}{model}{tail}" if is_one else None


def _series(model: str) -> str:
    number = int(re.match(r"\d+", model)[0])  # type: ignore[index]
    # GeForce GTX 950M, and GeForce 940M.
    is_small = not model.isdecimal() and number % 100 < _FIRST_GTX
    return "" if is_small else "RTX" if number >= 2000 else "GTX" if number >= 400 else ""


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


def are_of_one_kind(names: Collection[str]) -> bool:
    """One product, or several with one compute capability: what is true of a GPU of one is true of the others."""
    if len(names) < 2:
        return bool(names)
    matrix = load_matrix()
    capabilities = {matrix.capability(Gpu(vendor="nvidia", name=name)) for name in names}
    return len(capabilities) == 1 and None not in capabilities
