"""Toolkits, search paths and several environments that do no harm."""

from gpudoctor.host.machine import Machine
from tests.machines.healthy import cards
from tests.machines.healthy.elf import library
from tests.machines.healthy.frameworks import tensorflow, torch
from tests.machines.healthy.pieces import DISPLAY, ubuntu
from tests.machines.healthy.recorded import Healthy, made
from tests.machines.healthy.target import ADA, system, venv


def toolkit(version: str, *libraries: str, default: bool = False, patch: str = "1") -> Machine:
    """A CUDA toolkit of NVIDIA's installer; /usr/local/cuda leads to the default one."""
    root = f"/usr/local/cuda-{version}"
    return Machine(
        files={
            f"{root}/version.json": f'{{"cuda": {{"name": "CUDA SDK", "version": "{version}.{patch}"}}}}',
            f"{root}/bin/nvcc": "ELF",
            f"{root}/nvvm/bin/cicc": "ELF",
        },
        binaries={f"{root}/lib64/{name}": library(name, runpath=("$ORIGIN",)) for name in libraries},
        links={"/usr/local/cuda": f"/usr/local/cuda-{version}"} if default else {},
    )


def compiler(version: str = "11") -> Machine:
    """gcc and its usual links."""
    return Machine(
        files={f"/usr/bin/x86_64-linux-gnu-gcc-{version}": "ELF"},
        links={"/usr/bin/gcc": f"gcc-{version}", f"/usr/bin/gcc-{version}": f"x86_64-linux-gnu-gcc-{version}"},
    )


OTHER_TOOLKIT = made(
    "a CUDA 11.8 toolkit beside a torch with CUDA 12.4: it runs with its own libraries",
    ubuntu(),
    compiler(),
    toolkit("11.8", "libcudart.so.11.0", "libcublas.so.11", default=True, patch="0"),
    cards.installed("550.163.01", cards.RTX_4090, **DISPLAY),
    torch(venv("3.10.12"), "2.6.0+cu124").machine,
    sees="1 GPU, torch 2.6.0+cu124",
)
NEWER_TOOLKIT = made(
    "nvcc 12.8 on PATH and a torch with CUDA 12.4: one major, so builds work too",
    ubuntu(),
    compiler("12"),
    toolkit("12.8", "libcudart.so.12", "libcublas.so.12", default=True),
    cards.installed("570.169", cards.RTX_4090, **DISPLAY),
    torch(venv("3.10.12"), "2.6.0+cu124").machine,
    Machine(env={"CUDA_HOME": "/usr/local/cuda", "PATH": f"{ADA}/venv/bin:/usr/local/cuda/bin:/usr/bin:/bin"}),
    sees="1 GPU, torch 2.6.0+cu124",
)
SEVERAL_TOOLKITS = made(
    "toolkits 11.8, 12.4 and 12.6 side by side, the middle one the default",
    ubuntu(),
    compiler(),
    toolkit("11.8"),
    toolkit("12.6"),
    toolkit("12.4", default=True),
    cards.installed("560.35.05", cards.RTX_4090, **DISPLAY),
    torch(venv("3.10.12"), "2.6.0+cu126").machine,
    sees="1 GPU, torch 2.6.0+cu126",
)
LIBRARY_PATH = made(
    "LD_LIBRARY_PATH of an install guide: the toolkit's folder holds what torch has too, in the same version",
    ubuntu(),
    compiler(),
    toolkit("12.4", "libcudart.so.12", "libcublas.so.12", "libcublasLt.so.12", default=True),
    cards.installed("550.163.01", cards.RTX_4090, **DISPLAY),
    torch(venv("3.10.12"), "2.6.0+cu124").machine,
    Machine(env={"LD_LIBRARY_PATH": "/usr/local/cuda/lib64:/opt/ros/humble/lib"}),
    sees="1 GPU, torch 2.6.0+cu124",
)
LIBRARY_PATH_EMPTY = made(
    "LD_LIBRARY_PATH with folders that hold nothing of CUDA, and one that is gone",
    ubuntu(),
    cards.installed("550.163.01", cards.RTX_4090, **DISPLAY),
    torch(venv("3.10.12"), "2.6.0+cu124").machine,
    Machine(
        env={"LD_LIBRARY_PATH": "/opt/intel/oneapi/mkl/latest/lib:/gone/lib:/home/ada/lib"},
        directories={"/opt/intel/oneapi/mkl/latest/lib": ("libmkl_rt.so.2",), "/home/ada/lib": ()},
    ),
    sees="1 GPU, torch 2.6.0+cu124",
)
USER_SITE = made(
    "Ubuntu's own Python with the user site, which holds torch and nothing twice",
    ubuntu(),
    cards.installed("535.247.01", cards.GTX_1660_TI, **DISPLAY),
    torch(system("3.10.12", site=f"{ADA}/.local/lib/python3.10/site-packages"), "2.4.1+cu121").machine,
    sees="1 GPU, torch 2.4.1+cu121",
)
PYTHONPATH = made(
    "PYTHONPATH with the user's own modules, none named like a framework",
    ubuntu(),
    cards.installed("550.163.01", cards.RTX_3060, **DISPLAY),
    torch(venv("3.10.12"), "2.6.0+cu124").machine,
    Machine(env={"PYTHONPATH": f"{ADA}/lib:{ADA}/work"}, files={f"{ADA}/lib/mytools/__init__.py": ""}),
    sees="1 GPU, torch 2.6.0+cu124",
)
SEPARATE_ENVS = made(
    "torch, TensorFlow and JAX each in a venv of its own; that of TensorFlow is active",
    ubuntu(),
    cards.installed("550.163.01", cards.RTX_4090, **DISPLAY),
    Machine(
        files={f"{ADA}/{name}/pyvenv.cfg": "home = /usr/bin\n" for name in ("torch-venv", "jax-venv")},
        directories={f"{ADA}/torch-venv/lib/python3.10/site-packages": ("torch", "torch-2.6.0+cu124.dist-info")},
    ),
    tensorflow(venv("3.10.12", f"{ADA}/tf-venv"), "2.18.0", keras="3.6.0").machine,
    sees="1 GPU, tensorflow 2.18.0, keras 3.6.0",
)
TWO_FRAMEWORKS = made(
    "TensorFlow for the processor beside a torch for the GPU: the usual way to use both (a note says so)",
    ubuntu(),
    cards.installed("550.163.01", cards.RTX_4090, **DISPLAY),
    tensorflow(torch(venv("3.11.12"), "2.6.0+cu124"), "2.18.0", dist="tensorflow-cpu", keras="3.6.0").machine,
    sees="1 GPU, torch 2.6.0+cu124, tensorflow 2.18.0",
)

MACHINES: dict[str, Healthy] = {
    "ubuntu-4090-toolkit-11": OTHER_TOOLKIT,
    "ubuntu-4090-toolkit-newer": NEWER_TOOLKIT,
    "ubuntu-4090-several-toolkits": SEVERAL_TOOLKITS,
    "ubuntu-4090-library-path": LIBRARY_PATH,
    "ubuntu-4090-library-path-without-cuda": LIBRARY_PATH_EMPTY,
    "ubuntu-1660ti-user-site": USER_SITE,
    "ubuntu-3060-pythonpath": PYTHONPATH,
    "ubuntu-4090-separate-environments": SEPARATE_ENVS,
    "ubuntu-4090-tensorflow-cpu-torch-gpu": TWO_FRAMEWORKS,
}
