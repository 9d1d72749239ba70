"""AMD GPUs in the output of rocminfo and rocm-smi."""

from msgspec import structs

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.tickets.fragment import REPORT, Fragment, fragment, source
from gpudoctor.tickets.pasted import Pasted

ROCM = "rocminfo"

_NAME = re.compile(r"^\s*(Name|Marketing Name|Device Type):\s+(\S.*?)\s*$")
_CARD = re.compile(r"^GPU\[(\d+)\]\s*:\s*Card (?:series|model|SKU):\s+(\S.*?)\s*$", re.I)


def parse_rocm(text: Pasted) -> tuple[Fragment, ...]:
    """All of it."""
    body = text.text
    return (
        *(_rocminfo(text) if "Name:" in body and "gfx" in body else ()),
        *(_rocm_smi(text) if "GPU[" in body else ()),
    )


def _rocminfo(text: Pasted) -> tuple[Fragment, ...]:
    """The agents that are GPUs: their name is a gfx number."""
    gpus: list[Gpu] = []
    lines: list[int] = []
    for number, match in text.matches(_NAME):
        if match[1] == "Marketing Name" and gpus and gpus[-1].name == "":
            gpus[-1] = structs.replace(gpus[-1], name=match[2])
            lines.append(number)
        elif match[1] == "Name" and re.fullmatch(r"gfx[0-9a-f]{3,4}", match[2]):
            gpus.append(Gpu(vendor="amd", name="", architecture=match[2], source=source(ROCM, number)))
            lines.append(number)
    # `rocminfo | grep gfx` leaves the numbers only.
    named = tuple(gpu for gpu in gpus if gpu.name) or tuple(structs.replace(gpu, name=None) for gpu in gpus)
    return fragment(ROCM, lines, gpus=Gpus(devices=named)) if named else ()


def _rocm_smi(text: Pasted) -> tuple[Fragment, ...]:
    gpus: dict[int, Gpu] = {}
    lines = []
    for number, match in text.matches(_CARD):
        if not match[2].lower().startswith("0x"):
            gpus.setdefault(int(match[1]), Gpu(vendor="amd", name=match[2], source=source("rocm-smi", number)))
            lines.append(number)
    return fragment("rocm-smi", lines, REPORT, gpus=Gpus(devices=tuple(gpus.values()))) if gpus else ()
