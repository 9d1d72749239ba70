"""Conditions that refute causes, each by itself: the fact that holds, its bound, and what leaves it open."""

import pytest

from gpudoctor.diagnosis.condition import CONDITIONS
from gpudoctor.diagnosis.refutations import refutation
from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts.base import Source
from gpudoctor.facts.driver import Answer, Driver
from gpudoctor.facts.gpus import Gpu
from gpudoctor.facts.libraries import Toolkit, Toolkits
from gpudoctor.facts.live import Live, Symptom
from gpudoctor.facts.python import Framework
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Container, System
from gpudoctor.facts.versions import CudaVersion, DriverRelease
from tests.rules.situations import gpus
from tests.rules.stacks import RADEON, RTX_4090, RTX_5090, frameworks, libraries, resolution, toolkit, toolkits, torch

OK = Answer(outcome="answered", code=0, name="SUCCESS", device_count=1)


def holds(name, around=(), said=(), **sections):
    if said:
        symptoms = tuple(Symptom(signature=key, text=text) for key, text in said)
        sections["live"] = Live(symptoms=symptoms)
    return CONDITIONS[name](SnapshotView(Snapshot(**sections), around))


def driver(release=None, cuda=None, **facts):
    return {"driver": Driver(release=release and DriverRelease(release), cuda=cuda and CudaVersion(cuda), **facts)}


def tf(version="2.10.1", cuda="11.2"):
    made = Framework(name="tensorflow", version=version, variant="cuda", cuda=cuda and CudaVersion(cuda))
    return {"frameworks": frameworks(made)}


def has(*versions):
    return {"frameworks": frameworks(*map(torch, versions))}


def mac(release, version="2.15.0"):
    return {"host": System(os="macos", distribution_version=release), **has(version)}


def made_for(variant, *cards):
    built = Framework(name="torch", version="2.6.0", variant=variant)
    return {"frameworks": frameworks(built), "gpus": gpus(*cards)}


def missing(*names):
    found = (resolution("tensorflow", name, "cudnn" if "cudnn" in name else "cublas") for name in names)
    return {"libraries": libraries(*found)}


ARC = Gpu(vendor="intel", name="Intel Arc A770")
SAID_TO_WORK = Answer(outcome="answered", code=0, source=Source(kind="report", where="nvidia-smi works"))
#: A condition, the facts, and what it says; None: it does not hold.
CASES = [
    ("macos-new-enough", mac("14.0"), "from macOS 14 on, and this is 14.0"),
    ("macos-new-enough", mac("13.9"), None),
    ("macos-new-enough", mac("14.0", "1.11.0"), None),
    ("macos-new-enough", mac(None), None),
    ("macos-new-enough", {"host": System(os="linux", distribution_version="24.04"), **has("2.15.0")}, None),
    ("tensorflow-has-its-toolkit", {**tf(), "toolkits": toolkits(toolkit("11.2"))}, "CUDA toolkit 11.2"),
    ("tensorflow-has-its-toolkit", {**tf(), "toolkits": toolkits(toolkit("11.8"))}, None),
    ("tensorflow-has-its-toolkit", {**tf(cuda=None), "toolkits": Toolkits(found=(Toolkit(root="x"),))}, None),
    ("tensorflow-has-its-toolkit", tf(), None),
    # Up to 11.0 each minor has names of its own.
    ("toolkit-of-another-cuda", {**tf(), "toolkits": toolkits(toolkit("12.4"))}, "the CUDA stated is 12.4"),
    ("toolkit-of-another-cuda", {**tf(), "toolkits": toolkits(toolkit("11.8"))}, None),
    ("toolkit-of-another-cuda", {**tf(), "toolkits": toolkits(toolkit("11.0"))}, "built with 11.2"),
    ("toolkit-of-another-cuda", {**tf("2.4.0", "11.0"), "toolkits": toolkits(toolkit("11.0"))}, None),
    ("toolkit-of-another-cuda", {**tf(), "toolkits": toolkits(toolkit("12.4"), toolkit("11.2"))}, None),
    ("toolkit-of-another-cuda", {**tf("1.14.0", "10.0"), "toolkits": toolkits(toolkit("10.1"))}, "built with 10.0"),
    ("toolkit-of-another-cuda", {**tf(), "toolkits": toolkits(toolkit("12.4")), **missing("libcudnn.so.8")}, None),
    (
        *("toolkit-of-another-cuda", {**tf(), "toolkits": toolkits(toolkit("12.4")), **missing("libcublas.so.11")}),
        "built with 11.2",
    ),
    ("toolkit-of-another-cuda", tf(), None),
    ("linked-to-another-toolkit", {**tf("1.13.1", "10.0"), "toolkits": toolkits(toolkit("9.0"))}, "built with 10.0"),
    ("linked-to-another-toolkit", {**tf("1.14.0", "10.0"), "toolkits": toolkits(toolkit("9.0"))}, None),
    ("tensorflow-misses-libraries", missing("libcublas.so.11"), "did not find libcublas.so.11"),
    ("tensorflow-misses-libraries", {"libraries": libraries()}, None),
    # The driver answers, and lists them; or it is said to work.
    ("nvml-lists-gpus", {**driver("535.54", nvml=OK), "gpus": gpus()}, "the driver 535.54 answers and lists 1 GPU"),
    ("nvml-lists-gpus", {**driver(nvml=OK), "gpus": gpus()}, "the driver answers and lists 1 GPU"),
    ("nvml-lists-gpus", driver("535.54", nvml=OK), None),
    ("nvml-lists-gpus", {**driver("535.54", nvml=Answer(outcome="answered", code=9)), "gpus": gpus()}, None),
    ("nvml-lists-gpus", driver(nvml=SAID_TO_WORK), "nvidia-smi is said to work"),
    # What the driver offers, or its release, against what was built.
    ("driver-serves-frameworks", {**driver(None, "12.4"), **has("2.6.0+cu124")}, "offers CUDA 12.4"),
    ("driver-serves-frameworks", {**driver(None, "12.2"), **has("2.6.0+cu124")}, None),
    ("driver-serves-frameworks", {**driver("525.60.13"), **has("2.6.0+cu124")}, None),
    ("driver-serves-frameworks", {**driver("527.41"), **has("2.6.0+cu124")}, "driver 527.41 runs"),
    (
        *("driver-serves-frameworks", {**driver("525.60.13"), **has("2.6.0+cu124"), "host": System(os="linux")}),
        "driver 525.60.13 runs what is built with CUDA 12.4",
    ),
    ("driver-serves-frameworks", {**driver("525.60.12"), **has("2.6.0+cu124"), "host": System(os="linux")}, None),
    ("driver-serves-frameworks", {**driver("550.54.14", "12.4"), **has("2.6.0+cpu")}, None),
    ("driver-serves-frameworks", driver("550.54.14", "12.4"), None),
    ("torch-built-for-this-maker", made_for("cuda", RTX_4090), "for this GPU's maker"),
    ("torch-built-for-this-maker", made_for("rocm", RADEON), "for this GPU's maker"),
    ("torch-built-for-this-maker", made_for("xpu", ARC), "for this GPU's maker"),
    ("torch-built-for-this-maker", made_for("cuda", RADEON), None),
    ("torch-built-for-this-maker", made_for("cuda", RTX_4090, RADEON), None),
    ("torch-built-for-this-maker", made_for("cpu", RTX_4090), None),
    ("torch-built-for-gpu", made_for("rocm", RADEON), "built for ROCm"),
    ("torch-built-for-gpu", made_for("cpu", RADEON), None),
    ("torch-not-built-for-rocm", made_for("cpu", RADEON), "built for the processor"),
    ("torch-not-built-for-rocm", made_for("rocm", RADEON), None),
    (
        *("another-image-has-gpu-code", {"container": Container(kind="docker", image="tensorflow/tensorflow:2.15.0")}),
        "the image with GPU code is tensorflow/tensorflow:2.15.0-gpu",
    ),
    ("another-image-has-gpu-code", {"container": Container(kind="docker")}, None),
    # All builds that are named compile for every GPU.
    (
        "named-builds-know-gpus",
        {"gpus": gpus(RTX_4090), "said": [("x", "a+cu121 a+cu118")]},
        "11.8 and 12.1",
    ),
    ("named-builds-know-gpus", {"gpus": gpus(RTX_5090), "said": [("x", "2.1.0+cu121")]}, None),
    ("named-builds-know-gpus", {"gpus": gpus(RTX_4090, RTX_5090), "said": [("x", "2.1.0+cu121")]}, None),
    ("named-builds-know-gpus", {"gpus": gpus(RTX_4090), "said": [("x", "2.1.0")]}, None),
    ("named-builds-know-gpus", {"said": [("x", "2.1.0+cu121")]}, None),
]


@pytest.mark.parametrize(("name", "sections", "words"), CASES)
def test_a_condition(name, sections, words):
    said = holds(name, **sections)
    assert said is None if words is None else words in (said or "")


def test_several_gpus_are_told_as_such():
    two = Answer(outcome="answered", code=0, device_count=2)
    assert holds("nvml-lists-gpus", **driver(nvml=two), gpus=gpus()).endswith("lists 2 GPUs")


@pytest.mark.parametrize(
    ("cause", "sections", "around", "words"),
    [
        # Of another system, or another maker's GPU.
        ("wsl1", {"host": System(os="macos")}, (), "this is macOS"),
        ("driver-too-old", {"gpus": gpus(RADEON)}, (), "the GPU is from AMD"),
        ("driver-too-old", {"gpus": gpus(RADEON, RTX_4090)}, (), None),
        ("driver-too-old", {}, (), None),
    ],
)
def test_what_rules_a_cause_out(cause, sections, around, words):
    said = refutation(cause, SnapshotView(Snapshot(**sections), around))
    assert said is None if words is None else words in (said or "")
