"""Why a framework does not list a GPU: the first reason that holds, with the finding that is about it."""

import pytest

from gpudoctor.diagnosis.visibility import computes, why_hidden
from gpudoctor.facts.driver import Answer, Driver
from gpudoctor.facts.finding import Finding
from gpudoctor.facts.gpus import MigInstance
from gpudoctor.facts.live import AgentRun, DeviceList, Stage, Thrown
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Container
from gpudoctor.knowledge.causes import all_causes
from tests.rules.situations import gpu, unlisted
from tests.rules.stacks import RADEON, frameworks, libraries, resolution, tensorflow, torch

WORKS = {"driver": Driver(cuda_init=Answer(outcome="answered", code=0, name="SUCCESS"))}
REFUSED = {"driver": Driver(cuda_init=Answer(outcome="answered", code=999, name="UNKNOWN"))}
CPU_BUILD = {"frameworks": frameworks(torch("2.6.0+cpu"))}
CPU_TENSORFLOW = {"frameworks": frameworks(tensorflow(cuda=None))}
PARTS = (MigInstance(uuid="MIG-1"), MigInstance(uuid="MIG-2"))
#: A finding whose cause hides a GPU, by the reason.
BY_REASON = {one.hides_gpu: name for name, one in all_causes().items() if one.hides_gpu}


def listed(framework="torch", **facts):
    return DeviceList(framework=framework, **{"devices": (), **facts})


def finding(name, code="FRM001", summary="torch is it.", **facts):
    return Finding(code=code, name=name, severity="error", summary=summary, **facts)


def missing(*names):
    return {"libraries": libraries(*(resolution("torch", name, "cublas") for name in names))}


def why(one, by, *findings, masked=False, **sections):
    return why_hidden(Snapshot(**{**WORKS, **sections}), one, by, findings, masked=masked)


@pytest.mark.parametrize(
    ("one", "by", "sections", "reason"),
    [
        (
            gpu(),
            listed(),
            CPU_BUILD,
            "the installed torch is built for the CPU only",
        ),
        (gpu(), listed(built_with_cuda=False), {}, "built for the CPU only"),
        (gpu(), listed(built_with_rocm=True), {}, "built for GPUs of AMD"),
        (RADEON, listed(built_with_cuda=True), {}, "built for GPUs of NVIDIA"),
        (RADEON, listed(built_with_rocm=True), {}, "torch does not list it; why is not known"),
        (gpu(), listed(built_with_cuda=True), {}, "torch does not list it; why is not known"),
        (gpu(), listed(), {"driver": None}, "there is no NVIDIA driver"),
        (RADEON, listed(), {"driver": None}, "torch does not list it"),
        (gpu(bound_driver="vfio-pci"), listed(), {}, "reserved for a virtual machine"),
        (gpu(), listed(), REFUSED, "the CUDA driver answers UNKNOWN"),
        (gpu(), listed(), {"driver": Driver(cuda_init=Answer(outcome="not-asked"))}, "torch does not list it"),
        (unlisted(), listed(), {"container": Container(kind="docker")}, "it was not given to this container"),
        (unlisted(), listed(), {"container": Container(kind="none")}, "torch does not list it"),
        (gpu(), listed(), {"container": Container(kind="docker")}, "torch does not list it"),
        (gpu(), listed(), missing("libcublas.so.12"), "torch does not find libcublas.so.12"),
        (gpu(), listed(), missing("libcublas.so.12", "libcudnn.so.9"), "libcublas.so.12 and 1 more"),
        (gpu(mig_enabled=True, mig_instances=()), listed(), {}, "divided (MIG): it has no part yet"),
        (
            gpu(mig_enabled=True, mig_instances=PARTS),
            listed(),
            {},
            "only its 2 parts can be used",
        ),
        (gpu(mig_enabled=False, mig_instances=()), listed(), {}, "torch does not list it"),
        # Keras leaves computing to its backend.
        (
            gpu(),
            listed("keras"),
            CPU_TENSORFLOW,
            "the installed tensorflow is built",
        ),
        (
            gpu(),
            listed("keras", backend="torch"),
            CPU_BUILD,
            "the installed torch",
        ),
    ],
)
def test_the_first_reason_that_holds(one, by, sections, reason):
    state, said = why(one, by, **sections)
    assert state == "hidden"
    assert reason in said


def test_the_mask():
    assert why(gpu(), listed(), masked=True) == ("hidden", "CUDA_VISIBLE_DEVICES leaves it out")


def test_what_could_not_tell_hides_nothing():
    state, said = why(gpu(), listed(devices=None), masked=True)
    assert state == "unknown"
    assert said.startswith("torch could not tell: ")


def test_the_finding_about_it_is_named():
    cpu = CPU_BUILD
    about = finding(BY_REASON["cpu"], "FRM001", "Torch is for the CPU.")
    assert why(gpu(), listed(), about, **cpu)[1].endswith("built for the CPU only (FRM001)")
    other = finding(BY_REASON["cpu"], "FRM002", "TensorFlow is for the CPU.")
    assert why(gpu(), listed(), other, **cpu)[1].endswith("built for the CPU only")
    mask = finding(BY_REASON["mask"], "ENV001", "The variable is set.")
    assert why(gpu(), listed(), mask, masked=True)[1].endswith("leaves it out (ENV001)")


def test_else_the_gravest_finding_that_no_other_explains():
    late, follows = finding("smoke-failed", "SMK001"), finding("a", "DRV001", because_of=("DRV002",))
    mild = Finding(code="GPU001", name="b", severity="warning", summary="b.")
    cause = finding("c", "LIB001")
    assert "the likely cause is LIB001 c" in why(gpu(), listed(), late, follows, mild, cause)[1]
    assert "why is not known" in why(gpu(), listed(), late, follows, mild)[1]


def test_else_what_it_says_itself():
    stages = (
        Stage(name="a", outcome="passed"),
        Stage(name="b", outcome="failed", error=Thrown(type="RuntimeError", text="No GPU.\nMore.")),
    )
    run = AgentRun(framework="torch", task="devices", ending="finished", stages=stages)
    assert why(gpu(), listed(run=run))[1] == "torch does not list it and says: RuntimeError: No GPU."


@pytest.mark.parametrize(
    ("by", "name"),
    [
        (listed("keras"), "tensorflow"),
        (listed("keras", backend="jax"), "jax"),
        (listed("jax", backend="gpu"), "jax"),
        (listed("torch"), "torch"),
    ],
)
def test_the_framework_that_computes(by, name):
    assert computes(by) == name
