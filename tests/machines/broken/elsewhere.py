"""Windows and WSL, Macs, boards, and GPUs of AMD."""

from msgspec.structs import replace

from gpudoctor.host.machine import Machine
from tests.machines import answers, parts
from tests.machines.broken.recorded import Broken, ill
from tests.machines.healthy import cards
from tests.machines.healthy.apple_arm import mac
from tests.machines.healthy.frameworks import tensorflow, torch
from tests.machines.healthy.mixtures import around
from tests.machines.healthy.pieces import DISPLAY, numpy
from tests.machines.healthy.platforms import jetson
from tests.machines.healthy.target import ADA, conda, mac_venv, venv, windows_venv
from tests.machines.healthy.windows import WDDM, WSL, windows

PCI_IDS = Machine(
    files={
        "/usr/share/misc/pci.ids": "# list\n1002  Advanced Micro Devices, Inc. [AMD/ATI]\n"
        "\t67df  Ellesmere [Radeon RX 470/480/570/570X/580/580X/590]\n\t73ff  Navi 23 [Radeon RX 6600/6600 XT/6600M]\n"
        "\t73bf  Navi 21 [Radeon RX 6800/6800 XT / 6900 XT]\n"
    }
)
MX_940 = cards.Card("NVIDIA GeForce 940MX", "10de:134d", (5, 0), 2048, 23, 3)


WSL_ENV = f"{ADA}/miniconda3/envs/pt"


CUDA_WIN = "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v10.2"


def intel(machine: Machine) -> Machine:
    """The same environment with a Python for Intel processors."""
    commands = tuple(
        replace(one, stdout=one.stdout.replace("macosx-14.0-arm64", "macosx-10.9-x86_64")) for one in machine.commands
    )
    return replace(machine, commands=commands)


MACHINES: dict[str, Broken] = {
    "polaris-kfd-permission": ill(
        "a Polaris card and a user who is in neither of the groups that may open /dev/kfd",
        "https://github.com/viebrix/pytorch-gfx803-for-Whisper/issues/1",
        "amd-device-files",
        r"usermod -aG render",
        parts.linux("ubuntu", "22.04", "5.19.0-50-generic", like="debian"),
        parts.pci("0000:03:00.0", "1002:67df", driver="amdgpu"),
        PCI_IDS,
        parts.nodes("kfd", mode=0o660, group="render", refused="EACCES"),
        venv("3.10.12")
        .dist(
            "torch",
            "2.0.1+rocm5.4.2",
            files={
                "torch/__init__.py": "",
                "torch/version.py": "__version__ = '2.0.1+rocm5.4.2'\ncuda = None\nhip = '5.4.22803'\n",
            },
        )
        .machine,
        also="amd-gpu-not-in-build",
    ),
    "arch-rx6600": ill(
        "an RX 6600, for which the build has no code",
        "https://github.com/ROCm/legacy-rocm-build/issues/2061",
        "amd-gpu-not-in-build",
        r"HSA_OVERRIDE_GFX_VERSION\W+10\.3\.0",
        parts.linux("arch", "", "6.2.10-arch1-1", glibc="2.37"),
        parts.pci("0000:03:00.0", "1002:73ff", driver="amdgpu"),
        PCI_IDS,
        parts.nodes("kfd", "dri/renderD128", mode=0o666, group="render"),
        venv("3.10.10")
        .dist(
            "torch",
            "2.0.0+rocm5.4.2",
            files={
                "torch/__init__.py": "",
                "torch/version.py": "__version__ = '2.0.0+rocm5.4.2'\ncuda = None\nhip = '5.4.22803'\n",
            },
        )
        .machine,
    ),
    "radeon-cuda-build": ill(
        "the program's requirements put PyPI's CUDA build in place of AMD's",
        "https://github.com/lllyasviel/Fooocus/issues/3674",
        "torch-backend-gpu-vendor",
        r"rocm",
        parts.linux("debian", "12", "6.1.0-25-amd64", glibc="2.36"),
        parts.pci("0000:03:00.0", "1002:73bf", driver="amdgpu"),
        PCI_IDS,
        parts.nodes("kfd", mode=0o666, group="render"),
        torch(venv("3.11.2"), "2.4.1+cu121").machine,
    ),
    "orin-nx-generic-torch": ill(
        "pip took PyPI's torch for ARM, which has no CUDA, on an Orin NX",
        "https://github.com/naseemap47/streamlit-yolo/issues/22",
        "jetson-generic-wheel",
        r"jetson|jp/v6|jp6",
        jetson(
            "# R36 (release), REVISION: 4.3, GCID: 1, BOARD: generic, EABI: aarch64, DATE: Wed Jan  8 01:49:37 2025",
            "5.15.148-tegra",
            "p3767-0000",
            "tegra234",
            "22.04",
            "2.35",
        ),
        answers.cuda(12060, {"name": "Orin", "capability": [8, 7], "uuid": "0000000000000000000000000000000f"}),
        around(torch(venv("3.10.12", arch="aarch64"), "2.3.0", companions=False), ultralytics="8.3.87").machine,
    ),
    "windows-torchvision-cpu": ill(
        "torch for CUDA beside a torchvision for the processor",
        "https://github.com/pytorch/pytorch/issues/62350",
        "torch-companion-cuda",
        r"torchvision",
        windows("10.0.19042.1110", "10de:1e07"),
        cards.asked("471.41", cards.RTX_2080_TI, os="windows", **WDDM),
        torch(windows_venv("3.8.10"), "1.9.0+cu111", companions=False)
        .dist(
            "torchvision",
            "0.10.0+cpu",
            "torch==1.9.0",
            files={
                "torchvision/version.py": "__version__ = '0.10.0+cpu'\ncuda = None\n",
                "torchvision/__init__.py": "",
            },
        )
        .machine,
    ),
    "comfy-embedded-cpu": ill(
        "the requirements of an add-on replaced the CUDA build of a portable ComfyUI",
        "https://github.com/AIGODLIKE/ComfyUI-ToonCrafter/issues/15",
        "torch-cpu-only",
        r"cu1[12]\d",
        windows("10.0.22631.3737", "10de:2782"),
        cards.asked("555.99", cards.RTX_4070, os="windows", **WDDM),
        torch(windows_venv("3.10.11", "D:\\ComfyUI\\python_embeded"), "2.3.0+cpu").machine,
    ),
    "wsl-conda-cpu-build": ill(
        "conda took the CPU build of PyTorch for a cudatoolkit 11.6 that the channel pairs with another package",
        "https://github.com/pytorch/pytorch/issues/84550",
        "torch-cpu-only-conda",
        r"conda install|mamba install|pytorch-gpu|cuda",
        WSL,
        cards.asked("516.94", cards.GTX_1080_TI, os="windows", **DISPLAY),
        conda("3.10.4", WSL_ENV)
        .dist(
            "torch",
            "1.12.1",
            installer="conda",
            files={"torch/__init__.py": "", "torch/version.py": "__version__ = '1.12.1'\ncuda = None\nhip = None\n"},
        )
        .conda(WSL_ENV, "pytorch", "1.12.1", "py3.10_cpu_0", "pytorch")
        .conda(WSL_ENV, "pytorch-mutex", "1.0", "cpu", "pytorch")
        .conda(WSL_ENV, "cudatoolkit", "11.6.0", "hecad31d_10", "conda-forge")
        .machine,
    ),
    "windows-tf23-cuda102": ill(
        "TensorFlow 2.3 opens CUDA 10.1, and CUDA 10.2 is installed",
        "https://github.com/tensorflow/tensorflow/issues/42811",
        "tf-cuda-version-unsupported",
        r"10\.1",
        windows("10.0.18363.1016", "10de:134d"),
        cards.asked("441.22", MX_940, os="windows", **WDDM),
        Machine(
            env={"CUDA_PATH": CUDA_WIN, "PATH": f"{CUDA_WIN}\\bin;C:\\Windows\\System32"},
            files={
                f"{CUDA_WIN}\\{name}": text
                for name, text in {
                    "version.txt": "CUDA Version 10.2.89",
                    **{
                        f"bin\\{dll}": "MZ"
                        for dll in (
                            "nvcc.exe",
                            "cudart64_102.dll",
                            "cublas64_10.dll",
                            "cublasLt64_10.dll",
                            "cufft64_10.dll",
                            "curand64_10.dll",
                            "cusolver64_10.dll",
                            "cusparse64_10.dll",
                            "cudnn64_7.dll",
                        )
                    },
                }.items()
            },
        ),
        numpy(tensorflow(windows_venv("3.6.8"), "2.3.0", dist="tensorflow-gpu", keras=None), "1.18.5").machine,
    ),
    "mac-intel-python": ill(
        "an M1 whose conda is the one for Intel: Python runs translated",
        "https://github.com/Lightning-AI/pytorch-lightning/issues/14634",
        "mac-other-architecture",
        r"arm64|arm",
        mac("12.5.1", "21.6.0", "Apple M1"),
        intel(torch(mac_venv("3.9.13"), "1.12.1").machine),
        severity="warning",
    ),
}
