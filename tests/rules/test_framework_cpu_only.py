"""FRM027 framework-cpu-only: when it fires, when it is quiet, and what it cannot judge."""

import pytest

from gpudoctor.facts.base import Gap
from tests.rules.stacks import JETSON, MACOS, RTX_4090, frameworks, paddle, stack, torch
from tests.rules.table import fires, quiet, skips

RULE = "framework-cpu-only"
CPU = frameworks(paddle("3.3.1", cuda=None))
FIRES = {
    "the CPU package": stack(RTX_4090, frameworks=CPU),
    "on an older driver": stack(RTX_4090, release="470.256.02", frameworks=CPU),
    "beside a CPU-only torch": stack(RTX_4090, frameworks=frameworks(paddle(cuda=None), torch("2.6.0+cpu"))),
}
QUIET = {
    "the GPU package": stack(RTX_4090, frameworks=frameworks(paddle("2.6.2", cuda="11.8"))),
    "no GPU": stack(frameworks=CPU),
    "another framework": stack(RTX_4090, frameworks=frameworks(torch("2.6.0+cpu"))),
    "macOS": stack(RTX_4090, frameworks=CPU, host=MACOS),
    "a Jetson": stack(RTX_4090, frameworks=CPU, host=JETSON),
    "a build that is not known": stack(RTX_4090, frameworks=frameworks(paddle(cuda=None, variant=None))),
}
OPEN = {
    "no GPUs seen": stack(frameworks=CPU) | {"gpus": Gap(reason="not seen")},
    "no frameworks seen": stack(RTX_4090) | {"frameworks": Gap(reason="not seen")},
}


@pytest.mark.parametrize("machine", FIRES.values(), ids=FIRES)
def test_it_fires(machine):
    finding = fires(RULE, **machine)
    assert finding.severity == "error"
    assert finding.fixes[0].safety == "manual"


@pytest.mark.parametrize("machine", QUIET.values(), ids=QUIET)
def test_it_is_quiet(machine):
    quiet(RULE, **machine)


@pytest.mark.parametrize("machine", OPEN.values(), ids=OPEN)
def test_it_leaves_open_what_was_not_seen(machine):
    assert skips(RULE, **machine)


def test_it_is_a_note_where_another_framework_uses_the_gpu():
    found = frameworks(paddle(cuda=None), torch("2.6.0+cu124"))
    assert fires(RULE, **stack(RTX_4090, frameworks=found)).severity == "info"


@pytest.mark.parametrize(
    ("release", "tags"),
    [
        ("580.65.06", {"cu130", "cu129", "cu126", "cu118"}),
        ("535.183.01", {"cu129", "cu126", "cu118"}),
        ("470.256.02", {"cu118"}),
    ],
)
def test_the_indexes_are_those_of_a_cuda_that_the_driver_serves(release, tags):
    fix = fires(RULE, **stack(RTX_4090, release=release, frameworks=CPU)).fixes[0]
    told = " ".join(step.text for step in fix.steps)
    assert {tag for tag in ("cu130", "cu129", "cu126", "cu118") if f"/stable/{tag}/" in told} == tags


def test_what_holds_for_every_framework_holds_for_paddle():
    built = frameworks(paddle("2.6.2", cuda="11.8"))
    finding = fires("driver-too-old", **stack(RTX_4090, release="440.100", frameworks=built))
    assert "450.80.02" in " ".join(one.value for one in finding.evidence)
    assert "paddle" in finding.subject
    quiet("driver-too-old", **stack(RTX_4090, frameworks=built))
    newer = fires("release-not-in-matrix", **stack(RTX_4090, frameworks=frameworks(paddle("9.0.0"))))
    assert "3.3.1" in newer.summary
    quiet("release-not-in-matrix", **stack(RTX_4090, frameworks=built))
