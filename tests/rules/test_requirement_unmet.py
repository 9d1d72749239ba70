"""requirement-unmet: what pip check sees, and who is left out of it."""

import pytest
from msgspec import structs

from gpudoctor.facts.base import Gap
from gpudoctor.facts.fix import Ask, Run
from gpudoctor.facts.python import Framework, Packages, Unmet
from tests.rules.stacks import frameworks, interpreter, packages, stack, tensorflow, torch
from tests.rules.table import fires, quiet, skips

PIP = "/home/me/env/bin/python -m pip install"


def unmet(package: str, requirement: str, wanted: str, found: str | None = None, *others: str, **fields) -> Unmet:
    return Unmet(package=package, requirement=requirement, wanted=wanted, found=found, others=others, **fields)


def environment(*conflicts: Unmet, installer: str | None = "pip", **installers: str) -> Packages:
    names = dict.fromkeys(name for one in conflicts for name in (one.package, one.requirement))
    found = packages(*(f"{name}==1.0" for name in names), unmet=conflicts)
    by = tuple(structs.replace(one, installer=installers.get(one.name, installer)) for one in found.installed)
    return structs.replace(found, installed=by)


NUMBA = unmet("numba", "numpy", "<2.1,>=1.22", "2.4.6")
FIRES = {
    "one version suits all": (NUMBA, f"{PIP} numpy<2.1,>=1.22"),
    "so it does with what others ask": (
        unmet("numba", "numpy", "<2.1", "2.4.6", ">=1.26", "!=1.26.2"),
        f"{PIP} numpy<2.1,>=1.26,!=1.26.2",
    ),
    "missing": (unmet("pandas", "pytz", ">=2020.1"), f"{PIP} pytz>=2020.1"),
    "what a framework needs later": (unmet("tensorflow", "tensorboard", "~=2.15", "2.10"), f"{PIP} tensorboard~=2.15"),
    "what goes with JAX, for the JAX that is there": (
        unmet("flax", "jax", ">=0.6.0", "0.4.30"),
        f"{PIP} flax>=0.8.5,<0.10.5 jax==0.4.30",
    ),
    "none known for that JAX": (unmet("flax", "jax", ">=0.6.0", "0.2.1"), None),
    "none suits all": (unmet("numba", "numpy", "<2.1", "2.4.6", ">=2.3"), None),
    "the build is another rule's": (unmet("fastai", "torch", "<2.5", "2.6.0"), None),
    "a framework older than asked for": (unmet("transformers", "torch", ">=2.2", "1.13.1"), None),
    "unreadable bounds": (unmet("old", "numpy", "<2.1", "2.4.6", ">=what"), None),
}


@pytest.mark.parametrize(("conflict", "command"), FIRES.values(), ids=FIRES)
def test_fires(conflict: Unmet, command: str | None) -> None:
    found = fires("requirement-unmet", **stack(packages=environment(conflict), frameworks=frameworks(TENSORFLOW)))
    (fix,) = found.fixes
    commands = [" ".join(step.argv) for step in fix.steps if isinstance(step, Run)]
    assert (found.severity, commands) == ("warning", [command] if command else [])
    assert command or (fix.safety, type(fix.steps[0])) == ("manual", Ask)


TENSORFLOW = tensorflow("2.15.1", None)
STRAY = unmet("a", "b", ">=1", files="/site/b/__init__.py")
QUIET = {
    "nothing": environment(),
    "conda says elsewhere what it needs": environment(NUMBA, installer="conda"),
    "the system's own": environment(NUMBA, installer="debian"),
    "open: who installed it is not known": environment(NUMBA, installer=None),
    "what starts a framework, and is too old": environment(unmet("tensorflow", "wrapt", ">=1.15", "1.14")),
    "the builds of companions": environment(unmet("torchvision", "torch", "==2.5.1", "2.6.0")),
    "CUDA libraries": environment(unmet("x", "nvidia-cublas-cu12", "==12.4", "12.6")),
    "only the record is gone": environment(STRAY),
    "its namesake serves": environment(unmet("tf-keras", "tensorflow", ">=2.15")),
    "open: a part of a list": structs.replace(environment(unmet("pandas", "pytz", "")), excerpt=True),
}


@pytest.mark.parametrize("has", QUIET.values(), ids=QUIET)
def test_quiet(has: Packages) -> None:
    known = frameworks(TENSORFLOW, torch(), Framework(name="torchvision", dist="torchvision", version="0.20.1"))
    quiet("requirement-unmet", **stack(packages=has, frameworks=known))


def test_all_are_one_finding_with_one_command() -> None:
    has = environment(NUMBA, unmet("pandas", "pytz", ">=2020.1"), unmet("old", "numpy", "<2.2", "2.4.6", "<2.1,>=1.22"))
    found = fires("requirement-unmet", **stack(packages=has))
    (fix,) = found.fixes
    (step,) = fix.steps
    assert isinstance(step, Run) and step.argv[-2:] == ("numpy<2.1,>=1.22", "pytz>=2020.1")
    assert len(found.evidence) == 3


def test_a_framework_and_its_part_ask_for_one_release() -> None:
    has = environment(unmet("optax", "jax", ">=0.5.3", "0.4.30"), unmet("optax", "jaxlib", ">=0.5.3", "0.4.30"))
    (fix,) = fires("requirement-unmet", **stack(packages=has)).fixes
    (step,) = fix.steps
    assert isinstance(step, Run) and step.argv[-3:] == ("optax>=0.2.3,<0.2.6", "jax==0.4.30", "jaxlib==0.4.30")


def test_the_installer_of_what_is_changed() -> None:
    by_uv = interpreter(made_by="uv", pip_version=None)
    found = fires("requirement-unmet", **stack(on=by_uv, packages=environment(NUMBA, installer="uv")))
    assert found.fixes[0].steps[0].argv[:3] == ("uv", "pip", "install")
    in_conda = interpreter(environment="conda", prefix="/c")
    found = fires("requirement-unmet", **stack(on=in_conda, packages=environment(NUMBA, numpy="conda")))
    assert found.fixes[0].steps[0].argv[:4] == ("conda", "install", "--prefix", "/c")


def test_open_without_the_frameworks() -> None:
    has = {**stack(packages=environment(NUMBA)), "frameworks": Gap(reason="not looked at")}
    assert skips("requirement-unmet", **has)
    assert skips("requirement-unmet", **{**has, "packages": Gap(reason="no permission")})
