# ruff: noqa: E501 - texts as the tools print them
"""Each format by itself, in short texts of its form; what real people pasted is in pasted/."""

import gzip

import pytest

from gpudoctor.facts.base import Gap
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.tickets.pasted import NotText
from gpudoctor.tickets.read import ingest
from tests.tickets.stated import fact

TEXTS: dict[str, str] = {}
TEXTS["tf_env"] = """
== check python ===================================================
python version: 3.8.10
python branch:
python build version: ('default', 'Nov 26 2021 20:14:08')
python compiler version: GCC 9.3.0
python implementation: CPython


== check os platform ===============================================
os: Linux
os kernel version: #44~20.04.2-Ubuntu SMP Tue Oct 26 18:07:44 UTC 2021
os release version: 5.11.0-40-generic
os platform: Linux-5.11.0-40-generic-x86_64-with-glibc2.29
linux distribution: ('Ubuntu', '20.04', 'focal')
linux os distribution: ('Ubuntu', '20.04', 'focal')
mac version: ('', ('', '', ''), '')
uname: uname_result(system='Linux', node='host', release='5.11.0-40-generic', version='#44~20.04.2-Ubuntu SMP', machine='x86_64', processor='x86_64')
architecture: ('64bit', 'ELF')
machine: x86_64


== are we in docker =============================================
Yes

== compiler =====================================================
c++ (Ubuntu 9.3.0-17ubuntu1~20.04) 9.3.0
Copyright (C) 2019 Free Software Foundation, Inc.

== check pips ===================================================
numpy                   1.19.5
protobuf                3.19.1
tensorflow              2.7.0
tensorflow-estimator    2.7.0

== check for virtualenv =========================================
False

== tensorflow import ============================================
tf.version.VERSION = 2.7.0
tf.version.GIT_VERSION = v2.7.0-rc1-69-gc256c071bb2
tf.version.COMPILER_VERSION = 7.3.1 20180303
       4.	calling init: /usr/lib/x86_64-linux-gnu/libc.so.6

== env ==========================================================
LD_LIBRARY_PATH /usr/local/cuda/extras/CUPTI/lib64:/usr/local/cuda/lib64
DYLD_LIBRARY_PATH is unset

== nvidia-smi ===================================================
Tue Nov 30 10:14:48 2021
+-----------------------------------------------------------------------------+
| NVIDIA-SMI 495.29.05    Driver Version: 495.29.05    CUDA Version: 11.5     |
|-------------------------------+----------------------+----------------------+
|   0  NVIDIA GeForce ...  Off  | 00000000:0A:00.0  On |                  N/A |
|  0%   46C    P8    21W / 290W |    597MiB /  8192MiB |      1%      Default |
|                               |                      |                  N/A |
+-------------------------------+----------------------+----------------------+

== cuda libs  ===================================================
/usr/local/cuda-11.2/targets/x86_64-linux/lib/libcudart.so.11.2.152
/usr/local/cuda-11.2/targets/x86_64-linux/lib/libcudart_static.a
"""
TEXTS["csv"] = """$ nvidia-smi --query-gpu=name,driver_version,memory.total,compute_cap --format=csv
name, driver_version, memory.total [MiB], compute_cap
NVIDIA A10G, 535.129.03, 23028 MiB, 8.6
NVIDIA A10G, 535.129.03, 23028 MiB, 8.6
"""
TEXTS["csvnoheader"] = """$ nvidia-smi --query-gpu=gpu_name,driver_version --format=csv,noheader
Tesla T4, 470.82.01
"""
TEXTS["conda_export"] = """name: ml
channels:
  - pytorch
  - defaults
dependencies:
  - python=3.9.7=h12debd9_1
  - pytorch=1.10.1=py3.9_cpu_0
  - cudatoolkit=11.3.1=h2bc3f7f_2
  - pip:
    - tensorflow==2.7.0
    - keras==2.7.0
"""
TEXTS["conda_info"] = """
     active environment : base
          conda version : 4.12.0
         python version : 3.9.12.final.0
       virtual packages : __cuda=11.4=0
                          __linux=5.4.0=0
                          __glibc=2.31=0
               platform : linux-64
"""
TEXTS["conda_list"] = """# packages in environment at /home/user/miniconda3/envs/x:
#
# Name                    Version                   Build  Channel
_libgcc_mutex             0.1                        main
cudatoolkit               11.3.1               h2bc3f7f_2
numpy                     1.21.2           py39h20f2e39_0
pip                       21.2.4           py39h06a4308_0
python                    3.9.7                h12debd9_1
pytorch                   1.10.1          py3.9_cuda11.3_cudnn8.2.0_0    pytorch
torchvision               0.11.2               py39_cu113    pytorch
wheel                     0.37.0             pyhd3eb1b0_1
tensorboard               2.7.0                    pypi_0    pypi
"""
TEXTS[
    "lspci"
] = """01:00.0 VGA compatible controller [0300]: NVIDIA Corporation GA102 [GeForce RTX 3090] [10de:2204] (rev a1)
	Subsystem: Gigabyte Technology Co., Ltd Device [1458:403b]
	Kernel driver in use: nouveau
	Kernel modules: nvidiafb, nouveau
00:02.0 VGA compatible controller: Intel Corporation UHD Graphics 630 (Desktop)
"""
TEXTS["boot"] = """$ mokutil --sb-state
SecureBoot enabled
$ dkms status
nvidia/535.129.03, 6.5.0-14-generic, x86_64: installed
nvidia, 470.57.02, 5.11.0-27-generic, x86_64: installed
$ lsmod | grep nvidia
nvidia_uvm           1036288  0
nvidia              35315712  19 nvidia_uvm,nvidia_modeset
$ cat /proc/driver/nvidia/version
NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build
$ ls -l /dev/nvidia*
crw-rw-rw- 1 root root 195,   0 Nov 10 10:00 /dev/nvidia0
crw-rw---- 1 root vglusers 195, 255 Nov 10 10:00 /dev/nvidiactl
"""
TEXTS["osrel"] = """$ cat /etc/os-release
PRETTY_NAME="Ubuntu 22.04.3 LTS"
NAME="Ubuntu"
VERSION_ID="22.04"
ID=ubuntu
ID_LIKE=debian
$ uname -a
Linux host 5.15.133.1-microsoft-standard-WSL2 #1 SMP Thu Oct 5 21:02:42 UTC 2023 x86_64 x86_64 x86_64 GNU/Linux
"""
TEXTS["transformers"] = """- `transformers` version: 4.30.2
- Platform: Linux-5.15.0-76-generic-x86_64-with-glibc2.35
- Python version: 3.10.6
- Huggingface_hub version: 0.15.1
- Safetensors version: 0.3.1
- PyTorch version (GPU?): 2.0.1+cu118 (False)
- Tensorflow version (GPU?): 2.12.0 (True)
- Flax version (CPU?/GPU?/TPU?): not installed (NA)
- Jax version: not installed
- JaxLib version: not installed
- Using GPU in script?: yes
"""
TEXTS["accelerate"] = """- `Accelerate` version: 0.21.0
- Platform: Linux-5.4.0-150-generic-x86_64-with-glibc2.31
- Python version: 3.9.16
- Numpy version: 1.24.3
- PyTorch version (GPU?): 2.0.1+cu117 (True)
- PyTorch XPU available: False
- System RAM: 503.73 GB
- GPU type: NVIDIA A100-SXM4-80GB
"""
TEXTS["envdoctor"] = """{
  "status": "success",
  "timestamp": "2026-01-15T10:30:00Z",
  "summary": {"driver": "found", "cuda": "found", "issues_count": 0},
  "checks": {
    "driver": {"component": "nvidia_driver", "status": "success", "detected": true, "version": "535.146.02", "metadata": {"max_cuda_version": "12.2"}},
    "cuda": {"component": "cuda_toolkit", "status": "success", "detected": true, "version": "12.1.1", "path": "/usr/local/cuda-12.1"},
    "libraries": {"torch": {"version": "2.1.0+cu121", "cuda_version": "12.1", "compatible": true}},
    "compute_compatibility": {"gpu_name": "NVIDIA GeForce GTX 1650", "compute_capability": "7.5", "sm": "sm_75", "arch_list": ["sm_50", "sm_60"], "cuda_available": true}
  }
}
"""
TEXTS["detectron2"] = """----------------------  ---------------------------------------------------------------
sys.platform            linux
Python                  3.8.10 (default, Sep 28 2021, 16:10:42) [GCC 9.3.0]
numpy                   1.21.4
detectron2              0.6 @/usr/local/lib/python3.8/dist-packages/detectron2
CUDA compiler           CUDA 11.3
detectron2 arch flags   8.6
PyTorch                 1.10.0+cu113 @/usr/local/lib/python3.8/dist-packages/torch
GPU available           Yes
GPU 0                   NVIDIA GeForce RTX 3080 (arch=8.6)
Driver version          470.82.00
CUDA_HOME               /usr/local/cuda
torchvision             0.11.1+cu113 @/usr/local/lib/python3.8/dist-packages/torchvision
----------------------  ---------------------------------------------------------------
"""
TEXTS[
    "tflog"
] = """2023-05-01 10:00:00.1: I tensorflow/core/common_runtime/gpu/gpu_device.cc:1616] Created device /job:localhost/replica:0/task:0/device:GPU:0 with 22145 MB memory:  -> device: 0, name: NVIDIA GeForce RTX 3090, pci bus id: 0000:65:00.0, compute capability: 8.6
2018-01-01 I tensorflow/core/common_runtime/gpu/gpu_device.cc:955] Found device 0 with properties:
name: GeForce GTX 1080 major: 6 minor: 1 memoryClockRate (GHz) 1.7335
pciBusID: 0000:01:00.0
E tensorflow/stream_executor/cuda/cuda_driver.cc:318] failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected
I tensorflow/stream_executor/cuda/cuda_diagnostics.cc:200] libcuda reported version is: 450.80.2
I tensorflow/stream_executor/cuda/cuda_diagnostics.cc:204] kernel reported version is: 450.51.6
"""
TEXTS["pipold"] = """torch (1.0.0)
torchvision (0.2.1)
numpy (1.15.4)
"""
TEXTS["pipshow"] = """Name: torch
Version: 2.1.0
Summary: Tensors and Dynamic neural networks in Python with strong GPU acceleration
Location: /home/user/venv/lib/python3.10/site-packages
"""
TEXTS["ipython"] = """In [1]: import torch

In [2]: torch.cuda.is_available()
Out[2]: False

In [3]: torch.__version__
Out[3]: '1.12.1+cu116'

In [4]: torch.version.cuda
Out[4]: '11.6'

>>> import tensorflow as tf
>>> tf.config.list_physical_devices('GPU')
[]
>>> torch.cuda.get_device_name(0)
'NVIDIA GeForce RTX 3090'
"""
TEXTS["ldconfig"] = """$ ldconfig -p | grep cudnn
	libcudnn.so.8 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcudnn.so.8
	libcudart.so.11.0 (libc6,x86-64) => /usr/local/cuda-11.8/lib64/libcudart.so.11.0
$ echo $LD_LIBRARY_PATH
/usr/local/cuda/lib64:/usr/local/nvidia/lib
$ env | grep CUDA
CUDA_VISIBLE_DEVICES=0,1
"""
TEXTS["pipfull"] = (
    "Package            Version\n------------------ ----------\n"
    + "\n".join(
        f"{n:<18} {v}"
        for n, v in (
            ("certifi", "2023.7"),
            ("nvidia-cuda-runtime-cu12", "12.1.105"),
            ("nvidia-cudnn-cu12", "8.9.2.26"),
            ("numpy", "1.26.0"),
            ("pip", "23.2"),
            ("setuptools", "68"),
            ("torch", "2.1.0"),
            ("triton", "2.1.0"),
        )
    )
    + "\n\n[notice] x\nLinux host 5.15.0-91-generic #101-Ubuntu SMP Tue Nov 14 13:30:08 UTC 2023 x86_64 x86_64 x86_64 GNU/Linux\n"
)

TEXTS["bug_report"] = """
____________________________________________

Start of NVIDIA bug report log file.  Please include this file, along
with a detailed description of your problem, when reporting a graphics
driver bug via the NVIDIA Linux forum.

nvidia-bug-report.sh Version: 34275361

Date: Wed Jan 10 11:00:00 CET 2024
uname: Linux host 6.5.0-14-generic #14~22.04.1-Ubuntu SMP PREEMPT_DYNAMIC x86_64 x86_64 x86_64 GNU/Linux
command line flags:

____________________________________________

*** /etc/issue
*** ls: -rw-r--r-- 1 root root 26 2023-08-10 00:00:00.000000000 +0200 /etc/issue
Ubuntu 22.04.3 LTS

____________________________________________

*** /proc/driver/nvidia/./version
NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19 18:56:32 UTC 2023
GCC version:

____________________________________________

/usr/bin/lspci -d "10de:*" -v -xxx

01:00.0 VGA compatible controller: NVIDIA Corporation AD102 [GeForce RTX 4090] (rev a1) (prog-if 00 [VGA controller])
	Subsystem: Device 1043:889f
	Kernel driver in use: nvidia

____________________________________________

Skipping vulkaninfo output (vulkaninfo not found)
____________________________________________

journalctl -b -0:
Jan 10 10:59:01 host kernel: NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.
Jan 10 10:59:01 host kernel: NVRM: GPU 0000:01:00.0: GPU has fallen off the bus.

____________________________________________

/usr/bin/nvidia-smi --query

Unable to determine the device handle for GPU0000:01:00.0: Unknown Error
"""
TEXTS["uv"] = """Package         Version
--------------- -------
jax             0.4.30
jax-cuda12-plugin 0.4.30
jaxlib          0.4.30
"""

FACTS = {
    "bug_report": {
        "host.kernel": "6.5.0-14-generic",
        "driver.module_release": "535.129.03",
        "driver.module_flavour": "proprietary",
        "gpus.0.name": "NVIDIA GeForce RTX 4090",
        "gpus.0.bound_driver": "nvidia",
        "gpus.0.refusal": "NVML_ERROR_UNKNOWN",
        "kernel_log.0.xid": "79",
    },
    "uv": {"frameworks.jax-cuda-plugin.cuda": "12", "frameworks.jaxlib.version": "0.4.30"},
    "tf_env": {
        "interpreter.version": "3.8.10",
        "host.distribution_version": "20.04",
        "host.kernel": "5.11.0-40-generic",
        "container.kind": "docker",
        "frameworks.tensorflow.version": "2.7.0",
        "frameworks.tensorflow.cuda": "11.2",
        "packages.protobuf": "3.19.1",
        "environ.LD_LIBRARY_PATH": "/usr/local/cuda/extras/CUPTI/lib64:/usr/local/cuda/lib64",
        "driver.release": "495.29.05",
        "gpus.0.memory_total_mib": "8192",
        "toolkits.compiler_version": "9.3.0",
    },
    "csv": {"gpus.1.capability": "8.6", "gpus.0.memory_total_mib": "23028", "driver.release": "535.129.03"},
    "csvnoheader": {"gpus.0.name": "Tesla T4", "driver.release": "470.82.01"},
    "conda_export": {"frameworks.torch.variant": "cpu", "packages.tensorflow": "2.7.0", "interpreter.version": "3.9.7"},
    "conda_info": {"driver.cuda": "11.4", "host.libc_version": "2.31", "host.arch": "x86_64"},
    "conda_list": {
        "frameworks.torch.cuda": "11.3",
        "frameworks.torch.cudnn": "8.2.0",
        "packages.tensorboard": "2.7.0",
        "interpreter.version": "3.9.7",
    },
    "lspci": {
        "gpus.0.name": "NVIDIA GeForce RTX 3090",
        "gpus.0.pci_id": "10de:2204",
        "gpus.0.bound_driver": "nouveau",
        "gpus.1.vendor": "intel",
    },
    "boot": {
        "driver.secure_boot": "True",
        "driver.module_release": "580.65.06",
        "driver.module_flavour": "open",
        "driver.modules_loaded": "('nvidia', 'nvidia_uvm')",
    },
    "osrel": {"host.distribution": "ubuntu", "host.distribution_version": "22.04", "container.wsl": "2"},
    "transformers": {
        "frameworks.torch.version": "2.0.1+cu118",
        "frameworks.tensorflow.version": "2.12.0",
        "live.torch.gpu_available": "False",
        "live.tensorflow.gpu_available": "True",
        "host.kernel": "5.15.0-76-generic",
        "interpreter.version": "3.10.6",
    },
    "accelerate": {"gpus.0.name": "NVIDIA A100-SXM4-80GB", "live.torch.gpu_available": "True"},
    "envdoctor": {
        "driver.release": "535.146.02",
        "driver.cuda": "12.2",
        "frameworks.torch.version": "2.1.0+cu121",
        "gpus.0.capability": "7.5",
        "toolkits.0.version": "12.1.1",
    },
    "detectron2": {
        "frameworks.torch.version": "1.10.0+cu113",
        "gpus.0.capability": "8.6",
        "driver.release": "470.82.00",
        "live.torch.gpu_available": "True",
        "interpreter.version": "3.8.10",
    },
    "tflog": {
        "gpus.0.pci_bus_id": "0000:65:00.0",
        "gpus.1.capability": "6.1",
        "driver.library": "450.80.02",
        "driver.module_release": "450.51.06",
        "driver.cuda_init": "CUDA_ERROR_NO_DEVICE",
    },
    "pipold": {"frameworks.torch.version": "1.0.0", "packages.numpy": "1.15.4"},
    "pipshow": {"frameworks.torch.version": "2.1.0", "host.os": "linux", "interpreter.version": "3.10"},
    "ipython": {
        "live.torch.gpu_available": "False",
        "live.tensorflow.gpu_available": "False",
        "frameworks.torch.version": "1.12.1+cu116",
        "gpus.0.name": "NVIDIA GeForce RTX 3090",
    },
    "ldconfig": {
        "environ.CUDA_VISIBLE_DEVICES": "0,1",
        "environ.LD_LIBRARY_PATH": "/usr/local/cuda/lib64:/usr/local/nvidia/lib",
    },
    "pipfull": {"frameworks.torch.version": "2.1.0+cu121", "frameworks.torch.cuda": "12.1", "packages.numpy": "1.26.0"},
}

ROWS = [(name, path, value) for name, facts in FACTS.items() for path, value in facts.items()]


@pytest.mark.parametrize(("name", "path", "value"), ROWS, ids=[f"{name}-{path}" for name, path, _ in ROWS])
def test_a_stated_fact_arrives(name: str, path: str, value: str) -> None:
    assert fact(ingest(TEXTS[name].encode(), load_matrix()), path) == value


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_wrapped_texts_state_the_same(name: str) -> None:
    """Quoted, with Windows' line ends, in a fence; and packed, as nvidia-bug-report.log.gz is."""
    plain = ingest(TEXTS[name].encode(), load_matrix()).snapshot
    quoted = "\r\n".join(f"> {line}" for line in ["```", *TEXTS[name].splitlines(), "```"])
    for raw in (quoted.encode(), gzip.compress(TEXTS[name].encode())):
        other = ingest(raw, load_matrix()).snapshot
        for section in ("host", "container", "interpreter"):
            assert getattr(other, section) == getattr(plain, section), section
        for section in ("gpus", "driver", "packages", "frameworks", "environ", "toolkits", "libraries"):
            assert isinstance(getattr(other, section), Gap) == isinstance(getattr(plain, section), Gap), section


def test_what_is_not_stated_is_a_gap() -> None:
    snapshot = ingest(
        b"$ nvidia-smi -L\nGPU 0: Tesla T4 (UUID: GPU-00000000-0000-0000-0000-000000000000)\n", load_matrix()
    ).snapshot
    seen = {name for name in snapshot.__struct_fields__ if not isinstance(getattr(snapshot, name), Gap)}
    assert seen == {"schema", "taken_at", "doctor", "gpus"}
    assert snapshot.gpus.devices[0].capability is None


@pytest.mark.parametrize(
    "line",
    [
        "torchaudio 2.1.0+cu118 requires torch==2.1.0, but you have torch 2.0.1 which is incompatible.",
        "ERROR: torchaudio 2.1.0+cu118 has requirement torch==2.1.0, but you'll have torch 2.0.1 which is incompatible.",
    ],
)
def test_what_pip_says_of_packages_that_do_not_agree(line: str) -> None:
    packages = ingest(line.encode(), load_matrix()).snapshot.packages
    assert {one.name: one.version for one in packages.installed} == {"torchaudio": "2.1.0+cu118", "torch": "2.0.1"}
    assert packages.excerpt


def test_words_that_only_look_like_lists_state_nothing() -> None:
    text = b"please run pip install torch==2.1.0 and then python 3.10, it is faster than 2.0\n\ntorch is great\n"
    assert ingest(text, load_matrix()).fragments == ()


@pytest.mark.parametrize("raw", [b"\x7fELF\x02\x01\x01" + bytes(5000), b"\x89PNG\r\n\x1a\n" + bytes(5000)])
def test_what_is_no_text_is_refused(raw: bytes) -> None:
    with pytest.raises(NotText):
        ingest(raw, load_matrix())


@pytest.mark.parametrize(
    ("text", "loaded"),
    [
        ("$ lsmod | grep nvidia\n$ uname -r\n", "()"),
        ("me@box:~$ lsmod | grep -i nvidia\n\nme@box:~$ ls\n", "()"),
        ("$ lsmod | grep nvidia\n", "unseen"),
        ("$ lsmod | grep nvidia\nsome words\n", "unseen"),
        ("$ lsmod | grep nouveau\n$ uname -r\n", "unseen"),
        ("run lsmod | grep nvidia\n$ uname -r\n", "unseen"),
    ],
)
def test_a_command_that_printed_nothing(text: str, loaded: str) -> None:
    driver = ingest(text.encode(), load_matrix()).snapshot.driver
    assert ("unseen" if isinstance(driver, Gap) else str(driver.modules_loaded)) == loaded
