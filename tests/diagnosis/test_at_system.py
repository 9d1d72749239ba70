"""Where the driver comes with the system's image, nobody is told to install its packages."""

import pytest
from msgspec.structs import replace

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.facts.fix import Run
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.report.commands import step_lines
from gpudoctor.rules.load import load_rules
from tests.rules.situations import answer, libraries, module_file, unlisted
from tests.whole import driver, gpu, machine

MIXED = driver("570.144", libraries=libraries("570.153.02"), nvml=answer(18), cuda_init=answer(803))


def first(snapshot):
    return next(one for one in diagnose(snapshot, load_matrix(), load_rules()).findings if one.severity == "error")


def on(name, kernel="6.14.6-109.fc42.x86_64", **sections):
    whole = machine(**sections)
    return replace(whole, host=replace(whole.host, distribution=name, pretty_name=name, kernel=kernel))


@pytest.mark.parametrize(
    ("name", "kernel", "command"),
    [
        ("bazzite", "6.14.6-109.bazzite.fc42.x86_64", "rpm-ostree rollback"),
        ("Fedora Linux 42 (Silverblue)", "6.14.6-300.fc42.x86_64", "rpm-ostree upgrade"),
        ("debian", "6.6.44-production+truenas", None),
        ("fedora", "6.14.6-300.fc42.x86_64", None),
    ],
)
def test_a_half_updated_image_is_gone_back_from(name, kernel, command):
    half = replace(MIXED, module_files=(module_file(kernel, "570.144"),))
    found = first(on(name, kernel, gpus=(unlisted(pci_id="10de:2484"),), driver=half))
    assert found.name == "drv-lib-mismatch"
    lines = [line for fix in found.fixes for step in fix.steps for line in step_lines(step)]
    if command is not None:
        assert command in lines and not any("Remove every NVIDIA driver" in line for line in lines)
    else:
        assert not any("rpm-ostree" in line for line in lines)


def test_a_branch_that_no_image_brings():
    """github.com/ublue-os/bazzite/issues/3972"""
    fermi = unlisted(pci_id="10de:1140", bound_driver="none")
    found = first(on("bazzite", gpus=(fermi,), driver=driver("580.119.02", nvml=answer(9))))
    assert found.name == "driver-dropped-gpu"
    lines = [line for fix in found.fixes for step in fix.steps for line in step_lines(step)]
    assert "rpm-ostree status" in lines and "rpm-ostree upgrade" not in lines
    assert any("no image has a branch older than 580" in line for line in lines)


def test_what_needs_no_root_stays():
    """A framework for the driver that is there is installed as anywhere."""
    from tests.whole import framework

    new = framework("torch", "2.9.1+cu130", dist="torch")
    sections = {"gpus": (gpu("NVIDIA GeForce RTX 3090", "8.6"),), "driver": driver("535.104.05"), "frameworks": (new,)}
    usual, here = first(on("fedora", **sections)), first(on("bazzite", **sections))
    assert usual.name == here.name == "driver-too-old"
    assert [fix for fix in usual.fixes if not fix.needs_root] == [fix for fix in here.fixes if not fix.needs_root]
    by_root = [fix for fix in here.fixes if fix.needs_root]
    assert len(by_root) == 1 and any(isinstance(step, Run) for step in by_root[0].steps)
    assert by_root[0].title == next(fix.title for fix in usual.fixes if fix.needs_root)
    assert by_root[0].driver == next(fix.driver for fix in usual.fixes if fix.needs_root)
