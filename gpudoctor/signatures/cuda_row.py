"""How a row of CUDA's errors is written: by number, by the names of the runtime and of the driver, and by its text.

Numbers, names and texts as cudaGetErrorName and cudaGetErrorString of libcudart 13.0 give them (the package
nvidia-cuda-runtime, read 2026-11), with the older wordings and the driver's names (cuda.h) beside.
"""

from gpudoctor.signatures.catalogue import Signature, signature

TYPES = "https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html"

#: What stands before a number that is a CUDA error's: "CUDA error 100", "cuInit: 999", "cuda runtime error (46)".
_NUMBERED = (
    r"(?:\bcuda(?: runtime| driver)?(?: api)?\b[^\n]{{0,60}}?(?:error|failure|code|return\w*)"
    r"|\bcu(?:init|da[a-z]+)\b[^\n]{{0,80}}?(?:error|fail\w*|code|return\w*|->|[=:])|cudaapierror"
    r"|\berror == cudasuccess)"
    r"\W{{0,4}}(?:with |code )?\W{{0,3}}{number}\b(?!\s*[.]\d)"
)
_NUMBER_NEEDLES = ("cuda error", "cuda runtime", "cuda driver", "cudaapierror", "cuinit", "cudaget", "cudasuccess")

_NAME_NEEDLES = ("cudaerror", "cuda_error_")


def cuda_error(
    number: int,
    runtime: str,
    driver: str | None,
    text: str,
    *,
    name: str,
    needles: tuple[str, ...],
    meaning: str,
    causes: dict[str, float],
    ask: str,
    numbered: bool = True,
) -> Signature:
    """A row; `numbered` where its number alone, after CUDA was named, is enough to know it."""
    names = rf"\bcudaerror{runtime}\b".lower() + (rf"|\bcuda_error_{driver}\b".lower() if driver else "")
    pattern = "|".join((names, text, *((_NUMBERED.format(number=number),) if numbered else ())))
    return signature(
        name,
        pattern,
        needles=(*needles, *_NAME_NEEDLES, *(_NUMBER_NEEDLES if numbered else ())),
        meaning=meaning,
        causes=causes,
        ask=ask,
        source=TYPES,
    )
