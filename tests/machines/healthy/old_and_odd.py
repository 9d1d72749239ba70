"""Older stacks that still work, and oddities around a driver that do no harm."""

from gpudoctor.host.machine import Machine
from tests.machines import parts
from tests.machines.healthy import cards
from tests.machines.healthy.apple_arm import mac
from tests.machines.healthy.containers import image, in_docker
from tests.machines.healthy.elf import library
from tests.machines.healthy.environments import conda_torch
from tests.machines.healthy.frameworks import jax, tensorflow, torch
from tests.machines.healthy.pieces import DISPLAY, K24, PERSISTENCED, numpy, ubuntu
from tests.machines.healthy.recorded import Healthy, made
from tests.machines.healthy.target import ADA, mac_venv, venv


def cuda_folder(version: str, *names: str) -> Machine:
    """A CUDA toolkit's libraries, with cuDNN among them, in the loader's path."""
    root = f"/usr/local/cuda-{version}"
    return Machine(
        files={f"/etc/ld.so.conf.d/cuda-{version.replace('.', '-')}.conf": f"{root}/lib64\n"},
        binaries={f"{root}/lib64/{name}": library(name, runpath=("$ORIGIN",)) for name in names},
    )


CUDA_11 = (
    *("libcudart.so.11.0", "libcublas.so.11", "libcublasLt.so.11", "libcufft.so.10", "libcurand.so.10"),
    *("libcusolver.so.11", "libcusparse.so.11", "libcudnn.so.8"),
)
TF_24 = made(
    "TensorFlow 2.6 with CUDA 11.2 of the system on an RTX 3090",
    ubuntu("20.04", "5.15.0-139-generic", "2.31"),
    cards.installed("470.256.02", cards.RTX_3090, **DISPLAY),
    cuda_folder("11.2", *CUDA_11),
    numpy(tensorflow(venv("3.8.10"), "2.6.5", keras="2.6.0"), "1.19.5").machine,
    sees="1 GPU, tensorflow 2.6.5",
)
TORCH_1 = made(
    "torch 1.8 with Python 3.6 on Volta, as papers of that time ask for",
    ubuntu("18.04", "5.4.0-150-generic", "2.27"),
    PERSISTENCED,
    cards.installed("460.106.00", cards.V100),
    torch(venv("3.6.9"), "1.8.1+cu111").machine,
    sees="1 GPU, torch 1.8.1+cu111",
)
JAX_MONOLITH = made(
    "JAX of before the plugins: a jaxlib with CUDA 12 inside",
    ubuntu(),
    PERSISTENCED,
    cards.installed("535.247.01", cards.A40),
    Machine(binaries={f"/usr/local/cuda-12.3/lib64/{name}": library(name) for name in ("libcudnn.so.8",)}),
    venv("3.11.12")
    .dist("jax", "0.4.20", "jaxlib==0.4.20", files={"jax/__init__.py": ""})
    .dist("jaxlib", "0.4.20+cuda12.cudnn89", files={"jaxlib/__init__.py": "", "jaxlib/cuda/_solver.so": "ELF"})
    .machine,
    sees="1 GPU, jax 0.4.20",
)
CONDA_BASE = made(
    "the base environment of Miniforge itself",
    ubuntu(),
    cards.installed("560.35.05", cards.RTX_3060, **DISPLAY),
    conda_torch(f"{ADA}/miniforge3", "2.5.1", "2.5.1", "12.6", "cuda126_mkl_py311_h1234567_302", "conda-forge",
                **{"cuda-version": "12.6"}).machine,
    Machine(files={f"{ADA}/miniforge3/condabin/conda": "#!python"}),
    sees="1 GPU, torch 2.5.1",
)  # fmt: skip
SERVER_PACKAGES = made(
    "Ubuntu's server driver, and the configuration that a removed older one left behind",
    ubuntu(),
    PERSISTENCED,
    cards.installed("550.163.01", cards.A10G),
    Machine(
        files={
            "/var/lib/dpkg/status": "".join(
                f"Package: {name}\nStatus: {status}\nArchitecture: amd64\nVersion: {version}\n\n"
                for name, status, version in (
                    ("nvidia-driver-550-server", "install ok installed", "550.163.01-0ubuntu0.22.04.1"),
                    ("libnvidia-compute-550-server", "install ok installed", "550.163.01-0ubuntu0.22.04.1"),
                    ("nvidia-driver-470", "deinstall ok config-files", "470.256.02-0ubuntu0.22.04.1"),
                    ("libnvidia-compute-470", "deinstall ok config-files", "470.256.02-0ubuntu0.22.04.1"),
                )
            )
        }
    ),
    torch(venv("3.10.12"), "2.6.0+cu124").machine,
    sees="1 GPU, torch 2.6.0+cu124",
)
DKMS_TWO = made(
    "DKMS builds the driver and another module; an older kernel has no headers any more",
    ubuntu(),
    parts.dkms("550.163.01", "6.8.0-60-generic"),
    parts.dkms("6.1.50", "6.8.0-60-generic", module="virtualbox"),
    parts.module_file("6.8.0-60-generic"),
    cards.installed("550.163.01", cards.RTX_4070, **DISPLAY),
    torch(venv("3.10.12"), "2.6.0+cu124").machine,
    sees="1 GPU, torch 2.6.0+cu124",
)
NOUVEAU_FILE = made(
    "nouveau blacklisted by the installer, as it has to be, and the driver of the .run file",
    parts.linux("debian", "12", "6.1.0-37-amd64", glibc="2.36"),
    Machine(files={"/etc/modprobe.d/nvidia-installer-disable-nouveau.conf": "blacklist nouveau\n"}),
    cards.installed("570.172.08", cards.RTX_3090, flavour="open", **DISPLAY),
    torch(venv("3.11.2"), "2.7.1+cu128").machine,
    sees="1 GPU, torch 2.7.1+cu128",
)  # fmt: skip
REAL_VENV = made(
    "a venv as it is: pip and setuptools in it, a .pth line of setuptools, and an editable install",
    ubuntu("24.04", K24, "2.39"),
    cards.installed("570.169", cards.RTX_4070, flavour="open", **DISPLAY),
    torch(venv("3.12.3"), "2.6.0+cu126").dist("pip", "24.0").dist("setuptools", "80.9.0").machine,
    Machine(
        files={
            f"{ADA}/venv/bin/pip": f"#!{ADA}/venv/bin/python\n",
            f"{ADA}/venv/lib/python3.12/site-packages/distutils-precedence.pth": "import os; os.environ.get('X')\n",
            f"{ADA}/venv/lib/python3.12/site-packages/__editable__.mine-0.1.pth": f"{ADA}/work/src\n",
            f"{ADA}/work/src/mine/__init__.py": "",
            f"{ADA}/work/pyproject.toml": "[project]\nname = 'mine'\n",
            f"{ADA}/work/train.py": "import torch\n",
            f"{ADA}/work/requirements.txt": "torch==2.6.0\n",
        },
        programs={"pip": f"{ADA}/venv/bin/pip"},
    ),
    sees="1 GPU, torch 2.6.0+cu126",
)
KERNELSPEC = made(
    "Jupyter with the kernel of this very environment",
    ubuntu(),
    cards.installed("550.163.01", cards.RTX_3060, **DISPLAY),
    torch(venv("3.10.12"), "2.6.0+cu124").machine,
    Machine(
        files={
            f"{ADA}/.local/share/jupyter/kernels/ai/kernel.json": f'{{"argv": ["{ADA}/venv/bin/python", "-m", '
            '"ipykernel_launcher", "-f", "{connection_file}"], "display_name": "ai", "language": "python"}'
        }
    ),
    sees="1 GPU, torch 2.6.0+cu124",
)
JAX_METAL = made(
    "an M1 with JAX and jax-metal",
    mac("14.4.1", "23.4.0", "Apple M1"),
    jax(mac_venv("3.11.12"), "0.4.34", variant=None).dist("jax-metal", "0.1.1").machine,
    sees="jax 0.4.34",
    verdict="no-gpu",
)
IPC_HOST = made(
    "docker run --ipc=host: /dev/shm is the host's",
    image(),
    in_docker(shm=32 * parts.GIB),
    cards.installed("570.172.08", cards.H200, flavour="open"),
    torch(venv("3.12.3", "/opt/venv"), "2.7.1+cu126").machine,
    sees="1 GPU, torch 2.7.1+cu126",
)
NOT_FOR_CONTAINERS = made(
    "a container of a service without GPU access on purpose (NVIDIA_VISIBLE_DEVICES=void), no GPU in the host",
    image(),
    in_docker(NVIDIA_VISIBLE_DEVICES="void"),
    parts.pci("0000:00:1f.2", "8086:a352", pci_class="0x010601", driver="ahci"),
    torch(venv("3.11.12", "/opt/venv"), "2.6.0+cpu").machine,
    sees="torch 2.6.0+cpu",
    verdict="no-gpu",
)

MACHINES: dict[str, Healthy] = {
    "ubuntu-3090-tensorflow-26": TF_24,
    "ubuntu-v100-torch-18": TORCH_1,
    "ubuntu-a40-jaxlib-with-cuda": JAX_MONOLITH,
    "conda-base-3060": CONDA_BASE,
    "ubuntu-a10g-server-packages": SERVER_PACKAGES,
    "ubuntu-4070-dkms-of-two": DKMS_TWO,
    "debian-3090-installer": NOUVEAU_FILE,
    "ubuntu-4070-real-venv": REAL_VENV,
    "ubuntu-3060-kernelspec": KERNELSPEC,
    "macos-m1-jax-metal": JAX_METAL,
    "docker-h200-ipc-host": IPC_HOST,
    "docker-void-cpu": NOT_FOR_CONTAINERS,
}
