"""What the solver proposes, installed on that machine, has no fault but those that the proposal names."""

import pytest

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.facts.driver import Answer
from gpudoctor.facts.python import Package, Packages
from gpudoctor.facts.versions import Capability, CudaVersion, DriverRelease
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.answer import Wanted
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.solve import fit
from gpudoctor.rules.load import load_rules
from tests import whole

MATRIX = load_matrix()
CARDS = {
    "Tesla K80": "3.7",
    "GeForce GTX 980": "5.2",
    "GeForce GTX 1080 Ti": "6.1",
    "Tesla V100-SXM2-16GB": "7.0",
    "Tesla T4": "7.5",
    "NVIDIA A100-SXM4-40GB": "8.0",
    "NVIDIA GeForce RTX 3090": "8.6",
    "NVIDIA GeForce RTX 4090": "8.9",
    "NVIDIA H100 PCIe": "9.0",
    "NVIDIA GeForce RTX 5090": "12.0",
}
DRIVERS = (
    "440.100", "450.80.02", "470.256.02", "525.60.13", "535.54.03", "550.54.14",
    "570.124.06", "580.65.06", "610.43.02",
)  # fmt: skip
WISHES = (
    ("torch",), ("tensorflow",), ("jax",),
    ("torch", "tensorflow"), ("torch", "jax"), ("tensorflow", "torch", "jax"),
)  # fmt: skip
PAIRS = ((), ("GeForce GTX 1080 Ti",), ("NVIDIA GeForce RTX 4090",))


def installed(place):
    """The frameworks and distributions that the pip command of a proposal leaves behind, as the probes tell of them."""
    frameworks, packages = [], []
    for proposal in place.proposals:
        torch = proposal.framework == "torch"
        version = f"{proposal.version}+{proposal.variant}" if torch else proposal.version
        dist = proposal.requirements[0].split("[")[0].split("==")[0]
        name = "jaxlib" if proposal.framework == "jax" else proposal.framework
        facts = {"dist": dist, "metadata_version": proposal.version, "variant": "cuda" if proposal.cuda else "cpu"}
        frameworks.append(whole.framework(name, version, **facts, cuda=proposal.cuda and CudaVersion(proposal.cuda)))
        packages.append(Package(name=dist, version=version))
        if proposal.framework == "jax":
            plugins = [f"jax-{proposal.variant}-{part}" for part in ("plugin", "pjrt")] if proposal.cuda else []
            packages += [Package(name=one, version=proposal.version) for one in ("jaxlib", *plugins)]
    bounded = any(text.startswith("numpy<2") for text in place.command)
    old = bounded or any(
        MATRIX.works_with_numpy2(one.framework, one.version, "linux") is False for one in place.proposals
    )
    packages.append(Package(name="numpy", version="1.26.4" if old else "2.2.6"))
    return frameworks, tuple(packages)


def after(machine, cards, place):
    """The machine with an environment of the answer installed."""
    frameworks, packages = installed(place)
    gpus = [whole.gpu(card, CARDS[card], index=index) for index, card in enumerate(cards)]
    answered = Answer(outcome="answered", code=0, device_count=len(cards))
    newest = Capability("7.5") <= min(machine.capabilities)
    driver = whole.driver(
        str(machine.driver),
        nvml=answered,
        cuda_init=answered,
        module_flavour="open" if newest and machine.driver.branch >= 560 else "proprietary",
    )
    snapshot = whole.machine(gpus, driver, frameworks, python=f"{machine.python}.1")
    facts = {name: getattr(snapshot, name) for name in snapshot.__struct_fields__}
    return type(snapshot)(**{**facts, "packages": Packages(installed=packages)})


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("card", CARDS)
def test_every_proposal_is_healthy(card, driver):
    checked = 0
    for beside in PAIRS:
        cards = (card, *beside)
        for python in ("3.9", "3.12"):
            machine = Machine(
                driver=DriverRelease(driver),
                capabilities=tuple(Capability(CARDS[one]) for one in cards),
                python=python,
                platform="linux-x86_64",
            )
            for wish in WISHES:
                found = fit(machine, tuple(Wanted(framework=name) for name in wish), MATRIX)
                for place in found.environments:
                    healthy(after(machine, cards, place), place)
                    checked += 1
                if found.refusals and found.refusals[0].framework == "driver":
                    return
    assert checked or found.refusals


def healthy(snapshot, place):
    diagnosis = diagnose(snapshot, MATRIX, load_rules())
    assert not diagnosis.crashed
    said = any("first start is slow" in limit for proposal in place.proposals for limit in proposal.limits)
    bad = [
        (one.name, one.summary)
        for one in diagnosis.findings
        if one.severity != "info" and not (one.name == "ptx-jit-slow-start" and said)
    ]
    assert not bad, ([one.build for one in place.proposals], bad)
