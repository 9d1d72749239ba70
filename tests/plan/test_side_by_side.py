"""Whatever is printed: no command brings two of NVIDIA's libraries that own the same files into one environment."""

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.facts.finding import Diagnosis
from gpudoctor.facts.fix import Fix, Run
from gpudoctor.facts.scene import Scene
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.merge import plan_of
from gpudoctor.plan.recipes import framework_for_gpus
from gpudoctor.rules.load import load_rules
from tests.rules.stacks import (
    GTX_1080_TI,
    H100,
    RTX_4090,
    RTX_5090,
    T4,
    frameworks,
    interpreter,
    jax,
    jax_plugin,
    libraries,
    packages,
    resolution,
    stack,
    tensorflow,
    torch,
)

MATRIX = load_matrix()
HERE = "/home/me/env/bin/python"
#: Of these CUDA 12 and 13 have the same files under another name (RECORD of the wheels on the package index, 2026-11).
SHARED = ("nvidia-cudnn", "nvidia-nccl", "nvidia-cusparselt", "nvidia-nvshmem")
CARDS = {"1080 Ti": GTX_1080_TI, "T4": T4, "4090": RTX_4090, "H100": H100, "5090": RTX_5090}
DRIVERS = ("525.60.13", "550.54.15", "570.86.10", "580.65.06", "595.45.04")

#: What is installed of a framework: its facts, its distributions, the CUDA major of its libraries.
TORCH = {
    "no torch": ((), (), None),
    "torch cpu": ((torch("2.13.0+cpu"),), ("torch==2.13.0+cpu",), None),
    "torch cu124": ((torch("2.6.0+cu124"),), ("torch==2.6.0+cu124",), 12),
    "torch cu126": ((torch("2.13.0+cu126"),), ("torch==2.13.0+cu126",), 12),
    "torch cu130": ((torch("2.13.0+cu130"),), ("torch==2.13.0+cu130",), 13),
}
TENSORFLOW = {
    "no tensorflow": ((), (), None),
    "tensorflow cpu": (
        (tensorflow("2.21.0", None, dist="tensorflow-cpu"),),
        ("tensorflow-cpu==2.21.0",),
        None,
    ),
    "tensorflow 2.18": ((tensorflow("2.18.1"),), ("tensorflow==2.18.1",), 12),
    "tensorflow 2.20": ((tensorflow("2.20.0"),), ("tensorflow==2.20.0",), 12),
}
JAX = {
    "no jax": ((), (), None),
    "jax cpu": ((jax("0.10.2"),), ("jax==0.10.2", "jaxlib==0.10.2"), None),
    "jax new cpu": ((jax("0.12.0"),), ("jax==0.12.0", "jaxlib==0.12.0"), None),
    "jax cuda12": (
        (jax("0.12.0", None), jax_plugin("0.12.0", 12)),
        ("jax==0.12.0", "jaxlib==0.12.0", "jax-cuda12-plugin==0.12.0", "jax-cuda12-pjrt==0.12.0"),
        12,
    ),
    "jax cuda13": (
        (jax("0.12.0", None), jax_plugin("0.12.0", 13)),
        ("jax==0.12.0", "jaxlib==0.12.0", "jax-cuda13-plugin==0.12.0", "jax-cuda13-pjrt==0.12.0"),
        13,
    ),
}


def parts_of(combination):
    return [table[name] for table, name in zip((TORCH, TENSORFLOW, JAX), combination, strict=True)]


def machine(combination, card, release, python="3.12.4", **fields):
    """One environment with these frameworks and their libraries; None where it could not be made without harm."""
    parts = parts_of(combination)
    majors = {major for _, _, major in parts if major}
    if len(majors) > 1:
        return None
    libraries = [f"{name}-cu{major}==9.10.2.21" for major in majors for name in SHARED]
    found = frameworks(*(one for of, _, _ in parts for one in of))
    dists = packages(*(name for _, of, _ in parts for name in of), *libraries)
    target = interpreter(python, **fields)
    return stack(CARDS[card], release=release, on=target, frameworks=found, packages=dists)


def carried_out(fixes: list[Fix], installed: set[str]) -> None:
    """The commands of some fixes, one after the other: each must keep the peace in the environment it acts in."""
    places = {HERE: set(installed)}
    for fix in fixes:
        for step in fix.steps:
            if not isinstance(step, Run) or step.argv[1:3] != ("-m", "pip"):
                continue
            place, words = places.setdefault(step.argv[0], set()), step.argv[4:]
            if step.argv[3] == "uninstall":
                place -= set(words)
            else:
                place |= brought(words)
                assert not overlapping(place), (step.argv, sorted(place))


def brought(words) -> set[str]:
    text = " ".join(words)
    majors = set()
    if match := re.search(r"\btorch==\S+.*--index-url \S+/whl/cu(\d+)\d\b", text):
        majors.add(match.group(1))
    majors |= set(re.findall(r"\bjax\[cuda(\d+)\]", text))
    named = {match.group(1) for word in words if (match := re.match(r"(nvidia-[a-z]+-cu\d+)", word))}
    if match := re.search(r"tensorflow\[and-cuda\]==(\S+)", text):
        (row,) = MATRIX.tensorflow_builds(match.group(1), "linux-x86_64", "tensorflow")
        named |= {re.split(r"[<>=]", one)[0] for one in row.and_cuda}
    return named | {f"{name}-cu{major}" for major in majors for name in SHARED}


def overlapping(names: set[str]) -> set[str]:
    return {base for base in SHARED if sum(name.startswith(f"{base}-cu") for name in names) > 1}


def kept_apart(sections) -> None:
    installed = {one.name for one in sections["packages"].installed}
    diagnosis: Diagnosis = diagnose(Snapshot(**sections), MATRIX, load_rules())
    assert not diagnosis.crashed
    for finding in diagnosis.findings:
        for fix in finding.fixes:
            carried_out([fix], installed)
    # What check prints, one after the other; and the plan, as it is and for all notes.
    carried_out([finding.fixes[0] for finding in diagnosis.findings if finding.fixes], installed)
    for codes in ((), [finding.code for finding in diagnosis.findings]):
        plan = plan_of(diagnosis, codes)
        carried_out([one.fix for one in plan.fixes], installed)
        carried_out([one.fix for one in reversed(plan.fixes)], installed)


@pytest.mark.parametrize("release", DRIVERS)
@pytest.mark.parametrize("card", CARDS)
def test_every_pair_of_frameworks_on_every_machine(card, release):
    for combination in itertools.product(TORCH, TENSORFLOW, JAX):
        absent = sum(name.startswith("no ") for name in combination)
        if absent == 1 and (sections := machine(combination, card, release)) is not None:
            kept_apart(sections)


@given(
    st.sampled_from(sorted(itertools.product(TORCH, TENSORFLOW, JAX))),
    st.sampled_from(sorted(CARDS)),
    st.sampled_from(DRIVERS),
    st.sampled_from(("3.10.4", "3.11.9", "3.12.4", "3.13.0")),
    st.sampled_from(("venv", "conda", "system")),
)
def test_three_frameworks_of_any_python(combination, card, release, python, environment):
    sections = machine(combination, card, release, python, environment=environment)
    if sections is not None:
        kept_apart(sections)


def recipe(name, sections, version=None):
    fields = ("host", "container", "gpus", "driver", "interpreter", "packages")
    fix = framework_for_gpus(name, Scene(**{field: sections[field] for field in fields}), MATRIX, version)
    return [" ".join(step.argv) for step in fix.steps if isinstance(step, Run)]


def test_jax_beside_a_torch_that_becomes_cuda_13():
    both = machine(("torch cpu", "tensorflow cpu", "jax cpu"), "4090", "580.65.06")
    assert "/whl/cu130" in recipe("torch", both, "2.13.0+cpu")[-1]
    assert recipe("jax", both, "0.10.2")[-1].endswith("jax[cuda13]==0.10.2")
    assert "-m venv" in recipe("tensorflow", both)[0]


def test_jax_takes_the_cuda_of_torch():
    for name, major in (("torch cu126", 12), ("torch cu130", 13)):
        (command,) = recipe("jax", machine((name, "no tensorflow", "jax new cpu"), "4090", "580.65.06"), "0.12.0")
        assert command.endswith(f"-m pip install --upgrade jax[cuda{major}]==0.12.0")


def test_torch_takes_the_cuda_of_jax():
    commands = recipe("torch", machine(("torch cpu", "no tensorflow", "jax cuda12"), "4090", "580.65.06"), "2.13.0+cpu")
    assert commands[-1].endswith("torch==2.13.0+cu126 --index-url https://download.pytorch.org/whl/cu126")


def test_libraries_for_another_cuda_leave_with_the_torch_that_brought_them():
    """Taking torch away leaves its libraries behind, and the next ones would overwrite them."""
    remove, bring = recipe(
        "torch", machine(("torch cu130", "no tensorflow", "no jax"), "4090", "550.54.15"), "2.13.0+cu130"
    )
    assert {f"{name}-cu13" for name in SHARED} <= set(remove.split())
    assert bring.endswith("/whl/cu126")


@pytest.mark.parametrize(("version", "beside"), [("2.14.1", "torch cu126"), ("2.18.1", "torch cu130")])
def test_a_tensorflow_that_lacks_its_libraries_does_not_take_those_of_torch(version, beside):
    sections = machine((beside, "no tensorflow", "no jax"), "4090", "580.65.06", "3.11.9")
    of, names = sections["frameworks"].found, [f"{one.name}=={one.version}" for one in sections["packages"].installed]
    lacking = [resolution("tensorflow", f"libcudnn.so.{8 if version < '2.18' else 9}", "cudnn")]
    sections |= {
        "frameworks": frameworks(*of, tensorflow(version)),
        "packages": packages(*names, f"tensorflow=={version}"),
        "libraries": libraries(*lacking),
    }
    assert any(one.fixes for one in diagnose(Snapshot(**sections), MATRIX, load_rules()).findings)
    kept_apart(sections)
