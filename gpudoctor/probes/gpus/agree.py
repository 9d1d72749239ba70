"""Compares what NVML and the CUDA driver say of one GPU. Pure; what is not told contradicts nothing."""

import operator
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gpudoctor.facts.gpus import Contradiction, Gpu
from gpudoctor.probes.nvidia.children import CudaDevice

#: CUDA leaves out what the driver keeps for itself: up to 200 MiB even of a card of 4 GiB.
_SHARE, _LEAST_MIB = 0.05, 512


def contradictions(gpus: Sequence[Gpu], devices: Sequence[CudaDevice]) -> tuple[Contradiction, ...]:
    """What the two say differently; `gpus` are NVML's.

    Of a GPU in MIG mode, or a part of one that a hypervisor gives out, CUDA shows the part: these are not compared.
    """
    if any(gpu.mig_enabled or gpu.virtualization == "vgpu" for gpu in gpus):
        return ()
    return tuple(found for device in devices for found in _of_device(device, gpus))


def _of_device(device: CudaDevice, gpus: Sequence[Gpu]) -> Iterator[Contradiction]:
    gpu = next((one for one in gpus if _same(one.uuid, device.uuid)), None)
    gpu = gpu or next((one for one in gpus if _same(one.pci_bus_id, device.pci_bus_id)), None)
    if gpu is None:
        if gpus and device.uuid and device.pci_bus_id and all(one.uuid and one.pci_bus_id for one in gpus):
            yield Contradiction(gpu=f"CUDA's GPU {device.ordinal}", what="identity", nvml="none such", cuda=device.uuid)
        return
    pairs: tuple[tuple[str, Any, Any, Callable[[Any, Any], bool]], ...] = (
        ("UUID", gpu.uuid, device.uuid, _same),
        ("PCI address", gpu.pci_bus_id, device.pci_bus_id, _is_one_slot),
        ("name", gpu.name, device.name, _is_one_model),
        ("compute capability", gpu.capability, device.capability, operator.eq),
        ("memory in MiB", gpu.memory_total_mib, device.memory_total_mib, _is_near),
    )
    for what, nvml, cuda, agree in pairs:
        if nvml and cuda and not agree(nvml, cuda):
            yield Contradiction(gpu=gpu.label, what=what, nvml=str(nvml), cuda=str(cuda))


def _same(one: str | None, other: str | None) -> bool:
    return bool(one and other) and str(one).lower() == str(other).lower()


def _is_one_slot(one: str, other: str) -> bool:
    """Domains of virtual machines have more digits than some of the functions write."""
    return one[-7:].lower() == other[-7:].lower()


def _is_one_model(one: str, other: str) -> bool:
    """Drivers before 470 leave out the maker; Jetson's NVML adds "(nvgpu)"."""
    first, second = (re.sub(r"nvidia|\(\w*\)|[^a-z0-9]", "", name.lower()) for name in (one, other))
    return first == second


def _is_near(one: int, other: int) -> bool:
    return abs(one - other) <= max(_LEAST_MIB, _SHARE * max(one, other))
