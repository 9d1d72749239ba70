"""NVIDIA's GPUs as NVML and the CUDA driver tell of them, and the driver around them."""

from typing import NamedTuple

from gpudoctor.facts.versions import DriverRelease
from gpudoctor.host.machine import Machine
from gpudoctor.knowledge.matrix.load import load_matrix
from tests.machines import answers, parts


class Card(NamedTuple):
    """Name as the driver writes it, PCI id, compute capability, memory in MiB, default power limit in watts."""

    name: str
    pci_id: str
    capability: tuple[int, int]
    memory: int
    watts: int
    pcie: int = 4
    pci_class: str = "0x030000"


def _server(*facts: object) -> Card:
    return Card(*facts, pci_class="0x030200")  # type: ignore[arg-type]


#: PCI ids: compat/gpus.json. Memory and limits: the vendor's data sheets, rounded; no rule leans on them.
K80 = _server("Tesla K80", "10de:102d", (3, 7), 11441, 149, 3)
K40M = _server("Tesla K40m", "10de:1023", (3, 5), 11441, 235, 3)
GTX_970 = Card("NVIDIA GeForce GTX 970", "10de:13c2", (5, 2), 4096, 145, 3)
GTX_980_TI = Card("NVIDIA GeForce GTX 980 Ti", "10de:17c8", (5, 2), 6144, 250, 3)
M40 = _server("Tesla M40", "10de:17fd", (5, 2), 11448, 250, 3)
P100 = _server("Tesla P100-PCIE-16GB", "10de:15f8", (6, 0), 16384, 250, 3)
P40 = _server("Tesla P40", "10de:1b38", (6, 1), 24576, 250, 3)
GTX_1060 = Card("NVIDIA GeForce GTX 1060 6GB", "10de:1c03", (6, 1), 6144, 120, 3)
GTX_1080_TI = Card("NVIDIA GeForce GTX 1080 Ti", "10de:1b06", (6, 1), 11264, 250, 3)
V100 = _server("Tesla V100-SXM2-32GB", "10de:1db5", (7, 0), 32768, 300, 3)
T4 = _server("Tesla T4", "10de:1eb8", (7, 5), 15360, 70, 3)
GTX_1660_TI = Card("NVIDIA GeForce GTX 1660 Ti", "10de:2182", (7, 5), 6144, 120, 3)
RTX_2080_TI = Card("NVIDIA GeForce RTX 2080 Ti", "10de:1e04", (7, 5), 11264, 250, 3)
RTX_3060 = Card("NVIDIA GeForce RTX 3060", "10de:2487", (8, 6), 12288, 170)
RTX_3090 = Card("NVIDIA GeForce RTX 3090", "10de:2204", (8, 6), 24576, 350)
RTX_3050_LAPTOP = Card("NVIDIA GeForce RTX 3050 Laptop GPU", "10de:25a2", (8, 6), 4096, 60)
A100 = _server("NVIDIA A100-SXM4-80GB", "10de:20b2", (8, 0), 81920, 400)
A100_40 = _server("NVIDIA A100-SXM4-40GB", "10de:20b0", (8, 0), 40960, 400)
A30 = _server("NVIDIA A30", "10de:20b7", (8, 0), 24576, 165)
A10G = _server("NVIDIA A10G", "10de:2237", (8, 6), 23028, 300)
A40 = _server("NVIDIA A40", "10de:2235", (8, 6), 46068, 300)
RTX_A6000 = Card("NVIDIA RTX A6000", "10de:2230", (8, 6), 49140, 300)
RTX_4090 = Card("NVIDIA GeForce RTX 4090", "10de:2684", (8, 9), 24564, 450)
RTX_4080 = Card("NVIDIA GeForce RTX 4080", "10de:2704", (8, 9), 16376, 320)
RTX_4070 = Card("NVIDIA GeForce RTX 4070", "10de:2786", (8, 9), 12282, 200)
RTX_4060_LAPTOP = Card("NVIDIA GeForce RTX 4060 Laptop GPU", "10de:28a0", (8, 9), 8188, 80)
RTX_6000_ADA = Card("NVIDIA RTX 6000 Ada Generation", "10de:26b1", (8, 9), 49140, 300)
L4 = _server("NVIDIA L4", "10de:27b8", (8, 9), 23034, 72)
L40S = _server("NVIDIA L40S", "10de:26b9", (8, 9), 46068, 350)
H100 = _server("NVIDIA H100 80GB HBM3", "10de:2330", (9, 0), 81559, 700, 5)
H200 = _server("NVIDIA H200", "10de:2335", (9, 0), 143771, 700, 5)
GH200 = _server("NVIDIA GH200 480GB", "10de:2342", (9, 0), 97871, 900, 5)
B200 = _server("NVIDIA B200", "10de:2901", (10, 0), 183359, 1000, 5)
RTX_5070 = Card("NVIDIA GeForce RTX 5070", "10de:2f04", (12, 0), 12227, 250, 5)
RTX_5080 = Card("NVIDIA GeForce RTX 5080", "10de:2c02", (12, 0), 16303, 360, 5)
RTX_5090 = Card("NVIDIA GeForce RTX 5090", "10de:2b85", (12, 0), 32607, 575, 5)
RTX_5090_LAPTOP = Card("NVIDIA GeForce RTX 5090 Laptop GPU", "10de:2c58", (12, 0), 24463, 95, 5)
RTX_PRO_6000 = Card("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "10de:2bb1", (12, 0), 97887, 600, 5)
GB10 = Card("NVIDIA GB10", "10de:2e12", (12, 1), 122572, 140, 5)

#: nvml.h, NVML_DEVICE_ARCH_*, by the major of the capability; 7.5 is Turing (6), 8.9 Ada (8).
_ARCHITECTURES = {3: 2, 5: 3, 6: 4, 7: 5, 8: 7, 9: 9, 10: 10, 12: 10}
_MIB = 1024**2


def bus_id(index: int) -> str:
    """Where the GPU of that number is, in the kernel's form."""
    return f"0000:{16 * index + 1:02x}:00.0"


def nvml_facts(card: Card, index: int = 0, **changes: object) -> dict[str, object]:
    """An idle GPU, by the names of agent/ask_nvml.py. A value of None leaves the question out."""
    turing_or_ada = {(7, 5): 6, (8, 9): 8}
    pci = int(card.pci_id.split(":")[1] + card.pci_id.split(":")[0], 16)
    facts: dict[str, object] = {
        "name": card.name,
        "uuid": f"GPU-{index:08x}-1111-2222-3333-444444444444",
        "pci": {"busId": "0000" + bus_id(index).upper(), "pciDeviceId": pci},
        "capability": list(card.capability),
        "architecture": turing_or_ada.get(card.capability, _ARCHITECTURES[card.capability[0]]),
        "memory": {"total": card.memory * _MIB, "used": 320 * _MIB},
        "processes.compute": [],
        "processes.graphics": [],
        "pcie.generation": 1,
        "pcie.generation_max": card.pcie,
        "pcie.width": 16,
        "pcie.width_max": 16,
        "power.draw": 21000,
        "power.limit": card.watts * 1000,
        "power.default_limit": card.watts * 1000,
        "power.constraints": [100000, card.watts * 1000],
        "temperature": 41,
        "temperature_slowdown": 95,
        "temperature_max_operating": 85,
        "throttle_reasons": 1,
        "utilization": {"gpu": 0},
        "performance_state": 8,
        "compute_mode": 0,
        "persistence": 1,
        "display_attached": 0,
        "display_active": 0,
        "virtualization": 0,
    }
    if card.pci_class == "0x030200" and card.capability >= (6, 0):
        facts |= {"ecc_mode": [1, 1], "ecc_uncorrected_volatile": 0, "ecc_uncorrected_aggregate": 0}
    if card.capability >= (8, 0) and "ecc_mode" in facts:
        facts |= {"row_remaps": [0, 0, 0, 0], "mig_mode": [0, 0]}
    facts |= changes
    return {name: value for name, value in facts.items() if value is not None}


def cuda_facts(card: Card, index: int = 0) -> dict[str, object]:
    """The GPU as the CUDA driver lists it."""
    return {
        "name": card.name,
        "uuid": f"{index:08x}111122223333444444444444",
        "pci_bus_id": bus_id(index),
        "capability": list(card.capability),
        "memory": card.memory * _MIB,
    }


def number(cuda: str) -> int:
    """12.4 as CUDA writes it: 12040."""
    major, minor = cuda.split(".")
    return int(major) * 1000 + int(minor) * 10


def asked(release: str, *cards: Card, os: str = "linux", **changes: object) -> Machine:
    """What NVML and the CUDA driver of that release answer; the CUDA version is the one of its branch."""
    offered = number(str(load_matrix().offered_cuda(DriverRelease(release), os)))  # type: ignore[arg-type]
    facts = [nvml_facts(card, index, **changes) for index, card in enumerate(cards)]
    listed = [cuda_facts(card, index) for index, card in enumerate(cards)]
    return parts.merge(answers.nvml(release, offered, *facts), answers.cuda(offered, *listed))


def on_the_bus(*cards: Card) -> Machine:
    """The cards on the PCI bus, bound to NVIDIA's module."""
    devices = [
        parts.pci(bus_id(index), card.pci_id, pci_class=card.pci_class, driver="nvidia")
        for index, card in enumerate(cards)
    ]
    drivers = {"/sys/bus/pci/drivers/nvidia": tuple(bus_id(index) for index in range(len(cards)))}
    return parts.merge(*devices, Machine(directories=drivers))


def installed(
    release: str,
    *cards: Card,
    arch: str = "x86_64",
    flavour: str = "proprietary",
    folder: str | None = None,
    nodes: tuple[str, ...] = (),
    link: bool = True,
    **changes: object,
) -> Machine:
    """A Linux driver that works, with its cards; `changes` go to the facts of all of them.

    `link` is the name libcuda.so, which programs are linked with; not every package brings it.
    """
    numbered = tuple(f"nvidia{index}" for index in range(len(cards)))
    place = folder or f"/usr/lib/{arch}-linux-gnu"
    return parts.merge(
        on_the_bus(*cards),
        parts.module(release, flavour=flavour, arch=arch),
        parts.libraries(release, arch=arch, folder=folder),
        Machine(links={f"{place}/libcuda.so": "libcuda.so.1"} if link else {}),
        parts.nodes(*numbered, "nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", *nodes),
        asked(release, *cards, **changes),
    )
