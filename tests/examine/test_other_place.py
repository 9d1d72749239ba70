"""What works in one place and fails in another: the difference of the two leads, with what to type there."""

import pytest

from gpudoctor.examine.judging import criteria_of
from gpudoctor.examine.triage import ticket
from gpudoctor.report.triage import remedy_for

DLOPEN = (
    "Could not load dynamic library 'libcudart.so.11.0'; dlerror: libcudart.so.11.0: cannot open shared object file"
)
SMI = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
FALSE = "torch.cuda.is_available() returns False"


@pytest.mark.parametrize(
    ("text", "cause", "typed"),
    [
        (
            f"In a terminal tensorflow 2.6 sees the GPU, in RStudio Server:\n{DLOPEN}\nUbuntu 20.04",
            "env-login-only",
            "rserver.conf",
        ),
        (
            f"My script uses the GPU from the command line. With PyCharm:\n{DLOPEN}\nUbuntu 22.04",
            "env-login-only",
            "LD_LIBRARY_PATH",
        ),
        (f"It works in an ssh session, in JupyterHub it says\n{DLOPEN}\nUbuntu 22.04", "env-login-only", "kernelspec"),
        (
            (
                "Windows 11, RTX 3050.\nIn Anaconda prompt torch.cuda.is_available() is True.\n"
                f"In VS Code: {FALSE}, torch 2.1.0+cpu"
            ),
            "wrong-environment",
            "sys.executable",
        ),
        (
            "Linux. From my terminal it detects the GPU, started by systemd as a service it does not use the GPU",
            "service-without-gpu",
            "systemctl cat",
        ),
        (f"Ubuntu 22.04, GTX 1070. After a kernel update:\n{SMI}", "drv-dkms-not-built", "dkms status"),
        (
            f"Proxmox LXC container on Debian 12, nvidia-smi works inside the container.\n{FALSE}",
            None,
            "container-no-gpu-flag",
        ),
        (
            (
                "LXC on Proxmox, works on the host, in the container:\n"
                "Failed to initialize NVML: Driver/library version mismatch"
            ),
            "container-driver-in-image",
            "--no-kernel-module",
        ),
        (
            f"Windows 10 22H2, Ubuntu in WSL2. I did apt install nvidia-driver-525 in it, and then:\n{SMI}",
            "wsl-linux-driver-installed",
            "wsl.exe --shutdown",
        ),
        (
            (
                "University cluster, module avail shows cuda and cudnn. tensorflow 2.12, Python 3.9\n"
                "Could not load dynamic library 'libcudnn.so.8'"
            ),
            "tf-soname-missing",
            "module load cuda/11.8 cudnn/8.6",
        ),
        (
            f"On our cluster: singularity run model.sif python train.py\n{FALSE}",
            "container-no-gpu-flag",
            "singularity exec --nv",
        ),
        (f"podman run --rm --gpus=all image\n{FALSE}", "container-no-gpu-flag", "--device nvidia.com/gpu=all"),
        (
            "import tensorflow on my MacBook Air (M1)\nzsh: illegal hardware instruction  python",
            "mac-other-architecture",
            "CONDA_SUBDIR=osx-arm64",
        ),
        (
            (
                "cudnn                     8.2.1.32             h86fa8c9_0    conda-forge\n"
                "paddlepaddle-gpu          2.2.2                    pypi_0    pypi\n"
                "RuntimeError: (PreconditionNotMet) Cannot load cudnn shared library."
            ),
            "cudnn-not-found-by-program",
            "$CONDA_PREFIX/lib",
        ),
        (
            (
                "Windows 10, tensorflow 1.12.0, GTX 1070. On the command line my card is detected, in pycharm I get\n"
                "failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected"
            ),
            "wrong-environment",
            "sys.executable",
        ),
        (
            "Windows. The installed version of bitsandbytes was compiled without GPU support.",
            "built-without-gpu",
            "pip install --upgrade bitsandbytes",
        ),
        (
            "onnxruntime always runs on the CPU. get_available_providers() returns ['CUDAExecutionProvider']",
            "gpu-not-asked-for",
            "providers=",
        ),
        ("GTX 1660 Ti, Windows 10. All generated images are black.", "gtx16-half-precision", "--no-half"),
        # Nothing is taken off where what should come in its place does not fit.
        (
            (
                "I had installed onnxruntime and onnxruntime-gpu, both. Python 3.6, Ubuntu 18.04\n"
                "only ['CPUExecutionProvider'] is available"
            ),
            "built-without-gpu",
            "onnxruntime is the build for the CPU",
        ),
    ],
)
def test_the_difference_leads(tmp_path, text, cause, typed):
    path = tmp_path / "ticket.txt"
    path.write_text(text, encoding="utf-8")
    judged = ticket(str(path), criteria_of((), (), (), None))
    first = judged.causes[0].key
    if cause is None:
        assert first != typed
    else:
        remedy = remedy_for(judged)
        assert first == cause
        assert typed in "\n".join((remedy.say, *remedy.commands))
