"""Fixes that a message names itself."""

import pytest

from gpudoctor.diagnosis.named_in_messages import named_build, named_library
from gpudoctor.facts.live import Live, Symptom
from gpudoctor.facts.snapshot import Snapshot

LIBRARIES = {
    "Library cublas64_11.dll is not found or cannot be loaded": "nvidia-cublas-cu11",
    "libcublas.so.12: cannot open shared object file": "nvidia-cublas-cu12",
    "Could not load cudart64_110.dll": "nvidia-cuda-runtime-cu11",
    "libcudart.so.13: cannot open shared object file": "nvidia-cuda-runtime",
    # One name for several CUDAs, one before there were packages, and TensorFlow's own way.
    "libcusolver.so.11: cannot open shared object file": None,
    "libcudart.so.10.1: cannot open shared object file": None,
    "TensorFlow: libcublas.so.12: cannot open shared object file": None,
}


def said(text: str) -> Snapshot:
    return Snapshot(live=Live(symptoms=(Symptom(signature="x", text=text),)))


@pytest.mark.parametrize(("text", "package"), LIBRARIES.items(), ids=LIBRARIES)
def test_the_package_of_the_library_that_is_named(text, package):
    fix = named_library(said(text))
    assert (fix.steps[0].argv[-1] if fix else None) == package


def test_the_build_that_xformers_was_made_for_with_its_torchvision():
    fix = named_build(said("PyTorch 2.1.2+cu121 with CUDA 1201 (you have 2.0.1+cu118)"))
    assert fix.steps[0].argv[4:6] == ("torch==2.1.2+cu121", "torchvision==0.16.2+cu121")
    assert fix.steps[0].argv[-1].endswith("/cu121")
    # No such build is known.
    assert named_build(said("PyTorch 2.1.2+cu999 with CUDA 1201 (you have 2.0.1)")) is None
