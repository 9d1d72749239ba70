"""Mixtures that few people have, all of which work."""

from gpudoctor.host.machine import Machine
from tests.machines import answers, parts
from tests.machines.healthy import cards
from tests.machines.healthy.apple_arm import mac
from tests.machines.healthy.builders import extension, own_libraries
from tests.machines.healthy.clouds import hypervisor, mig
from tests.machines.healthy.containers import image
from tests.machines.healthy.elf import library
from tests.machines.healthy.environments import conda_torch
from tests.machines.healthy.frameworks import jax, tensorflow, torch
from tests.machines.healthy.mixtures import around
from tests.machines.healthy.paths import compiler, toolkit
from tests.machines.healthy.pieces import DISPLAY, K24, NO_GPU, PERSISTENCED, numpy, ubuntu
from tests.machines.healthy.platforms import jetson
from tests.machines.healthy.recorded import Healthy, made
from tests.machines.healthy.target import ADA, Target, conda, mac_venv, system, venv, windows_venv
from tests.machines.healthy.windows import WDDM, WSL, windows

_ENV = f"{ADA}/miniforge3/envs/ai"
A16 = cards.Card("NVIDIA A16-8C", "10de:25b6", (8, 6), 8192, 62, pci_class="0x030200")
GTX_1650 = cards.Card("NVIDIA GeForce GTX 1650", "10de:1f82", (7, 5), 4096, 75, 3)
PCI_IDS = Machine(files={
    "/usr/share/misc/pci.ids": "# PCI devices\n1002  Advanced Micro Devices, Inc. [AMD/ATI]\n"
    "\t74a1  Aqua Vanjaram [Instinct MI300X]\n\t73ff  Navi 23 [Radeon RX 6600/6600 XT/6600M]\n"
})  # fmt: skip


def rocm(target: Target, version: str, hip: str) -> Target:
    """A build for ROCm."""
    said = f"__version__ = '{version}'\ncuda = None\nhip = '{hip}'\n"
    return target.dist("torch", version, files={"torch/__init__.py": "", "torch/version.py": said})


CONDA_AND_PIP = made(
    "conda-forge's PyTorch, and around it packages by pip that were built for this very torch",
    ubuntu("24.04", K24, "2.39"),
    compiler("13"),
    cards.installed("570.172.08", cards.RTX_4090, flavour="open", **DISPLAY),
    around(
        conda_torch(_ENV, "2.7.1", "2.7.1.post303", "12.9", "cuda129_generic_py311_h123_203", "conda-forge",
                    cudnn="9.10.1.4", libcublas="12.9.1.4", **{"cuda-version": "12.9"}),
        transformers="4.53.2", accelerate="1.8.1", bitsandbytes="0.46.1",
    ).machine,
    Machine(env={"LD_LIBRARY_PATH": f"{_ENV}/lib"}),
    sees="1 GPU, torch 2.7.1.post303",
)  # fmt: skip
TOOLKITS_AND_PATHS = made(
    "toolkits 11.8, 12.8 and 13.0; the search path of the login file names the default one, and torch has its own",
    ubuntu("24.04", K24, "2.39"),
    compiler("13"),
    toolkit("11.8", "libcudart.so.11.0"),
    toolkit("13.0", "libcudart.so.13"),
    toolkit("12.8", "libcudart.so.12", "libcublas.so.12", default=True),
    cards.installed("580.95.05", cards.RTX_5090, flavour="open", **DISPLAY),
    Machine(env={"LD_LIBRARY_PATH": "/usr/local/cuda/lib64:/usr/local/cuda-11.8/lib64", "CUDA_HOME": "/usr/local/cuda"},
            files={f"{ADA}/.bashrc": "export LD_LIBRARY_PATH=/usr/local/cuda/lib64:/usr/local/cuda-11.8/lib64\n"}),
    numpy(torch(venv("3.12.3"), "2.8.0+cu128"), "2.2.6").machine,
    sees="1 GPU, torch 2.8.0+cu128",
)  # fmt: skip
WINDOWS_EMBEDDED = made(
    "Windows 11 and a portable program with a Python of its own; the driver is newer than any that is known",
    windows("10.0.26200.6899", "10de:2c02"),
    cards.asked("581.57", cards.RTX_5080, os="windows", **WDDM),
    around(numpy(torch(windows_venv("3.13.9", "D:\\ComfyUI\\python_embeded"), "2.9.0+cu130"), "2.3.4"),
           xformers="0.0.33", triton_windows="3.5.0.post21").machine,
    sees="1 GPU, torch 2.9.0+cu130",
)  # fmt: skip
ORIN_NANO = made(
    "Jetson Orin Nano with JetPack 6.2: torch of the maker's index, torchvision of the same",
    jetson("# R36 (release), REVISION: 4.3, GCID: 1, BOARD: generic, EABI: aarch64, DATE: Wed Jan  8 01:49:37 UTC 2025",
           "5.15.148-tegra", "p3767-0005", "tegra234", "22.04", "2.35"),
    answers.cuda(12060, {"name": "Orin", "capability": [8, 7], "uuid": "0000000000000000000000000000000f"}),
    around(torch(venv("3.10.12", arch="aarch64"), "2.8.0", archs=("sm_87",), cuda="12.6", cudnn="9.3.0",
                 companions=False), torchvision="0.23.0", ultralytics="8.3.200").machine,
    sees="1 GPU, torch 2.8.0+cu126",
)  # fmt: skip
MI300X = made(
    "ROCm in a container on a node of MI300X",
    image("24.04", "2.39"),
    parts.docker(shm=64 * parts.GIB),
    Machine(env={"HOME": "/root"}),
    *[parts.pci(f"0000:{bus}:00.0", "1002:74a1", pci_class="0x120000", driver="amdgpu") for bus in ("05", "26", "46")],
    PCI_IDS,
    parts.nodes("kfd", mode=0o660, group="render"),
    rocm(system("3.12.3", home="/root"), "2.8.0+rocm6.4", "6.4.43482").machine,
    sees="torch 2.8.0+rocm6.4",
    verdict="no-gpu",
)
RX_6600 = made(
    "an RX 6600 that runs the code of its family's built model, as a variable says",
    parts.linux("arch", "", "6.16.8-arch1-1", glibc="2.42"),
    parts.pci("0000:03:00.0", "1002:73ff", driver="amdgpu"),
    PCI_IDS,
    parts.nodes("kfd", mode=0o666, group="render"),
    Machine(env={"HSA_OVERRIDE_GFX_VERSION": "10.3.0"}),
    rocm(venv("3.12.11"), "2.8.0+rocm6.4", "6.4.43482").machine,
    sees="torch 2.8.0+rocm6.4",
    verdict="no-gpu",
)
JAX_AND_TORCH_13 = made(
    "JAX and PyTorch for CUDA 13 in one environment",
    ubuntu("24.04", K24, "2.39"),
    PERSISTENCED,
    cards.installed("580.95.05", cards.H100, flavour="open"),
    numpy(jax(torch(venv("3.12.3"), "2.9.0+cu130"), "0.8.0", variant="cuda13", cudnn=None), "2.3.4").machine,
    sees="1 GPU, torch 2.9.0+cu130, jax 0.8.0, jax-cuda-plugin 0.8.0",
)
NIGHTLY = made(
    "a nightly build with companions of the same day, by uv into an environment of uv's own Python",
    ubuntu("24.04", K24, "2.39"),
    cards.installed("580.95.05", cards.RTX_5070, flavour="open", **DISPLAY),
    around(
        torch(venv("3.13.7", made_by="uv = 0.9.5", base=f"{ADA}/.local/share/uv/python/cpython-3.13.7"),
              "2.10.0.dev20251020+cu130", archs=("sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"), cuda="13.0",
              cudnn="9.13.0.50", companions=False, installer="uv"),
        torchvision="0.25.0.dev20251020+cu130", torchaudio="2.10.0.dev20251020+cu130",
    ).machine,
    sees="1 GPU, torch 2.10.0.dev20251020+cu130",
)  # fmt: skip
MIG_POD = made(
    "a pod with one MIG slice of an H100, named by the device plugin",
    image(),
    parts.docker(shm=8 * parts.GIB),
    Machine(
        env={"HOME": "/root", "KUBERNETES_SERVICE_HOST": "10.96.0.1", "NVIDIA_DRIVER_CAPABILITIES": "compute,utility",
             "NVIDIA_VISIBLE_DEVICES": "MIG-11111111-2222-3333-4444-555555555550"},
        directories={"/var/run/secrets/kubernetes.io/serviceaccount": ("ca.crt", "namespace", "token")},
    ),
    cards.installed("550.163.01", cards.A100, nodes=("nvidia-caps/nvidia-cap1",)),
    mig(1),
    torch(venv("3.11.12", "/opt/venv"), "2.6.0+cu124").machine,
    sees="1 GPU, torch 2.6.0+cu124",
)  # fmt: skip
VGPU = made(
    "a guest with a slice of an A16 for computing (vGPU), licensed, with the guest driver of the vGPU release",
    ubuntu(),
    hypervisor("Standard PC (Q35 + ICH9, 2009)", "QEMU"),
    PERSISTENCED,
    parts.dpkg(nvidia_linux_grid_535="535.247.01"),
    cards.installed(
        "535.247.01", A16, virtualization=2, vgpu_license=[1, 1], ecc_mode=None, ecc_uncorrected_volatile=None,
        ecc_uncorrected_aggregate=None, row_remaps=None, mig_mode=None,
        **{"power.limit": None, "power.default_limit": None, "power.constraints": None, "temperature_slowdown": None},
    ),
    torch(venv("3.10.12"), "2.5.1+cu121").machine,
    sees="1 GPU, torch 2.5.1+cu121",
)  # fmt: skip
NIX_PYTHON = made(
    "NixOS with PyTorch of nixpkgs: Python and packages lie in the store, and the driver in /run/opengl-driver",
    parts.linux("nixos", "25.11", "6.12.52", glibc="2.40"),
    cards.installed("580.95.05", cards.RTX_3060, folder="/run/opengl-driver/lib", flavour="open", **DISPLAY),
    torch(
        system("3.13.8", "/nix/store/aaaa-python3-3.13.8-env", debian=False), "2.9.0+cu128", companions=False
    ).machine,
    Machine(env={"LD_LIBRARY_PATH": "/run/opengl-driver/lib"}),
    sees="1 GPU, torch 2.9.0+cu128",
)
WSL_WITH_ENGINE = made(
    "WSL with Docker's engine and NVIDIA's toolkit in it, both frameworks for one CUDA outside containers",
    WSL,
    cards.asked("581.42", cards.RTX_4070, os="windows", **DISPLAY),
    Machine(files={"/usr/bin/docker": "ELF", "/usr/bin/nvidia-ctk": "ELF",
                   "/etc/docker/daemon.json": '{"runtimes": {"nvidia": {"path": "nvidia-container-runtime"}}}'}),
    numpy(tensorflow(torch(venv("3.12.3"), "2.8.0+cu128"), "2.20.0", and_cuda=False, keras="3.11.3"), "2.2.6").machine,
    sees="1 GPU, torch 2.8.0+cu128, tensorflow 2.20.0",
)  # fmt: skip
LAPTOP_EXTERNAL = made(
    "a laptop's own GTX 1650 and an RTX 4090 in a case at Thunderbolt, which has four lanes by design",
    ubuntu("24.04", K24, "2.39", vendor="Dell Inc."),
    cards.installed("570.172.08", GTX_1650, cards.RTX_4090, **{**DISPLAY, "pcie.width": 4, "pcie.width_max": 4}),
    numpy(torch(venv("3.12.3"), "2.7.1+cu126"), "2.2.6").machine,
    Machine(env={"CUDA_VISIBLE_DEVICES": "1", "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}),
    sees="2 GPU, torch 2.7.1+cu126",
)
OWN_EXTENSION = made(
    "onnxruntime-gpu and CTranslate2 beside the torch whose libraries both take, and a compiled flash-attn",
    ubuntu("24.04", K24, "2.39"),
    cards.installed("570.172.08", cards.RTX_4090, flavour="open", **DISPLAY),
    around(
        extension(own_libraries(torch(venv("3.12.3"), "2.7.1+cu126")), "flash-attn", "2.8.3+cu12torch2.7cxx11abiTRUE",
                  "flash_attn_2_cuda.cpython-312-x86_64-linux-gnu.so", "libcudart.so.12", "libc10.so", "libtorch.so"),
        onnxruntime_gpu="1.22.0", ctranslate2="4.6.0", faster_whisper="1.1.1",
    ).machine,
    sees="1 GPU, torch 2.7.1+cu126, onnxruntime 1.22.0",
)  # fmt: skip
OLD_CENTOS_CONDA = made(
    "a K40 of long ago with conda's torch 1.10 for CUDA 11.3 and the last driver for it",
    parts.linux("centos", "7", "3.10.0-1160.119.1.el7.x86_64", like="rhel fedora", glibc="2.17"),
    PERSISTENCED,
    cards.installed("470.256.02", cards.K80, folder="/usr/lib64"),
    numpy(torch(conda("3.8.18"), "1.10.2+cu113"), "1.21.6").machine,
    sees="1 GPU, torch 1.10.2+cu113",
)
MAC_UNIVERSAL = made(
    "a Mac whose Python of python.org serves both kinds of processors",
    mac("15.6", "24.6.0", "Apple M4"),
    numpy(torch(mac_venv("3.13.7"), "2.8.0"), "2.3.2").machine,
    sees="torch 2.8.0",
    verdict="no-gpu",
)
CPU_LAPTOP_ORT = made(
    "a laptop without a GPU of NVIDIA's and the GPU package of ONNX Runtime, which then uses the processor",
    NO_GPU,
    ubuntu("24.04", K24, "2.39"),
    numpy(venv("3.12.3")).dist("onnxruntime-gpu", "1.22.0", files={
        "onnxruntime/__init__.py": "", "onnxruntime/capi/libonnxruntime_providers_cuda.so": library(
            "libonnxruntime_providers_cuda.so", ("libcublasLt.so.12", "libcudnn.so.9"))}).machine,
    sees="onnxruntime 1.22.0",
    verdict="no-gpu",
)  # fmt: skip

MACHINES: dict[str, Healthy] = {
    "ubuntu-4090-conda-and-pip": CONDA_AND_PIP,
    "ubuntu-5090-toolkits-and-paths": TOOLKITS_AND_PATHS,
    "windows11-5080-embedded": WINDOWS_EMBEDDED,
    "jetson-orin-nano-maker": ORIN_NANO,
    "docker-mi300x": MI300X,
    "arch-rx6600-override": RX_6600,
    "ubuntu-h100-jax-torch-cuda13": JAX_AND_TORCH_13,
    "ubuntu-5070-nightly-uv": NIGHTLY,
    "kubernetes-a100-mig-slice": MIG_POD,
    "kvm-a16-vgpu": VGPU,
    "nixos-3060-nixpkgs": NIX_PYTHON,
    "wsl2-4070-docker-engine": WSL_WITH_ENGINE,
    "laptop-1650-external-4090": LAPTOP_EXTERNAL,
    "ubuntu-4090-engines": OWN_EXTENSION,
    "centos7-k80-conda": OLD_CENTOS_CONDA,
    "macos-m4-universal": MAC_UNIVERSAL,
    "ubuntu-onnxruntime-gpu-without-gpu": CPU_LAPTOP_ORT,
}
