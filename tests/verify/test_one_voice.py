"""What check, fix, triage, fit and plan print as commands passes `verify` under the same facts.

A sample; all of it with GPUDOCTOR_ALL_VOICES=1 (and GPUDOCTOR_VOICES=N machines for the solver).
"""

import os
import random
from pathlib import Path

import pytest

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.examine.judging import criteria_of
from gpudoctor.examine.tickets import read_input, subject_of
from gpudoctor.examine.triage import ticket
from gpudoctor.facts.fix import Run, SetEnv
from gpudoctor.facts.plan import Place
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import System
from gpudoctor.facts.versions import Capability, DriverRelease, LibraryVersion
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.matrix.offer_types import BaseImage
from gpudoctor.plan.demand import parse_demand
from gpudoctor.plan.install import plan_install
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.nvidia_libraries import link_steps
from gpudoctor.plan.pairing import fit_with_extras
from gpudoctor.report.commands import step_lines
from gpudoctor.report.projects import dockerfile_text
from gpudoctor.report.scripts import install_script
from gpudoctor.rules.load import load_rules
from gpudoctor.verify.given import given_of
from gpudoctor.verify.verdict import Given, Verdicts
from gpudoctor.verify.verify import verify
from tests.cases.load import cases

MATRIX, RULES = load_matrix(), load_rules()
EVERY = 1 if os.environ.get("GPUDOCTOR_ALL_VOICES") else 12
MACHINES = int(os.environ.get("GPUDOCTOR_VOICES", "60"))
PASTED = sorted(path for path in (Path(__file__).parents[1] / "tickets" / "pasted").iterdir() if path.is_file())
CASES = {case.id: case for case in cases()}

DRIVERS = {
    "linux": ("418.87", "450.80.02", "470.223.02", "510.47", "525.60.13", "535.183.01", "550.54.14", "580.65.06"),
    "windows": ("452.39", "471.41", "528.33", "531.61", "551.61", "572.16", "581.15"),
}
GPUS = ("3.7", "5.2", "6.1", "7.0", "7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "12.0")
WISHES = (
    ("torch",),
    ("torch", "torchvision", "torchaudio"),
    ("torch==2.1.0", "torchvision"),
    ("torch<2", "torchvision"),
    ("torch", "xformers"),
    ("torch", "bitsandbytes"),
    ("torch", "triton"),
    ("torch", "tensorflow"),
    ("tensorflow",),
    ("tensorflow<2.11",),
    ("tensorflow", "keras"),
    ("jax",),
    ("torch", "jax"),
)


def against(found: Verdicts) -> list[tuple[str, str, str]]:
    """What speaks against it; a part that is there already does no harm beside one that is not."""
    if found.word not in ("does not fit", "does nothing"):
        return []
    return [(one.command, one.word, one.because) for one in found.found if one.word == found.word]


def lines_of(steps, *, windows: bool) -> str:
    typed = (step for step in steps if isinstance(step, Run | SetEnv))
    return "\n".join(line for step in typed for line in step_lines(step, windows=windows))


def is_windows(snapshot: Snapshot) -> bool:
    return isinstance(snapshot.host, System) and snapshot.host.os == "windows"


@pytest.mark.parametrize("name", sorted(CASES)[::EVERY])
def test_fixes_of_a_case(name):
    snapshot = CASES[name].snapshot()
    given = given_of(snapshot, MATRIX)
    for finding in diagnose(snapshot, MATRIX, RULES).findings:
        for fix in finding.fixes:
            text = lines_of(fix.steps, windows=is_windows(snapshot))
            assert not against(verify(text, given, MATRIX)), (finding.code, fix.title)


#: Cases in which a fix was once refused by verify.
ONCE = (
    "027-driver470-vs-cu121-fooocus",
    "284-bnb-torch118-system-cuda123",
    "443-bnb-039-cuda122",
    "540-windows-torch240-libomp140",
    "749-jaxlib-cudnn89-beside-torch24",
    "778-windows-cu114-index-does-not-exist",
)


@pytest.mark.parametrize("name", ONCE)
def test_fixes_that_once_contradicted(name):
    test_fixes_of_a_case(name)


@pytest.mark.parametrize("path", PASTED[::EVERY], ids=lambda path: path.name)
def test_remedies_of_a_ticket(path):
    judged = ticket(str(path), criteria_of((), (), (), None))
    if judged.error is not None:
        return
    snapshot = subject_of(read_input(str(path)), MATRIX).snapshot
    given = given_of(snapshot, MATRIX)
    typed = [lines_of(fix.steps, windows=is_windows(snapshot)) for one in judged.findings for fix in one.fixes]
    typed += [lines_of(one.steps, windows=is_windows(snapshot)) for one in judged.remedies]
    typed += [command for one in judged.remedies for command in one.commands if "<" not in command]
    for text in typed:
        assert not against(verify(text, given, MATRIX)), text


def test_what_the_solver_proposes():
    chance = random.Random(20261122)
    for _ in range(MACHINES):
        machine = random_machine(chance)
        wish = chance.choice(WISHES)
        found = fit_with_extras(machine, parse_demand(wish), MATRIX)
        commands = [(one.command, linked(one.proposals)) for one in found.environments]
        commands += [(one.command, linked((one,))) for one in found.alternatives]
        for command, links in commands:
            text = "\n".join(step_lines(Run(argv=command), windows=machine.os == "windows")) + links
            verdicts = verify(text, Given(machine=machine), MATRIX)
            assert verdicts.word == "fits", (machine, text, against(verdicts))


def linked(proposals) -> str:
    steps = [step for one in proposals for step in link_steps(one.links, "env/lib/python3/site-packages")]
    return "".join(f"\n{line}" for step in steps for line in step_lines(step))


#: What is planned for a GPU, as the file that `plan` writes, and whether a link belongs to it.
FILES = [("12.0", "tensorflow", True), ("8.9", "tensorflow==2.21.0", True), ("8.9", "torch", False)]


@pytest.mark.parametrize(("gpu", "wish", "is_linked"), FILES)
@pytest.mark.parametrize("form", ["dockerfile", "shell"])
def test_a_planned_file_fits_and_without_its_link_does_not(gpu, wish, is_linked, form):
    machine = Machine(
        driver=DriverRelease("580.65.06"), capabilities=(Capability(gpu),), python="3.12", platform="linux-x86_64"
    )
    place = Place(python="python3.12", venv="env", version="3.12")
    plan = plan_install(machine, parse_demand((wish,)), MATRIX, place=place)
    image = BaseImage(image="python:3.12", python="3.12", platforms=(), source="", checked="", confidence="official")
    text = dockerfile_text(plan, "x", image) if form == "dockerfile" else install_script(plan, "x")

    def judged(lines: str) -> list[str]:
        found = verify(lines, Given(machine=machine), MATRIX, "Dockerfile" if form == "dockerfile" else None).found
        return [one.word for one in found if one.subject.startswith(wish.partition("=")[0])]

    assert judged(text) == ["fits"]
    without = "\n".join(line for line in text.splitlines() if "libcusolver.so.11" not in line or line[:1] == "#")
    assert judged(without) == (["does not fit"] if is_linked else ["fits"])


def random_machine(chance: random.Random) -> Machine:
    system = chance.choice(("linux", "linux", "windows", "macos"))
    platforms = {"linux": ("linux-x86_64", "linux-aarch64"), "windows": ("windows-x86_64",), "macos": ("macos-arm64",)}
    return Machine(
        driver=DriverRelease(chance.choice(DRIVERS[system])) if system in DRIVERS else None,
        capabilities=(Capability(chance.choice(GPUS)),) if system in DRIVERS else (),
        python=chance.choice(("3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14")),
        platform=chance.choice(platforms[system]),
        libc="glibc" if system == "linux" else None,
        libc_version=LibraryVersion(chance.choice(("2.17", "2.31", "2.35", "2.39"))) if system == "linux" else None,
    )
