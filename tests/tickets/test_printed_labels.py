"""What a program printed under labels of its own, and a processor's flags, are facts as any others."""

import pytest

from gpudoctor.assist.judged import judged_input
from gpudoctor.examine.tickets import Input
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.surroundings import surroundings_in
from gpudoctor.tickets.read import ingest

FLAGS = (
    "fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush mmx fxsr sse sse2 ss ht syscall "
    "nx rdtscp lm constant_tsc pni pclmulqdq ssse3 cx16 sse4_1 sse4_2"
)


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ('print("CUDA VERSION: ")\nprint(torch.version.cuda)\n', "CUDA VERSION: \n11.8"),
        ('print("Built with CUDA:", torch.version.cuda)\n', "Built with CUDA: 11.8"),
        ('print(f"cuda = {torch.version.cuda}")\n', "cuda = 11.8"),
        ('print("my cuda is"); print(torch.version.cuda)\n', "my cuda is\n11.8"),
    ],
)
def test_a_label_of_the_reporters_own(code: str, shown: str) -> None:
    text = f"It does not work.\n```\nimport torch\n{code}```\nOutput:\n\n{shown}\n\ntorch 2.1.0 on Ubuntu 22.04"
    torch = ingest(text.encode(), load_matrix()).snapshot.frameworks.get("torch")
    assert torch.variant == "cuda"
    assert str(torch.cuda) == "11.8"


@pytest.mark.parametrize(
    ("line", "has"),
    [(f"flags\t\t: {FLAGS} avx avx2", True), (f"Flags:   {FLAGS}", False), ("Flags: fpu vme de avx ...", None)],
)
def test_the_flags_of_a_processor(line: str, has: bool | None) -> None:
    found = ingest(f"It crashes:\n{line}\n".encode(), load_matrix()).snapshot.host
    flags = getattr(getattr(found, "cpu", None), "flags", None)
    assert (None if flags is None else "avx" in flags) is has


@pytest.mark.parametrize(
    ("text", "first", "not_it"),
    [
        ("Illegal instruction (core dumped) on import tensorflow\ntensorflow 2.4.0\nThe CPU has AVX, no AVX2.",
         "cpu-no-avx2", "cpu-no-avx"),
        ("Illegal instruction (core dumped) on import tensorflow\ntensorflow 1.14 from pip, Python 3.6, Ubuntu 18.04",
         "cpu-no-avx", "cpu-no-avx2"),
        ("torch.cuda.is_available() is still False\nRTX 2070, Windows 10, driver 531.61, torch 2.2.0+cu121",
         "framework-sees-no-gpu", "torch-cpu-only"),
        (("conda install pytorch=1.12.1 torchvision cudatoolkit=11.1 -c pytorch\n"
         "Then torch.cuda.is_available() returns False. Driver 470.82, RTX 3090."), "torch-cpu-only", ""),
        ("ImportError: libtorch_cpu.so: undefined symbol: iJIT_NotifyEvent", "mkl-too-new", ""),
        (("podman run --rm --gpus all nvidia/cuda:12.2.0-base-ubuntu22.04 nvidia-smi\nError: crun: executable file "
         "`nvidia-smi` not found in $PATH: No such file or directory\nnvidia-smi works on the host"),
         "container-no-gpu-flag", "drv-absent"),
    ],
)  # fmt: skip
def test_the_first_cause_and_what_facts_rule_out(text: str, first: str, not_it: str) -> None:
    ticket = judged_input(Input("ticket", text.encode())).ticket
    assert ticket.causes[0].key == first
    assert not_it not in {one.key for one in ticket.causes}


@pytest.mark.parametrize(
    ("text", "first"),
    [
        (("snap install docker\ndocker run -it --gpus all ubuntu\nnvidia-container-cli: initialization error: load "
          "library failed: libnvidia-ml.so.1: cannot open shared object file: no such file"), "ctk-docker-snap"),
        (("RTX 5070 Ti Laptop GPU, Windows 11, driver 595.79, torch 2.11.0+cu130\ncuInit() returned error code 100\n"
          "nvidia-smi worked fine, but no CUDA program could access the GPU"), "cvd-invalid"),
        ("CentOS 7, torch 1.7.0+cu110\nUserWarning: CUDA initialization: Found no NVIDIA driver on your system.",
         "drv-absent"),
        (("torch.cuda.is_available() is False\n\nCollecting environment information...\nPyTorch version: 1.5.0+cu101\n"
          "CUDA used to build PyTorch: 10.1\nOS: Ubuntu 18.04\nIs CUDA available: Yes\nGPU models and configuration:\n"
          "GPU 0: TITAN RTX\nNvidia driver version: 442.92"), "wrong-environment"),
    ],
)  # fmt: skip
def test_which_cause_leads(text: str, first: str) -> None:
    assert judged_input(Input("ticket", text.encode())).ticket.causes[0].key == first


def test_what_the_first_tensor_says_is_asked_for() -> None:
    text = b"torch.cuda.is_available() is False\nRTX 2070, Ubuntu 22.04, driver 535.54.03, torch 2.2.0+cu121"
    question = judged_input(Input("ticket", text)).ticket.question
    assert question is not None
    assert "torch.zeros(1).cuda()" in question.ask


def test_dockers_gpus_are_not_slurms() -> None:
    assert "gpus-asked-of-slurm" not in surroundings_in("docker run --gpus 2 pytorch/pytorch nvidia-smi")
    assert "gpus-asked-of-slurm" in surroundings_in("srun --gpus 2 python train.py")
