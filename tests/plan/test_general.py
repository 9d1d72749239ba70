"""Builds from their makers' index, whose code nobody read: PaddlePaddle."""

import pytest

from gpudoctor.facts.versions import Capability, DriverRelease
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.answer import Wanted
from gpudoctor.plan.builds import builds_of
from gpudoctor.plan.general import why_no_code
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.solve import fit

MATRIX = load_matrix()
INDEX = "--index-url https://www.paddlepaddle.org.cn/packages/stable"


def paddle(driver, *gpus, platform="linux-x86_64", **facts):
    machine = Machine(
        driver=driver and DriverRelease(driver),
        capabilities=tuple(map(Capability, gpus)),
        python="3.12",
        platform=platform,
        **facts,
    )
    return fit(machine, (Wanted(framework="paddle"),), MATRIX)


@pytest.mark.parametrize(
    ("found", "tag"),
    [
        (paddle("580.65.06", "8.9"), "cu130"),
        (paddle("560.35.05", "8.9"), "cu129"),
        (paddle("580.65.06", "6.1"), "cu118"),
        (paddle("580.65.06", "8.9", platform="windows-x86_64"), "cu130"),
    ],
    ids=str,
)
def test_the_newest_cuda_that_serves_comes_from_the_makers(found, tag):
    (proposal,) = found.environments[0].proposals
    command = " ".join(proposal.command)
    assert command.endswith(f" -m pip install paddlepaddle-gpu=={proposal.version} {INDEX}/{tag}/")
    assert proposal.variant == tag
    assert "code" not in " ".join(reason.text for reason in proposal.why)
    assert "is not known here: its makers do not list it" in proposal.limits[0]


def test_the_one_for_the_processor_is_on_the_package_index():
    (proposal,) = paddle(None, cpu_only=True).environments[0].proposals
    assert " ".join(proposal.command) == f"python3.12 -m pip install paddlepaddle=={proposal.version}"
    assert proposal.limits == ()


@pytest.mark.parametrize(
    ("found", "constraint", "said"),
    [
        (paddle(None, "3.7"), "gpu", "has no code for compute capability 3.7"),
        (paddle("470.82.01", "3.7"), "driver", "driver 525.60.13 or newer"),
        (paddle("580.65.06", "8.9", platform="linux-aarch64"), "platform", "no GPU build for linux-aarch64"),
    ],
    ids=str,
)
def test_what_is_refused(found, constraint, said):
    (refusal,) = found.refusals
    assert refusal.constraint == constraint
    assert said in refusal.text


@pytest.mark.parametrize(
    ("variant", "gpu", "why"),
    [("cu130", "8.9", None), ("cu130", "7.0", "gpu"), ("cu129", "7.0", "unknown"), ("cu126", "7.5", None)],
)
def test_what_its_cuda_serves_is_not_ruled_out(variant, gpu, why):
    """It may have code for it, unless its makers name newer GPUs only."""
    build = next(one for one in builds_of("paddle", "linux-x86_64", MATRIX) if one.variant == variant)
    found = why_no_code(build, Capability(gpu), "it", MATRIX)
    assert (found and found[0]) == why
