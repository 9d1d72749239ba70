"""What a ticket tells of its place and its history decides the cause, and the remedy is one that can be done there."""

import pytest

from gpudoctor.examine.judging import criteria_of
from gpudoctor.examine.triage import ticket
from gpudoctor.report.triage import remedy_for
from tests.examine.test_told import commands

MISMATCH = "Failed to initialize NVML: Driver/library version mismatch"
NO_DRIVER = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
SIZE = "ValueError: numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C header, got 88"
IN_NUMPY = f"numpy/random/mtrand.pyx in init numpy.random.mtrand()\n\n{SIZE} from PyObject\n"

#: A text; its first cause; what the remedy says or types, and what it must not.
TOLD = {
    "the module of a pod is the node's": (
        f"In our Kubeflow notebook nvidia-smi prints\n{MISMATCH}", "drv-lib-mismatch", ["kubectl drain"], [],
    ),
    "the module of a notebook server is its machine's": (
        f"on the JupyterHub\n{MISMATCH}", "drv-lib-mismatch", ["Who keeps the machine"], [],
    ),
    "the module of a machine is its own": (f"Ubuntu\n{MISMATCH}", "drv-lib-mismatch", ["reboot"], ["kubectl"]),
    "NumPy was replaced in a session": (
        f"Google Colab, after pip install:\n{IN_NUMPY}", "numpy-of-two-releases", ["Restart session"], ["numpy<2"],
    ),
    "NumPy was replaced in a kernel": (
        f"in Jupyter\n{IN_NUMPY}", "numpy-of-two-releases", ["Restart the notebook's kernel"], ["numpy<2"],
    ),
    "files of two NumPys": (
        f"$ python train.py\n{IN_NUMPY}", "numpy-of-two-releases", ["pip uninstall --yes numpy"], ["numpy<2"],
    ),
    "parts of two NumPys": (
        "on Kaggle: ImportError: cannot import name '_center' from 'numpy._core.umath' (/usr/lib/numpy/_core/umath.py)",
        "numpy-of-two-releases", ["Restart the session"], [],
    ),
    "a package built for NumPy 1": (f"pandas/_libs/interval.pyx in init\n{SIZE}", "numpy2-abi", ["numpy<2"], []),
    "an old processor": (
        "Illegal instruction (core dumped) when the container with tensorflow starts, an old Xeon X5650 server",
        "cpu-no-avx", ["another machine", "without AVX"], [],
    ),
    "the commit limit": (
        "[WinError 1455] The paging file is too small for this operation to complete.",
        "windows-commit-limit", ["paging file", "num_workers"], ["MAX_JOBS", "container"],
    ),
    "the commit limit, by Rust": (
        "safetensors: (os error 1455)", "windows-commit-limit", ["paging file"], ["MAX_JOBS"],
    ),
    "the commit limit, in German": (
        "OSError: Die Auslagerungsdatei ist zu klein", "windows-commit-limit", ["paging file"], [],
    ),
    "headers help each time": (
        f"Debian 12, GCP\n{NO_DRIVER}\nInstalling linux-headers-$(uname -r) helps until the next kernel.",
        "drv-kernel-headers-missing", ["linux-headers-amd64", "sudo dkms autoinstall"], ["--reinstall"],
    ),
    "kernel-devel helps each time": (
        f"Rocky Linux 9\n{NO_DRIVER}\nAfter each update it works again once I add kernel-devel of the new kernel.",
        "drv-kernel-headers-missing", ["kernel-devel-matched"], ["apt"],
    ),
    "the device plugin's own words": (
        "The nvidia-device-plugin DaemonSet: Nvml init failed: ERROR_LIBRARY_NOT_FOUND; docker has the runtime nvidia",
        "kubernetes-runtime-class", ["kubectl get nodes -o wide", "--runtime=containerd"], [],
    ),
    "NVML's own words on a machine": (
        "failed to initialize NVML: ERROR_LIBRARY_NOT_FOUND", "nvml-library-missing", [], ["kubectl"],
    ),
    "a pod that asked for none": (
        "In pods that do not request a GPU, nvidia-smi shows all 4 GPUs of the node",
        "gpus-given-unasked", ["NVIDIA_VISIBLE_DEVICES=void", "accept-nvidia-visible-devices-envvar"], [],
    ),
    "a container that asked for none": (
        "docker run without requesting any GPU still lists all GPUs with the cuda image",
        "gpus-given-unasked", ["default-runtime"], ["kubectl"],
    ),
    "the engine is not Docker": (
        'RuntimeHandler "nvidia" not supported, on CRI-O with Kubernetes 1.30',
        "ctk-not-configured", ["--runtime=crio"], [],
    ),
    "MicroK8s 1.21": (
        'microk8s 1.21/stable: failed to get sandbox runtime: no runtime for "nvidia" is configured',
        "ctk-not-configured", ["microk8s disable gpu", "snap refresh microk8s"], ["enable nvidia", "Docker or Podman"],
    ),
    "MicroK8s with its addon": (
        'MicroK8s 1.28, I did microk8s enable gpu: no runtime for "nvidia" is configured',
        "ctk-not-configured", ["microk8s disable gpu", "containerd-template.toml"], ["enable nvidia", "snap refresh"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "cause", "says", "never"), TOLD.values(), ids=TOLD)
def test_the_cause_and_what_to_do_about_it(text, cause, says, never, tmp_path):
    path = tmp_path / "ticket.txt"
    path.write_text(text, encoding="utf-8")
    one = ticket(str(path), criteria_of((), (), (), None))
    remedy = remedy_for(one)
    told = "\n".join((remedy.say, *commands(one))) if remedy else ""
    assert (one.causes[0].key if one.causes else None) == cause
    assert [each for each in says if each not in told] == []
    assert [each for each in never if each in told] == []
