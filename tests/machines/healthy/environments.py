"""conda and pixi environments, and machines without an NVIDIA GPU."""

from gpudoctor.host.machine import Machine
from tests.machines import parts
from tests.machines.healthy import cards
from tests.machines.healthy.elf import library
from tests.machines.healthy.frameworks import jax, tensorflow, torch
from tests.machines.healthy.pieces import DISPLAY, K24, NO_GPU, numpy, ubuntu
from tests.machines.healthy.recorded import Healthy, made
from tests.machines.healthy.target import ADA, Target, conda, venv

# conda.


def conda_torch(prefix: str, version: str, reported: str, cuda: str, build: str, channel: str, **more: str) -> Target:
    """PyTorch of a conda channel: its libraries are the environment's, and there is no local tag."""
    target = conda("3.11.11", prefix)
    names = (
        "libcudart.so.12",
        "libcublas.so.12",
        "libcudnn.so.9",
        "libcufft.so.11",
        "libcusparse.so.12",
        "libnvrtc.so.12",
    )
    linked = ("libcudart.so.12", "libcublas.so.12", "libcudnn.so.9")
    target.also(Machine(binaries={f"{prefix}/lib/{one}": library(one, runpath=("$ORIGIN",)) for one in names}))
    files: dict[str, str | bytes] = {
        "torch/__init__.py": "",
        "torch/version.py": f"__version__ = '{reported}'\ncuda = '{cuda}'\nhip = None\n",
        **{
            f"torch/lib/{one}": library(one, linked, runpath=("$ORIGIN", "$ORIGIN/../../../.."))
            for one in ("libtorch_global_deps.so", "libtorch_cuda.so")
        },
    }
    target.dist("torch", reported, installer="conda", files=files)
    for name, pin in {"pytorch": version, **more}.items():
        target.conda(prefix, name, pin, build if name == "pytorch" else "h0000000_0", channel)
    return target


_ENV = f"{ADA}/miniforge3/envs/ai"
CONDA_FORGE = made(
    "conda-forge's CUDA build: no +cu tag anywhere, a .post number in the version, CUDA from conda's packages",
    ubuntu(),
    cards.installed("560.35.05", cards.RTX_4090, **DISPLAY),
    conda_torch(_ENV, "2.5.1", "2.5.1.post303", "12.6", "cuda126_generic_py311_hd0d8c48_203", "conda-forge",
                cudnn="9.3.0.75", libcublas="12.6.4.1", **{"cuda-version": "12.6"}).machine,
    sees="1 GPU, torch 2.5.1.post303",
)  # fmt: skip
CONDA_CHANNEL = made(
    "the pytorch channel's build, the last of which was 2.5.1",
    ubuntu(),
    cards.installed("535.247.01", cards.RTX_3090, **DISPLAY),
    conda_torch(f"{ADA}/miniconda3/envs/ai", "2.5.1", "2.5.1", "12.4", "py3.11_cuda12.4_cudnn9.1.0_0", "pytorch",
                **{"pytorch-cuda": "12.4"}).machine,
    sees="1 GPU, torch 2.5.1",
)  # fmt: skip
PIXI = made(
    "a pixi environment in the project's folder",
    ubuntu("24.04", K24, "2.39"),
    cards.installed("570.169", cards.RTX_4070, flavour="open", **DISPLAY),
    conda_torch(f"{ADA}/work/.pixi/envs/default", "2.7.1", "2.7.1", "12.8", "cuda128_generic_py311_h1234567_200",
                "conda-forge", **{"cuda-version": "12.8"}).machine,
    Machine(files={f"{ADA}/work/pixi.toml": "[workspace]\n", f"{ADA}/work/pixi.lock": "version: 6\n"}),
    sees="1 GPU, torch 2.7.1",
)  # fmt: skip
CONDA_PIP = made(
    "a conda environment for Python alone, torch by pip inside it",
    ubuntu(),
    cards.installed("550.163.01", cards.RTX_3060, **DISPLAY),
    torch(conda("3.10.16"), "2.6.0+cu124").machine,
    sees="1 GPU, torch 2.6.0+cu124",
)
# No GPU.

CPU_TORCH = made(
    "a server without a GPU and torch's processor build",
    NO_GPU,
    ubuntu(),
    torch(venv("3.10.12"), "2.6.0+cpu").machine,
    sees="torch 2.6.0+cpu",
    verdict="no-gpu",
)
CPU_TF = made(
    "a virtual machine without a GPU and tensorflow-cpu",
    NO_GPU,
    parts.linux("debian", "12", "6.1.0-37-cloud-amd64", glibc="2.36", vendor="Google",
                flags="fpu sse4_2 avx f16c fma avx2 hypervisor"),
    numpy(tensorflow(venv("3.11.2"), "2.18.0", dist="tensorflow-cpu", keras="3.6.0")).machine,
    sees="tensorflow 2.18.0",
    verdict="no-gpu",
)  # fmt: skip
CPU_JAX = made(
    "JAX on the processor of an ARM server",
    NO_GPU,
    ubuntu("24.04", "6.8.0-60-generic", "2.39", arch="aarch64", flags="fp asimd atomics sve"),
    jax(venv("3.12.3", arch="aarch64"), "0.7.2", variant=None).machine,
    sees="jax 0.7.2",
    verdict="no-gpu",
)
CPU_GPU_BUILD = made(
    "a laptop without an NVIDIA GPU and the CUDA build that pip gives on Linux: large, and it works on the processor",
    ubuntu("24.04", K24, "2.39"),
    parts.pci("0000:00:02.0", "8086:a7a0", driver="i915"),
    torch(venv("3.12.3"), "2.8.0").machine,
    sees="torch 2.8.0+cu128",
    verdict="no-gpu",
)
ROCM = made(
    "a Radeon with a ROCm build of PyTorch",
    parts.linux("ubuntu", "24.04", K24, like="debian", glibc="2.39"),
    parts.pci("0000:03:00.0", "1002:744c", driver="amdgpu"),
    Machine(directories={"/dev": ("kfd", "dri")}),
    venv("3.12.3").dist("torch", "2.6.0+rocm6.2.4", files={
        "torch/__init__.py": "",
        "torch/version.py": "__version__ = '2.6.0+rocm6.2.4'\ncuda = None\nhip = '6.2.41134'\n"}).machine,
    sees="torch 2.6.0+rocm6.2.4",
    verdict="no-gpu",
)  # fmt: skip

MACHINES: dict[str, Healthy] = {
    "conda-forge-4090": CONDA_FORGE,
    "conda-pytorch-channel-3090": CONDA_CHANNEL,
    "pixi-4070": PIXI,
    "conda-pip-3060": CONDA_PIP,
    "ubuntu-cpu-torch": CPU_TORCH,
    "debian-cpu-tensorflow": CPU_TF,
    "arm-cpu-jax": CPU_JAX,
    "ubuntu-cpu-cuda-build": CPU_GPU_BUILD,
    "ubuntu-radeon-rocm": ROCM,
}
