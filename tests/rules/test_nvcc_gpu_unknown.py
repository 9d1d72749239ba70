"""TLK007 nvcc-gpu-unknown: when it fires, when it is quiet, what it leaves open; and which toolkit a build takes."""

import pytest
from msgspec.structs import replace

from gpudoctor.facts.base import Gap
from gpudoctor.facts.live import Live, Symptom
from gpudoctor.facts.system import Container, Environ
from tests.rules.stacks import RTX_3090, RTX_4090, frameworks, stack, toolkit, toolkits, torch
from tests.rules.table import fires, judge, quiet, skips

RULE = "nvcc-gpu-unknown"
CU118 = frameworks(torch("2.1.2+cu118"))
FAILED_BUILD = Live(symptoms=(Symptom(signature="nvcc-unsupported-arch", text="nvcc fatal"),))
CU130 = frameworks(torch("2.9.0+cu130"))
CU117 = frameworks(torch("2.0.1+cu117"))


def with_default(version, card=RTX_4090, found=CU118, **variables):
    one = stack(card, frameworks=found, toolkits=toolkits(toolkit(version, is_default=True)))
    return one | {"environ": Environ(variables=variables)}


FIRES = {
    "older than the GPU": with_default("11.5"),
    "dropped what it is asked for": with_default("13.0", found=CU130, TORCH_CUDA_ARCH_LIST="6.1"),
    "asked for by name": with_default("11.5", RTX_3090, TORCH_CUDA_ARCH_LIST="8.6;8.9+PTX"),
}
QUIET = {
    "knows it": with_default("11.8"),
    "torch asks for no more than its own newest": with_default("11.5", found=CU117),
    "asked for less": with_default("11.5", TORCH_CUDA_ARCH_LIST="8.6+PTX"),
    "no toolkit": stack(RTX_4090, frameworks=CU118, toolkits=toolkits()),
    "a release of CUDA that the tables do not know": with_default("19.0"),
}
OPEN = {"toolkits not seen": stack(RTX_4090, frameworks=CU118) | {"toolkits": Gap(reason="not seen")}}


@pytest.mark.parametrize("machine", FIRES.values(), ids=FIRES)
def test_it_fires(machine):
    found = fires(RULE, **machine)
    assert found.severity == "info"
    assert found.fixes


def test_a_sign_of_a_build_makes_it_an_error():
    assert fires(RULE, **with_default("11.5"), live=FAILED_BUILD).severity == "error"


@pytest.mark.parametrize("machine", QUIET.values(), ids=QUIET)
def test_it_is_quiet(machine):
    quiet(RULE, **machine)


@pytest.mark.parametrize("machine", OPEN.values(), ids=OPEN)
def test_it_leaves_open_what_was_not_seen(machine):
    assert skips(RULE, **machine)


TORCH = frameworks(torch("2.6.0+cu124"))
OLD, FITTING = toolkit("11.8", is_default=True), toolkit("12.4")

DEBIAN = toolkit("11.8", "/usr/lib/cuda", origin="system")

#: What leads to the toolkit, and whether a build then takes the one of another major (11.8).
LEADS = {
    "a link's name in CUDA_HOME": (toolkits(OLD, cuda_home="/usr/local/cuda"), True),
    "a link's name on PATH": (toolkits(OLD, FITTING, nvcc_on_path="/usr/local/cuda/bin/nvcc"), True),
    "links followed": (toolkits(OLD, FITTING, cuda_home="/opt/x", build_root=FITTING.root), False),
    "CUDA_HOME before PATH": (toolkits(OLD, FITTING, cuda_home=FITTING.root, nvcc_on_path=OLD.nvcc), False),
    "the distribution's": (
        toolkits(DEBIAN, nvcc_on_path="/usr/bin/nvcc"),
        True,
    ),
    "no compiler in it": (
        toolkits(replace(OLD, nvcc=None)),
        False,
    ),
}


@pytest.mark.parametrize(("given", "other"), LEADS.values(), ids=LEADS)
def test_which_toolkit_a_build_takes(given, other):
    assert bool(judge("nvcc-torch-mismatch", **stack(RTX_4090, frameworks=TORCH, toolkits=given))) is other


def test_an_image_is_built_without_a_gpu():
    machine = stack(frameworks=TORCH, toolkits=toolkits(OLD))
    quiet("nvcc-torch-mismatch", **machine)
    fires("nvcc-torch-mismatch", **machine | {"container": Container(kind="docker")})


#: CUDA_HOME as it was set, what else is known, severity without a sign of a build, and what it is to be set to.
HOMES = {
    "a colon at the end": ("/usr/local/cuda:", False, "warning", "/usr/local/cuda"),
    "a list that begins with nothing": (":/usr/local/cuda:/usr/local/cuda-12.4", False, "warning", "/usr/local/cuda"),
    "its bin": ("/usr/local/cuda-12.4/bin", True, "warning", "/usr/local/cuda-12.4"),
    "a folder that is gone": ("/usr/local/cuda-10.1", False, "info", None),
    "a folder without a compiler": ("/opt/runtime", True, "info", None),
}


@pytest.mark.parametrize(("home", "exists", "severity", "meant"), HOMES.values(), ids=HOMES)
def test_a_variable_that_leads_to_no_compiler(home, exists, severity, meant):
    given = toolkits(toolkit("12.4", is_default=True), cuda_home=home, cuda_home_exists=exists)
    found = fires("cuda-home-missing", **stack(RTX_4090, frameworks=TORCH, toolkits=given))
    assert found.severity == severity
    assert home in found.summary
    values = [step.value for fix in found.fixes for step in fix.steps if hasattr(step, "value")]
    assert values == ([meant] if meant else [])


def test_gcc_that_is_too_old():
    for compiler, said in (("4.8.5", True), ("6.5.0", False), ("5.4.0", True)):
        given = toolkits(toolkit("11.7", is_default=True), compiler="/usr/bin/gcc", compiler_version=compiler)
        assert bool(judge("nvcc-gcc-too-new", **stack(RTX_3090, toolkits=given))) is said
