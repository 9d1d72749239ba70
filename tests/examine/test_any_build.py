"""A release and a GPU alone decide where no build of that release serves the GPU; and what a text's numbers refute."""

import pytest

from gpudoctor.examine.judging import criteria_of
from gpudoctor.examine.triage import ticket
from gpudoctor.report.triage import remedy_for


@pytest.fixture
def first(tmp_path):
    def judge(text):
        path = tmp_path / "ticket.txt"
        path.write_text(text, encoding="utf-8")
        judged = ticket(str(path), criteria_of((), (), (), None))
        return judged, judged.causes[0].key if judged.causes else None

    return judge


OOM = (
    "RuntimeError: CUDA out of memory. Tried to allocate 50.00 MiB (GPU 0; 6.00 GiB total capacity; 693.78 MiB already"
)
GGML = "RX 6600, Windows 10\nggml_cuda_compute_forward: GET_ROWS failed\nCUDA error: invalid device function"
WSL = "docker: Error response: nvidia-container-cli: initialization error: driver error: failed to process request"


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("All losses are nan.\ntensorflow-gpu = 2.0.3\nGPU - 3090 Ti", "tf1-on-new-gpu"),
        ("Training is slow.\nLinux, Python 3.7, RTX 3080, tensorflow 2.2.0", "tf1-on-new-gpu"),
        ("It hangs at the start.\nUbuntu 20.04, Python 3.8, pytorch 1.6.0, RTX 4090", "arch-too-new-for-build"),
        ("It hangs at the start.\nUbuntu 20.04, Python 3.10, pytorch 2.7.0, RTX 5090", None),
        ("It hangs at the start.\nUbuntu 20.04, Python 3.8, pytorch 1.12.0, RTX 3090", None),
        (f"{OOM} allocated; 3.91 GiB free; 18.22 MiB cached)\nGTX 1060", "memory-refused-by-host"),
        (f"{OOM} allocated; 3.91 MiB free; 18.22 MiB cached)\nGTX 1060", "other-process-holds-memory"),
        (
            f"{WSL}\n- Windows 10 Pro (version 20H2 build 19042.985)\n- WSL2 with Ubuntu 20.04",
            "windows-too-old-for-wsl",
        ),
        (f"{WSL}\n- Windows 10 Pro (version 22H2)\n- WSL2 with Ubuntu 20.04", "container-tools-old"),
        (
            GGML,
            "amd-gpu-not-in-build",
        ),
        ("ollama with llama3.3:70b: the GPU usage is always around 2%", "model-larger-than-gpu-memory"),
    ],
)
def test_what_is_stated_decides(first, text, cause):
    _, named = first(text)
    assert named == cause if cause else named not in ("arch-too-new-for-build", "tf1-on-new-gpu")


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ('llama-cpp-python says "BLAS=0" when it starts', "-DGGML_CUDA=on"),
        ("Windows 11, llama-cpp-python: BLAS = 0", "$env:CMAKE_ARGS"),
    ],
)
def test_a_package_has_its_own_way_to_the_gpu_build(first, text, typed):
    judged, named = first(text)
    assert named == "built-without-gpu"
    assert typed in "\n".join(remedy_for(judged).commands)


GONE = "Ubuntu 22.04\nNVIDIA drivers are gone after rebooting\nno such file or directory: /dev/nvidia-uvm"
NONE = "RuntimeError: CUDA error: no CUDA-capable device is detected"


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (f"Windows 11, RTX 3060\n{NONE}", "driver-gives-no-gpu"),
        (f"Windows 11, RTX 3060\nI set CUDA_VISIBLE_DEVICES=1\n{NONE}", "cvd-invalid"),
        (f"Ubuntu in VirtualBox on my laptop\n{NONE}", "vm-without-gpu"),
        (f"Ubuntu VM on ESXi with passthrough of a Tesla T4, virtualized\n{NONE}", "driver-gives-no-gpu"),
        (
            f"{GONE}\n{NONE}",
            "drv-dkms-not-built",
        ),
        ("LM Studio on Windows 11. After updating to 0.3.21 my GTX 1080 is no longer recognized", "update-dropped-gpu"),
        (
            "WSL2, Ubuntu 22.04. I start jupyter notebook.exe there; the list of GPUs is empty in the notebook",
            "wrong-environment",
        ),
    ],
)
def test_who_gets_no_gpu_learns_from_whom(first, text, cause):
    assert first(text)[1] == cause
