"""The verdict never says healthy while something it needs was not seen."""

import msgspec
import pytest

from gpudoctor.diagnosis.missing_facts import unseen_facts
from gpudoctor.diagnosis.verdict import report_of
from gpudoctor.facts.base import Gap
from gpudoctor.facts.driver import Answer, Driver
from gpudoctor.facts.finding import Crash, Diagnosis, Finding
from gpudoctor.facts.gpus import Gpu, Gpus, Refusal
from gpudoctor.facts.libraries import Libraries, Resolution
from gpudoctor.facts.python import Framework, Frameworks, Interpreter, Packages
from gpudoctor.facts.snapshot import Doctor, Snapshot
from gpudoctor.facts.system import Container, Environ, Slurm, System
from gpudoctor.facts.versions import Capability, CudaVersion, DriverRelease
from gpudoctor.knowledge.matrix.load import load_matrix

OK = Answer(outcome="answered", code=0)
TORCH = Framework(name="torch", version="2.6.0+cu124", variant="cuda", cuda=CudaVersion("12.4"))


WALKED = Resolution(framework="torch", soname="libcudart.so.12", wanted_by="/x/libtorch_cuda.so", how="linked")


def snapshot(**changes):
    """A machine of which everything needed was seen, with some sections changed."""
    sections = {
        "host": System(os="linux", arch="x86_64"),
        "container": None,
        "gpus": Gpus(devices=(Gpu(vendor="nvidia", index=0, name="RTX 4090", capability=Capability("8.9")),)),
        "driver": Driver(release=DriverRelease("535.161.07"), cuda=CudaVersion("12.2"), nvml=OK, cuda_init=OK),
        "environ": Environ(),
        "interpreter": Interpreter(executable="/usr/bin/python3", chosen_by="PATH", version="3.11.7"),
        "packages": Packages(),
        "frameworks": Frameworks(found=(TORCH,)),
        "toolkits": None,
        "libraries": Libraries(resolutions=(WALKED,)),
    }
    return Snapshot(**{**sections, **changes})


def finding(severity):
    return Finding(code="DRV001", name="x", severity=severity, summary="x.")


def test_everything_seen_and_clean_is_healthy():
    assert unseen_facts(snapshot()) == ()
    assert report_of(snapshot(), Diagnosis()).verdict == "healthy"


GAP = Gap(reason="it was locked")
NO_ANSWER = Answer(outcome="timed-out")


@pytest.mark.parametrize(
    "changes",
    [
        {"host": GAP},
        {"container": GAP},
        {"toolkits": GAP},
        {"gpus": GAP},
        {"driver": GAP},
        {"environ": GAP},
        {"interpreter": GAP, "packages": GAP, "frameworks": GAP, "libraries": GAP},
        {"packages": GAP},
        {"frameworks": GAP},
        {"libraries": GAP},
        {"packages": Packages(overlaps=GAP)},
        {"packages": Packages(damaged=GAP)},
        {"gpus": Gpus(devices=(Gpu(vendor="nvidia", index=0, name="unheard of"),))},
        {"driver": Driver(nvml=OK, cuda_init=OK)},
        {"driver": Driver(release=DriverRelease("535.1"), nvml=NO_ANSWER, cuda_init=OK)},
        {"driver": Driver(release=DriverRelease("535.1"), nvml=OK, cuda_init=NO_ANSWER)},
        {"driver": Driver(release=DriverRelease("535.1"), nvml=OK)},
        {"frameworks": Frameworks(found=(Framework(name="torch", version="2.6.0"),))},
        {"frameworks": Frameworks(found=(Framework(name="torch", variant="cuda", cuda=CudaVersion("12.4")),))},
        {"frameworks": Frameworks(found=(Framework(name="tensorflow", version="2.16.1", variant="cuda"),))},
    ],
)
def test_a_fact_that_was_not_seen_is_never_healthy(changes):
    report = report_of(snapshot(**changes), Diagnosis())
    assert report.verdict == "incomplete"
    assert report.exit_code == 3
    assert all(report.unseen)


def test_a_build_whose_gpu_code_nobody_knows_is_never_healthy():
    matrix = load_matrix()
    known = Framework(name="torch", version="2.6.0+cu124", variant="cuda", cuda=CudaVersion("12.4"))
    of_the_future = Framework(name="torch", version="9.9.0+cu124", variant="cuda", cuda=CudaVersion("12.4"))
    told_by_its_file = Framework(
        name="torch", version="9.9.0+cu124", variant="cuda", cuda=CudaVersion("12.4"), archs=("sm_90",)
    )
    newest = Framework(name="torch", version=matrix.newest("torch"), variant="cuda", cuda=CudaVersion("12.4"))
    assert not [
        one for one in unseen_facts(snapshot(frameworks=Frameworks(found=(newest,))), matrix) if "tables" in one
    ]
    for torch, verdict in ((known, "healthy"), (of_the_future, "incomplete"), (told_by_its_file, "healthy")):
        seen = snapshot(frameworks=Frameworks(found=(torch,)), host=System(os="linux", arch="x86_64"))
        assert report_of(seen, Diagnosis(), matrix=matrix).verdict == verdict, torch


@pytest.mark.parametrize(
    ("severity", "fail_on", "verdict", "code"),
    [
        ("error", "error", "findings", 1),
        ("warning", "error", "healthy", 0),
        ("warning", "warning", "findings", 1),
        ("info", "warning", "healthy", 0),
        ("info", "info", "findings", 1),
    ],
)
def test_fail_on(severity, fail_on, verdict, code):
    report = report_of(snapshot(), Diagnosis(findings=(finding(severity),)), fail_on=fail_on)
    assert (report.verdict, report.exit_code) == (verdict, code)


def test_no_gpu_is_fine():
    report = report_of(snapshot(gpus=None, driver=None), Diagnosis())
    assert (report.verdict, report.exit_code) == ("no-gpu", 0)


def test_our_own_bug_is_no_verdict():
    crash = Diagnosis(crashed=(Crash(code="DRV001", traceback="…"),))
    assert report_of(snapshot(), crash).exit_code == 4
    doctor = Doctor(version="0", crashes=("…",))
    assert report_of(snapshot(doctor=doctor), Diagnosis()).exit_code == 4


def test_a_gpu_that_refused_to_answer_is_not_told_of_twice():
    refused = Refusal(call="nvmlDeviceGetName", code=15, name="NVML_ERROR_GPU_IS_LOST")
    lost = Gpus(devices=(Gpu(vendor="nvidia", index=0, refusals=(refused,)),))
    assert unseen_facts(snapshot(gpus=lost)) == ()
    assert unseen_facts(snapshot(gpus=Gpus(devices=(Gpu(vendor="nvidia", index=0),)))) != ()


JOB = Container(kind="none", slurm=Slurm(in_job=True))


@pytest.mark.parametrize(
    ("container", "bound", "is_seen"),
    [
        (Container(kind="none"), "vfio-pci", True),
        (Container(kind="docker"), "nvidia", True),
        (JOB, "nvidia", True),
        (Container(kind="none"), "nvidia", False),
        (Container(kind="none", slurm=Slurm(in_job=False)), "nvidia", False),
        (Container(), "nvidia", False),
        (None, "nvidia", False),
    ],
)
def test_a_gpu_that_was_given_to_others_need_not_be_seen(container, bound, is_seen):
    ours = Gpu(vendor="nvidia", index=0, capability=Capability("8.9"))
    other = Gpu(vendor="nvidia", pci_bus_id="0000:02:00.0", bound_driver=bound)
    seen = unseen_facts(snapshot(gpus=Gpus(devices=(ours, other)), container=container))
    assert (seen == ()) == is_seen
    alone = unseen_facts(snapshot(gpus=Gpus(devices=(other,)), container=container))
    assert (alone == ()) == (bound == "vfio-pci")


def test_a_jetson_without_nvml_lacks_nothing():
    driver = Driver(cuda=CudaVersion("11.4"), nvml=Answer(outcome="no-library"), cuda_init=OK)
    assert unseen_facts(snapshot(driver=driver, host=System(tegra="R35"))) == ()
    assert unseen_facts(snapshot(driver=driver, host=System())) != ()
    hung = Driver(cuda=CudaVersion("11.4"), nvml=Answer(outcome="timed-out"), cuda_init=OK)
    assert unseen_facts(snapshot(driver=hung, host=System(tegra="R36"))) != ()
    mute = Driver(cuda=CudaVersion("11.4"), nvml=Answer(outcome="no-library"))
    assert unseen_facts(snapshot(driver=mute, host=System(tegra="R35"))) != ()


def test_a_build_whose_gpu_code_is_gone_is_not_healthy():
    """The version says what it was built for; that says nothing of files that are not there."""
    torch = Framework(name="torch", version="2.6.0+cu124", variant="cuda", cuda=CudaVersion("12.4"))
    plugin = Framework(name="jax-cuda-plugin", version="0.6.0", variant="cuda", cuda=CudaVersion("12.0"))
    for one in (torch, msgspec.structs.replace(torch, name="tensorflow", version="2.20.0"), plugin):
        gone = Frameworks(found=(msgspec.structs.replace(one, code_files=False),))
        told = [fact for fact in unseen_facts(snapshot(frameworks=gone)) if "GPU code" in fact]
        assert told == [f"the GPU code of {one.label}: the files that hold it are not there"]
        there = Frameworks(found=(msgspec.structs.replace(one, code_files=True),))
        assert not [fact for fact in unseen_facts(snapshot(frameworks=there)) if "GPU code" in fact]


def test_a_build_of_which_neither_files_nor_libraries_were_seen_is_not_healthy():
    nobody = snapshot(libraries=Libraries(resolutions=()))
    assert unseen_facts(nobody) == ("the GPU code of torch 2.6.0+cu124: its files were not seen",)
    assert report_of(nobody, Diagnosis()).verdict == "incomplete"


def test_a_loader_walk_that_leads_nowhere_is_not_seen():
    torch = Framework(name="torch", version="2.6.0+cu124", variant="cuda", cuda=CudaVersion("12.4"), code_files=True)

    def told(libraries, framework=torch, os="linux"):
        seen = snapshot(
            frameworks=Frameworks(found=(framework,)), libraries=libraries, host=System(os=os, arch="x86_64")
        )
        found = unseen_facts(seen)
        return [fact for fact in found if "which libraries" in fact]

    assert told(Libraries(resolutions=())) == ["which libraries torch 2.6.0+cu124 loads: its files do not say"]
    assert not told(Libraries(resolutions=(WALKED,)))
    assert told(Libraries(resolutions=None)) == ["which libraries torch 2.6.0+cu124 loads: nobody looked"]
    assert not told(Libraries(resolutions=None), os="windows"), "there is no such walk on Windows"
    assert not told(Libraries(resolutions=()), msgspec.structs.replace(torch, code_files=None))
    assert not told(Libraries(resolutions=()), msgspec.structs.replace(torch, version="1.8.0+cu111"))
