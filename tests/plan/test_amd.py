"""Which builds fit AMD's GPUs."""

import pytest

from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.plan import Place
from gpudoctor.facts.scene import Scene
from gpudoctor.knowledge.matrix.amd import gfx_of, gfx_of_gpu, rocm_builds
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.amd import fit_amd
from gpudoctor.plan.answer import Wanted
from gpudoctor.plan.demand import parse_demand
from gpudoctor.plan.fit_range import fit_range
from gpudoctor.plan.install import Refused, plan_install
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.this_machine import machine_here, with_amd_gpus
from tests.rules.situations import UBUNTU
from tests.rules.situations import gpu as nvidia_gpu

LINUX = "linux-x86_64"
MATRIX = load_matrix()
NEWEST = rocm_builds("torch", MATRIX)[0]


@pytest.mark.parametrize(
    ("name", "gfx"),
    [
        ("RX 7900 XTX", "gfx1100"),
        ("AMD Radeon RX 7900 XTX", "gfx1100"),
        ("rx7900xtx", "gfx1100"),
        ("MI300X", "gfx942"),
        ("AMD Instinct MI250X", "gfx90a"),
        ("Radeon RX 6600", "gfx1032"),
        ("Ryzen AI Max+ 395", "gfx1151"),
        ("gfx1201", "gfx1201"),
        # The list of PCI devices names the chip, and all that is made with it.
        ("Navi 23 [Radeon RX 6600/6600 XT/6600M]", "gfx1032"),
        ("Navi 21 [Radeon RX 6800/6800 XT / 6900 XT]", "gfx1030"),
        ("Phoenix1", None),
        # XT and XTX are two products, and no name stands for several architectures.
        ("RX 7900", None),
        ("RTX 4090", None),
    ],
)
def test_the_architecture_of_a_product(name, gfx):
    assert gfx_of(name, MATRIX) == gfx


def fitted(gfx, specifier="", **machine):
    found = fit_amd(
        Machine(gfx=(gfx,), **{"platform": LINUX, **machine}), (Wanted(framework="torch", specifier=specifier),), MATRIX
    )
    return found.environments[0].proposals[0].build if found.environments else None


@pytest.mark.parametrize(
    ("gfx", "specifier", "build"),
    [
        ("gfx1100", "", f"torch {NEWEST.version}+{NEWEST.variant}"),
        ("gfx1201", "", f"torch {NEWEST.version}+{NEWEST.variant}"),
        ("gfx1100", "==2.5.1", "torch 2.5.1+rocm6.2"),
        # The code for it came with 2.7.
        ("gfx1102", "==2.5.1", None),
        ("gfx1102", "<2.8", "torch 2.7.1+rocm6.3"),
        # The libraries of a newer ROCm have none for it.
        ("gfx906", "", "torch 2.9.1+rocm6.3"),
        ("gfx1032", "", None),
        ("gfx803", "", None),
    ],
)
def test_the_newest_build_with_code_for_it(gfx, specifier, build):
    assert fitted(gfx, specifier) == build


@pytest.mark.parametrize("machine", [{"platform": "windows-x86_64"}, {"platform": "linux-aarch64"}, {"python": "3.6"}])
def test_where_there_is_no_wheel(machine):
    assert fitted("gfx1100", **machine) is None


def test_the_command_names_the_build_and_its_index():
    (place,) = fit_amd(
        Machine(gfx=("gfx942",), platform=LINUX, python="3.12"),
        (Wanted(framework="torch", specifier="==2.8.0", companions=(("torchvision", ""),)),),
        MATRIX,
    ).environments
    assert place.command == (
        *("python3.12", "-m", "pip", "install", "torch==2.8.0+rocm6.4", "torchvision==0.23.0+rocm6.4"),
        *("--index-url", "https://download.pytorch.org/whl/rocm6.4"),
    )


def test_another_way_where_the_makers_own_index_has_it():
    (refusal,) = fit_amd(Machine(gfx=("gfx1032",), platform=LINUX), (Wanted(framework="torch"),), MATRIX).refusals
    assert "torch[device-gfx1032]" in " ".join(refusal.elsewhere)
    (refusal,) = fit_amd(Machine(gfx=("gfx803",), platform=LINUX), (Wanted(framework="torch"),), MATRIX).refusals
    assert not refusal.elsewhere


def test_a_plugin_that_is_not_there_is_not_asked_for():
    """jax 0.12.0.1 asks for a plug-in of its own number, which there is none of."""
    (place,) = fit_amd(Machine(gfx=("gfx942",), platform=LINUX), (Wanted(framework="jax"),), MATRIX).environments
    assert place.command[-1] == "jax[rocm7-local]==0.12.0"


def test_the_range_of_builds_for_an_amd_gpu():
    span = fit_range(Machine(gfx=("gfx1102",), platform=LINUX), Wanted(framework="torch"), MATRIX, None)
    assert span is not None and span.oldest.version == "2.7.0" and span.newest.version == NEWEST.version


def test_an_old_build_gets_the_numpy_it_was_compiled_for():
    (place,) = fit_amd(
        Machine(gfx=("gfx1100",), platform=LINUX), (Wanted(framework="torch", specifier="==2.1.2"),), MATRIX
    ).environments
    assert place.command[4:] == (
        *("torch==2.1.2+rocm5.6", "numpy<2"),
        *("--extra-index-url", "https://download.pytorch.org/whl/rocm5.6"),
    )


def test_companions_have_the_builds_of_the_torch_they_came_with():
    """torchaudio 2.11.0 came with torch 2.11.0 and has its builds (ROCm 7.1, 7.2); torchvision 0.29.2 with 2.15.0."""
    wanted = Wanted(framework="torch", specifier="==2.14.1", companions=(("torchvision", ""), ("torchaudio", "")))
    (place,) = fit_amd(Machine(gfx=("gfx1100",), platform=LINUX), (wanted,), MATRIX).environments
    assert place.proposals[0].requirements == ("torch==2.14.1", "torchvision==0.29.1", "torchaudio==2.11.0")
    assert place.proposals[0].variant == "rocm7.2"


NAVI_31 = "Navi 31 [Radeon RX 7900 XT/7900 XTX/7900 GRE/7900M]"
CARD = Gpu(vendor="amd", name=NAVI_31)
GRAPHICS = Gpu(vendor="amd", architecture="gfx1036")
OLD = Gpu(vendor="amd", architecture="gfx803")


@pytest.mark.parametrize(
    ("gpu", "gfx"),
    [
        (CARD, "gfx1100"),
        (GRAPHICS, "gfx1036"),
        (Gpu(vendor="amd", name="Raphael"), None),
        (Gpu(vendor="amd", name="Ellesmere [Radeon RX 470/480/570/570X/580/580X/590]"), "gfx803"),
    ],
)
def test_the_architecture_of_a_gpu_that_was_looked_at(gpu, gfx):
    assert gfx_of_gpu(gpu, MATRIX) == gfx


def seen(*gpus):
    scene = Scene(host=UBUNTU, gpus=Gpus(devices=gpus))
    return with_amd_gpus(machine_here(scene, MATRIX), scene, MATRIX)


@pytest.mark.parametrize(
    ("machine", "wish", "cuda", "build"),
    [
        (seen(CARD), "torch torchvision", None, f"torch {NEWEST.version}+{NEWEST.variant}"),
        # Beside a card the processor's graphics are left out, whoever made them.
        (seen(CARD, GRAPHICS), "torch", None, f"torch {NEWEST.version}+{NEWEST.variant}"),
        (seen(CARD, Gpu(vendor="intel")), "torch", None, f"torch {NEWEST.version}+{NEWEST.variant}"),
        (seen(OLD), "torch", None, None),
        (seen(CARD), "tensorflow", None, None),
        (seen(CARD), "torch vllm", None, None),
        (seen(OLD), "torch", "cpu", f"torch {MATRIX.newest('torch')}+cpu"),
        (seen(CARD), "torch==2.11.0", "12.6", "torch 2.11.0+cu126"),
    ],
)
def test_plans_for_what_was_looked_at(machine, wish, cuda, build):
    plan = plan_install(
        machine, parse_demand(tuple(wish.split()), cuda), MATRIX, place=Place(python="python3.12", version="3.12")
    )
    assert (None if isinstance(plan, Refused) else plan.choices[0].build) == build
    if isinstance(plan, Refused) and wish != "torch vllm":
        assert "--cuda cpu" in " ".join(plan.refusals[0].elsewhere)


def test_nvidia_beside_amd_is_what_is_installed_for():
    assert not seen(nvidia_gpu(), GRAPHICS).gfx
