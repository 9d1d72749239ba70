"""Containers."""

from gpudoctor.host.machine import Machine
from tests.machines import parts
from tests.machines.healthy import cards
from tests.machines.healthy.elf import library
from tests.machines.healthy.frameworks import tensorflow, torch
from tests.machines.healthy.paths import compiler, toolkit
from tests.machines.healthy.pieces import K22, NO_GPU, numpy
from tests.machines.healthy.recorded import Healthy, made
from tests.machines.healthy.target import system, venv

CTK = {"NVIDIA_VISIBLE_DEVICES": "all", "NVIDIA_DRIVER_CAPABILITIES": "compute,utility"}
SHM_8_GIB = 8 * parts.GIB


def image(version: str = "22.04", glibc: str = "2.35", **more: object) -> Machine:
    """A container's Ubuntu, root inside, on a host with that kernel."""
    return parts.linux("ubuntu", version, K22, like="debian", glibc=glibc, uid=0, groups=(0,), **more)


def in_docker(*, shm: int = SHM_8_GIB, **env: str) -> Machine:
    """The marks of Docker, with the variables that CUDA images set."""
    return parts.merge(parts.docker(shm=shm), Machine(cwd="/workspace", env={"HOME": "/root", **CTK, **env}))


DOCKER_TORCH = made(
    "PyTorch's own image: conda's Python in /opt/conda, torch by pip inside it",
    image(),
    in_docker(),
    cards.installed("550.163.01", cards.RTX_4090),
    torch(system("3.11.11", "/opt/conda", debian=False, home="/root"), "2.6.0+cu124").machine,
    sees="1 GPU, torch 2.6.0+cu124",
)
DOCKER_ONE_OF_TWO = made(
    "docker run --gpus device=0: the bus shows the host's other GPU too, which is not for this container",
    image("24.04", "2.39"),
    in_docker(),
    cards.on_the_bus(cards.RTX_3090, cards.GTX_970),
    parts.module("580.95.05"),
    parts.libraries("580.95.05"),
    parts.nodes("nvidia0", "nvidiactl", "nvidia-uvm", "nvidia-uvm-tools"),
    cards.asked("580.95.05", cards.RTX_3090),
    torch(venv("3.12.3", "/opt/venv"), "2.8.0+cu128").machine,
    sees="torch 2.8.0+cu128",
)
DOCKER_TF = made(
    "an image with CUDA 12.2, its nvcc package and cuDNN from NVIDIA's repository, TensorFlow by pip without and-cuda",
    image(),
    in_docker(LD_LIBRARY_PATH="/usr/local/cuda/lib64:/usr/local/nvidia/lib:/usr/local/nvidia/lib64"),
    cards.installed("550.163.01", cards.T4),
    toolkit("12.2", "libcudart.so.12", "libcublas.so.12", "libcublasLt.so.12", "libcufft.so.11", "libcusolver.so.11",
            "libcusparse.so.12", default=True, patch="2"),
    compiler(),
    Machine(
        files={"/etc/ld.so.conf.d/000_cuda.conf": "/usr/local/cuda/lib64\n"},
        binaries={"/usr/lib/x86_64-linux-gnu/libcudnn.so.8.9.6": library("libcudnn.so.8")},
    ),
    Machine(
        links={"/usr/lib/x86_64-linux-gnu/libcudnn.so.8": "libcudnn.so.8.9.6"},
    ),
    numpy(tensorflow(
        system("3.11.0", home="/root", site="/usr/local/lib/python3.11/dist-packages"), "2.15.0", and_cuda=False,
        keras="2.15.0")).machine,
    sees="1 GPU, tensorflow 2.15.0",
)  # fmt: skip
NGC = made(
    "NVIDIA's PyTorch image 25.01: a torch of their own (2.6.0a0+ecf3bae40a.nv25.01), CUDA 12.8 of the system",
    image("24.04", "2.39"),
    in_docker(LD_LIBRARY_PATH="/usr/local/cuda/compat/lib:/usr/local/nvidia/lib:/usr/local/nvidia/lib64"),
    cards.installed("570.172.08", cards.H100, flavour="open"),
    torch(
        system("3.12.3", home="/root", site="/usr/local/lib/python3.12/dist-packages"),
        "2.6.0a0+ecf3bae40a.nv25.01",
        archs=("sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120", "compute_120"),
        cuda="12.8",
        cudnn="9.7.0.66",
    ).machine,
    sees="1 GPU, torch 2.6.0a0+ecf3bae40a.nv25.01",
)
KUBERNETES = made(
    "a pod with one GPU from the device plugin and a memory-backed /dev/shm",
    image(),
    parts.docker(shm=SHM_8_GIB),
    Machine(
        env={"HOME": "/root", "KUBERNETES_SERVICE_HOST": "10.96.0.1", "KUBERNETES_SERVICE_PORT": "443",
             "NVIDIA_VISIBLE_DEVICES": "GPU-00000000-1111-2222-3333-444444444444",
             "NVIDIA_DRIVER_CAPABILITIES": "compute,utility"},
        directories={"/var/run/secrets/kubernetes.io/serviceaccount": ("ca.crt", "namespace", "token")},
    ),
    cards.installed("550.163.01", cards.L40S, flavour="open"),
    torch(venv("3.11.12", "/opt/venv"), "2.6.0+cu124").machine,
    sees="1 GPU, torch 2.6.0+cu124",
)  # fmt: skip
PODMAN = made(
    "rootless Podman with CDI",
    image("24.04", "2.39"),
    parts.docker(shm=SHM_8_GIB),
    Machine(
        env={"HOME": "/root", "container": "podman", **CTK},
        files={"/run/.containerenv": 'engine="podman-5.0.3"\nrootless=1\n',
               "/proc/self/uid_map": "         0       1000          1\n         1     100000      65536\n"},
    ),
    cards.installed("580.95.05", cards.RTX_4070, flavour="open"),
    torch(venv("3.12.3", "/opt/venv"), "2.8.0+cu126").machine,
    sees="1 GPU, torch 2.8.0+cu126",
)  # fmt: skip
APPTAINER = made(
    "apptainer exec --nv inside a Slurm step",
    parts.linux("ubuntu", "22.04", "4.18.0-553.el8_10.x86_64", like="debian"),
    Machine(
        env={"APPTAINER_CONTAINER": "/home/ada/torch.sif", "SLURM_JOB_ID": "4711", "SLURM_STEP_ID": "0",
             "SLURM_GPUS_ON_NODE": "1", "CUDA_VISIBLE_DEVICES": "0", "LD_LIBRARY_PATH": "/.singularity.d/libs"},
        links={f"/.singularity.d/libs/{name}": f"/usr/lib/x86_64-linux-gnu/{name}"
               for name in ("libcuda.so", "libcuda.so.1", "libnvidia-ml.so.1")},
        directories={"/.singularity.d": ("libs",)},
    ),
    cards.installed("550.163.01", cards.A100_40),
    torch(venv("3.10.12", "/opt/venv"), "2.5.1+cu124").machine,
    sees="1 GPU, torch 2.5.1+cu124",
)  # fmt: skip
COLAB = made(
    "a hosted notebook with a T4: the system's Python, packages in dist-packages",
    image(flags="fpu sse4_2 avx f16c fma avx2 hypervisor"),
    in_docker(shm=6 * parts.GIB, COLAB_GPU="1", COLAB_RELEASE_TAG="release-colab", LD_LIBRARY_PATH="/usr/lib64-nvidia"),
    cards.installed("550.54.15", cards.T4, folder="/usr/lib64-nvidia"),
    torch(system("3.11.12", home="/root", site="/usr/local/lib/python3.11/dist-packages"), "2.6.0+cu124").machine,
    sees="1 GPU, torch 2.6.0+cu124",
)
LXC = made(
    "an LXC container of Proxmox with the device files and the host's driver release inside",
    parts.linux("debian", "12", "6.8.12-9-pve", glibc="2.36", uid=0, groups=(0,)),
    Machine(env={"container": "lxc", "HOME": "/root"}),
    cards.installed("550.163.01", cards.RTX_3060),
    torch(venv("3.11.2", "/opt/venv"), "2.6.0+cu124").machine,
    sees="1 GPU, torch 2.6.0+cu124",
)
CONTAINER_CPU = made(
    "python:3.12-slim with a processor build on a host without a GPU; the toolkit is not there",
    NO_GPU,
    parts.linux("debian", "12", K22, glibc="2.36", uid=0, groups=(0,)),
    parts.docker(),
    Machine(env={"HOME": "/root"}),
    torch(system("3.12.10", "/usr/local", debian=False, home="/root"), "2.6.0+cpu").machine,
    sees="torch 2.6.0+cpu",
    verdict="no-gpu",
)
ALPINE = made(
    "Alpine (musl), for which there are no wheels of the big frameworks: ONNX Runtime of its own repository",
    NO_GPU,
    parts.linux("alpine", "3.20.3", K22, uid=0, groups=(0,)),
    Machine(files={"/lib64/ld-linux-x86-64.so.2": "", "/lib/ld-musl-x86_64.so.1": "ELF"}),
    parts.docker(),
    Machine(env={"HOME": "/root"}),
    system("3.12.10", "/usr", debian=False, home="/root").dist("onnxruntime", "1.20.1").machine,
    sees="onnxruntime 1.20.1",
    verdict="no-gpu",
)

MACHINES: dict[str, Healthy] = {
    "docker-4090": DOCKER_TORCH,
    "docker-one-gpu-of-two": DOCKER_ONE_OF_TWO,
    "docker-t4-tensorflow": DOCKER_TF,
    "docker-h100-ngc": NGC,
    "kubernetes-l40s": KUBERNETES,
    "podman-rootless-4070": PODMAN,
    "apptainer-a100-slurm": APPTAINER,
    "colab-t4": COLAB,
    "lxc-3060": LXC,
    "docker-without-gpu-cpu-build": CONTAINER_CPU,
    "alpine-musl": ALPINE,
}
