"""Macs, and ARM machines with an NVIDIA GPU."""

from gpudoctor.host.machine import Command, Machine
from tests.machines import answers, parts
from tests.machines.healthy import cards
from tests.machines.healthy.frameworks import tensorflow, torch
from tests.machines.healthy.pieces import PERSISTENCED, numpy, ubuntu
from tests.machines.healthy.recorded import Healthy, made
from tests.machines.healthy.target import mac_venv, venv

# macOS.

_PLIST = (
    "<dict>\n<key>ProductName</key>\n<string>macOS</string>\n<key>ProductVersion</key>\n<string>{}</string>\n</dict>"
)


def mac(version: str, kernel: str, chip: str) -> Machine:
    """An Apple-silicon Mac."""
    values = {
        "kern.osrelease": kernel,
        "hw.memsize": str(16 * parts.GIB),
        "hw.logicalcpu": "8",
        "machdep.cpu.brand_string": chip,
        "hw.optional.arm64": "1",
    }
    said = "".join(f"{name}: {value}\n" for name, value in values.items())
    return Machine(
        platform="darwin",
        cwd="/Users/ada",
        env={"HOME": "/Users/ada", "TMPDIR": "/var/folders/x"},
        files={"/System/Library/CoreServices/SystemVersion.plist": _PLIST.format(version)},
        commands=(
            Command(argv=("sysctl", *values), code=0, stdout=said),
            Command(argv=("sysctl", "-n", "machdep.cpu.brand_string"), code=0, stdout=f"{chip}\n"),
        ),
    )


MAC_TORCH = made(
    "an M2 with PyTorch, which has Apple's GPU (MPS) in its usual wheel",
    mac("14.4.1", "23.4.0", "Apple M2"),
    torch(mac_venv("3.11.12"), "2.6.0").machine,
    sees="torch 2.6.0",
    verdict="no-gpu",
)
MAC_TF = made(
    "an M3 with TensorFlow and tensorflow-metal",
    mac("15.1", "24.1.0", "Apple M3 Pro"),
    numpy(tensorflow(mac_venv("3.11.12"), "2.18.0", keras="3.6.0").dist("tensorflow-metal", "1.2.0")).machine,
    sees="tensorflow 2.18.0",
    verdict="no-gpu",
)
# ARM.

_L4T = "# R36 (release), REVISION: 4.3, GCID: 1, BOARD: generic, EABI: aarch64, DATE: Wed Jan  8 01:49:37 UTC 2025"
ORIN = made(
    "Jetson AGX Orin, JetPack 6.2, NVIDIA's wheel for it; there is no libnvidia-ml to ask in that form",
    parts.linux("ubuntu", "22.04", "5.15.148-tegra", like="debian", arch="aarch64",
                flags="fp asimd asimddp atomics", groups=(1000, 44)),
    Machine(
        files={
            "/etc/nv_tegra_release": f"{_L4T}\n",
            "/usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1.1": "ELF",
            "/usr/lib/aarch64-linux-gnu/nvidia/libnvidia-ml.so.1": "ELF",
            "/proc/device-tree/compatible": "nvidia,p3737-0000+p3701-0005\0nvidia,tegra234\0",
            "/proc/device-tree/model": "NVIDIA Jetson AGX Orin Developer Kit\0",
            "/etc/ld.so.conf.d/nvidia-tegra.conf": "/usr/lib/aarch64-linux-gnu/nvidia\n",
        },
        links={"/usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1": "libcuda.so.1.1"},
        directories={"/sys/bus/pci/devices": ()},
    ),
    parts.module("540.4.0", flavour="open", arch="aarch64"),
    parts.nodes("nvidia0", "nvidiactl", "nvmap", mode=0o660, group="video"),
    answers.nvml("540.4.0", 12060, {"name": "Orin (nvgpu)", "uuid": "GPU-00000000-0000-0000-0000-00000000000f",
                                    "capability": [8, 7]}),
    answers.cuda(12060, {"name": "Orin", "capability": [8, 7], "uuid": "0000000000000000000000000000000f"}),
    torch(
        venv("3.10.12", arch="aarch64"),
        "2.5.0a0+872d972e41.nv24.08",
        archs=("sm_72", "sm_87", "compute_87"),
        cuda="12.6",
        cudnn="9.3.0.75",
    ).machine,
    sees="1 GPU, torch 2.5.0a0+872d972e41.nv24.08",
)  # fmt: skip
GH200_UBUNTU = made(
    "GH200: an aarch64 build, which has code for 9.0 only",
    ubuntu("22.04", "6.8.0-1025-nvidia-64k", "2.35", arch="aarch64", flags="fp asimd atomics sve sve2 bf16 i8mm"),
    PERSISTENCED,
    cards.installed("560.35.05", cards.GH200, arch="aarch64", flavour="open"),
    torch(venv("3.11.12", arch="aarch64"), "2.6.0+cu126").machine,
    sees="1 GPU, torch 2.6.0+cu126",
)
SPARK = made(
    "DGX Spark (GB10, 12.1), which sm_120 serves",
    ubuntu("24.04", "6.11.0-1016-nvidia", "2.39", arch="aarch64", flags="fp asimd atomics sve sve2 bf16 i8mm"),
    PERSISTENCED,
    cards.installed("580.95.05", cards.GB10, arch="aarch64", flavour="open",
                    **{"memory": None, "power.limit": None, "power.default_limit": None}),
    torch(venv("3.12.3", arch="aarch64"), "2.10.0+cu130").machine,
    sees="1 GPU, torch 2.10.0+cu130",
)  # fmt: skip

MACHINES: dict[str, Healthy] = {
    "macos-m2-torch": MAC_TORCH,
    "macos-m3-tensorflow-metal": MAC_TF,
    "jetson-orin-jetpack6": ORIN,
    "ubuntu-gh200": GH200_UBUNTU,
    "dgx-spark": SPARK,
}
