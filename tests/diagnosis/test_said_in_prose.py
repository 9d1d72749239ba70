"""Tickets whose own words decide: another maker's card, an old processor, no GPU, a board, the name of a Python."""

import pytest

from gpudoctor.assist.judged import judged_input
from gpudoctor.examine.tickets import Input
from gpudoctor.report.triage import remedy_lines

NO_DRIVER = "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU"
NOT_COMPILED = "AssertionError: Torch not compiled with CUDA enabled"
TICKETS = {
    "a card of AMD, by its product": (
        f"The colouring script fails\n\n{NO_DRIVER}\nUbuntu 22.04, Radeon VII with 16 GB, torch 2.1.0",
        "torch-backend-gpu-vendor",
        ["whl/rocm", "!ubuntu-drivers"],
    ),
    "a card of AMD, by its older product": (
        f"Upscaling\n\n{NO_DRIVER}\nLinux, the card in here is an R9 390X",
        "torch-backend-gpu-vendor",
        ["!ubuntu-drivers"],
    ),
    "a card of AMD without its product": (
        f"Upscaling\n\n{NO_DRIVER}\nI own an AMD card. Fedora 40",
        "torch-backend-gpu-vendor",
        ["!akmod"],
    ),
    "a processor without AVX, and an illegal instruction": (
        "Illegal instruction (core dumped)\n\nimport torch, 2.6.0, Debian 12. The CPU is a Phenom II X4 955.",
        "cpu-no-avx",
        ["release of PyTorch", "/proc/cpuinfo", "!PyTorch runs without AVX"],
    ),
    "a processor without AVX, and Windows' event": (
        (
            "The window closes at the start\n\nFaulting module name: torch_cpu.dll, version: 0.0.0.0\n"
            "Windows 10, i7-870, RTX 2060, torch 2.7.0+cu126"
        ),
        "cpu-no-avx",
        ["Win32_Processor", "!/proc/cpuinfo"],
    ),
    "a program that wants CUDA where there is no GPU": (
        f"The demo does not start\n\n{NOT_COMPILED}\nI don't have a graphics card. torch 2.1.0+cpu, Linux",
        "cuda-asked-without-gpu",
        ["--device cpu", "map_location", "!pip install", "!pip uninstall"],
    ),
    "a driver that is not needed for the CPU": (
        f"The demo does not start\n\n{NO_DRIVER}\nThis laptop has no GPU. Ubuntu 22.04",
        "cuda-asked-without-gpu",
        ["--cpu", "!ubuntu-drivers"],
    ),
    "the CPU is wanted": (
        "RuntimeError: No CUDA GPUs are available\n\nIs it possible to run the model using only the CPU? Linux",
        "cuda-asked-without-gpu",
        ["--cpu", "!modprobe"],
    ),
    "no GPU of NVIDIA": (
        f"{NO_DRIVER}\n\nI do not have an NVIDIA GPU. torch 2.1, Ubuntu",
        "cuda-asked-without-gpu",
        ["--cpu", "!ubuntu-drivers"],
    ),
    "torchvision of the index on a Jetson": (
        (
            "NotImplementedError: Could not run 'torchvision::nms' with arguments from the 'CUDA' backend.\n\n"
            "Orin NX, JetPack 6.2, torch 2.5.0"
        ),
        "torch-companion-cuda",
        ["pypi.jetson-ai-lab.io/jp6/cu126", "torchvision", "!download.pytorch.org"],
    ),
    "torchvision for the CPU elsewhere": (
        (
            "NotImplementedError: Could not run 'torchvision::nms' with arguments from the 'CUDA' backend.\n\n"
            "Ubuntu 22.04, RTX 3060, torch 2.4.1+cu121"
        ),
        "torch-companion-cuda",
        ["torchvision==0.19.1", "whl/cu121"],
    ),
    "a wheel for another JetPack": (
        (
            ">>> import torch\nImportError: libcudart.so.10.0: cannot open shared object file: No such file\n\n"
            "Jetson TX2 with JetPack 4.5"
        ),
        "jetson-wheel-of-another-jetpack",
        ["10.0 is JetPack 4.2", "nv_tegra_release", "!docker info", "!LD_LIBRARY_PATH"],
    ),
    "a container under JetPack 4": (
        (
            "docker build of my image on a Jetson Nano, JetPack 4.6:\n"
            "ImportError: libcublas.so.10: cannot open shared object file: No such file or directory, torch 1.9"
        ),
        "jetson-default-runtime",
        ["default-runtime"],
    ),
    "python3 beside conda's python on Windows": (
        (
            "TensorFlow lists no GPU\n\nWindows 11, RTX 3060, TensorFlow 2.10.1, in my conda environment:\n"
            'python3 -m pip install tensorflow==2.10.1\npython3 -c "import tensorflow as tf; ..." prints []\n'
            "list_physical_devices('GPU') is empty"
        ),
        "wrong-environment",
        ["where.exe python python3", "!wsl"],
    ),
    "a module that the prompt has and the notebook lacks": (
        (
            "ModuleNotFoundError: No module named 'torch'\n\n"
            "That is in a Jupyter notebook. In the Anaconda prompt the import works. Windows 11"
        ),
        "py-kernelspec-mismatch",
        ["ipykernel install --user"],
    ),
    "Paddle's libraries": (
        (
            "Ubuntu 20.04, CUDA 11.2, paddlepaddle-gpu 2.2.1; import paddle ends so:\n"
            "ImportError: libcublas.so.11: cannot open shared object file: No such file or directory"
        ),
        "tf-soname-missing",
        ["paddle.utils.run_check()", "!tensorflow[and-cuda]"],
    ),
}


@pytest.mark.parametrize(("text", "cause", "holds"), TICKETS.values(), ids=TICKETS)
def test_what_is_said_decides_cause_and_remedy(text: str, cause: str, holds: list[str]) -> None:
    ticket = judged_input(Input("ticket", text.encode())).ticket
    assert [one.key for one in ticket.causes][:1] == [cause]
    remedy = next(one for one in ticket.remedies if one.cause == cause)
    said = "\n".join((remedy.say, *(line for _, line in remedy_lines(remedy, ticket.system))))
    for part in holds:
        assert (part.removeprefix("!") in said) is not part.startswith("!"), (part, said)


#: A text, and causes that it names among others.
AMONG = {
    "all GPUs stand at full load": (
        "It stops in the second epoch\n\n4x RTX 4090, Ubuntu. All GPUs show 100% and the training hangs.",
        {"nccl-p2p-geforce", "pcie-acs-p2p", "ranks-do-different-work"},
    ),
    "the same in Chinese": (
        "多卡训练中途卡死\n\n两张 RTX 3090，Ubuntu 22.04，训练卡住，显卡利用率一直100%",
        {"pcie-acs-p2p", "ranks-do-different-work"},
    ),
    "an answer told in other words, beside lines of the job's shell": (
        (
            'srun: error: Ignoring conflicting option "x11" in plugin "x11"\n'
            "/usr/bin/id: cannot find name for user ID 4711\n\n"
            'On this node I typed torch.cuda.is_available() in the shell and what it told me was "False".'
        ),
        {"torch-cpu-only"},
    ),
}


@pytest.mark.parametrize(("text", "causes"), AMONG.values(), ids=AMONG)
def test_what_is_said_names_causes(text: str, causes: set[str]) -> None:
    ticket = judged_input(Input("ticket", text.encode())).ticket
    assert causes <= {one.key for one in ticket.causes}


def test_one_gpu_at_full_load_is_no_matter_of_several() -> None:
    text = "It stops\n\nRTX 3090, Ubuntu. The GPU shows 100% and the training hangs."
    ticket = judged_input(Input("ticket", text.encode())).ticket
    assert not {"nccl-p2p-geforce", "pcie-acs-p2p"} & {one.key for one in ticket.causes}
