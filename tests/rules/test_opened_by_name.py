"""Packages that open a CUDA library by name, beside a CUDA of another name."""

from typing import Any

import pytest

from gpudoctor.facts.driver import Driver
from gpudoctor.facts.libraries import Libraries, LibraryCopy
from gpudoctor.facts.python import Framework
from gpudoctor.facts.versions import CudaVersion, DriverRelease
from tests.rules.stacks import RTX_4090, SITE, WINDOWS, copy, frameworks, packages, resolution, stack, torch
from tests.rules.table import fires, quiet, texts_of

RULE = "tf-soname-missing"
NEW = Driver(release=DriverRelease("580.95.05"), cuda=CudaVersion("13.0"))
DLLS = {"vcruntime140.dll": "C:\\Windows\\System32\\vcruntime140.dll"}


def cupy(major: int) -> Framework:
    return Framework(
        name="cupy", dist=f"cupy-cuda{major}x", version="13.6.0", variant="cuda", cuda=CudaVersion(str(major))
    )


def onnxruntime(version: str, cuda: str) -> Framework:
    return Framework(
        name="onnxruntime", dist="onnxruntime-gpu", version=version, variant="cuda", cuda=CudaVersion(cuda)
    )


def paddle(cudnn: str | None = "8.1.1") -> Framework:
    return Framework(
        name="paddle", dist="paddlepaddle-gpu", version="2.3.2", variant="cuda", cuda=CudaVersion("11.2"), cudnn=cudnn
    )


def cudnn(name: str) -> LibraryCopy:
    return copy("cudnn", name, f"/usr/local/cuda/lib64/{name}", origin="toolkit")


def nvrtc(name: str) -> LibraryCopy:
    return copy("nvrtc", name, f"/usr/local/cuda/lib64/{name}", origin="toolkit")


def cublaslt(major: int) -> LibraryCopy:
    name = f"cublasLt64_{major}.dll"
    return copy("cublaslt", name, f"C:\\CUDA\\bin/{name}", origin="toolkit")


def linux(found: Framework, *copies: LibraryCopy, **more: Any) -> dict[str, Any]:
    return stack(RTX_4090, frameworks=frameworks(found), libraries=Libraries(resolutions=(), copies=copies), **more)


def windows(found: Framework, *copies: LibraryCopy, **more: Any) -> dict[str, Any]:
    seen = Libraries(dlls=dict(DLLS), copies=copies)
    return stack(RTX_4090, host=WINDOWS, frameworks=frameworks(found), libraries=seen, **more)


@pytest.mark.parametrize(
    ("machine", "name", "advice"),
    [
        (linux(cupy(12), nvrtc("libnvrtc.so.13"), driver=NEW), "libnvrtc.so.12", "cupy-cuda13x"),
        (linux(cupy(13), nvrtc("libnvrtc.so.12")), "libnvrtc.so.13", "cupy-cuda12x"),
        (linux(cupy(12)), "libnvrtc.so.12", "cupy-cuda12x[ctk]>=14"),
        (linux(cupy(11)), "libnvrtc.so.11.2", "LD_LIBRARY_PATH"),
        (linux(paddle()), "libcudnn.so", "libcudnn8-dev"),
        (linux(paddle(None)), "libcudnn.so", "CUDA 11.2"),
        (windows(cupy(12)), "nvrtc64_120_0.dll", "cupy-cuda12x[ctk]>=14"),
        (windows(onnxruntime("1.27.0", "13.0"), cublaslt(12)), "cublasLt64_13.dll", "[cuda,cudnn]==1.27.0"),
        (windows(onnxruntime("1.22.0", "12.6"), cublaslt(13)), "cublasLt64_12.dll", "preload_dlls()"),
        (windows(onnxruntime("1.17.0", "11.8"), cublaslt(12)), "cublasLt64_11.dll", "PATH"),
        (
            windows(onnxruntime("1.27.0", "13.0")) | {"frameworks": frameworks(onnxruntime("1.27.0", "13.0"), torch())},
            "cublasLt64_13.dll",
            "preload_dlls()",
        ),
    ],
)
def test_what_is_opened_is_nowhere(machine: dict[str, Any], name: str, advice: str) -> None:
    found = fires(RULE, **machine)
    assert name in found.summary
    assert advice in " | ".join(texts_of(found))


@pytest.mark.parametrize(
    "machine",
    [
        linux(cupy(12), nvrtc("libnvrtc.so.12")),
        linux(cupy(11), nvrtc("libnvrtc.so.11.2")),
        linux(cupy(12), packages=packages("nvidia-cuda-nvrtc-cu12==12.6.77")),
        linux(cupy(12), packages=packages("cuda-nvrtc==12.6.77", installer="conda")),
        linux(paddle(), cudnn("libcudnn.so.8")),
        linux(paddle(), packages=packages("nvidia-cudnn-cu11==8.6.0.163")),
        linux(paddle(), packages=packages("cudnn==8.1.0", installer="conda")),
        windows(paddle()),
        linux(cupy(12)) | {"libraries": Libraries()},
        linux(cupy(12)) | {"gpus": None},
        windows(cupy(12), copy("nvrtc", "nvrtc64_120_0.dll", "C:\\torch\\lib/nvrtc64_120_0.dll")),
        windows(onnxruntime("1.27.0", "13.0"), cublaslt(13)),
        windows(onnxruntime("1.27.0", "13.0"), packages=packages("nvidia-cublas==13.1.1.3")),
        windows(onnxruntime("1.10.0", "10.2")),
        windows(onnxruntime("1.22.0", "12.6")) | {"frameworks": frameworks(onnxruntime("1.22.0", "12.6"), torch())},
        linux(onnxruntime("1.27.0", "13.0")),
    ],
)
def test_what_is_there_or_was_not_looked_for_is_no_fault(machine: dict[str, Any]) -> None:
    quiet(RULE, **machine)


def test_a_library_that_the_loader_does_not_reach_is_named_with_its_folder() -> None:
    """CuPy up to 13 looks into no package; torch's own NVRTC serves it no more than none."""
    lost = resolution("cupy", "libnvrtc.so.12", "nvrtc")
    of_torch = copy("nvrtc", "libnvrtc.so.12", f"{SITE}/nvidia/cuda_nvrtc/lib/libnvrtc.so.12")
    machine = linux(cupy(12), packages=packages("nvidia-cuda-nvrtc-cu12==12.6.77"))
    seen = Libraries(resolutions=(lost,), copies=(of_torch,), search_path=("/opt/own",))
    found = fires(RULE, **machine | {"libraries": seen})
    assert found.fixes[0].steps[0].value == f"{SITE}/nvidia/cuda_nvrtc/lib:/opt/own"
    assert found.severity == "error"
    beside = machine | {"libraries": seen, "frameworks": frameworks(cupy(12), torch())}
    assert fires(RULE, **beside).severity == "warning"
    got = resolution("cupy", "libnvrtc.so.12", "nvrtc", "/usr/local/cuda/lib64/libnvrtc.so.12")
    quiet(RULE, **machine | {"libraries": Libraries(resolutions=(got,), copies=(of_torch,))})


def test_a_cupy_for_a_cuda_that_the_driver_does_not_reach_is_not_offered() -> None:
    older = Driver(release=DriverRelease("550.54.15"), cuda=CudaVersion("12.4"))
    found = fires(RULE, **linux(cupy(12), nvrtc("libnvrtc.so.13"), driver=older))
    assert "cupy-cuda13x" not in " ".join(texts_of(found))
