"""Interprets CUDA_VISIBLE_DEVICES as CUDA does: which GPUs a value leaves visible.

Sources: CUDA programming guide, environment variables (a list is cut at its first invalid entry, a UUID may be
shortened as long as it fits one GPU only); PyTorch's reader of the same variable for what the guide leaves open (a
number ends where its digits end, a repeated entry empties the list).
"""

import re
from typing import NamedTuple

from gpudoctor.facts.gpus import Gpu
from gpudoctor.rules.sections import Driver, Environ, Gap, Gpus


class Mask(NamedTuple):
    """The entries that count, and why GPUs are missing; `reason` is None for a list with nothing wrong."""

    visible: tuple[str, ...]
    reason: str | None


def read_mask(value: str, gpus: Gpus) -> Mask:
    """What a value of the variable shows of these GPUs."""
    if not value.strip():
        return Mask((), "it is set to an empty value")
    visible: list[str] = []
    for entry in value.split(","):
        name, fault = _entry(entry, gpus)
        if fault:
            return Mask(tuple(visible), fault)
        if name in visible:
            return Mask((), f"it lists {entry.strip()} twice, and a repeated entry empties the list")
        visible.append(name)
    return Mask(tuple(visible), None)


def is_numeric(value: str) -> bool:
    """A list of numbers."""
    return all(re.fullmatch(r"\s*\+?\d+\s*", entry) for entry in value.split(","))


def _entry(entry: str, gpus: Gpus) -> tuple[str, str | None]:
    """The GPU an entry names, and what is wrong with it."""
    text = entry.strip()
    if not text:
        return text, "it has an empty entry"
    if text.startswith("GPU-"):
        return _by_uuid(text, gpus)
    if text.startswith("MIG-"):
        return text, _mig_fault(text, gpus)
    number = re.match(r"[+-]?\d+", text)
    if number is None:
        return text, f"{text!r} is neither the number nor the UUID of a GPU"
    index = int(number.group())
    return str(index), _index_fault(index, gpus)


def _index_fault(index: int, gpus: Gpus) -> str | None:
    if index < 0:
        return f"{index} stands for no GPU"
    # With MIG the numbers count MIG devices as well; and GPUs that NVML did not list cannot be counted.
    count = sum(gpu.index is not None for gpu in gpus.nvidia)
    if count == 0 or any(gpu.mig_enabled for gpu in gpus.nvidia) or index < count:
        return None
    there = "the only GPU is number 0" if count == 1 else f"the GPUs are numbered 0 to {count - 1}"
    return f"there is no GPU {index} ({there})"


def _by_uuid(text: str, gpus: Gpus) -> tuple[str, str | None]:
    if any(gpu.uuid is None for gpu in gpus.nvidia):
        return text, None
    matches = [gpu for gpu in gpus.nvidia if _starts_with(gpu, text)]
    if len(matches) == 1:
        return str(matches[0].uuid), None
    return text, f"{text} fits {len(matches)} GPUs" if matches else f"no GPU has a UUID that begins with {text}"


def _starts_with(gpu: Gpu, prefix: str) -> bool:
    return (gpu.uuid or "").lower().startswith(prefix.lower())


def _mig_fault(text: str, gpus: Gpus) -> str | None:
    known = [gpu.mig_instances for gpu in gpus.nvidia]
    if text.startswith("MIG-GPU-") or any(gpu.mig_enabled is None for gpu in gpus.nvidia) or None in known:
        # MIG-GPU-<uuid>/<gi>/<ci> is the form of drivers before R470; the snapshot does not hold these numbers.
        return None
    uuids = [instance.uuid for instances in known for instance in instances or ()]
    matches = [uuid for uuid in uuids if uuid.lower().startswith(text.lower())]
    if len(matches) == 1:
        return None
    return f"{text} fits {len(matches)} MIG devices" if matches else f"no MIG device has the name {text}"


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
