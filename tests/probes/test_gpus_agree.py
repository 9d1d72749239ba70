"""What NVML and CUDA say of one GPU: what contradicts, and what real machines say differently all the same."""

import pytest
from msgspec import structs

from gpudoctor.diagnosis.missing_facts import unseen_facts
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.versions import Capability
from gpudoctor.probes.gpus.agree import contradictions
from gpudoctor.probes.nvidia.children import CudaDevice
from tests.whole import BARE

UUID = "GPU-01234567-89ab-cdef-0123-456789abcdef"
GPU = Gpu(
    vendor="nvidia",
    index=0,
    name="NVIDIA GeForce RTX 3050 Laptop GPU",
    uuid=UUID,
    pci_bus_id="0000:01:00.0",
    capability=Capability("8.6"),
    memory_total_mib=4096,
)
CUDA = CudaDevice(
    ordinal=0,
    name="NVIDIA GeForce RTX 3050 Laptop GPU",
    uuid=UUID,
    pci_bus_id="0000:01:00.0",
    capability=Capability("8.6"),
    memory_total_mib=3901,
)
OTHER = "GPU-ffffffff-89ab-cdef-0123-456789abcdef"
CONTRADICT = [
    ({}, {"name": "Tesla T4"}, "name"),
    ({}, {"name": "NVIDIA GeForce RTX 3050 Ti Laptop GPU"}, "name"),
    ({}, {"capability": Capability("8.9")}, "compute capability"),
    ({}, {"memory_total_mib": 2048}, "memory in MiB"),
    ({"memory_total_mib": 81559}, {"memory_total_mib": 76000}, "memory in MiB"),
    ({}, {"uuid": OTHER}, "UUID"),
    ({}, {"pci_bus_id": "0000:02:00.0"}, "PCI address"),
    ({}, {"uuid": OTHER, "pci_bus_id": "0000:02:00.0"}, "identity"),
]
AGREE = [
    ({}, {}),
    ({"name": "GeForce RTX 3050 Laptop GPU"}, {}),
    ({"name": "Orin (nvgpu)"}, {"name": "Orin"}),
    ({"memory_total_mib": 15360}, {"memory_total_mib": 14930}),
    ({"pci_bus_id": "5500:01:00.0"}, {}),
    ({"mig_enabled": True}, {"uuid": OTHER, "memory_total_mib": 480}),
    ({"virtualization": "vgpu"}, {"memory_total_mib": 480, "name": "GRID"}),
    ({"uuid": None}, {"uuid": OTHER}),
    ({"uuid": None, "pci_bus_id": None}, {"uuid": OTHER, "name": "x"}),
    ({"name": None, "capability": None, "memory_total_mib": None}, {}),
    ({}, {"name": None, "capability": None, "memory_total_mib": None, "uuid": None}),
]


@pytest.mark.parametrize(("nvml", "cuda", "what"), CONTRADICT)
def test_a_contradiction_is_no_verdict(nvml, cuda, what):
    found = contradictions((structs.replace(GPU, **nvml),), (structs.replace(CUDA, **cuda),))
    assert [one.what for one in found] == [what]
    seen = structs.replace(BARE, gpus=Gpus(devices=(GPU,), contradictions=found))
    assert any(what in text and found[0].cuda in text for text in unseen_facts(seen))


@pytest.mark.parametrize(("nvml", "cuda"), AGREE)
def test_what_is_no_contradiction(nvml, cuda):
    assert contradictions((structs.replace(GPU, **nvml),), (structs.replace(CUDA, **cuda),)) == ()
    assert contradictions((), (CUDA,)) == ()
