"""What commands and images in a text state, and what a text leaves open that contradicts itself."""

import pytest

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.diagnosis.ranking import rank, ruled_out, shown_causes
from gpudoctor.facts.base import Gap
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.rules.load import load_rules
from gpudoctor.tickets.read import ingest
from tests.tickets.stated import fact


def read(text):
    return ingest(text.encode(), load_matrix())


TWO_IMAGES = "FROM pytorch/pytorch:2.1.0-cuda12.1-cudnn8-devel\nFROM pytorch/pytorch:2.2.0-cuda12.1-cudnn8-devel"
TWO_MACHINES = "| | Laptop | Server |\n|---|---|---|\n| Driver | 470.57.02 | 535.54.03 |"
CONTINUED = "$ sudo docker run --rm -it \\\n    -v /data:/data \\\n    --gpus device=0 image bash"
REQUIRED = "| Component | Mine | Required |\n|---|---|---|\n| Driver | 470.57.02 | 535.54.03 |"
COMPOSE = """services:
  train:
    deploy:
      resources:
        reservations:
          devices:
            - driver: nvidia
              capabilities: [gpu]
"""


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ("docker run --gpus all -it ubuntu nvidia-smi", "container.gpus_requested", "True"),
        (CONTINUED, "container.gpus_requested", "True"),
        ("docker run -it ubuntu bash", "container.gpus_requested", "False"),
        # NVIDIA's runtime gives what the image names: one of its makers names all, of another it is not known.
        ("docker run --runtime=nvidia nvidia/cuda:12.4.1-base-ubuntu22.04 bash", "container.gpus_requested", "True"),
        ("docker run --runtime=nvidia -e NVIDIA_VISIBLE_DEVICES=all mine x", "container.gpus_requested", "True"),
        ("docker run --runtime=nvidia -it mine ./example", "container.gpus_requested", "unseen"),
        ("podman run --device nvidia.com/gpu=all ubuntu nvidia-smi -L", "container.gpus_requested", "True"),
        ("singularity exec --nv image.sif python x.py", "container.gpus_requested", "True"),
        ("apptainer shell image.sif", "container.gpus_requested", "False"),
        ("apptainer shell image.sif", "container.kind", "apptainer"),
        ("In tensorflow the gpu works\n- Tensorflow 1.14.0", "frameworks.tensorflow.version", "1.14.0"),
        ("tensorflow-gpu is still at 1.12.0, built against CUDA 9", "frameworks.tensorflow.version", "1.12.0"),
        (COMPOSE, "container.gpus_requested", "True"),
        ("    resources:\n      limits:\n        nvidia.com/gpu: 1", "container.gpus_requested", "True"),
        ("FROM pytorch/pytorch:2.1.0-cuda12.1-cudnn8-runtime", "frameworks.torch.cuda", "12.1"),
        ("docker run tensorflow/tensorflow:2.15.0-gpu python x.py", "frameworks.tensorflow.version", "2.15.0"),
        ("==========\n== CUDA ==\n==========\n\nCUDA Version 12.1.1", "toolkits.0.version", "12.1"),
        ("export CUDA_VISIBLE_DEVICES=1", "environ.CUDA_VISIBLE_DEVICES", "1"),
        ("ENV CUDA_HOME=/usr/local/cuda", "environ.CUDA_HOME", "/usr/local/cuda"),
        ('$env:CUDA_VISIBLE_DEVICES = "-1"', "environ.CUDA_VISIBLE_DEVICES", "-1"),
        ("CUDA_VISIBLE_DEVICES=0 python train.py", "environ.CUDA_VISIBLE_DEVICES", "0"),
        ("nvidia-smi works, torch sees nothing", "driver.nvml", "NVML_SUCCESS"),
        ("Python: 3.7 (32 bit)", "interpreter.bits", "32"),
        ("tensorflow-gpu 1.12.0 on Windows 10", "frameworks.tensorflow.dist", "tensorflow-gpu"),
        ("[Bug] TF 2.13 does not see my 4060 Ti", "gpus.0.name", "NVIDIA GeForce RTX 4060 Ti"),
        ("I have a 1080 GTX and CentOS 7", "gpus.0.name", "NVIDIA GeForce GTX 1080"),
        ("GPU: rx7900xt", "gpus.0.vendor", "amd"),
        ("It fails on my MacBook Pro M1", "host.arch", "arm64"),
        ("OS:\n  name: Ubuntu\n  version: 22.04", "host.distribution_version", "22.04"),
        ("Ubuntu version: 20.04", "host.distribution_version", "20.04"),
        ("CUDA/cuDNN version: 11.2/8.1", "toolkits.0.version", "11.2"),
        ("cuDNN/CUDA: 8.1/11.2", "toolkits.0.version", "11.2"),
        ("OS: Ubuntu 22.04, GPU: RTX 3090, Driver: 535.54.03", "driver.release", "535.54.03"),
        (REQUIRED, "driver.release", "470.57.02"),
    ],
)  # fmt: skip
def test_commands_state_facts(text, path, value):
    assert fact(read(text), path) == value


@pytest.mark.parametrize(
    ("text", "section"),
    [
        ("docker run --gpus all a\ndocker run b", "container"),
        (TWO_IMAGES, "frameworks"),
        ("nvidia-smi works on the host, not in the container", "driver"),
        ("nvidia-smi works only as root", "driver"),
        ("CUDA Version 12.1.1", "container"),
        ("GPU memory: 24 GB", "gpus"),
        ("GPUs: 2", "gpus"),
        ("CUDA available: True", "toolkits"),
        # Whether podman's --gpus gives any, its release and the host decide.
        ("podman run --gpus=all ubuntu nvidia-smi", "container"),
        ("set LD_LIBRARY_PATH on Linux or DYLD_LIBRARY_PATH on Mac OS.", "host"),
        ("SageMaker Studio Lab, GPU runtime\nDesktop:\n - OS: Windows 11\n - Browser : chrome", "host"),
        ("GCC version:  gcc version 9.4.0 (Ubuntu 9.4.0-1ubuntu1~20.04.2)", "host"),
        ("**Expected output**\n```\n>>> torch.__version__\n'2.1.0+cu121'\n```\n", "frameworks"),
    ],
)  # fmt: skip
def test_what_stays_unknown(text, section):
    assert isinstance(getattr(read(text).snapshot, section), Gap)


@pytest.mark.parametrize(
    ("text", "disputed", "path"),
    [
        ("Driver: 470.57.02\nDriver version: 535.54.03", "driver.release", "driver.release"),
        ("Python: 3.8\nPython version: 3.11", "interpreter.version", "interpreter.version"),
        ("OS: Ubuntu 22.04\nOperating system: Windows 11", "host.os", "host.os"),
        (
            "| | Laptop | Server |\n|---|---|---|\n| Driver | 470.57.02 | 535.54.03 |",
            "driver.release",
            "driver.release",
        ),
    ],
)
def test_what_contradicts_itself_is_shown_and_not_used(text, disputed, path):
    made = read(text)
    (told,) = [one for one in made.contradictions if one.fact == disputed]
    assert (len(told.values), told.taken) == (2, None)
    assert fact(made, path) in ("None", "unseen")


def test_windows_around_wsl_contradicts_nothing():
    made = read("Microsoft Windows [Version 10.0.19045.1]\nUbuntu Release: 20.04\nuname: 5.4.9-microsoft-standard-WSL2")
    assert [one for one in made.contradictions if one.fact.startswith("host")] == []
    assert fact(made, "host.os") == "linux"


MESSAGE = "Found no NVIDIA driver on your system.\n"


def test_a_container_that_was_given_gpus_was_not_started_without():
    snapshot = read(f"docker run --gpus all image python x.py\n{MESSAGE}").snapshot
    rules = load_rules()
    made = shown_causes(rank(snapshot, diagnose(snapshot, load_matrix(), rules).findings, rules))
    assert "container-no-gpu-flag" not in [one.key for one in made]
    reasons = {one.key: one.because for one in ruled_out(snapshot, ("container",), rules)}
    assert reasons.get("container-no-gpu-flag") == "the container was started with GPU access"
