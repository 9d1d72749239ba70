"""NCCL's log and the ranks that nccl-tests lists: the GPUs of the first machine, and the CUDA of its driver."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.sources.gpu_names import maker_of
from gpudoctor.sources.pci import bus_id
from gpudoctor.tickets.fragment import REPORT, Fragment, fragment, source
from gpudoctor.tickets.pasted import Pasted

NCCL = "NCCL's log"

#: nccl-tests writes "device  0 [0000:2c:00] NVIDIA GeForce RTX 4090", before 2.11 the bus alone: "[0x18]".
_RANK = re.compile(
    r"^\s*#\s+Rank\s+\d+ .*?Pid\s+\d+ on\s+(\S+) device\s+(\d+) \[(?:0x)?([0-9a-f:]+)(?:\.\d)?\] (\S.*?)\s*$",
    re.IGNORECASE,
)
_DRIVER = re.compile(r"NCCL INFO cudaDriverVersion (\d{4,5})\b")


def parse_nccl(text: Pasted) -> tuple[Fragment, ...]:
    """All of it."""
    body = text.text
    return (
        *(_ranks(text) if " device " in body and "Rank" in body else ()),
        *(_driver(text) if "cudaDriverVersion" in body else ()),
    )


def _ranks(text: Pasted) -> tuple[Fragment, ...]:
    """The GPUs of the first machine in the list."""
    gpus: dict[int, Gpu] = {}
    lines = []
    host = None
    for number, match in text.matches(_RANK):
        host = host or match[1]
        if match[1] != host:
            continue
        lines.append(number)
        address = f"{match[3]}.0" if match[3].count(":") == 2 else None
        gpus.setdefault(
            int(match[2]),
            Gpu(
                vendor=maker_of(match[4]),
                index=int(match[2]),
                name=match[4],
                pci_bus_id=bus_id(address) if address else None,
                source=source(NCCL, number),
            ),
        )
    return fragment(NCCL, lines, REPORT, gpus=Gpus(devices=tuple(gpus.values())) if gpus else None)


def _driver(text: Pasted) -> tuple[Fragment, ...]:
    for number, match in text.found(_DRIVER):
        driver = Driver(cuda=CudaVersion.from_number(int(match[1])), source=source(NCCL, number))
        return fragment(NCCL, (number,), REPORT, driver=driver)
    return ()
