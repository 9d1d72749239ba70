"""Where GPU code is compiled, or was: toolkits that fit, extensions that get their libraries."""

from gpudoctor.host.machine import Machine
from tests.machines import parts
from tests.machines.healthy import cards
from tests.machines.healthy.containers import image, in_docker
from tests.machines.healthy.elf import library
from tests.machines.healthy.environments import conda_torch
from tests.machines.healthy.frameworks import nvidia, torch
from tests.machines.healthy.paths import compiler, toolkit
from tests.machines.healthy.pieces import DISPLAY, K24, PERSISTENCED, ubuntu
from tests.machines.healthy.recorded import Healthy, made
from tests.machines.healthy.servers import rhel, slurm
from tests.machines.healthy.target import ADA, Target, conda, system, venv

_OF_TORCH = ("libc10.so", "libc10_cuda.so", "libtorch.so", "libtorch_cpu.so")
_MODULE = "cpython-312-x86_64-linux-gnu.so"


def own_libraries(target: Target) -> Target:
    """What extensions are linked to of PyTorch's own."""
    files = {name: library(name, runpath=("$ORIGIN",)) for name in _OF_TORCH}
    files["libtorch_python.so"] = library("libtorch_python.so", _OF_TORCH, runpath=("$ORIGIN",))
    return target.also(Machine(binaries={target.path("torch/lib", name): data for name, data in files.items()}))


def extension(target: Target, name: str, version: str, file: str, *needs: str, runpath: tuple[str, ...] = ()) -> Target:
    """A package with one compiled module."""
    return target.dist(name, version, files={file: library(file.rpartition("/")[2], needs, runpath=runpath)})


def builder(prefix: str, cuda: str, **more: str) -> Machine:
    """nvcc first on PATH, and CUDA_HOME."""
    root = f"/usr/local/cuda-{cuda}"
    return Machine(env={"CUDA_HOME": root, "PATH": f"{prefix}/bin:{root}/bin:/usr/bin:/bin", **more})


FLASH_ATTN = made(
    "flash-attn of the same CUDA, whose runtime torch brings",
    ubuntu("24.04", K24, "2.39"),
    cards.installed("570.169", cards.RTX_4090, flavour="open", **DISPLAY),
    extension(own_libraries(torch(venv("3.12.3"), "2.6.0+cu124")), "flash-attn", "2.7.4.post1",
              f"flash_attn_2_cuda.{_MODULE}", "libcudart.so.12", "libc10.so", "libtorch.so", "libc10_cuda.so").machine,
    sees="1 GPU, torch 2.6.0+cu124",
)  # fmt: skip
BUILT_HERE = made(
    "an extension compiled here, with the toolkit that the loader's cache knows",
    ubuntu(),
    compiler(),
    toolkit("12.4", "libcudart.so.12", default=True),
    Machine(files={"/etc/ld.so.conf.d/000_cuda.conf": "/usr/local/cuda/lib64\n"}),
    cards.installed("550.163.01", cards.RTX_A6000),
    extension(own_libraries(torch(venv("3.12.9"), "2.6.0+cu124")), "diff-gaussian-rasterization", "0.0.0",
              f"diff_gaussian_rasterization/_C.{_MODULE}", "libc10.so", "libtorch.so", "libcudart.so.12").machine,
    builder(f"{ADA}/venv", "12.4", TORCH_CUDA_ARCH_LIST="8.6"),
    sees="1 GPU, torch 2.6.0+cu124",
)  # fmt: skip
SCATTER = made(
    "torch-scatter: modules with plain names, one for the processor and one for CUDA",
    ubuntu(),
    cards.installed("550.163.01", cards.RTX_3090, **DISPLAY),
    own_libraries(torch(venv("3.10.12"), "2.5.1+cu121")).dist("torch-scatter", "2.1.2+pt25cu121", files={
        "torch_scatter/_scatter_cpu.so": library("_scatter_cpu.so", ("libc10.so", "libtorch_cpu.so")),
        "torch_scatter/_scatter_cuda.so": library("_scatter_cuda.so", ("libc10_cuda.so", "libcudart.so.12")),
    }).machine,
    sees="1 GPU, torch 2.5.1+cu121",
)  # fmt: skip
TWO_CUDAS = made(
    "a package that brings modules for two CUDAs and imports the one that can be loaded",
    ubuntu(),
    cards.installed("550.163.01", cards.L4),
    own_libraries(torch(venv("3.11.9"), "2.5.1+cu124")).dist("several", "1.0", files={
        f"several/_ops_cu11.{_MODULE}": library("_ops_cu11.so", ("libcudart.so.11.0", "libtorch.so")),
        f"several/_ops_cu12.{_MODULE}": library("_ops_cu12.so", ("libcudart.so.12", "libtorch.so")),
    }).machine,
    sees="1 GPU, torch 2.5.1+cu124",
)  # fmt: skip


def cupy(target: Target, version: str = "13.4.1") -> Target:
    """CuPy's wheel for CUDA 12."""
    return extension(target, "cupy-cuda12x", version, f"cupy/_core/core.{_MODULE}", "libcudart.so.12")


def with_runtime(target: Target) -> Target:
    """NVIDIA's packages of the runtime, and of the compiler that CuPy opens."""
    nvidia(target, "nvidia-cuda-runtime-cu12", "12.6.77")
    nvidia(target, "nvidia-cuda-nvrtc-cu12", "12.6.77")
    return target


CUPY_PIP = made(
    "CuPy 14 with NVIDIA's packages, which it opens itself",
    ubuntu(),
    cards.installed("560.35.05", cards.A10G),
    cupy(with_runtime(venv("3.12.9")), "14.0.1").machine,
    sees="1 GPU",
)
CUPY_CACHE = made(
    "CuPy with a toolkit that the loader's cache knows",
    ubuntu(),
    toolkit("12.6", "libcudart.so.12", "libnvrtc.so.12", default=True),
    Machine(files={"/etc/ld.so.conf.d/000_cuda.conf": "/usr/local/cuda/lib64\n"}),
    cards.installed("560.35.05", cards.A10G),
    cupy(venv("3.12.9")).machine,
    sees="1 GPU",
)
CUPY_MODULE = made(
    "CuPy on a cluster, where the CUDA module sets LD_LIBRARY_PATH and CUDA_HOME",
    rhel("9.4", "5.14.0-427.el9.x86_64", "2.34", "rocky"),
    PERSISTENCED,
    toolkit("12.4", "libcudart.so.12", "libnvrtc.so.12"),
    cards.installed("550.163.01", cards.A100_40, folder="/usr/lib64"),
    slurm(SLURM_GPUS_ON_NODE="1", SLURM_JOB_GPUS="0", CUDA_VISIBLE_DEVICES="0"),
    cupy(venv("3.12.5")).machine,
    builder(f"{ADA}/venv", "12.4", LD_LIBRARY_PATH="/usr/local/cuda-12.4/lib64"),
    sees="1 GPU",
)
CUPY_CONDA = made(
    "CuPy by pip in a conda environment whose libraries are conda's",
    ubuntu(),
    cards.installed("560.35.05", cards.RTX_4090, **DISPLAY),
    cupy(conda_torch(f"{ADA}/miniforge3/envs/ai", "2.5.1", "2.5.1.post303", "12.6", "cuda126_generic_py311_h0_203",
                     "conda-forge", **{"cuda-version": "12.6"})).machine,
    sees="1 GPU, torch 2.5.1.post303",
)  # fmt: skip
DEVELOPER = made(
    "an RTX 5090, nvcc 12.8 and gcc 13: what builds for Blackwell take",
    ubuntu("24.04", K24, "2.39"),
    compiler("13"),
    toolkit("12.8", "libcudart.so.12", default=True),
    cards.installed("580.95.05", cards.RTX_5090, flavour="open", **DISPLAY),
    torch(venv("3.12.3"), "2.8.0+cu128").machine,
    builder(f"{ADA}/venv", "12.8"),
    sees="1 GPU, torch 2.8.0+cu128",
)
LINK_HOME = made(
    "CUDA_HOME is the link /usr/local/cuda with a slash at its end",
    ubuntu(),
    compiler(),
    toolkit("12.4", "libcudart.so.12", default=True),
    toolkit("11.8"),
    cards.installed("550.163.01", cards.RTX_4090, **DISPLAY),
    torch(venv("3.10.12"), "2.6.0+cu124").machine,
    Machine(env={"CUDA_HOME": "/usr/local/cuda/", "PATH": f"{ADA}/venv/bin:/usr/local/cuda/bin:/usr/bin:/bin"}),
    sees="1 GPU, torch 2.6.0+cu124",
)
RUNTIME_IMAGE = made(
    "a runtime image: /usr/local/cuda with a version and libraries of another major, and no compiler",
    image(),
    in_docker(CUDA_HOME="/usr/local/cuda"),
    Machine(
        files={"/usr/local/cuda-11.8/version.json": '{"cuda": {"name": "CUDA SDK", "version": "11.8.0"}}'},
        binaries={"/usr/local/cuda-11.8/lib64/libcudart.so.11.0": library("libcudart.so.11.0")},
        links={"/usr/local/cuda": "/usr/local/cuda-11.8"},
    ),
    cards.installed("550.163.01", cards.T4),
    torch(venv("3.11.12", "/opt/venv"), "2.6.0+cu124").machine,
    sees="1 GPU, torch 2.6.0+cu124",
)
NGC_ARCHS = made(
    "an image that names the architectures of all its GPUs, for whoever builds in it",
    image("24.04", "2.39"),
    in_docker(TORCH_CUDA_ARCH_LIST="7.5 8.0 8.6 9.0 10.0 12.0+PTX", CUDA_HOME="/usr/local/cuda"),
    compiler("13"),
    toolkit("12.8", "libcudart.so.12", default=True),
    cards.installed("570.169", cards.H100, flavour="open"),
    torch(system("3.12.3", home="/root", site="/usr/local/lib/python3.12/dist-packages"), "2.7.1+cu128").machine,
    sees="1 GPU, torch 2.7.1+cu128",
)
ARCH_LINUX = made(
    "Arch: the toolkit in /opt/cuda with a gcc of its own choice, torch by uv",
    parts.linux("arch", "", "6.15.2-arch1-1", glibc="2.41"),
    Machine(
        files={
            "/opt/cuda/version.json": '{"cuda": {"name": "CUDA SDK", "version": "12.9.1"}}',
            "/opt/cuda/bin/nvcc": "ELF",
            "/opt/cuda/nvvm/bin/cicc": "ELF",
            "/usr/bin/gcc-14": "ELF",
        },
        env={"CUDA_PATH": "/opt/cuda", "NVCC_CCBIN": "/usr/bin/gcc-14"},
    ),
    Machine(links={"/usr/bin/gcc": "gcc-14"}),
    cards.installed("575.64", cards.RTX_4080, folder="/usr/lib", flavour="open", **DISPLAY),
    torch(venv("3.13.3", f"{ADA}/work/.venv", made_by="uv = 0.7.2"), "2.7.1+cu128", installer="uv").machine,
    sees="1 GPU, torch 2.7.1+cu128",
)
CONDA_NVCC = made(
    "conda's nvcc package in the environment, of the CUDA that torch has",
    ubuntu(),
    compiler(),
    cards.installed("560.35.05", cards.RTX_4090, **DISPLAY),
    torch(conda("3.11.11"), "2.6.0+cu126").machine,
    Machine(files={
        f"{ADA}/miniforge3/envs/ai/bin/nvcc": "ELF",
        f"{ADA}/miniforge3/envs/ai/nvvm/bin/cicc": "ELF",
        f"{ADA}/miniforge3/envs/ai/version.json": '{"cuda": {"name": "CUDA SDK", "version": "12.6.3"}}',
    }),
    sees="1 GPU, torch 2.6.0+cu126",
)  # fmt: skip

MACHINES: dict[str, Healthy] = {
    "ubuntu-4090-flash-attn": FLASH_ATTN,
    "ubuntu-a6000-built-here": BUILT_HERE,
    "ubuntu-3090-torch-scatter": SCATTER,
    "ubuntu-l4-modules-for-two-cudas": TWO_CUDAS,
    "ubuntu-a10g-cupy-pip": CUPY_PIP,
    "ubuntu-a10g-cupy-toolkit": CUPY_CACHE,
    "rocky-a100-cupy-module": CUPY_MODULE,
    "ubuntu-4090-cupy-conda": CUPY_CONDA,
    "ubuntu-5090-nvcc128": DEVELOPER,
    "ubuntu-4090-cuda-home-link": LINK_HOME,
    "docker-t4-runtime-image": RUNTIME_IMAGE,
    "docker-h100-arch-list": NGC_ARCHS,
    "arch-4080-opt-cuda": ARCH_LINUX,
    "ubuntu-4090-conda-nvcc": CONDA_NVCC,
}
