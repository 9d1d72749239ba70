"""Makes the list of GPUs from what NVML, nvidia-smi, the CUDA driver and the PCI bus tell."""

from gpudoctor.facts.base import Source
from gpudoctor.facts.gpus import DeviceNode, Gpu, Gpus
from gpudoctor.host.port import Host
from gpudoctor.probes.driver.nodes import read_node
from gpudoctor.probes.gpus.agree import contradictions
from gpudoctor.probes.gpus.merge import from_cuda, merge
from gpudoctor.probes.gpus.plausible import plausible
from gpudoctor.probes.gpus.processes import name_processes
from gpudoctor.probes.host_files import names_in
from gpudoctor.probes.nvidia.children import CUDA, NVML, CudaFacts, NvmlFacts
from gpudoctor.sources.nvidia_codes import SMI


def gpus_of(
    host: Host,
    nvml: NvmlFacts,
    cuda: CudaFacts,
    by_smi: tuple[Gpu, ...],
    on_bus: tuple[tuple[Gpu, ...], Source],
    nvswitches: int | None,
) -> Gpus:
    """The best list that somebody gave, with what the bus knows beside it."""
    listed, source = _best_list(nvml, cuda, by_smi)
    devices = merge(listed, on_bus[0])
    return Gpus(
        devices=tuple(name_processes(host, plausible(gpu)) for gpu in devices),
        sources=tuple(source for source in (source, on_bus[1] if on_bus[0] else None) if source is not None),
        nvswitches=nvswitches,
        peer_links=nvml.peer_links,
        amd_nodes=_amd_nodes(host) if any(gpu.vendor == "amd" for gpu in devices) else None,
        contradictions=contradictions(nvml.gpus, cuda.devices),
    )


def _best_list(nvml: NvmlFacts, cuda: CudaFacts, by_smi: tuple[Gpu, ...]) -> tuple[tuple[Gpu, ...], Source | None]:
    if nvml.gpus:
        return nvml.gpus, NVML
    if by_smi:
        return by_smi, SMI
    return (from_cuda(cuda.devices, CUDA), CUDA) if cuda.devices else ((), None)


def _amd_nodes(host: Host) -> tuple[DeviceNode, ...] | None:
    names = names_in(host, "/dev") if host.platform.startswith("linux") else None
    return None if names is None else tuple(read_node(host, f"/dev/{name}") for name in names if name == "kfd")
