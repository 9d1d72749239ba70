"""One fact, however it is spelled: releases of L4T, cuDNN, ONNX Runtime, drivers, kernels, folders, GPUs."""

import pytest

from gpudoctor.facts.base import Gap
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.sources.system import release_of, release_of_image
from gpudoctor.tickets.read import ingest


def facts_of(text):
    snapshot = ingest(text.encode(), load_matrix()).snapshot
    sections = {
        name: getattr(snapshot, name) for name in ("host", "container", "driver", "gpus", "toolkits", "libraries")
    }
    seen = {name: one for name, one in sections.items() if one is not None and not isinstance(one, Gap)}
    host, container, driver = (seen.get(name) for name in ("host", "container", "driver"))
    frameworks = () if isinstance(snapshot.frameworks, Gap) else snapshot.frameworks.found
    return {
        "l4t": release_of(host.tegra) if host and host.tegra else None,
        "kernel": host.kernel if host else None,
        "os": host.os if host else None,
        "image": release_of_image(container.image) if container and container.image else None,
        "wsl": container.wsl.version if container and container.wsl else None,
        "driver": str(driver.release) if driver and driver.release else None,
        "flavour": driver.module_flavour if driver else None,
        "offered": str(driver.cuda) if driver and driver.cuda else None,
        "release": (host.distribution, host.distribution_version) if host and host.distribution else None,
        "python": None if isinstance(snapshot.interpreter, Gap | None) else snapshot.interpreter.version,
        "gpus": [gpu.name or gpu.architecture for gpu in seen["gpus"].devices] if "gpus" in seen else None,
        "cuda": {str(one.version) for one in seen["toolkits"].found} if "toolkits" in seen else None,
        "cudnn": next((str(one.version) for one in seen["libraries"].copies), None) if "libraries" in seen else None,
        **{one.name: one.version for one in frameworks},
    }


STATED = [
    ("# R32 (release), REVISION: 7.1, GCID: 1, BOARD: t186ref", {"l4t": "32.7.1", "os": "linux"}),
    ("Orin AGX with JetPack 6 (L4T R36.3.0)", {"l4t": "36.3.0"}),
    ("- L4T version: 35.4.1", {"l4t": "35.4.1"}),
    ("| L4T | 36.3.0 |", {"l4t": "36.3.0"}),
    ("ii  nvidia-l4t-core  32.7.3-20221122092935  arm64", {"l4t": "32.7.3"}),
    ("a Yocto image of ours, meta-tegra at R36.4.0", {"l4t": "36.4.0"}),
    ("docker run --runtime nvidia nvcr.io/nvidia/l4t-ml:r32.5.0-py3", {"image": "32.5.0", "l4t": None}),
    ("FROM dustynv/ros:foxy-pytorch-l4t-r32.7.1", {"image": "32.7.1", "l4t": None}),
    ("Our desktop has no Jetson, R32.7.1 is from another issue", {"l4t": None}),
    ("CUDA 12.6 and cuDNN v8.9.7 are installed", {"cuda": {"12.6"}, "cudnn": "8.9.7"}),
    ("CUDA/cuDNN version: 10.2 / 7.6.5", {"cuda": {"10.2"}, "cudnn": "7.6.5"}),
    ("CUDA/cuDNN version: 10.2", {"cuda": {"10.2"}, "cudnn": None}),
    ("cuDNN version: 8902", {"cudnn": "8.9.2"}),
    ("cuDNN 8.05", {"cudnn": None}),
    ("The page names cuDNN 8.9.7 in its release notes", {"cudnn": None}),
    ("Require cuDNN 9.* and CUDA 12.*", {"cudnn": None, "cuda": None}),
    ("ONNX Runtime 1.19.1 with CUDA 12.6", {"onnxruntime": "1.19.1", "cuda": {"12.6"}}),
    ("Microsoft.ML.OnnxRuntime.Gpu (NuGet package version 1.16.0)", {"onnxruntime": "1.16.0"}),
    ("Which versions of CUDA fit ONNX Runtime 1.19.1 here?", {"onnxruntime": "1.19.1"}),
    # A form's headings as they are copied from its page.
    ("Tensorflow Version\n\n2.12.0\n\nPython version\n\n3.10.10", {"tensorflow": "2.12.0"}),
    # WSL beside a system that a form states.
    ("OS platform and distribution\n\nubuntu 24.04\n\nI use Miniconda under WSL2.", {"os": "linux", "wsl": 2}),
    # What a build asks for is not there.
    ("-- *** cuDNN V5.0 OR GREATER NOT FOUND.  ***", {"cudnn": None}),
    ("### NVIDIA Open GPU Kernel Modules Version\n\n575.57.08-1.el9", {"driver": "575.57.08", "flavour": "open"}),
    (
        "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  470.141.03  Thu Jun 30",
        {"driver": "470.141.03"},
    ),
    ("2x RTX 5880 Ada", {"gpus": ["NVIDIA RTX 5880 Ada Generation"] * 2}),
    ("an RTX 6000 Pro, or RTX PRO 6000 Blackwell", {"gpus": ["NVIDIA RTX PRO 6000 Blackwell"]}),
    ("akmod-nvidia-570.133.07-1.fc42.x86_64", {"driver": "570.133.07"}),
    ("kmod-nvidia-latest-dkms-550.90.07-1.el8.x86_64", {"driver": "550.90.07"}),
    ("rc  nvidia-driver-470  470.199.02-0ubuntu0.20.04.1", {"driver": None}),
    ("nvidia-driver-580-open is what this Ubuntu has", {"flavour": "open"}),
    ("Kernel Release: 5.14.0-570.el9.x86_64", {"kernel": "5.14.0-570.el9.x86_64"}),
    ("all of it on kernel 6.11.0-26-generic", {"kernel": "6.11.0-26-generic"}),
    ("Kernel: Python 3 (ipykernel)", {"kernel": None}),
    ("TensorFlow 2.2/CUDA 10.1 and no GPU", {"tensorflow": "2.2", "cuda": {"10.1"}}),
    ("export PATH=/usr/local/cuda-11.4/bin:$PATH", {"cuda": {"11.4"}}),
    (r"C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v11.2\bin is there", {"cuda": {"11.2"}, "os": "windows"}),
    ("$ ls /usr/local\nbin  cuda  cuda-10.0  cuda-11.2", {"cuda": {"10.0", "11.2"}}),
    ("my folder contains cudart64_102.dll", {"cuda": {"10.2"}}),
    ("/usr/local/cuda-12.1/lib64/libcudart.so.12: No such file or directory", {"cuda": None}),
    ("Searched for CUDA in the following directories:\n  /usr/local/cuda-11.2", {"cuda": None}),
    ("GPU: AMD Radeon RX 6600 (gfx1032)", {"gpus": ["AMD Radeon RX 6600"]}),
    ("$ rocminfo | grep gfx\n  Name:                    gfx1100", {"gpus": ["gfx1100"]}),
    ("a 6600xt and ROCm", {"gpus": ["6600xt"]}),
    ("Vega 64 under Linux", {"gpus": ["Vega 64"]}),
    ("integrated graphics and a dedicated 4070.", {"gpus": ["NVIDIA GeForce RTX 4070"]}),
    ("it scales a 2080 x 1080 image", {"gpus": None}),
    ("- GPU model: TITAN RTX\n- GPU model: GTX 1070 Ti", {"gpus": ["NVIDIA TITAN RTX", "NVIDIA GeForce GTX 1070 Ti"]}),
    ("Windows 10, WSL 1, Ubuntu 20.04", {"wsl": 1, "os": "linux"}),
    ("  NAME      STATE           VERSION\n* Ubuntu    Running         1", {"wsl": 1}),
    ("it fails on my Mac", {"os": "macos"}),
    ("it works on a Mac", {"os": None}),
    ("nvidia-smi says CUDA Version 12.2 and nvcc says 11.8", {"offered": "12.2", "cuda": {"11.8"}}),
    ("nvidia-smi shows driver 536.23, CUDA Version: 12.2", {"offered": "12.2", "driver": "536.23", "cuda": None}),
    ("nvidia-smi reports CUDA 12.4 but torch.version.cuda is 11.7", {"offered": "12.4", "cuda": None}),
    ("nvcc reports 11.5, nvidia-smi 12.1", {"offered": "12.1", "cuda": {"11.5"}}),
    ("Driver Version: 536.23, CUDA Version: 12.2", {"offered": "12.2", "driver": "536.23", "cuda": None}),
    ("my driver supports up to CUDA 11.6", {"offered": "11.6", "cuda": None}),
    ("a 4090 on Windows 11 with the 551.86 driver", {"driver": "551.86", "gpus": ["NVIDIA GeForce RTX 4090"]}),
    ("driver 31.0.15.3623 in Windows 10", {"driver": "536.23"}),
    ("Driver Version: R535 (r537_13) / 31.0.15.3713 (8-10-2023)", {"driver": "537.13"}),
    ("the nvidia driver was upgraded from 535.129.03 to 550.54.14", {"driver": "550.54.14"}),
    ("I downgraded torch from 2.1.0 to 1.13.1", {"torch": "1.13.1"}),
    ("It works since I downgraded torch from 2.1.0 to 1.13.1", {"torch": None}),
    ("python 3.8.10, torch 2.0.1", {"python": "3.8.10", "torch": "2.0.1"}),
    ("using py3.8, tf2.4.1, cuda11.0", {"python": "3.8", "tensorflow": "2.4.1", "cuda": {"11.0"}}),
    ("conda env with python=3.9 pytorch=1.13.1", {"python": "3.9", "torch": "1.13.1"}),
    ("tf.__version__ gives 2.16.1", {"tensorflow": "2.16.1"}),
    ("Linux 5.15.0-91-generic x86_64", {"kernel": "5.15.0-91-generic"}),
    ("CentOS Linux release 7.9.2009 (Core)", {"release": ("centos", "7.9")}),
    ("Debian bookworm", {"release": ("debian", "12")}),
    ("Ubuntu Focal", {"release": ("ubuntu", "20.04")}),
    ("Ubuntu 22.04 here, Ubuntu 22.04.3 LTS to be exact", {"release": ("ubuntu", "22.04")}),
    ("Ubuntu 22.04 here, and Ubuntu 20.04 there", {"release": None}),
    ("Windows Server 2019, Tesla T4", {"os": "windows", "gpus": ["Tesla T4"]}),
    ("a g4dn.xlarge instance", {"gpus": ["NVIDIA Tesla T4"]}),
    ("Standard_NC24ads_A100_v4 on Azure", {"gpus": ["NVIDIA A100"]}),
    ("two RTX A6000s", {"gpus": ["NVIDIA RTX A6000"] * 2}),
    ("显卡是4090，驱动550.54，cuda12.4", {"gpus": ["NVIDIA GeForce RTX 4090"], "driver": "550.54", "cuda": {"12.4"}}),
    ("Jetson AGX Orin JP 5.1.2", {"l4t": "35.4.1"}),
    ("I followed the docs and installed CUDA 11.2 and TensorFlow 2.10", {"cuda": {"11.2"}, "tensorflow": "2.10"}),
    ("With torch 1.13 it worked, with 2.0.1 it fails", {"torch": None}),
    ("NVIDIA-SMI 470.82.01\nDriver Version: 470.82.01\nCUDA Version: 11.4", {"offered": "11.4", "cuda": None}),
    ("torch.__version__ -> '1.13.1'", {"torch": "1.13.1"}),
    ("torch 2.1.0 -> 1.13.1", {"torch": None}),
    ("M1 Mac Mini", {"os": "macos"}),
    ("PyTorch : 2.9.0+cu130\nCUDA : True\nCUDA : 13.0", {"torch": "2.9.0+cu130", "cuda": None}),
    ("PyTorch : 2.9.0+cu130\nCUDA : 12.4", {"cuda": {"12.4"}}),
    ("- NVIDIA driver 595.97 (CUDA 13.2 runtime)", {"driver": "595.97", "offered": "13.2", "cuda": None}),
    ("* install NVIDIA-driver 396.26 and nvidia-docker2", {"driver": "396.26"}),
    ("You should install driver 396.26", {"driver": None}),
    ("I have an AMD Radeon VII", {"gpus": ["AMD Radeon VII"]}),
    ("my card is an R9 390X", {"gpus": ["R9 390X"]}),
    ("it is a Vega Frontier Edition", {"gpus": ["Vega Frontier Edition"]}),
    ("a Radeon Pro W6800 and Ubuntu", {"gpus": ["Radeon Pro W6800"]}),
    ("a workstation with a WX 9100", {"gpus": ["WX 9100"]}),
    ("the processor is a Ryzen R9 3900X", {"gpus": None}),
    ("when I go to torch 2.1.0 it fails", {"torch": None}),
    ("CUDA versions 11.8 and 12.1 are installed", {"cuda": None}),
]


@pytest.mark.parametrize(("text", "facts"), STATED)
def test_what_is_stated(text, facts):
    made = facts_of(text)
    assert {name: made.get(name) for name in facts} == facts
