"""The commands of a remedy, with what the ticket states filled in, and without what its facts forbid."""

import pytest

from gpudoctor.assist.judged import judged_input
from gpudoctor.examine.tickets import Input
from gpudoctor.report.triage import remedy_for, remedy_lines

SEES_NO_GPU = "RuntimeError: No CUDA GPUs are available"
TOO_OLD = "RuntimeError: The NVIDIA driver on your system is too old (found version 11040)."
COMPANION = "RuntimeError: operator torchvision::nms does not exist"
XFORMERS = "WARNING[XFORMERS]: xFormers can't load C++/CUDA extensions. xFormers was built for:\n"
XFORMERS += "    PyTorch 2.2.1+cu121 with CUDA 1201 (you have 2.1.2+cu121)"
FLASH = "ImportError: /v/site-packages/flash_attn_2_cuda.cpython-311-x86_64-linux-gnu.so: undefined symbol: _ZN3c105E"
ASKS = "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.9, please update your driver"
NO_WHEEL = "ERROR: Could not find a version that satisfies the requirement jaxlib (from versions: none)"
OWNED = "dpkg: error processing archive x.deb (--unpack): trying to overwrite '{}', which is also in package nvidia-340"
OLD_PIP = "  Could not find any downloads that satisfy the requirement tensorflow-gpu"

CPU_BUILD = "AssertionError: Torch not compiled with CUDA enabled"
NO_CODE = "RuntimeError: CUDA error: no kernel image is available for execution on the device"
FULL = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 0.12 GiB. GPU 0 has a total capacity of 79 GiB of"
FULL += " which 0.05 GiB is free. Process 1837 has 71.30 GiB memory in use. Including non-PyTorch memory, this process"
FULL += " has 7.70 GiB memory in use. Of the allocated memory 7.10 GiB is allocated by PyTorch."
IN_PIECES = "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 23.69 GiB total capacity; 14.10 GiB"
IN_PIECES += " already allocated; 1.20 GiB free; 21.80 GiB reserved in total by PyTorch)"
OLD_DRIVERS_PTX = "ptxas application ptx input, line 9; fatal   : Unsupported .version {}; current version is '{}'"
NO_DEVICE_DRIVER = 'docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].'

FREE = "ValueError: Free memory on device (3.22/4.0 GiB) on startup is less than desired GPU memory utilization (0.9,"
FREE += " 3.6 GiB). Decrease GPU memory utilization or reduce GPU memory used by other processes."
CONTEXT = "ValueError: To serve at least one request with the models's max seq len (32768), (6.00 GiB KV cache is"
CONTEXT += " needed, which is larger than the available KV cache memory (1.92 GiB). Based on the available memory, the"
CONTEXT += " estimated maximum model length is 10480."

#: A ticket, and what its commands hold or do not hold ("!").
TICKETS = {
    "a Python for which there is a build": (
        f"Ubuntu 20.04, driver 470.256.02, Python 3.8, torch 1.13.1+cu117\nTesla K40c\n{NO_CODE}",
        ["conda create --yes --name gpu-env python=3.7", "torch==1.3.0", "!<"],
    ),
    "the index for a GPU whose torch has no release": (
        f"My RTX 3090 with torch\n{NO_CODE}",
        ["whl/cu126", "!<"],
    ),
    "the index for what the driver offers": (
        f"{CPU_BUILD}\nNVIDIA-SMI 475.14  Driver Version: 475.14  CUDA Version: 11.4",
        ["whl/cu118", "!<"],
    ),
    "another build where the driver is too old": (
        f"{TOO_OLD}\nTesla V100, driver 450.80.02, Python 3.9, torch 2.3.0+cu121",
        ["torch==2.3.0+cu118", "!<"],
    ),
    "a driver where no GPU is named": (f"{TOO_OLD}\nUbuntu 24.04, torch 2.4.1+cu121", ["nvidia-driver-580", "!<"]),
    "the share of the memory that is free": (FREE, ["--gpu-memory-utilization 0.78"]),
    "the context that fits": (CONTEXT, ["--max-model-len 10480"]),
    "xformers of the stated torch": (
        "Colab, torch 2.3.0+cu121\nWARNING[XFORMERS]: xFormers can't load C++/CUDA extensions.",
        ["xformers==0.0.26.post1", "whl/cu121"],
    ),
    "mmcv has no wheels for a new torch": (
        "RTX 5060, torch 2.10.0+cu128\nModuleNotFoundError: No module named 'mmcv._ext'",
        ["--no-binary mmcv", "!openmmlab"],
    ),
    "what the driver serves, where its release is not stated": (
        "GeForce 840M, Windows 10, torch.cuda.is_available() is False\nNVIDIA CUDA 11.5.76 driver",
        ["+cu118", "!+cu12"],
    ),
    "whoever holds the memory": (FULL, ["kill 1837"]),
    "the memory in pieces, of a new torch": (
        f"torch 2.4.0\n{IN_PIECES}",
        ["expandable_segments:True", "!kill"],
    ),
    "the memory in pieces, of an old torch": (
        f"torch 2.0.1\n{IN_PIECES}",
        ["max_split_size_mb:128", "!kill"],
    ),
    "the compiler of the CUDA whose PTX the driver reads": (
        f"numba-cuda\n{OLD_DRIVERS_PTX.format('8.7', '8.4')}",
        ["nvidia-cuda-nvcc-cu12==12.4.*", "cuda-version=12.4", "!<"],
    ),
    "Numba itself does not look into pip's packages": (
        f"numba\n{OLD_DRIVERS_PTX.format('8.7', '8.4')}",
        ["CUDA_HOME=/usr/local/cuda-12.4", "cuda-version=12.4", "!nvidia-cuda-nvcc", "!<"],
    ),
    "the same of a driver before CUDA 12": (
        f"numba\n{OLD_DRIVERS_PTX.format('7.3', '7.1')}",
        ["cudatoolkit=11.1", "!pip install"],
    ),
    "no second installation of the container tools": (
        f"Ubuntu 22.04\n{NO_DEVICE_DRIVER}\nNVIDIA Container Toolkit CLI version 1.17.4",
        ["nvidia-ctk runtime configure", "!apt install"],
    ),
    "torchvision of the stated torch": (
        f"{COMPANION}\nUbuntu 22.04, Python 3.10, torch 2.6.0+cu124, RTX 3090",
        ["torchvision==0.21.0", "whl/cu124", "!<"],
    ),
    "torchvision, where no torch is stated": (COMPANION, ["<TORCHVISION>"]),
    "xformers for the torch that is there": (
        f"{XFORMERS}\nWindows 11, Python 3.10.6, RTX 3080, torch 2.1.2+cu121",
        ["xformers==0.0.23.post1", "--no-deps", "!torch=="],
    ),
    "flash-attn's wheel for the torch that is there": (
        f"{FLASH}\nUbuntu 22.04, python 3.11, torch 2.6.0+cu124, A100, driver 550.127.05",
        ["torch2.6cxx11abiFALSE-cp311", "--no-deps", "!<"],
    ),
    "no flash-attn for a GPU before Ampere": (
        f"{FLASH}\nUbuntu 22.04, python 3.11, torch 2.6.0+cu124, Tesla V100, driver 550.127.05",
        ["!flash-attn=="],
    ),
    "the driver's branch on Ubuntu": (
        f"{ASKS}\nUbuntu 22.04, A100, driver 535.183.01",
        ["apt install nvidia-driver-580", "reboot", "!dnf", "!<", "!cuda-drivers"],
    ),
    "the driver's branch on Debian": (
        f"{ASKS}\nDebian 12, A100, driver 535.183.01",
        ["apt install cuda-drivers-580", "!dnf", "!<", "!nvidia-driver-"],
    ),
    "a driver on Fedora": (f"{ASKS}\nFedora 41, RTX 3090, driver 535.183.01", ["akmod-nvidia", "!apt", "!<"]),
    "no driver of apt's where nothing is installed by it": (
        f"{ASKS}\nArch Linux, RTX 3090, driver 535.183.01",
        ["!apt", "!dnf", "!reboot"],
    ),
    "JAX for another Python": (
        f"{NO_WHEEL}\nUbuntu 22.04, Python 3.6.9, GTX 1080 Ti, driver 535.183.01",
        ["jax[cuda12]==", "--python 3.1", "!<"],
    ),
    "pip's last release for an old Python": (
        f"Ubuntu 14.04, Python 3.4.3, GeForce GTX 970, driver 367.57\n{OLD_PIP}",
        ['"pip<19.2"', "tensorflow-gpu==1.4.1", "!<P"],
    ),
    "PyTorch's build for an AMD GPU": (
        "Ubuntu 24.04, Python 3.12, AMD Radeon RX 7900 XTX, torch 2.5.1+cu124\n>>> torch.cuda.is_available()\nFalse",
        ["+rocm", "whl/rocm", "!<"],
    ),
    "no build of PyTorch's for an AMD GPU in Windows": (
        "Windows 11, Python 3.12, AMD Radeon RX 7900 XTX, torch 2.5.1+cu124\n>>> torch.cuda.is_available()\nFalse",
        ["!pip"],
    ),
    "a driver that was removed": (
        "Ubuntu 22.04, RTX 3070\n$ nvidia-smi\nCommand 'nvidia-smi' not found, but can be installed with:",
        ["ubuntu-drivers install", "!docker"],
    ),
    "no JAX for that driver": (
        f"{NO_WHEEL}\nUbuntu 22.04, Python 3.6.9, GTX 1080 Ti, driver 470.199.02",
        ["!jax", "!<", "!uv "],
    ),
    "the file that two packages bring": (
        f"Ubuntu 22.04\n{OWNED.format('/usr/lib/x86_64-linux-gnu/libcuda.so.1')}",
        ["dpkg -S /usr/lib/x86_64-linux-gnu/libcuda.so.1", "!<OWNED_FILE>"],
    ),
    "a file whose name a shell would read": (f"Ubuntu 22.04\n{OWNED.format('/usr/$(id)')}", ["!$(id)", "<OWNED_FILE>"]),
    "the CUDA source whose key is unknown": (
        "Ubuntu 22.04\nGPG error: https://packages.example/compute/cuda/repos/ubuntu2204/x86_64  InRelease: x",
        ["wget https://packages.example/compute/cuda/repos/ubuntu2204/x86_64/cuda-keyring", "!rpm"],
    ),
    "another source whose key is unknown": (
        "Ubuntu 22.04\nW: GPG error: https://packages.example/rocm/apt jammy InRelease: NO_PUBKEY 9386B48A1A693C5C",
        ["signed-by", "!cuda-keyring"],
    ),
    "the package that the sources lack": (
        "Ubuntu 22.04\nE: Unable to locate package nvidia-container-toolkit",
        ["apt-cache policy nvidia-container-toolkit"],
    ),
    "two packages that the sources lack": (
        "Ubuntu 22.04\nE: Unable to locate package cuda-toolkit-12-9\nE: Unable to locate package nvidia-driver-580",
        ["<SYSTEM_PACKAGE>"],
    ),
}


@pytest.mark.parametrize(("text", "holds"), TICKETS.values(), ids=TICKETS)
def test_commands(text: str, holds: list[str]) -> None:
    ticket = judged_input(Input("ticket", text.encode())).ticket
    remedy = remedy_for(ticket)
    assert remedy is not None
    commands = "\n".join(line for is_command, line in remedy_lines(remedy, ticket.system) if is_command)
    for part in holds:
        assert (part.removeprefix("!") in commands) is not part.startswith("!"), (part, remedy)


def test_what_is_filled_in_is_not_explained() -> None:
    text = f"{FLASH}\nUbuntu 22.04, python 3.11, torch 2.6.0+cu124, A100"
    ticket = judged_input(Input("ticket", text.encode())).ticket
    assert all("<" not in one.say for one in ticket.remedies)
