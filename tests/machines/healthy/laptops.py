"""Laptops and workstations with two kinds of GPU."""

from gpudoctor.host.machine import Machine
from tests.machines import parts
from tests.machines.healthy import cards
from tests.machines.healthy.frameworks import torch
from tests.machines.healthy.pieces import DISPLAY, K24, ubuntu
from tests.machines.healthy.recorded import Healthy, made
from tests.machines.healthy.target import venv

LAPTOP_HYBRID = made(
    "a hybrid laptop: the NVIDIA GPU sleeps (D3cold) beside the integrated one and wakes when asked",
    ubuntu("24.04", K24, "2.39"),
    parts.pci("0000:00:02.0", "8086:a7a0", driver="i915"),
    cards.installed("570.169", cards.RTX_3050_LAPTOP, flavour="open", persistence=0, **{"pcie.width": 8,
                    "pcie.width_max": 8, "power.limit": None, "power.constraints": None}),
    Machine(files={"/sys/bus/pci/devices/0000:01:00.0/power_state": "D3cold\n"},
            directories={"/etc/systemd/system/systemd-suspend.service.requires": ("nvidia-suspend.service",)}),
    torch(venv("3.12.3"), "2.7.1+cu126").machine,
    sees="1 GPU, torch 2.7.1+cu126",
)  # fmt: skip
LAPTOP_AMD = made(
    "a laptop with an AMD integrated GPU that has slept and woken, with the suspend services on",
    parts.linux("fedora", "42", "6.14.5-300.fc42.x86_64", glibc="2.41"),
    parts.pci("0000:05:00.0", "1002:15bf", driver="amdgpu"),
    cards.installed("570.169", cards.RTX_4060_LAPTOP, folder="/usr/lib64", flavour="open", **DISPLAY,
                    **{"pcie.width": 8, "pcie.width_max": 8}),
    Machine(files={"/sys/power/suspend_stats/success": "14\n"},
            directories={"/etc/systemd/system/systemd-suspend.service.requires": ("nvidia-suspend.service",)}),
    torch(venv("3.13.3"), "2.7.1+cu128").machine,
    sees="1 GPU, torch 2.7.1+cu128",
)  # fmt: skip
LAPTOP_5090 = made(
    "a Blackwell laptop whose display hangs on the NVIDIA GPU",
    ubuntu("24.04", K24, "2.39"),
    cards.installed("580.95.05", cards.RTX_5090_LAPTOP, flavour="open", **DISPLAY),
    torch(venv("3.12.3"), "2.9.1+cu130").machine,
    sees="1 GPU, torch 2.9.1+cu130",
)
WORKSTATION_PRO = made(
    "an RTX PRO 6000 beside an older A6000 for the displays; numbers set by the bus",
    ubuntu("24.04", K24, "2.39"),
    cards.installed("580.95.05", cards.RTX_PRO_6000, cards.RTX_A6000, flavour="open", **DISPLAY),
    torch(venv("3.12.3"), "2.10.0+cu130").machine,
    Machine(env={"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": "0"}),
    sees="2 GPU, torch 2.10.0+cu130",
)

MACHINES: dict[str, Healthy] = {
    "laptop-3050-d3cold": LAPTOP_HYBRID,
    "laptop-4060-amd-resumed": LAPTOP_AMD,
    "laptop-5090": LAPTOP_5090,
    "ubuntu-pro6000-a6000": WORKSTATION_PRO,
}
