"""gpustat's rows: each GPU with its temperature and its memory, "[0] A100-SXM4-80GB | 34'C, 0 % | 3 / 81920 MB |"."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.sources.gpu_names import maker_of
from gpudoctor.tickets.fragment import Fragment, fragment, source
from gpudoctor.tickets.pasted import Pasted

GPUSTAT = "gpustat"

#: Older drivers leave the maker out of the name; the layout alone says that it is gpustat's
#: (github.com/wookayin/gpustat, gpustat/core.py, print_to).
_ROW = re.compile(
    r"^[\s`>]*\[(\d+)\] ([A-Za-z][^|]{2,60}?)\s*\|\s*(\d+)'?\s?.?C,[^|]*\|\s*(\d+)\s*/\s*(\d+)\s*MB",
)


def parse_gpustat(text: Pasted) -> tuple[Fragment, ...]:
    """The GPUs of one machine."""
    rows = tuple(text.matches(_ROW))
    gpus = tuple(
        Gpu(
            vendor=maker_of(match[2]),
            index=int(match[1]),
            name=match[2].strip(),
            temperature_c=int(match[3]),
            memory_used_mib=int(match[4]),
            memory_total_mib=int(match[5]),
            source=source(GPUSTAT, number),
        )
        for number, match in rows
    )
    return fragment(GPUSTAT, (number for number, _ in rows), gpus=Gpus(devices=gpus) if gpus else None)
