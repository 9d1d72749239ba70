"""Several frameworks in one environment, and packages around them."""

from gpudoctor.host.machine import Machine
from tests.machines import parts
from tests.machines.healthy import cards
from tests.machines.healthy.frameworks import jax, tensorflow, torch
from tests.machines.healthy.paths import compiler, toolkit
from tests.machines.healthy.pieces import DISPLAY, FIRST_NAMESPACE, K24, PERSISTENCED, numpy, ubuntu
from tests.machines.healthy.recorded import Healthy, made
from tests.machines.healthy.target import ADA, Target, venv


def around(target: Target, **versions: str) -> Target:
    """Distributions of no special layout; names are written with _ for -."""
    for name, version in versions.items():
        target.dist(name.replace("_", "-"), version)
    return target


ALL_THREE = made(
    "torch, TensorFlow and JAX for one CUDA major in one environment: their ranges admit the same NVIDIA packages",
    ubuntu("24.04", K24, "2.39"),
    cards.installed("570.172.08", cards.RTX_4090, flavour="open", **DISPLAY),
    numpy(
        jax(
            tensorflow(torch(venv("3.12.3"), "2.8.0+cu128"), "2.20.0", and_cuda=False, keras="3.11.3"),
            "0.7.2",
            cudnn=None,
        ),
        "2.2.6",
    ).machine,
    sees="1 GPU, torch 2.8.0+cu128, tensorflow 2.20.0, jax 0.7.2, jax-cuda-plugin 0.7.2",
)
AMPERE_TF = made(
    "TensorFlow 2.15 on an A100: part of its kernels are compiled from PTX at first (a note says so)",
    ubuntu(),
    PERSISTENCED,
    cards.installed("535.247.01", cards.A100_40),
    numpy(tensorflow(venv("3.11.12"), "2.15.1", keras="2.15.0")).machine,
    sees="1 GPU, tensorflow 2.15.1",
)
HOPPER_TF = made(
    "TensorFlow 2.18 on an H100 with a driver as new as its CUDA 12.5",
    ubuntu(),
    PERSISTENCED,
    cards.installed("560.35.05", cards.H100, flavour="open"),
    numpy(tensorflow(venv("3.11.12"), "2.18.0", keras="3.6.0"), "2.0.2").machine,
    sees="1 GPU, tensorflow 2.18.0",
)
KERAS_2 = made(
    "TensorFlow 2.16 with Keras 3 and tf-keras beside it, which the variable asks for",
    ubuntu(),
    cards.installed("550.163.01", cards.RTX_4070, **DISPLAY),
    numpy(tensorflow(venv("3.11.12"), "2.17.1", keras="3.5.0")).dist("tf-keras", "2.17.0").machine,
    Machine(env={"TF_USE_LEGACY_KERAS": "1"}),
    sees="1 GPU, tensorflow 2.17.1, tf-keras 2.17.0",
)
TRANSFORMERS = made(
    "the usual packages for language models, made for this torch",
    ubuntu(),
    compiler(),
    toolkit("12.4", default=True),
    cards.installed("550.163.01", cards.RTX_4090, **DISPLAY),
    around(
        numpy(torch(venv("3.11.12"), "2.6.0+cu124"), "1.26.4"),
        transformers="4.51.3", accelerate="1.6.0", bitsandbytes="0.45.5", xformers="0.0.29.post3", peft="0.15.2",
        safetensors="0.5.3", deepspeed="0.16.7",
    ).dist("flash-attn", "2.7.4.post1+cu12torch2.6cxx11abiFALSE").machine,
    sees="1 GPU, torch 2.6.0+cu124",
)  # fmt: skip
NUMPY_2 = made(
    "NumPy 2 with a torch that knows it",
    ubuntu(),
    cards.installed("550.163.01", cards.RTX_3060, **DISPLAY),
    numpy(torch(venv("3.12.3"), "2.5.1+cu124"), "2.1.3").machine,
    sees="1 GPU, torch 2.5.1+cu124",
)
NUMPY_1 = made(
    "NumPy 1 with a torch of before NumPy 2",
    ubuntu(),
    cards.installed("535.247.01", cards.RTX_3060, **DISPLAY),
    numpy(torch(venv("3.10.12"), "2.1.2+cu121"), "1.26.4").machine,
    sees="1 GPU, torch 2.1.2+cu121",
)
ONNX_CUPY = made(
    "torch 2.6, CuPy and ONNX Runtime for CUDA 12 together",
    ubuntu(),
    cards.installed("560.35.05", cards.RTX_4080, **DISPLAY),
    around(
        numpy(torch(venv("3.11.12"), "2.6.0+cu126")),
        cupy_cuda12x="13.4.1",
        onnxruntime_gpu="1.21.0",
        nvidia_cuda_nvrtc_cu12="12.6.77",
    ).machine,
    sees="1 GPU, torch 2.6.0+cu126",
)
TWO_4090 = made(
    "two RTX 4090 on one board; the bus reports that they cannot reach each other's memory, as all 4090 do",
    ubuntu(cmdline="BOOT_IMAGE=/vmlinuz root=UUID=0 ro quiet iommu=pt nvidia-drm.modeset=1"),
    cards.installed("550.163.01", cards.RTX_4090, cards.RTX_4090, **DISPLAY),
    numpy(torch(venv("3.11.12"), "2.6.0+cu124")).machine,
    sees="2 GPU, torch 2.6.0+cu124",
)
FOUR_A6000 = made(
    "four RTX A6000, one with a display; x8 slots, as wide as they are wired",
    ubuntu(),
    cards.installed("550.163.01", *[cards.RTX_A6000] * 4, **{"pcie.width": 8, "pcie.width_max": 8}),
    numpy(torch(venv("3.11.12"), "2.5.1+cu121")).machine,
    sees="4 GPU, torch 2.5.1+cu121",
)
KERNEL_LOG = made(
    "a kernel log with the driver's usual lines, and one Xid 31 that a program's own bug left",
    ubuntu(),
    PERSISTENCED,
    cards.installed("550.163.01", cards.A40),
    parts.kernel_log(
        "nvidia: loading out-of-tree module taints kernel.",
        "nvidia-nvlink: Nvlink Core is being initialized, major device number 511",
        "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.163.01  Tue Apr  8 12:41:17 UTC 2025",
        "nvidia-modeset: Loading NVIDIA Kernel Mode Setting Driver for UNIX platforms  550.163.01",
        "[drm] [nvidia-drm] [GPU ID 0x00000100] Loading driver",
        "NVRM: Xid (PCI:0000:01:00): 31, pid=4711, name=python, Ch 00000008, intr 00000000. MMU Fault",
    ),
    torch(venv("3.11.12"), "2.6.0+cu124").machine,
    sees="1 GPU, torch 2.6.0+cu124",
)
NODES_VIDEO = made(
    "device files for the group video only, which the user is in",
    parts.linux("gentoo", "", "6.12.31-gentoo", glibc="2.41", groups=(1000, 44)),
    cards.installed("570.153.02", cards.RTX_3090, folder="/usr/lib64", **DISPLAY),
    parts.nodes("nvidia0", "nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", mode=0o660, group="video"),
    torch(venv("3.12.10"), "2.7.1+cu126").machine,
    sees="1 GPU, torch 2.7.1+cu126",
)
NIXOS = made(
    "NixOS: libraries in /run/opengl-driver/lib, which LD_LIBRARY_PATH names",
    parts.linux("nixos", "25.05", "6.12.30", glibc="2.40"),
    cards.installed("570.153.02", cards.RTX_3060, folder="/run/opengl-driver/lib", flavour="open", **DISPLAY),
    Machine(env={"LD_LIBRARY_PATH": "/run/opengl-driver/lib"}),
    torch(venv("3.12.10"), "2.6.0+cu126").machine,
    sees="1 GPU, torch 2.6.0+cu126",
)
SYSTEM_SITE = made(
    "a venv that sees the system's packages, none of which is there twice",
    ubuntu(),
    cards.installed("550.163.01", cards.RTX_3060, **DISPLAY),
    torch(venv("3.10.12"), "2.6.0+cu124").machine,
    Machine(
        files={
            f"{ADA}/venv/pyvenv.cfg": "home = /usr/bin\ninclude-system-site-packages = true\nversion = 3.10.12\n",
            "/usr/lib/python3/dist-packages/six-1.16.0.egg-info": "Metadata-Version: 2.1\nName: six\nVersion: 1.16.0\n",
        }
    ),
    sees="1 GPU, torch 2.6.0+cu124",
)
PRELOAD = made(
    "LD_PRELOAD of an allocator and a module system's LD_LIBRARY_PATH without CUDA libraries",
    ubuntu(),
    PERSISTENCED,
    cards.installed("550.163.01", cards.L40S),
    Machine(
        env={"LD_PRELOAD": "/usr/lib/x86_64-linux-gnu/libtcmalloc.so.4", "LD_LIBRARY_PATH": "/opt/gcc/13/lib64"},
        files={"/usr/lib/x86_64-linux-gnu/libtcmalloc.so.4": "ELF"},
        directories={"/opt/gcc/13/lib64": ("libgomp.so.1",)},
    ),
    torch(venv("3.11.12"), "2.6.0+cu124").machine,
    sees="1 GPU, torch 2.6.0+cu124",
)
NCCL_NEWER = made(
    "NCCL of NVIDIA's repository beside the one that the wheels bring",
    ubuntu(),
    PERSISTENCED,
    parts.dpkg(libnccl2="2.21.5-1+cuda12.4", libcudnn9_cuda_12="9.1.0.70-1"),
    cards.installed("550.163.01", cards.A10G),
    torch(venv("3.11.12"), "2.6.0+cu124").machine,
    sees="1 GPU, torch 2.6.0+cu124",
)
SHARED = made(
    "a machine that others use as well: their programs hold memory and are listed",
    ubuntu(),
    PERSISTENCED,
    FIRST_NAMESPACE,
    cards.installed("550.163.01", cards.RTX_A6000, memory={"total": 49140 * 1024**2, "used": 20480 * 1024**2},
                    utilization={"gpu": 61}, performance_state=2,
                    **{"processes.compute": [{"pid": 991, "usedGpuMemory": 20000 * 1024**2}], "pcie.generation": 4}),
    Machine(files={"/proc/991/comm": "ollama\n"}),
    torch(venv("3.11.12"), "2.6.0+cu124").machine,
    sees="1 GPU, torch 2.6.0+cu124",
)  # fmt: skip

MACHINES: dict[str, Healthy] = {
    "ubuntu-4090-all-three": ALL_THREE,
    "ubuntu-a100-tensorflow-215": AMPERE_TF,
    "ubuntu-h100-tensorflow-218": HOPPER_TF,
    "ubuntu-4070-tf-keras": KERAS_2,
    "ubuntu-4090-transformers": TRANSFORMERS,
    "ubuntu-3060-numpy-2": NUMPY_2,
    "ubuntu-3060-numpy-1": NUMPY_1,
    "ubuntu-4080-onnx-cupy": ONNX_CUPY,
    "ubuntu-2-4090": TWO_4090,
    "ubuntu-4-a6000-x8": FOUR_A6000,
    "ubuntu-a40-kernel-log": KERNEL_LOG,
    "gentoo-3090-video-group": NODES_VIDEO,
    "nixos-3060": NIXOS,
    "ubuntu-3060-system-site": SYSTEM_SITE,
    "ubuntu-l40s-preload": PRELOAD,
    "aws-a10g-nccl-installed": NCCL_NEWER,
    "ubuntu-a6000-shared": SHARED,
}
