"""What is done about one cause: the rule's fix, a build for the GPU that is stated, or the record's own commands."""

import shlex

import pytest

from gpudoctor.diagnosis.ranking import Candidate
from gpudoctor.diagnosis.remedies import remedies
from gpudoctor.facts.base import Gap
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.finding import Finding
from gpudoctor.facts.fix import Ask, Fix, Run
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import System
from gpudoctor.facts.versions import CudaVersion, DriverRelease
from gpudoctor.rules.load import load_rules
from tests.rules.situations import gpus
from tests.rules.stacks import RTX_4090, RTX_5090, frameworks, interpreter, tensorflow, torch

RULES = load_rules()
LINUX = System(os="linux", arch="x86_64")
CPU_BUILD = frameworks(torch("2.6.0+cpu"))
PIP = "/home/me/env/bin/python -m pip install"
SITE = "https://download.pytorch.org/whl"


def remedy(key, snapshot=None, system="linux", fixes=(), around=()):
    finding = Finding(code="FRM001", name=key, severity="error", summary="x", fixes=fixes)
    candidate = Candidate(key=key, words="x", weight=0.9)
    return next(iter(remedies((candidate,), (finding,) if fixes else (), RULES, system, snapshot, around)), None)


def typed(made):
    """What is to be typed, one after the other."""
    return [*(shlex.join(one.argv) for one in made.steps if isinstance(one, Run)), *made.commands]


def stated(card=RTX_4090, release="535.183.01", cuda=None, found=CPU_BUILD, **sections):
    driver = Driver(release=release and DriverRelease(release), cuda=cuda and CudaVersion(cuda))
    given = {"gpus": gpus(card), "frameworks": found, "host": LINUX, "driver": driver, "interpreter": interpreter()}
    return Snapshot(**{**given, **sections})


@pytest.mark.parametrize(
    ("path", "system", "begins"),
    [
        ("/v/bin/python", "linux", "/v/bin/python -m pip cache purge"),
        ("/v b/bin/python", "linux", "'/v b/bin/python' -m pip cache purge"),
        ("python", "linux", "python -m pip cache purge"),
        ("C:\\Py\\python.exe", "windows", "C:\\Py\\python.exe -m pip cache purge"),
        ("C:\\Program Files\\python.exe", "windows", '& "C:\\Program Files\\python.exe" -m pip cache purge'),
        ("/c/py thon", "windows", '& "/c/py thon" -m pip cache purge'),
    ],
)
def test_the_python_that_is_stated_is_called(path, system, begins):
    made = remedy("disk-full", Snapshot(interpreter=interpreter("3.11.2", executable=path)), system)
    assert begins in made.commands


BY_HAND = Fix("Ask an administrator", "manual", (Ask(text="Do it."),))
TYPED_BY_HAND = Fix("Type it", "manual", (Run(argv=("x",)),))
SAFE = Fix("Install the build", "safe", (Run(argv=("pip", "install", "torch")),))
OWN_BUILD = f"{PIP} torch==2.6.0+cu124 torchvision==0.21.0+cu124 torchaudio==2.6.0+cu124 --index-url {SITE}/cu124"


@pytest.mark.parametrize(
    ("snapshot", "fixes", "last"),
    [
        (None, (SAFE,), "pip install torch"),
        (stated(), (SAFE,), "pip install torch"),
        # A build for what is stated is better than words.
        (stated(), (BY_HAND,), OWN_BUILD),
        (stated(), (BY_HAND, SAFE), OWN_BUILD),
        (stated(), (), OWN_BUILD),
        # Of the CUDA alone that the driver offers, or where no driver is stated.
        (
            *(stated(release=None, cuda="11.4"), ()),
            OWN_BUILD.replace("cu124", "cu118"),
        ),
        (stated(driver=Gap(reason="x")), (), OWN_BUILD.replace("cu124", "cu118")),
        # No GPU is stated, or nothing.
        (
            *(stated(gpus=Gap(reason="x"), driver=Gap(reason="x")), ()),
            f"{PIP} torch==2.6.0+cu124 torchvision==0.21.0 torchaudio==2.6.0 --index-url {SITE}/cu124",
        ),
        (None, (), f"python -m pip install <TORCH_TO_INSTALL> --index-url {SITE}/<CUDA_TAG>"),
        (None, (BY_HAND,), f"python -m pip install <TORCH_TO_INSTALL> --index-url {SITE}/<CUDA_TAG>"),
    ],
)
def test_a_build_in_place_of_the_one_for_the_processor(snapshot, fixes, last):
    assert typed(remedy("torch-cpu-only", snapshot, fixes=fixes))[-1] == last


@pytest.mark.parametrize(
    ("snapshot", "part"),
    [
        (stated(RTX_5090, "570.86.10", found=frameworks(torch("2.6.0+cu124"))), "torch==2.7.1+cu128"),
        # The framework that is there, whatever most have.
        (stated(RTX_5090, "580.65.06", found=frameworks(tensorflow("2.18.0"))), "'tensorflow[and-cuda]==2.21.0'"),
        (stated(RTX_5090, "570.86.10", found=frameworks(torch("2.6.0+cu124"), tensorflow())), "torch==2.7.1+cu128"),
    ],
)
def test_a_build_of_the_framework_that_is_there(snapshot, part):
    assert any(part in one for one in typed(remedy("arch-too-new-for-build", snapshot)))


def test_the_framework_that_a_text_is_about():
    bare = stated(RTX_5090, "570.86.10", found=None)
    about_jax = remedy("arch-too-new-for-build", bare, around=("about-jax",))
    assert "jax[cuda12]" in typed(about_jax)[-1]
    # One with GPU code of its own gets no build of PyTorch.
    assert typed(remedy("arch-too-new-for-build", bare, around=("about-another",))) == []
    assert "torch==" in typed(remedy("arch-too-new-for-build", bare))[-1]


def test_what_is_there_already_is_no_remedy():
    made = remedy("arch-too-new-for-build", stated(found=frameworks(torch("2.14.1+cu126"))))
    assert "Install a build that names your GPU's architecture" in made.say
    assert made.steps == ()


@pytest.mark.parametrize(
    ("fixes", "say", "commands"),
    [
        ((SAFE,), "Install the build", ["pip install torch"]),
        ((BY_HAND,), "Ask an administrator", []),
        # Who may not do the first has the second in full.
        ((BY_HAND, SAFE), "Ask an administrator. Or leave that as it is: Install the build", ["pip install torch"]),
        ((TYPED_BY_HAND, SAFE), "Type it", ["x"]),
        ((BY_HAND, TYPED_BY_HAND), "Ask an administrator", []),
    ],
)
def test_the_fix_of_a_rule(fixes, say, commands):
    made = remedy("nvidia-nodes-no-permission", stated(), fixes=fixes)
    assert made.say.startswith(say)
    assert typed(made) == commands


@pytest.mark.parametrize(
    ("around", "line"),
    [
        (("at-hosted",), "!pip install torch"),
        (("at-cell",), "!pip install torch"),
        ((), "pip install torch"),
    ],
)
def test_a_fix_as_it_is_typed_there(around, line):
    assert typed(remedy("torch-cpu-only", stated(), fixes=(SAFE,), around=around)) == [line]


def test_without_fix_page_and_record_there_is_no_remedy():
    assert remedy("no-such-cause") is None
    assert remedy("no-such-cause", fixes=(SAFE,)).say == "Install the build"
