"""Fixes that a message names itself."""

import pytest

from gpudoctor.diagnosis.named_in_messages import (
    cudnn_asked_for,
    named_build,
    named_cudnn,
    named_library,
    with_named_cudnn,
)
from gpudoctor.facts.libraries import Libraries, Resolution, Toolkit, Toolkits
from gpudoctor.facts.live import Live, Symptom
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.versions import CudaVersion

LIBRARIES = {
    "Library cublas64_11.dll is not found or cannot be loaded": "nvidia-cublas-cu11",
    "libcublas.so.12: cannot open shared object file": "nvidia-cublas-cu12",
    "Could not load cudart64_110.dll": "nvidia-cuda-runtime-cu11",
    "libcudart.so.13: cannot open shared object file": "nvidia-cuda-runtime",
    # Before there were packages.
    "libcudart.so.10.1: cannot open shared object file": "cudatoolkit=10.1",
    # TensorFlow's own way: with the cuDNN of its time.
    "TensorFlow: libcublas.so.11: cannot open shared object file": "cudatoolkit=11.2",
    # One name for several CUDAs, and a cuDNN for which nothing tells the CUDA.
    "libcusolver.so.11: cannot open shared object file": None,
    "libcudnn.so.8: cannot open shared object file": None,
}


def said(text: str) -> Snapshot:
    return Snapshot(live=Live(symptoms=(Symptom(signature="x", text=text),)))


@pytest.mark.parametrize(("text", "package"), LIBRARIES.items(), ids=LIBRARIES)
def test_the_package_of_the_library_that_is_named(text, package):
    fix = named_library(said(text))
    assert (fix is None) is (package is None)
    assert package is None or package in fix.steps[0].argv


def test_the_folder_of_the_cuda_that_is_there():
    row = Resolution(framework="paddle", soname="libcudart.so.11.0", wanted_by="PaddlePaddle", how="opened")
    here = Toolkits(found=(Toolkit(root="x", version=CudaVersion("11.6")),))
    fix = named_library(Snapshot(libraries=Libraries(resolutions=(row,)), toolkits=here))
    assert "/usr/local/cuda-11.6/lib64:" in fix.steps[0].text


def test_a_cudnn_is_no_part_of_the_cuda_that_is_there():
    row = Resolution(framework="tensorflow", soname="libcudnn.so.7", wanted_by="TensorFlow", how="opened")
    here = Toolkits(found=(Toolkit(root="x", version=CudaVersion("10.1")),))
    fix = named_library(Snapshot(libraries=Libraries(resolutions=(row,)), toolkits=here))
    assert {"cudatoolkit=10.1", "cudnn=7"} <= set(fix.steps[0].argv)


def test_the_build_that_xformers_was_made_for_with_its_torchvision():
    fix = named_build(said("PyTorch 2.1.2+cu121 with CUDA 1201 (you have 2.0.1+cu118)"))
    assert fix.steps[0].argv[4:6] == ("torch==2.1.2+cu121", "torchvision==0.16.2+cu121")
    assert fix.steps[0].argv[-1].endswith("/cu121")
    # No such build is known.
    assert named_build(said("PyTorch 2.1.2+cu999 with CUDA 1201 (you have 2.0.1)")) is None


def test_the_build_that_was_not_found_is_on_its_own_index():
    argv = named_build(said("No matching distribution found for torch==2.7.1+cu128")).steps[0].argv
    assert "torch==2.7.1+cu128" in argv
    assert argv[-1].endswith("/cu128")
    assert named_build(said("No matching distribution found for torch==2.7.1+cu999")) is None


@pytest.mark.parametrize(
    ("text", "releases"),
    [
        ("Loaded runtime CuDNN library: 8.5.0 but source was compiled with: 8.6.0.", ">=8.6,<9"),
        (
            "Loaded runtime CuDNN library: 7301 (compatibility version 7300) but source was compiled with 7003 (",
            ">=7.0,<8",
        ),
        ("Found cuDNN version 8600, but JAX was built against version 8906, which is newer.", ">=8.9,<9"),
        ("Found cuDNN version 8906, but JAX was built against version 90100, which is newer.", ">=9.1,<10"),
        # Of another library.
        ("Found cuFFT version 11002, but JAX was built against version 11004, which is newer.", None),
        ("CUDNN_STATUS_NOT_INITIALIZED", None),
    ],
)
def test_the_cudnn_that_a_build_was_compiled_with(text, releases):
    assert named_cudnn(said(text)) == releases


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Loaded runtime CuDNN library: 8.4.1 but source was compiled with: 8.6.0.", ">=8.6,<9"),
        ("cuDNN version: built against version 8902, found 8401", ">=8.9,<9"),
        ("CuDNN 9.1.0 is too old. Minimum supported: 9.8.0; it was compiled with: 9.10.0", ">=9.8,<10"),
        ("Minimum supported: 9.8.0", None),
        ("cudnn is not there", None),
    ],
)
def test_the_cudnn_that_a_build_asks_for(text, asked):
    assert cudnn_asked_for(text) == asked
    assert named_cudnn(said(text)) == asked
    commands = ("pip install --upgrade <CUDNN_PACKAGE>", "nvidia-smi")
    done = with_named_cudnn(commands, said(text))
    assert done == (commands if asked is None else (f'pip install "<CUDNN_PACKAGE>{asked}"', "nvidia-smi"))


def test_an_older_cudnn_has_no_package():
    text = "Loaded runtime CuDNN library: 7.1.2 but source was compiled with: 7.6.0."
    commands = ("pip install --upgrade <CUDNN_PACKAGE>", "nvidia-smi")
    assert with_named_cudnn(commands, said(text)) == ("nvidia-smi",)


@pytest.mark.parametrize(
    ("text", "requirement", "vision"),
    [
        (
            "PyTorch 2.2.1+cu121 with CUDA 1201",
            "torch==2.2.1+cu121",
            "torchvision==0.17.1+cu121",
        ),
        ("No matching distribution found for torch==2.6.0+cu124", "torch==2.6.0+cu124", "torchvision==0.21.0+cu124"),
        # There is no such build.
        ("PyTorch 2.2.1+cu117 with CUDA 1107", None, None),
        ("No matching distribution found for torch==2.6.0", None, None),
    ],
)
def test_the_build_that_is_named(text, requirement, vision):
    fix = named_build(said(text))
    assert (fix is None) is (requirement is None)
    if fix is not None:
        tag = requirement.rpartition("+")[2]
        index = f"https://download.pytorch.org/whl/{tag}"
        assert fix.steps[0].argv == ("python", "-m", "pip", "install", requirement, vision, "--index-url", index)
        assert fix.safety == "review"


@pytest.mark.parametrize(
    ("text", "package", "other"),
    [
        ("onnxruntime: libcudnn.so.9: cannot open shared object file", "nvidia-cudnn-cu12==9.*", "nvidia-cudnn-cu13"),
        ("ctranslate2: libcudnn_ops_infer.so.8: cannot open", "nvidia-cudnn-cu12==8.*", "nvidia-cudnn-cu11"),
        # Nobody asks, or one whose own releases decide.
        ("libcudnn.so.9: cannot open shared object file", None, None),
        ("tensorflow: libcudnn.so.8: cannot open shared object file", None, None),
        ("onnxruntime: libcudnn.so.7: cannot open shared object file", None, None),
    ],
)
def test_a_cudnn_for_which_nothing_tells_the_cuda(text, package, other):
    """Most drivers serve CUDA 12; what it is called for the other CUDA is said."""
    fix = named_library(said(text))
    assert (fix is None) is (package is None)
    if fix is not None:
        assert package in fix.steps[0].argv
        assert fix.steps[-1].text.endswith(f"the package is {other}.")
