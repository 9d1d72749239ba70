"""Merges GPUs seen by NVML, the PCI bus, nvidia-smi and the CUDA driver into one list. Pure."""

from collections.abc import Sequence

import msgspec

from gpudoctor.facts.base import Source
from gpudoctor.facts.gpus import Gpu, PcieLink
from gpudoctor.probes.nvidia.children import CudaDevice

#: What the bus knows of a GPU and the driver's tools do not.
_OF_THE_BUS = ("pci_class", "bound_driver", "pci_power_state", "iommu", "acs_redirect")
_EITHER = ("name", "uuid", "pci_id", "pci_bus_id")


def merge(listed: Sequence[Gpu], on_bus: Sequence[Gpu]) -> tuple[Gpu, ...]:
    """The GPUs that NVML (or nvidia-smi) lists with what the bus adds, then those that only the bus knows."""
    rest = list(on_bus)
    merged = []
    for gpu in listed:
        match = next((other for other in rest if _is_same(gpu, other)), None)
        if match is not None:
            rest.remove(match)
        merged.append(gpu if match is None else _joined(gpu, match))
    merged, rest = _pair_the_mute(merged, rest)
    return (*merged, *rest)


def _is_same(gpu: Gpu, other: Gpu) -> bool:
    """By address; Windows lists the PCI id only, and the GPU inside a Tegra chip, the only one there, has neither."""
    if other.pci_bus_id is not None:
        return gpu.pci_bus_id == other.pci_bus_id
    return other.vendor == gpu.vendor and (other.pci_id is None or gpu.pci_id in (None, other.pci_id))


def _pair_the_mute(listed: list[Gpu], rest: list[Gpu]) -> tuple[list[Gpu], list[Gpu]]:
    """Give GPUs that would not even tell their address those of the bus that are left over, if it works out exactly.

    NVML counts GPUs in the order of their addresses (nvml.h, nvmlDeviceGetHandleByIndex), and only those of its driver.
    """
    mute = [gpu for gpu in listed if gpu.pci_bus_id is None]
    candidates = [gpu for gpu in rest if gpu.vendor == "nvidia" and gpu.bound_driver in (None, "nvidia")]
    if not mute or len(mute) != len(candidates):
        return listed, rest
    pairs = {gpu.index: other for gpu, other in zip(mute, candidates, strict=True)}
    joined = [_joined(gpu, pairs[gpu.index]) if gpu.pci_bus_id is None else gpu for gpu in listed]
    return joined, [gpu for gpu in rest if gpu not in candidates]


def _joined(gpu: Gpu, bus: Gpu) -> Gpu:
    fields = {name: getattr(bus, name) for name in _OF_THE_BUS}
    fields |= {name: getattr(bus, name) for name in _EITHER if getattr(gpu, name) is None}
    return msgspec.structs.replace(gpu, pcie=_link(gpu.pcie, bus.pcie), **fields)


def _link(told: PcieLink | None, on_bus: PcieLink | None) -> PcieLink | None:
    """What the driver tells of the link; only the bus knows what the GPU and its port could each do alone."""
    if told is None or on_bus is None:
        return told or on_bus
    alone = {"device_width_max": on_bus.device_width_max, "port_width_max": on_bus.port_width_max}
    return msgspec.structs.replace(told, **alone)


def from_cuda(devices: Sequence[CudaDevice], source: Source) -> tuple[Gpu, ...]:
    """The GPUs as the CUDA driver shows them to this process. Its numbers are not NVML's."""
    return tuple(
        Gpu(
            vendor="nvidia",
            name=device.name,
            uuid=device.uuid,
            pci_bus_id=device.pci_bus_id,
            capability=device.capability,
            memory_total_mib=device.memory_total_mib,
            source=source,
        )
        for device in devices
    )
