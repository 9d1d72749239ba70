"""Which GPUs report direct access to each other's memory over PCIe (P2P)."""

from gpudoctor.rules.failures import pasted
from gpudoctor.rules.sections import Gap, Gpu, Gpus, Live


def pcie_peers(gpus: Gpus) -> tuple[Gpu, ...]:
    """NVIDIA GPUs without NVLink that, as the driver says, can read the memory of another one of them."""
    plain = {gpu.index: gpu for gpu in gpus.nvidia if gpu.index is not None and not _has_nvlink(gpu)}
    pairs = [(link.a, link.b) for link in gpus.peer_links or () if link.status == "OK"]
    joined = {index for a, b in pairs if a in plain and b in plain for index in (a, b)}
    return tuple(gpu for index, gpu in plain.items() if index in joined)


def possible_peers(gpus: Gpus) -> tuple[Gpu, ...]:
    """NVIDIA GPUs without NVLink, where nobody asked the driver whether they reach one another."""
    plain = tuple(gpu for gpu in gpus.nvidia if not _has_nvlink(gpu))
    return plain if gpus.peer_links is None and len(plain) > 1 else ()


def copies_fail(live: Live | Gap | None) -> bool:
    """Somebody reports that several GPUs hang together, or work together only without direct copies."""
    return any(one.signature in ("p2p-off-helps", "nccl-hangs", "nccl-timeout") for one in pasted(live))


def _has_nvlink(gpu: Gpu) -> bool:
    return any(link.active for link in gpu.nvlinks or ())
