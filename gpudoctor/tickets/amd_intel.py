"""GPUs of AMD and Intel: rocminfo, rocm-smi, and what people call them."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.tickets.fragment import REPORT, WORDS, Fragment, fragment, source
from gpudoctor.tickets.pasted import Pasted

ROCM, WORDS_OF_PEOPLE = "rocminfo", "the reporter's words"

_NAME = re.compile(r"^\s*(Name|Marketing Name|Device Type):\s+(\S.*?)\s*$")
_CARD = re.compile(r"^GPU\[(\d+)\]\s*:\s*Card (?:series|model|SKU):\s+(\S.*?)\s*$", re.I)
_PROCESSOR = re.compile(r"\b(?:cpu|processor|ryzen|threadripper|epyc|xeon|core\(tm\) i\d|core i\d)\b", re.I)
_LABEL = re.compile(
    r"^\s*(?:[-*+•#]+\s*)?(?:\*+\s*)?(?:my )?(?:gpus?(?: model| type| name)?|graphics? cards?|video card)\b", re.I
)
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


def parse_other_makers(text: Pasted) -> tuple[Fragment, ...]:
    """All of it."""
    body = text.text
    tools = (*(_rocminfo(text) if "Marketing Name" in body else ()), *(_rocm_smi(text) if "GPU[" in body else ()))
    return tools or _words(text)


def _rocminfo(text: Pasted) -> tuple[Fragment, ...]:
    """The agents that are GPUs: their name is a gfx number."""
    gpus: list[Gpu] = []
    lines: list[int] = []
    for number, match in text.matches(_NAME):
        if match[1] == "Marketing Name" and gpus and gpus[-1].name == "":
            fields = {name: getattr(gpus[-1], name) for name in Gpu.__struct_fields__}
            gpus[-1] = Gpu(**{**fields, "name": match[2]})
            lines.append(number)
        elif match[1] == "Name" and re.fullmatch(r"gfx[0-9a-f]{3,4}", match[2]):
            gpus.append(Gpu(vendor="amd", name="", architecture=match[2], source=source(ROCM, number)))
            lines.append(number)
    named = tuple(gpu for gpu in gpus if gpu.name)
    return fragment(ROCM, lines, gpus=Gpus(devices=named)) if named else ()


def _rocm_smi(text: Pasted) -> tuple[Fragment, ...]:
    gpus: dict[int, Gpu] = {}
    lines = []
    for number, match in text.matches(_CARD):
        if not match[2].lower().startswith("0x"):
            gpus.setdefault(int(match[1]), Gpu(vendor="amd", name=match[2], source=source("rocm-smi", number)))
            lines.append(number)
    return fragment("rocm-smi", lines, REPORT, gpus=Gpus(devices=tuple(gpus.values()))) if gpus else ()


def _words(text: Pasted) -> tuple[Fragment, ...]:
    """A product under a label such as "GPU:". A processor's graphics are no answer where a line names the processor."""
    for number, line in enumerate(text.lines, 1):
        if len(line) > 160 or not _LABEL.match(line):
            continue
        said = (
            line
            if ":" in line or len(line) > 25
            else f"{line} {text.lines[number] if number < len(text.lines) else ''}"
        )
        for pattern, vendor in ((_AMD, "amd"), (_INTEL, "intel")):
            match = pattern.search(said)
            if match and not _PROCESSOR.search(said):
                gpu = Gpu(vendor=vendor, name=match[0], source=source(WORDS_OF_PEOPLE, number))  # type: ignore[arg-type]
                return fragment(WORDS_OF_PEOPLE, (number,), WORDS, gpus=Gpus(devices=(gpu,)))
    return ()
