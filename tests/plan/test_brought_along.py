"""Frameworks that other packages bring along: which they are, what is asked for then, and whether they run here."""

import pytest

from gpudoctor.facts.versions import Capability, DriverRelease
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.brought_along import brought_along, cannot_run, frameworks_of, narrowed, unpinned
from gpudoctor.plan.demand import Demand, parse_demand
from gpudoctor.plan.machine import Machine

MATRIX = load_matrix()
DRY_RUN = ("Torch==2.6.0+cu124", "numpy==2.0", "torchvision==0.21.0", "jax", "keras==3.4")


def where(driver, *gpus, **facts):
    return Machine(
        driver=DriverRelease(driver),
        capabilities=tuple(map(Capability, gpus)),
        python="3.12",
        platform="linux-x86_64",
        **facts,
    )


def test_the_frameworks_and_what_is_made_for_one_torch():
    assert frameworks_of(DRY_RUN) == {"torch": "2.6.0", "torchvision": "0.21.0"}


@pytest.mark.parametrize(
    ("demand", "along"),
    [
        (parse_demand(("timm",), any_package=True), {"torch": "2.6.0", "torchvision": "0.21.0"}),
        (parse_demand(("torch",)), {"torchvision": "0.21.0"}),
        (parse_demand(("torchvision",)), {}),
        (Demand(files=("r.txt",), settled="r.txt has --no-index"), {}),
    ],
)
def test_what_nobody_asked_for(demand, along):
    assert brought_along(demand, DRY_RUN) == along


@pytest.mark.parametrize(
    ("demand", "exactly", "older"),
    [
        (parse_demand(("timm",), any_package=True), "==2.6.0", "<=2.6.0"),
        (parse_demand(("torch>=2",), "12"), ">=2,==2.6.0", ">=2,<=2.6.0"),
        (parse_demand(("torch==2.6.0",)), "==2.6.0", "==2.6.0,<=2.6.0"),
    ],
)
def test_the_release_that_the_installer_took_then_any_older_one(demand, exactly, older):
    found = list(narrowed(demand, {"torch": "2.6.0", "torchvision": "0.21.0"}))
    assert [one.wanted[0].specifier for one in found] == [exactly, older]
    assert all(one.wanted[0].companions == (("torchvision", ""),) for one in found), "that goes with its torch"
    assert all(one.others == demand.others for one in found)
    assert {one.wanted[0].cuda for one in found} == {demand.wanted[0].cuda if demand.wanted else None}


def test_what_is_for_the_processor_or_from_a_file_stays_that():
    asked = Demand(others=("timm",), cpu_only=True, files=("r.txt",), hashed=True)
    (one, _) = narrowed(asked, {"torch": "2.6.0"})
    assert (one.cpu_only, one.files, one.hashed) == (True, ("r.txt",), True)


def test_all_is_left_to_the_installer():
    asked = parse_demand(("timm", "torch>=2", "torchvision", "keras"), any_package=True)
    assert unpinned(asked) == Demand(others=("torch>=2", "torchvision", "keras", "timm"))


@pytest.mark.parametrize(
    ("installs", "machine", "said"),
    [
        (("torch==2.15.0", "numpy==2.0"), where("535.54", "8.9"), "torch 2.15.0+cu132: CUDA 13.2 needs driver 580"),
        (
            ("torch==2.15.0",),
            where("580.65.06", "6.1"),
            "torch 2.15.0+cu132: it has no code for compute capability 6.1",
        ),
        (("torch==2.6.0+cu124",), where("580.65.06", "12.0"), "torch 2.6.0+cu124: it has no code for"),
        (("jax==0.10.0", "jax-cuda13-plugin==0.10.0"), where("535.54", "8.9"), "jax[cuda13] 0.10.0: CUDA 13.0 needs"),
        (("torch==2.15.0",), where("580.65.06", "8.9"), None),
        (("torch==2.15.0+cpu", "numpy"), where("535.54", "8.9"), None),
        # The GPU is not known, or not to be used.
        (("torch==2.15.0",), where("535.54"), None),
        (("torch==2.15.0",), where("535.54", "8.9", cpu_only=True), None),
    ],
)
def test_what_comes_as_it_is_and_does_not_run_here(installs, machine, said):
    found = cannot_run(installs, machine, MATRIX)
    assert len(found) == (said is not None)
    assert said is None or said in found[0]
