"""How many GPUs NVML counts and how many the CUDA driver gives out: whether the two agree, and what may hide one."""

from typing import NamedTuple

from gpudoctor.rules.sections import Driver, Environ, Gap, Gpus
from gpudoctor.rules.visible_devices import read_mask

MASK = "CUDA_VISIBLE_DEVICES"
#: Clients of the multi-process service see what its server was given.
_OF_MPS = "CUDA_MPS_PIPE_DIRECTORY"


class Counts(NamedTuple):
    """GPUs by who counts them. `shown` is how many the variables leave to CUDA; `sure` is whether that is known."""

    nvml: int
    cuda: int
    shown: int
    sure: bool


def disagreement(gpus: Gpus | Gap | None, driver: Driver, environ: Environ | Gap | None) -> Counts | None:
    """The counts where CUDA's is not what NVML's and the variables lead to expect.

    None where they agree, one of them was not told, or MIG is on: then CUDA counts the parts of GPUs (NVIDIA MIG user
    guide, CUDA device enumeration).
    """
    nvml, cuda = driver.nvml, driver.cuda_init
    if nvml is None or cuda is None or not nvml.ok or not cuda.ok:
        return None
    if nvml.device_count is None or cuda.device_count is None:
        return None
    listed = gpus if isinstance(gpus, Gpus) else Gpus()
    if any(gpu.mig_enabled for gpu in listed.nvidia):
        return None
    shown, sure = nvml.device_count, isinstance(environ, Environ)
    if isinstance(environ, Environ):
        mask = environ.get(MASK)
        if mask is not None:
            visible, fault = read_mask(mask, listed)
            shown, sure = len(visible), fault is None
        sure = sure and environ.get(_OF_MPS) is None
    counts = Counts(nvml.device_count, cuda.device_count, shown, sure)
    # More than the mask shows, but not more than there are: then it is rather the mask that we misread.
    return None if counts.shown <= counts.cuda <= counts.nvml else counts
