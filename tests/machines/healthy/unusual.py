"""Places that are rare in reports, and in which nothing is wrong."""

from gpudoctor.host.machine import Machine
from tests.machines import parts
from tests.machines.healthy import cards
from tests.machines.healthy.apple_arm import mac
from tests.machines.healthy.clouds import hypervisor
from tests.machines.healthy.containers import SHM_8_GIB, image
from tests.machines.healthy.frameworks import jax, tensorflow, torch
from tests.machines.healthy.paths import compiler, toolkit
from tests.machines.healthy.pieces import DISPLAY, K24, NO_GPU, PERSISTENCED, numpy, ubuntu
from tests.machines.healthy.recorded import Healthy, made
from tests.machines.healthy.servers import fabric, rhel, slurm
from tests.machines.healthy.target import ADA, conda, mac_venv, system, venv
from tests.machines.healthy.windows import WSL

SAGEMAKER = made(
    "a SageMaker notebook: Amazon Linux 2023, an A10G, conda's Python",
    parts.linux("amzn", "2023", "6.1.134-152.225.amzn2023.x86_64", like="fedora", glibc="2.34",
                flags="fpu sse4_2 avx f16c fma avx2 hypervisor"),
    hypervisor("g5.xlarge", "Amazon EC2"),
    PERSISTENCED,
    cards.installed("550.163.01", cards.A10G, folder="/usr/lib64", flavour="open"),
    torch(conda("3.10.16", f"{ADA}/anaconda3/envs/pytorch"), "2.6.0+cu124").machine,
    Machine(env={"SM_MODEL_DIR": "/opt/ml/model"}),
    sees="1 GPU, torch 2.6.0+cu124",
)  # fmt: skip
EKS_POD = made(
    "a pod of EKS with one T4 of four, whose node's other cards the bus shows",
    image("22.04", "2.35", flags="fpu sse4_2 avx f16c fma avx2 hypervisor"),
    parts.docker(shm=SHM_8_GIB),
    Machine(
        env={"HOME": "/root", "KUBERNETES_SERVICE_HOST": "172.20.0.1", "NVIDIA_VISIBLE_DEVICES": "void",
             "NVIDIA_DRIVER_CAPABILITIES": "compute,utility"},
        directories={"/var/run/secrets/kubernetes.io/serviceaccount": ("ca.crt", "namespace", "token")},
    ),
    cards.on_the_bus(*[cards.T4] * 4),
    parts.module("550.163.01", flavour="open"),
    parts.libraries("550.163.01"),
    parts.nodes("nvidia0", "nvidiactl", "nvidia-uvm", "nvidia-uvm-tools"),
    cards.asked("550.163.01", cards.T4),
    torch(venv("3.11.12", "/opt/venv"), "2.6.0+cu124").machine,
    sees="torch 2.6.0+cu124",
)  # fmt: skip
SLURM_BATCH = made(
    "a batch script of Slurm outside any step, on a node of eight H100 with a fabric manager",
    rhel("8.10", "4.18.0-553.el8_10.x86_64", "2.28", "rhel"),
    PERSISTENCED,
    cards.installed("550.163.01", *[cards.H100] * 8, folder="/usr/lib64", flavour="open"),
    fabric(4, "550.163.01"),
    Machine(env={"SLURM_JOB_ID": "815", "SLURM_GPUS_ON_NODE": "8", "SLURM_JOB_GPUS": "0,1,2,3,4,5,6,7",
                 "CUDA_VISIBLE_DEVICES": "0,1,2,3,4,5,6,7"}),
    torch(conda("3.12.9"), "2.6.0+cu124").machine,
    sees="8 GPU, torch 2.6.0+cu124",
)  # fmt: skip
WSL_ROCM = made(
    "WSL with a Radeon: AMD's build of PyTorch, and no driver of NVIDIA's in Windows",
    parts.linux("ubuntu", "24.04", "6.6.87.2-microsoft-standard-WSL2", like="debian", glibc="2.39", vendor="",
                flags="fpu sse4_2 avx f16c fma avx2 hypervisor"),
    Machine(env={"WSL_DISTRO_NAME": "Ubuntu-24.04"}, directories={"/sys/bus/pci/devices": (), "/usr/lib/wsl/lib": ()}),
    venv("3.12.3").dist("torch", "2.6.0+rocm6.4.2", files={
        "torch/__init__.py": "",
        "torch/version.py": "__version__ = '2.6.0+rocm6.4.2'\ncuda = None\nhip = '6.4.43483'\n"}).machine,
    sees="torch 2.6.0+rocm6.4.2",
    verdict="incomplete",
    why="WSL shows no GPU on a bus, and a Radeon has nobody to ask; nothing is called no-gpu unseen",
)  # fmt: skip
WSL_TOOLKIT = made(
    "WSL with the toolkit of NVIDIA's repository for WSL, for builds",
    WSL,
    compiler(),
    toolkit("12.6", "libcudart.so.12", default=True),
    cards.asked("566.36", cards.RTX_4070, os="windows", **DISPLAY),
    torch(venv("3.10.12"), "2.6.0+cu126").machine,
    Machine(env={"PATH": f"{ADA}/venv/bin:/usr/local/cuda/bin:/usr/bin:/bin"}),
    sees="1 GPU, torch 2.6.0+cu126",
)
DEBIAN = made(
    "Debian 12 with its own driver package, whose libraries are found through alternatives",
    parts.linux("debian", "12", "6.1.0-34-amd64", glibc="2.36"),
    cards.installed("535.247.01", cards.RTX_3060, folder="/usr/lib/x86_64-linux-gnu/nvidia/current", **DISPLAY),
    Machine(
        links={
            f"/usr/lib/x86_64-linux-gnu/{name}": f"/usr/lib/x86_64-linux-gnu/nvidia/current/{name}"
            for name in ("libcuda.so.1", "libnvidia-ml.so.1")
        }
    ),
    torch(venv("3.11.2"), "2.5.1+cu124").machine,
    sees="1 GPU, torch 2.5.1+cu124",
)
FEDORA = made(
    "Fedora with akmods and a free-standing Python of uv",
    parts.linux("fedora", "42", "6.14.11-300.fc42.x86_64", glibc="2.41"),
    cards.installed("575.64", cards.RTX_5070, folder="/usr/lib64", flavour="open", **DISPLAY),
    torch(
        venv("3.12.10", f"{ADA}/work/.venv", made_by="uv = 0.7.2",
             base=f"{ADA}/.local/share/uv/python/cpython-3.12.10-linux-x86_64-gnu"),
        "2.7.1+cu128", installer="uv",
    ).machine,
    sees="1 GPU, torch 2.7.1+cu128",
)  # fmt: skip
POETRY = made(
    "an environment of Poetry, in its cache, with TensorFlow",
    ubuntu("24.04", K24, "2.39"),
    cards.installed("560.35.05", cards.RTX_4090, **DISPLAY),
    tensorflow(venv("3.12.3", f"{ADA}/.cache/pypoetry/virtualenvs/demo-Ab12-py3.12"), "2.18.0", keras="3.8.0").machine,
    Machine(files={f"{ADA}/work/pyproject.toml": "[tool.poetry]\nname = 'demo'\n",
                   f"{ADA}/work/poetry.lock": ""}),
    sees="1 GPU, tensorflow 2.18.0",
)  # fmt: skip
NIGHTLY = made(
    "a nightly build of PyTorch, newer than the tables, whose files name their architectures",
    ubuntu("24.04", K24, "2.39"),
    cards.installed("580.95.05", cards.RTX_5090, flavour="open", **DISPLAY),
    torch(venv("3.13.3"), "2.17.0.dev20261101+cu130", archs=("sm_80", "sm_90", "sm_120", "compute_120"), cuda="13.0",
          cudnn="9.13.0.50", companions=False).machine,
    sees="1 GPU, torch 2.17.0.dev20261101+cu130",
)  # fmt: skip
GH200_TF = made(
    "GH200 with RHEL's kernel for 64 KiB pages, and JAX with its CUDA 13",
    parts.linux("rhel", "9.6", "5.14.0-570.el9.aarch64+64k", like="fedora", glibc="2.34", arch="aarch64",
                flags="fp asimd atomics sve sve2 bf16 i8mm"),
    PERSISTENCED,
    cards.installed("580.95.05", cards.GH200, arch="aarch64", folder="/usr/lib64", flavour="open"),
    jax(venv("3.12.9", arch="aarch64"), "0.7.1", variant="cuda13").machine,
    sees="1 GPU, jax 0.7.1",
)  # fmt: skip
GRACE_CPU = made(
    "an ARM server without a GPU, and a build for the processor",
    ubuntu("24.04", K24, "2.39", arch="aarch64", flags="fp asimd atomics sve"),
    NO_GPU,
    torch(venv("3.12.3", arch="aarch64"), "2.6.0+cpu").machine,
    sees="torch 2.6.0+cpu",
    verdict="no-gpu",
)
HEADLESS = made(
    "a headless box in exclusive mode of its one user, persistence on",
    ubuntu(),
    PERSISTENCED,
    cards.installed("550.163.01", cards.RTX_6000_ADA),
    numpy(torch(venv("3.10.12"), "2.6.0+cu124")).machine,
    Machine(env={"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}),
    sees="1 GPU, torch 2.6.0+cu124",
)
SEVERAL_PYTHONS = made(
    "pyenv, conda and the system's Python side by side; the virtual environment counts",
    ubuntu("24.04", K24, "2.39"),
    cards.installed("570.169", cards.RTX_4070, flavour="open", **DISPLAY),
    torch(venv("3.12.3"), "2.7.1+cu128").machine,
    Machine(
        files={f"{ADA}/.pyenv/shims/python": "#!/usr/bin/env bash\n", f"{ADA}/miniforge3/bin/conda": "ELF",
               f"{ADA}/.pyenv/versions/3.10.14/bin/python": "ELF", "/usr/bin/python3.12": "ELF"},
        env={"PYENV_ROOT": f"{ADA}/.pyenv"},
    ),
    sees="1 GPU, torch 2.7.1+cu128",
)  # fmt: skip
DEVCONTAINER = made(
    "a development container without a GPU, with the CUDA build and a toolkit of its major for compiling",
    NO_GPU,
    image("22.04", "2.35"),
    parts.docker(),
    Machine(env={"HOME": "/root"}),
    compiler(),
    toolkit("12.4", "libcudart.so.12", default=True),
    torch(system("3.10.12", home="/root"), "2.6.0+cu124").machine,
    sees="torch 2.6.0+cu124",
    verdict="no-gpu",
)
MAC_NIGHTLY = made(
    "an M4 with the newest PyTorch",
    mac("15.5", "24.5.0", "Apple M4 Pro"),
    torch(mac_venv("3.13.3"), "2.7.1").machine,
    sees="torch 2.7.1",
    verdict="no-gpu",
)
JOB_OF_TWO = made(
    "a step with two of four A100 in a cgroup, numbered from zero in the job",
    rhel("9.4", "5.14.0-427.el9.x86_64", "2.34", "almalinux"),
    PERSISTENCED,
    cards.installed("550.163.01", *[cards.A100_40] * 2, folder="/usr/lib64"),
    slurm(SLURM_GPUS_ON_NODE="2", SLURM_JOB_GPUS="2,3", SLURM_STEP_GPUS="2,3", CUDA_VISIBLE_DEVICES="0,1"),
    torch(venv("3.11.9"), "2.5.1+cu121").machine,
    sees="2 GPU, torch 2.5.1+cu121",
)

MACHINES: dict[str, Healthy] = {
    "sagemaker-a10g": SAGEMAKER,
    "eks-pod-one-t4": EKS_POD,
    "rhel-8-h100-batch-script": SLURM_BATCH,
    "wsl2-radeon-rocm": WSL_ROCM,
    "wsl2-4070-toolkit": WSL_TOOLKIT,
    "debian-3060-own-driver": DEBIAN,
    "fedora-5070-uv-python": FEDORA,
    "ubuntu-4090-poetry": POETRY,
    "ubuntu-5090-nightly": NIGHTLY,
    "rhel-gh200-jax-cuda13": GH200_TF,
    "ubuntu-arm-cpu": GRACE_CPU,
    "ubuntu-6000-ada-headless": HEADLESS,
    "ubuntu-4070-several-pythons": SEVERAL_PYTHONS,
    "devcontainer-without-gpu": DEVCONTAINER,
    "mac-m4": MAC_NIGHTLY,
    "alma-2-a100-of-4-job": JOB_OF_TWO,
}
