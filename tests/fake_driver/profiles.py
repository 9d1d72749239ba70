"""Scenarios for the fake driver: what real GPUs of a kind answer. Names and PCI numbers: compat/gpus.tsv of NVIDIA's
supported-gpus.json; what a kind does not support (a missing key) as nvidia-smi shows it for that kind."""

from collections.abc import Mapping

Lines = Mapping[str, object]

#: What every GPU of the last ten years answers.
_ANY: dict[str, object] = {
    "memory_used": 12,
    "compute": "",
    "graphics": "",
    "pcie_generation": 1,
    "pcie_width": 16,
    "pcie_width_max": 16,
    "temperature.0": 41,
    "threshold.1": 95,
    "threshold.3": 90,
    "clock.1": 210,
    "clock.2": 405,
    "reasons": "0x1",
    "utilization": 0,
    "performance_state": 8,
    "compute_mode": 0,
    "persistence": 0,
    "vbios": "90.04.38.00.03",
    "display_attached": 0,
    "display_active": 0,
    "virtualization": 0,
    "p2p": 0,
}
_ECC: dict[str, object] = {
    "ecc_mode": "1,1",
    "ecc_uncorrected.0": 0,
    "ecc_uncorrected.1": 0,
    "ecc_corrected.0": 0,
}


def _gpu(name: str, device: int, capability: str, memory: int, watts: float, **more: object) -> dict[str, object]:
    power = {
        "power": int(watts * 100),
        "power_limit": int(watts * 1000),
        "power_limit_default": int(watts * 1000),
        "power_limit_enforced": int(watts * 1000),
        "power_constraints": f"100000,{int(watts * 1000)}",
    }
    basic = {"name": name, "pci_id": hex(device << 16 | 0x10DE), "capability": capability, "memory": memory}
    return {**_ANY, **basic, **power, **more}


def _without(lines: dict[str, object], *keys: str) -> dict[str, object]:
    return {key: value for key, value in lines.items() if not key.startswith(keys)}


PROFILES: dict[str, dict[str, object]] = {
    "GTX 1080 Ti": _gpu(
        "NVIDIA GeForce GTX 1080 Ti", 0x1B06, "6,1", 11264, 250, architecture=4, pcie_generation_max=3,
        **{"clock_max.1": 1911, "clock_max.2": 5505, "display_attached": 1, "display_active": 1},
    ),
    "T4": _gpu(
        "Tesla T4", 0x1EB8, "7,5", 15360, 70, architecture=6, pcie_generation_max=3, persistence=1,
        **{"clock_max.1": 1590, "clock_max.2": 5001, "retired.0": 0, "retired.1": 0, "retired_pending": 0}, **_ECC,
    ),
    "RTX 3090": _gpu(
        "NVIDIA GeForce RTX 3090", 0x2204, "8,6", 24576, 350, architecture=7, pcie_generation_max=4,
        **{"clock_max.1": 2100, "clock_max.2": 9751, "nvlinks": 4, "nvlink_version": 3},
    ),
    "RTX 4090": _gpu(
        "NVIDIA GeForce RTX 4090", 0x2684, "8,9", 24564, 450, architecture=8, pcie_generation_max=4,
        **{"clock_max.1": 3105, "clock_max.2": 10501, "ecc_mode": "0,0", "p2p": 1},
    ),
    "RTX 5090": _gpu(
        "NVIDIA GeForce RTX 5090", 0x2B85, "12,0", 32607, 575, architecture=10, pcie_generation_max=5,
        **{"clock_max.1": 3090, "clock_max.2": 14001},
    ),
    "H100": _gpu(
        "NVIDIA H100 80GB HBM3", 0x2330, "9,0", 81559, 700, architecture=9, pcie_generation_max=5, persistence=1,
        **{"nvlink_errors.0": 0, "nvlink_errors.1": 0},
        **{"clock_max.1": 1980, "clock_max.2": 2619, "nvlinks": 18, "nvlink_version": 4, "row_remaps": "0,0,0,0"},
        mig_mode="0,0", compute="4242:1024", fabric="3,0", **_ECC,
    ),
    "GB10": _without(
        _gpu("NVIDIA GB10", 0x2E12, "12,1", 0, 140, architecture=10, pcie_generation_max=5, cuda_memory=122570,
             **{"clock_max.1": 3003}),
        "memory", "power_", "clock.2", "p2p",
    ),
}  # fmt: skip


def machine(profile: str, count: int = 1, *, driver: str = "580.65.06", cuda: int = 13000, **more: object) -> Lines:
    """The scenario of a healthy machine with `count` GPUs of a kind; `more` keys are added as they are."""
    lines: dict[str, object] = {"driver": driver, "cuda": cuda, "count": count}
    lines |= {f"gpu.*.{key}": value for key, value in PROFILES[profile].items()}
    for index in range(count):
        lines[f"gpu.{index}.uuid"] = f"GPU-{index:08x}-1111-2222-3333-444444444444"
        lines[f"gpu.{index}.bus_id"] = bus_id(index, "00000000")
    return {**lines, **more}


def bus_id(index: int, domain: str = "0000") -> str:
    """The address of a GPU of the scenario: as the kernel writes it, or as NVML does, with eight digits."""
    return f"{domain}:{index + 1:02x}:00.0"


def as_text(scenario: Lines) -> str:
    """The scenario file."""
    return "".join(f"{key}={value}\n" for key, value in scenario.items())
