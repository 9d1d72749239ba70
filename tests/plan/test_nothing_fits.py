"""Where no build fits: another Python, what would have to change, or another GPU."""

import pytest

from gpudoctor.facts.fix import Ask, Run
from gpudoctor.facts.scene import Scene
from gpudoctor.facts.versions import Capability, DriverRelease
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.nothing_fits import for_old_pythons, nothing_fits
from tests.rules.stacks import interpreter

MATRIX = load_matrix()
CPU = "python -m pip install torch --index-url https://download.pytorch.org/whl/cpu"


def where(driver, *gpus, python="3.12", platform="linux-x86_64", **facts):
    return Machine(
        driver=driver and DriverRelease(driver),
        capabilities=tuple(map(Capability, gpus)),
        python=python,
        platform=platform,
        **facts,
    )


def commands(fix):
    return [" ".join(step.argv) for step in fix.steps if isinstance(step, Run)]


def said(fix):
    return " ".join(step.text for step in fix.steps if isinstance(step, Ask))


@pytest.mark.parametrize(
    ("framework", "machine", "title", "words"),
    [
        ("torch", None, "Find a build of PyTorch", ("Too little is known", "https://pytorch.org/")),
        # No driver and no Python helps a GPU that no build has code for.
        (
            *("torch", where("470.256.02", "3.0"), "no build of PyTorch that is known here has code for compute"),
            ("a GPU of compute capability 3.7 to 9.0 instead", "Another driver or Python does not help", CPU),
        ),
        (
            *("torch", where("580.65.06", "3.0"), "no build of PyTorch that is known here has code for compute"),
            ("a GPU of compute capability", "Hosted GPUs"),
        ),
        (
            *("paddle", where("470.82.01", "3.7"), "no build of PaddlePaddle that is known here has code for"),
            ("What would do: a GPU of compute capability 6.0 to 8.6 instead",),
        ),
        # Of two, one is served.
        (
            *("torch", where("470.256.02", "3.0", "8.9"), "Find a build of PyTorch that fits"),
            ("with Python 3.12. What would do: driver branch 520 or newer.",),
        ),
        ("torch", where("390.157", "7.5"), "Find a build of PyTorch", ("What would do: driver branch 410 or newer",)),
        ("torch", where("390.157", "7.5", python=None), "Find a build", ("fits this GPU and driver. What would do",)),
        (
            *("jax", where("580.97", "8.9", platform="windows-x86_64"), "Find a build of JAX that fits"),
            ("What would do: WSL 2, which is linux-x86_64", "https://catalog.ngc.nvidia.com"),
        ),
    ],
)
def test_what_would_have_to_change(framework, machine, title, words):
    fix = nothing_fits(
        framework,
        Scene(interpreter=interpreter(f"{machine.python}.1") if machine and machine.python else None),
        machine,
        MATRIX,
    )
    assert fix.safety == "manual"
    assert title in fix.title
    assert commands(fix) == []
    assert all(one in said(fix) for one in words), said(fix)
    assert (CPU in said(fix)) is (framework == "torch" and "code for" in title)


@pytest.mark.parametrize(
    ("framework", "machine", "title", "typed"),
    [
        # Of the Pythons with the newest build the newest.
        (
            *(
                "torch",
                where("580.65.06", "8.9", python="3.17"),
                "torch 2.15.0+cu132 in a new environment with Python 3.15",
            ),
            ["uv venv --python 3.15 gpu-env", "uv pip install --python gpu-env torch==2.15.0"],
        ),
        # uv has no Python as old as that.
        (
            *(
                "torch",
                where("470.256.02", "3.5", python="3.8"),
                "torch 1.3.0+cu101 in a new environment with Python 3.7",
            ),
            [
                "conda create --yes --name gpu-env python=3.7",
                "conda run --name gpu-env python -m pip install torch==1.3.0",
            ],
        ),
        (
            *("tensorflow", where("528.33", "8.9", platform="windows-x86_64"), "with Python 3.10, which has a build"),
            [
                "uv venv --python 3.10 gpu-env",
                "uv pip install --python gpu-env tensorflow==2.10.1 numpy<2",
            ],
        ),
        # It fits as it is, and its libraries are to be there.
        (
            *(
                "tensorflow",
                where("528.33", "8.9", python="3.10", platform="windows-x86_64"),
                "Install tensorflow 2.10.1",
            ),
            ["python -m pip install tensorflow==2.10.1 numpy<2"],
        ),
    ],
)
def test_a_build_that_a_person_installs(framework, machine, title, typed):
    fix = nothing_fits(framework, Scene(), machine, MATRIX)
    assert fix.safety == "manual"
    assert title in fix.title
    assert commands(fix) == typed


@pytest.mark.parametrize(
    ("pythons", "machine", "python"),
    [
        (("3.7", "3.8"), where("580.65.06", "8.9", python=None), "3.12"),
        (("3.9",), where("580.65.06", "8.9", python=None), "3.12"),
        # One that is served is among them, or the Python is known, or nothing is.
        (("3.10",), where("580.65.06", "8.9", python=None), None),
        (("3.8", "3.12"), where("580.65.06", "8.9", python=None), None),
        ((), where("580.65.06", "8.9", python=None), None),
        (("3.7", "3.8"), where("580.65.06", "8.9", python="3.8"), None),
        # No build for such a GPU is for a Python that is served.
        (("3.6",), where("470.256.02", "3.5", python=None), "3.7"),
        (("3.7", "3.8"), where("580.65.06", "8.9", python=None, cpu_only=True), None),
        (("3.7", "3.8"), where("390.157", "8.9", python=None), None),
    ],
)
def test_a_build_for_pythons_that_are_served_no_more(pythons, machine, python):
    fix = for_old_pythons("torch", pythons, machine, MATRIX)
    assert (fix is None) is (python is None)
    assert fix is None or f"in a new environment with Python {python}," in fix.title


def test_where_no_driver_is_stated_it_is_for_the_cuda_that_most_drivers_serve():
    fix = for_old_pythons("torch", ("3.8",), where(None, "8.9", python=None), MATRIX)
    assert "cu126 in a new environment with Python 3.12" in fix.title
