"""Whole machines: one fault, one root cause, whatever else follows from it."""

from typing import Any

import pytest

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.facts.driver import Answer
from gpudoctor.facts.finding import Diagnosis
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Cpu, Environ, Space, System
from gpudoctor.facts.versions import DriverRelease
from gpudoctor.facts.wish import Requirement, Wish
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.rules.load import load_rules
from tests.rules.broken_machines import BUS_ONLY, MACHINES, NO_DEVICE
from tests.rules.situations import (
    BARE,
    DOCKER,
    KERNEL,
    UBUNTU,
    answer,
    driver,
    gpu,
    gpus,
    libraries,
    module_file,
    unlisted,
    unloaded,
)

#: The families whose rules are judged here.
FAMILIES = ("driver", "gpu", "container", "environ", "host", "performance")
RULES = tuple(rule for rule in load_rules() if rule.check.__module__.split(".")[2] in FAMILIES)
NEEDS_GPU = Wish(requirements=(Requirement(subject="gpu", text="gpu"),))


def diagnosis(wish: Wish | None = None, **sections: Any) -> Diagnosis:
    given = {"host": UBUNTU, "container": BARE, "environ": Environ(), "frameworks": None, "live": None} | sections
    judged = diagnose(Snapshot(**given), load_matrix(), RULES, wish)
    assert not judged.crashed, judged.crashed
    assert not judged.skipped, judged.skipped
    return judged


def roots(**sections: Any) -> list[str]:
    return [finding.name for finding in diagnosis(**sections).root_causes]


@pytest.mark.parametrize(("sections", "cause"), MACHINES.values(), ids=MACHINES)
def test_one_fault_has_one_root_cause(sections, cause):
    assert roots(**sections) == [cause]


@pytest.mark.parametrize(("sections", "cause"), MACHINES.values(), ids=MACHINES)
def test_a_required_gpu_does_not_hide_the_cause(sections, cause):
    judged = diagnosis(NEEDS_GPU, **sections)
    expected = "gpu-required" if cause == "no-gpu" or (sections["gpus"] is None and cause != "wsl1") else cause
    assert expected in [finding.name for finding in judged.root_causes]
    if sections["gpus"] is not None:
        assert "gpu-required" not in [finding.name for finding in judged.root_causes]


def test_a_healthy_machine_has_no_findings():
    roomy = System(
        os="linux",
        kernel=KERNEL,
        arch="x86_64",
        libc="glibc",
        libc_version="2.39",
        cpu=Cpu(cores=16, flags=("avx", "avx2")),
        spaces=(Space(path="/tmp", purpose="temp", free=50 * 1024**3, total=100 * 1024**3),),
    )
    assert not diagnosis(host=roomy, gpus=gpus(), driver=driver()).findings


def test_an_old_driver_that_lists_an_old_gpu_is_no_fault():
    """Kepler on 470, Pascal on 580: the last branches serve them."""
    kepler = gpu(name="Tesla K80", pci_id="10de:102d", capability=None)
    pascal = gpu(name="NVIDIA GeForce GTX 1080 Ti", pci_id="10de:1b06", capability=None)
    assert not roots(gpus=gpus(kepler), driver=driver("470.256.02"))
    assert not roots(gpus=gpus(pascal), driver=driver("580.65.06"))


def test_what_nvml_lists_is_believed_more_than_the_tables():
    assert not roots(gpus=gpus(gpu(pci_id="10de:1b80", capability=None)), driver=driver("590.48.01"))


def test_a_driver_that_was_not_asked_is_no_finding():
    assert not roots(gpus=gpus(), driver=driver(nvml=None, cuda_init=None))


def test_only_the_gpus_that_a_container_was_given_count():
    two = gpus(gpu(0), unlisted(pci_bus_id="0000:09:00.0"))
    assert not roots(container=DOCKER, gpus=two, driver=driver())
    assert roots(container=BARE, gpus=two, driver=driver()) == ["rm-init-failed"]


def test_a_gpu_of_a_virtual_machine_is_not_ours():
    assert roots(gpus=gpus(gpu(0), unlisted(bound_driver="vfio-pci")), driver=driver()) == ["gpu-passed-through"]
    only = diagnosis(gpus=gpus(unlisted(bound_driver="vfio-pci")), driver=None).root_causes
    assert [(one.name, one.severity) for one in only] == [("gpu-passed-through", "error")]


@pytest.mark.parametrize("code", [*range(1, 31), 999])
def test_no_answer_but_success_is_called_healthy(code):
    given = {"gpus": BUS_ONLY, "driver": driver(nvml=answer(code), cuda_init=NO_DEVICE)}
    findings = diagnosis(**given).findings
    assert any(finding.severity == "error" for finding in findings), code


@pytest.mark.parametrize("code", [1, 2, 3, 34, 46, 100, 101, 214, 304, 801, 802, 803, 804, 805, 999])
def test_no_cuda_answer_but_success_is_called_healthy(code):
    findings = diagnosis(gpus=gpus(), driver=driver(cuda_init=answer(code))).findings
    assert any(finding.severity == "error" for finding in findings), code


@pytest.mark.parametrize("outcome", ["no-library", "crashed", "timed-out", "stuck", "garbage"])
@pytest.mark.parametrize("who", ["nvml", "cuda_init"])
def test_no_silence_is_called_healthy(who, outcome):
    findings = diagnosis(gpus=gpus(), driver=driver(**{who: Answer(outcome=outcome)})).findings
    # Without NVML alone, CUDA programs run.
    expected = "warning" if (who, outcome) == ("nvml", "no-library") else "error"
    assert expected in [finding.severity for finding in findings]


def test_the_release_in_two_numbers_is_not_taken_for_another():
    short = driver("570.124", libraries=libraries("570.124.06"), nvml=None, cuda_init=None)
    assert not roots(gpus=gpus(), driver=short)


def test_driver_release_without_a_loaded_module_is_read_from_its_file():
    machine = {"gpus": gpus(unlisted(pci_id="10de:1b80", bound_driver="none"))}
    found = unloaded(module_files=(module_file(release="590.48.01"),), libraries=libraries("590.48.01"))
    assert DriverRelease("590.48.01") == found.module_files[0].release
    assert roots(**machine, driver=found) == ["driver-dropped-gpu"]
