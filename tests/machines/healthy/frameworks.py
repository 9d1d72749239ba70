"""Frameworks as their wheels lay them out: version files, requirements, libraries with the search paths they have.

Versions that belong together are those of the matrix (CUDA, cuDNN, triton, companions, NVIDIA's packages).
"""

import re

from gpudoctor.knowledge.matrix.load import load_matrix
from tests.machines.healthy.elf import library
from tests.machines.healthy.target import Target

#: Folder below site-packages/nvidia and the SONAMEs in it, by distribution without its suffix, for CUDA 11, 12 and 13.
_NVIDIA: dict[str, tuple[str, dict[int, tuple[str, ...]]]] = {
    "nvidia-cuda-runtime": ("cuda_runtime", {11: ("libcudart.so.11.0",), 12: ("libcudart.so.12",)}),
    "nvidia-cublas": (
        "cublas",
        {11: ("libcublas.so.11", "libcublasLt.so.11"), 12: ("libcublas.so.12", "libcublasLt.so.12")},
    ),
    "nvidia-cufft": ("cufft", {11: ("libcufft.so.10",), 12: ("libcufft.so.11",)}),
    "nvidia-curand": ("curand", {11: ("libcurand.so.10",), 12: ("libcurand.so.10",)}),
    "nvidia-cusolver": ("cusolver", {11: ("libcusolver.so.11",), 12: ("libcusolver.so.11",)}),
    "nvidia-cusparse": ("cusparse", {11: ("libcusparse.so.11",), 12: ("libcusparse.so.12",)}),
    "nvidia-nccl": ("nccl", {11: ("libnccl.so.2",), 12: ("libnccl.so.2",), 13: ("libnccl.so.2",)}),
    "nvidia-nvjitlink": ("nvjitlink", {12: ("libnvJitLink.so.12",)}),
    "nvidia-cuda-nvrtc": ("cuda_nvrtc", {11: ("libnvrtc.so.11.2",), 12: ("libnvrtc.so.12",)}),
    "nvidia-cuda-cupti": ("cuda_cupti", {11: ("libcupti.so.11.8",), 12: ("libcupti.so.12",)}),
    "nvidia-cuda-nvcc": ("cuda_nvcc", {11: (), 12: ()}),
    "nvidia-nvshmem": ("nvshmem", {12: ("libnvshmem_host.so.3",)}),
}
#: From CUDA 13 on NVIDIA's packages share one folder, nvidia/cu13.
_CUDA_13 = {
    "nvidia-cuda-runtime": ("libcudart.so.13",),
    "nvidia-cublas": ("libcublas.so.13", "libcublasLt.so.13"),
    "nvidia-cufft": ("libcufft.so.12",),
    "nvidia-curand": ("libcurand.so.10",),
    "nvidia-cusolver": ("libcusolver.so.12",),
    "nvidia-cusparse": ("libcusparse.so.12",),
}
#: Runtime, cuBLAS, cuFFT, cuSPARSE and cuSOLVER of the toolkits of torch's builds: metadata of PyPI's cuda-toolkit.
_TOOLKITS = {
    "11.8": ("11.8.89", "11.11.3.6", "10.9.0.58", "11.7.5.86", "11.4.1.48"),
    "12.1": ("12.1.105", "12.1.3.1", "11.0.2.54", "12.1.0.106", "11.4.5.107"),
    "12.4": ("12.4.127", "12.4.5.8", "11.2.1.3", "12.3.1.170", "11.6.1.9"),
    "12.6": ("12.6.77", "12.6.4.1", "11.3.0.4", "12.5.4.2", "11.7.1.2"),
    "12.8": ("12.8.90", "12.8.4.1", "11.3.3.83", "12.5.8.93", "11.7.3.90"),
    "12.9": ("12.9.79", "12.9.1.4", "11.4.1.4", "12.5.10.65", "11.7.5.82"),
    "13.0": ("13.0.96", "13.1.0.3", "12.0.0.61", "12.6.3.3", "12.0.4.66"),
    "13.2": ("13.2.75", "13.4.0.1", "12.2.0.46", "12.7.10.1", "12.2.0.1"),
}
_TOOLKIT_PARTS = ("nvidia-cuda-runtime", "nvidia-cublas", "nvidia-cufft", "nvidia-cusparse", "nvidia-cusolver")
_LINKED = {
    9: ("libcudart.so.9.0", "libcublas.so.9.0", "libcudnn.so.{}"),
    10: ("libcudart.so.10.2", "libcublas.so.10", "libcudnn.so.{}"),
    11: ("libcudart.so.11.0", "libcublas.so.11", "libcudnn.so.{}"),
    12: ("libcudart.so.12", "libcublas.so.12", "libcudnn.so.{}"),
    13: ("libcudart.so.13", "libcublas.so.13", "libcudnn.so.{}"),
}


def nvidia(target: Target, name: str, version: str) -> Target:
    """One of NVIDIA's distributions: nvidia-cublas-cu12, nvidia-cudnn-cu13, nvidia-cublas (CUDA 13)."""
    stem, _, suffix = name.partition("-cu1")
    major = int(f"1{suffix}") if suffix else 13
    if stem == "nvidia-cudnn":
        folder, names = "cudnn", (f"libcudnn.so.{version.partition('.')[0]}",)
    elif stem in _CUDA_13 and major == 13:
        folder, names = "cu13", _CUDA_13[stem]
    else:
        folder, by_major = _NVIDIA[stem]
        names = by_major[major]
    files: dict[str, str | bytes] = {
        f"nvidia/{folder}/lib/{one}": library(one, runpath=("$ORIGIN",), machine=target.arch) for one in names
    }
    # The same empty file is in all of them.
    return target.dist(name, version, files={"nvidia/__init__.py": "", **files})


def torch(
    target: Target,
    version: str,
    *,
    archs: tuple[str, ...] = (),
    companions: bool = True,
    cuda: str | None = None,
    cudnn: str | None = None,
    installer: str = "pip",
) -> Target:
    """A wheel of PyTorch, its companions and NVIDIA's packages. `archs` are put into the file; else the matrix knows.

    CUDA and cuDNN are those of the matrix; for a build that it does not have they are given.
    """
    platform = "windows-x86_64" if target.windows else f"linux-{target.arch}"
    if target.arch == "arm64":
        platform = "macos-arm64"
    build = load_matrix().torch_build(version, platform)
    if build is not None:
        cuda, cudnn = cuda or (str(build.cuda) if build.cuda else None), cudnn or build.cudnn
    plain, _, tag = version.partition("+")
    reported = version if tag or not cuda else f"{plain}+cu{cuda.replace('.', '')}"
    if not cuda and not tag:
        reported = plain if target.arch == "arm64" else f"{plain}+cpu"
    files: dict[str, str | bytes] = {
        "torch/__init__.py": "",
        "torch/version.py": f"__version__ = '{reported}'\ndebug = False\ncuda = {cuda!r}\nhip = None\n",
    }
    requires: list[str] = []
    if cuda and target.windows:
        files |= {"torch/nn/__init__.py": "", "torch/lib/torch_cuda.dll": "MZ"}
    if cuda and not target.windows:
        requires = _cuda_parts(target, files, plain, cuda, cudnn, archs)
        if build is not None and build.triton and target.arch == "x86_64" and "=" not in build.triton:
            requires.append(f"triton=={build.triton}")
            target.dist("triton", build.triton, installer=installer)
    target.dist("torch", version, *requires, installer=installer, files=files)
    if companions and build is not None and build.torchvision:
        _torchvision(target, build.torchvision, tag or "", reported.partition("+")[2], plain, installer)
    return target


def _cuda_parts(
    target: Target, files: dict[str, str | bytes], plain: str, cuda: str, cudnn: str | None, archs: tuple[str, ...]
) -> list[str]:
    """The libraries of a CUDA build: up to 1.13 all in torch/lib, from 2.0 on in packages of their own."""
    major, cudnn_major = int(cuda.partition(".")[0]), (cudnn or "9").partition(".")[0]
    linked = tuple(name.format(cudnn_major) for name in _LINKED[major])
    bundled = tuple(map(int, plain.split(".")[:2])) < (2, 0) or cuda not in _TOOLKITS
    folders = ("cu13",) if major == 13 else ("cublas", "cuda_runtime", "cufft", "cusparse", "cusolver")
    places = tuple(f"$ORIGIN/../../nvidia/{folder}/lib" for folder in ("cudnn", *folders))
    runpath = ("$ORIGIN",) if bundled else (*places, "$ORIGIN")
    files["torch/lib/libtorch_global_deps.so"] = library(
        "libtorch_global_deps.so", linked, runpath=runpath, machine=target.arch
    )
    files["torch/lib/libtorch_cuda.so"] = library(
        "libtorch_cuda.so", linked, runpath=runpath, archs=archs, machine=target.arch
    )
    if bundled:
        files |= {f"torch/lib/{one}": library(one, runpath=("$ORIGIN",), machine=target.arch) for one in linked}
        return []
    suffix = "" if major == 13 else f"-cu{major}"
    wanted = [(f"{name}{suffix}", pin) for name, pin in zip(_TOOLKIT_PARTS, _TOOLKITS[cuda], strict=True)]
    wanted += [(f"nvidia-cudnn-cu{major}", cudnn)] if cudnn else []
    for name, pin in wanted:
        nvidia(target, name, pin)
    return [f"{name}=={pin}" for name, pin in wanted]


def _torchvision(target: Target, version: str, tag: str, reported: str, torch_version: str, installer: str) -> None:
    local = f"{version}+{tag}" if tag else version
    shown = f"{version}+{reported}" if reported else version
    exact = tuple(map(int, torch_version.split(".")[:2])) < (2, 14)
    requirement = f"torch=={torch_version}" if exact else "torch>=2.14.0"
    target.dist(
        "torchvision",
        local,
        requirement,
        installer=installer,
        files={"torchvision/version.py": f"__version__ = '{shown}'\ncuda = None\n", "torchvision/__init__.py": ""},
    )


def tensorflow(
    target: Target, version: str, *, dist: str = "tensorflow", and_cuda: bool = True, keras: str | None = None
) -> Target:
    """A wheel of TensorFlow with what its extra and-cuda brings, if wanted; a CPU build where the matrix says so."""
    platform = "windows-x86_64" if target.windows else f"linux-{target.arch}"
    if target.arch == "arm64":
        platform = "macos-arm64"
    build = load_matrix().tensorflow_builds(version, platform, dist)[0]
    is_cuda = build.build == "gpu"
    info = {"is_cuda_build": is_cuda, "is_rocm_build": False}
    pairs = [f'("{name}", {value})' for name, value in info.items()]
    if is_cuda:
        capabilities = ", ".join(f'"{arch}"' for arch in build.archs or ())
        pairs += [
            f'("cuda_version", "{build.cuda}")',
            f'("cudnn_version", "{(build.cudnn or "").partition(".")[0]}")',
            f'("cuda_compute_capabilities", [{capabilities}])',
        ]
    files: dict[str, str | bytes] = {
        "tensorflow/__init__.py": "",
        "tensorflow/python/platform/build_info.py": f"import collections\nbuild_info = collections.OrderedDict(["
        f"{', '.join(pairs)}])\n",
    }
    pins = [one for one in (build.and_cuda or ()) if not one.startswith("tensorrt")]
    named = [re.match(r"([\w-]+).*?(?:==|>=)([\d.]+)", pin).groups() for pin in pins]
    for name, lowest in named if and_cuda else ():
        nvidia(target, name, lowest)
    if is_cuda and target.windows:
        code = "_pywrap_tensorflow_internal.pyd"
        files |= {"tensorflow/python/ops/__init__.py": "", f"tensorflow/python/{code}": "MZ"}
    if is_cuda and not target.windows:
        folders = ["cudnn" if "cudnn" in name else _NVIDIA[name.rpartition("-")[0]][0] for name, _ in named]
        runpath = tuple(f"$ORIGIN/../nvidia/{folder}/lib" for folder in folders)
        files["tensorflow/libtensorflow_framework.so.2"] = library("libtensorflow_framework.so.2", runpath=runpath)
    extras = tuple(f'{pin}; extra == "and-cuda"' for pin in pins)
    target.dist(dist, version, *extras, files=files)
    if keras:
        target.dist("keras", keras, files={"keras/__init__.py": ""})
    return target


def jax(target: Target, version: str, *, variant: str | None = "cuda12", cudnn: str | None = "9.8.0.87") -> Target:
    """JAX with its plugin and NVIDIA's packages; without a variant it computes on the processor.

    Without a cuDNN it finds NVIDIA's packages there.
    """
    target.dist("jax", version, f"jaxlib<={version},>={version}", files={"jax/__init__.py": ""})
    target.dist("jaxlib", version, files={"jaxlib/__init__.py": ""})
    if variant is None:
        return target
    major = int(variant[-2:])
    suffix = "" if major == 13 else f"-cu{major}"
    toolkit = {12: "12.9", 13: "13.0"}[major]
    if cudnn is not None:
        for name, pin in zip(_TOOLKIT_PARTS, _TOOLKITS[toolkit], strict=True):
            nvidia(target, f"{name}{suffix}", pin)
        nvidia(target, f"nvidia-cudnn-cu{major}", cudnn)
    folders = ("cu13", "cudnn") if major == 13 else ("cublas", "cuda_runtime", "cudnn", "cufft", "cusolver", "cusparse")
    runpath = tuple(f"$ORIGIN/../../nvidia/{folder}/lib" for folder in folders)
    plugin = library("xla_cuda_plugin.so", runpath=runpath, machine=target.arch)
    target.dist(
        f"jax-{variant}-plugin",
        version,
        f"jax-{variant}-pjrt=={version}",
        f"nvidia-cudnn-cu{major}<10.0,>=9.8",
        files={f"jax_{variant}_plugin/__init__.py": ""},
    )
    target.dist(
        f"jax-{variant}-pjrt",
        version,
        files={
            f"jax_plugins/xla_cuda{major}/__init__.py": "",
            f"jax_plugins/xla_cuda{major}/xla_cuda_plugin.so": plugin,
        },
    )
    return target
