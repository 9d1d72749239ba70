"""Which GPUs are said to reach one another's memory over PCIe."""

from gpudoctor.model.gpus import Gpu, Gpus


def pcie_peers(gpus: Gpus) -> tuple[Gpu, ...]:
    """NVIDIA GPUs without NVLink that, as the driver says, can read the memory of another one of them."""
    plain = {gpu.index: gpu for gpu in gpus.nvidia if gpu.index is not None and not _has_nvlink(gpu)}
    pairs = [(link.a, link.b) for link in gpus.peer_links or () if link.status == "OK"]
    joined = {index for a, b in pairs if a in plain and b in plain for index in (a, b)}
    return tuple(gpu for index, gpu in plain.items() if index in joined)


def _has_nvlink(gpu: Gpu) -> bool:
    return any(link.active for link in gpu.nvlinks or ())
