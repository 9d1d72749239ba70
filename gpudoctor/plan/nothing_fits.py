"""The fix where no build fits: says what would have to change, without a command."""

from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from gpudoctor.facts.fix import Ask, Fix, Run, by_hand, run
from gpudoctor.facts.scene import Scene
from gpudoctor.facts.versions import package_version
from gpudoctor.knowledge.frameworks import descriptor
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.milestones import milestone, numbers_of
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.places import NEW_ENVIRONMENT, Steps

if TYPE_CHECKING:
    from gpudoctor.plan.builds import Build

_CPU = "https://download.pytorch.org/whl/cpu"
#: The oldest Python with updates, and what is taken for the one that is there, where an old one is wanted.
_SERVED, _NEW_PYTHON = numbers_of("python-served"), milestone("python-usual")
#: Of drivers that nobody stated more serve this CUDA than that of the newest builds.
_USUAL = int(milestone("cuda-of-most-drivers"))
#: The oldest Python that uv installs.
_FIRST_OF_UV = numbers_of("uv-oldest-python")


def nothing_fits(framework: str, scene: Scene, machine: Machine | None, matrix: Matrix) -> Fix:
    """A manual fix: why no build is named, what would change that, and the makers' page."""
    known = descriptor(framework)
    made = (
        _with_libraries_beside(framework, machine, matrix) or _with_another_python(framework, machine, matrix)
        if machine
        else None
    )
    if made is not None:
        return made
    what, page = (known.title, known.page) if known else (framework, "")
    title = f"Find a build of {what} that fits"
    if machine is None:
        text = f"Too little is known of this machine to name a build of {what}. Choose one here: {page}"
    elif (unserved := _unserved(framework, machine, matrix)) is not None:
        title = f"Use the CPU, or another GPU: no build of {what} that is known here has code for {unserved}"
        anywhere = _without_bad_driver(machine, matrix)
        text = f"{_what_would_do(framework, anywhere, matrix)} Another driver or Python does not help. See {page}."
        text += " Hosted GPUs: https://colab.research.google.com."
        text += f" For the CPU: python -m pip install {framework} --index-url {_CPU}" if framework == "torch" else ""
    else:
        python = f" with Python {scene.python_minor}" if scene.python_minor else ""
        text = (
            f"No build of {what} that is known here fits this GPU and driver{python}. "
            f"{_what_would_do(framework, machine, matrix)} See {page}. "
            "NVIDIA's containers are another way: https://catalog.ngc.nvidia.com"
        )
    return Fix(title, "manual", (Ask(text=text),))


def _without_bad_driver(machine: Machine, matrix: Matrix) -> Machine:
    """Which driver serves the GPU is no matter where no build does."""
    from gpudoctor.plan.unsat_reasons import driver_refusal

    return msgspec.structs.replace(machine, driver=None) if driver_refusal(machine, matrix) is not None else machine


def _unserved(framework: str, machine: Machine, matrix: Matrix) -> str | None:
    """The GPUs that no build serves, with whatever driver and Python; None where something else would do."""
    # Imported here: a check that proposes no build needs no solver.
    from gpudoctor.plan.answer import Wanted
    from gpudoctor.plan.constraints import CONTAINER
    from gpudoctor.plan.fit import ranked
    from gpudoctor.plan.unsat_reasons import refusal

    machine = msgspec.structs.replace(machine, driver=None)
    if not machine.capabilities or not machine.uses_cuda or ranked(framework, machine, matrix):
        return None
    ways = refusal(Wanted(framework=framework), machine, matrix).ways
    instead = [any(one.constraint == "gpu" and one.change != CONTAINER for one in way.obstacles) for way in ways]
    one_gpu = len(set(machine.capabilities)) == 1
    return machine.label(0) if one_gpu and instead and all(instead) else None


def _with_libraries_beside(framework: str, machine: Machine, matrix: Matrix) -> Fix | None:
    """The newest build that fits and brings no CUDA of its own: what `fit` says of it. None where none fits."""
    # Imported here: a check that proposes no build needs no solver.
    from gpudoctor.plan.answer import Wanted
    from gpudoctor.plan.fit import ranked
    from gpudoctor.plan.proposals import proposal
    from gpudoctor.plan.unsat_reasons import driver_refusal

    builds = [one for one in ranked(framework, machine, matrix) if one.cuda is not None] if machine.uses_cuda else []
    if not builds or driver_refusal(machine, matrix) is not None:
        return None
    made = proposal(builds[0], Wanted(framework=framework), machine, matrix)
    return by_hand(f"Install {made.build}", Run(argv=made.command), *made.limits)


def for_old_pythons(framework: str, pythons: tuple[str, ...], machine: Machine, matrix: Matrix) -> Fix | None:
    """A build for Pythons that are served no more: what is there and nobody states is hardly one of them."""
    is_old = machine.python is None and bool(pythons) and all(_numbers(one) < _SERVED for one in pythons)
    there = msgspec.structs.replace(machine, python=pythons[0]) if is_old else machine
    return _with_another_python(framework, there, matrix, usual=_NEW_PYTHON) if is_old else None


def _with_another_python(framework: str, machine: Machine, matrix: Matrix, usual: str | None = None) -> Fix | None:
    """A new environment with the Python that a build wants, where no more than that is in the way.

    Of the Pythons that have the newest build, the `usual` one, else the newest.
    """
    # Imported here: a check that proposes no build needs no solver.
    from gpudoctor.plan.answer import Wanted
    from gpudoctor.plan.builds import builds_of
    from gpudoctor.plan.fit import ranked
    from gpudoctor.plan.proposals import proposal
    from gpudoctor.plan.unsat_reasons import driver_refusal

    if machine.python is None or not machine.uses_cuda or driver_refusal(machine, matrix) is not None:
        return None
    offered = {python for one in builds_of(framework, machine.platform, matrix) for python in one.pythons}
    found = []
    for python in offered - {machine.python}:
        there = msgspec.structs.replace(machine, python=python)
        builds = [one for one in ranked(framework, there, matrix) if one.cuda is not None and not one.is_hearsay]
        found += (
            [(package_version(builds[0].version), python, _for_most_drivers(builds, there), there)] if builds else []
        )
    if not found:
        return None
    _, python, build, there = max(found, key=lambda one: (one[0], one[1] == usual, _numbers(one[1])))
    numbers = _numbers(python)
    made = proposal(build, Wanted(framework=framework), there, matrix)
    title = f"Install {made.build} in a new environment with Python {there.python}, which has a build for this GPU"
    asked = made.command[made.command.index("install") + 1 :]
    steps = _with_uv(str(there.python), asked) if numbers >= _FIRST_OF_UV else _with_conda(str(there.python), asked)
    return by_hand(title, *steps, *made.limits)


def _for_most_drivers(builds: "list[Build]", machine: Machine) -> "Build":
    """The best build; where no driver is stated, the best of the CUDA that every driver from 525 on starts."""
    usual = (one for one in builds if one.cuda is not None and one.cuda.major == _USUAL)
    return builds[0] if machine.driver is not None else next(usual, builds[0])


def _with_uv(python: str, asked: tuple[str, ...]) -> Steps:
    return run("uv", "venv", "--python", python, NEW_ENVIRONMENT), run(
        "uv", "pip", "install", "--python", NEW_ENVIRONMENT, *asked
    )


def _with_conda(python: str, asked: tuple[str, ...]) -> Steps:
    """For a Python that is too old for uv."""
    return run("conda", "create", "--yes", "--name", NEW_ENVIRONMENT, f"python={python}"), run(
        "conda", "run", "--name", NEW_ENVIRONMENT, "python", "-m", "pip", "install", *asked
    )


def _numbers(python: str) -> tuple[int, ...]:
    return tuple(map(int, python.split(".")))


@lru_cache(maxsize=256)
def _what_would_do(framework: str, machine: Machine, matrix: Matrix) -> str:
    """The nearest changes after which a build would fit."""
    # Imported here: a check that proposes no build needs no solver.
    from gpudoctor.plan.answer import Wanted
    from gpudoctor.plan.fit import ranked
    from gpudoctor.plan.unsat_reasons import driver_refusal, refusal

    refused = driver_refusal(machine, matrix)
    if refused is None and ranked(framework, machine, matrix):
        return "A newer driver, another Python or an older release may."
    refused = refused or refusal(Wanted(framework=framework), machine, matrix)
    ways = [(" and ".join(one.change for one in way.obstacles if one.change), way.build) for way in refused.ways]
    named = [f"{change} (for {build})" if build else change for change, build in ways if change]
    return f"What would do: {'; or '.join(named)}." if named else refused.text
