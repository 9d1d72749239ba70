"""The meaning of return codes of NVML and the CUDA driver: nvidia_codes.tsv."""

from functools import cache
from typing import NamedTuple

from gpudoctor.facts.base import Source
from gpudoctor.tables import rows_of

#: nvidia-smi, which tells NVML's codes in words.
SMI = Source(kind="command", where="nvidia-smi")


class Code(NamedTuple):
    """A return code's name and one sentence of meaning; `meaning` is None for a code we do not know."""

    name: str
    meaning: str | None


def nvml_code(code: int) -> Code:
    """The name and meaning of an nvmlReturn_t."""
    return _codes().get(("NVML", code)) or Code(f"NVML error {code}", None)


def cuda_code(code: int) -> Code:
    """The name and meaning of a CUresult."""
    return _codes().get(("CUDA", code)) or Code(f"CUDA error {code}", None)


@cache
def _codes() -> dict[tuple[str, int], Code]:
    rows = rows_of("sources/nvidia_codes")
    return {(library, int(code)): Code(f"{library}_{name}", meaning) for library, code, name, meaning in rows}


#: NVML says with these that a GPU, a driver or this release of the library has no such fact: unknown, nothing wrong.
NVML_UNSUPPORTED = (3, 13)

#: NVML's codes on a machine without a GPU: NOT_FOUND, DRIVER_NOT_LOADED, GPU_NOT_FOUND.
NVML_NO_GPU = (6, 9, 28)

#: The CUDA driver says with these that it has no such function, or this GPU no such fact.
CUDA_UNSUPPORTED = (500, 801)

#: Stands where a call raised something else than a return code, or a program said it in words.
NO_CODE = -1
