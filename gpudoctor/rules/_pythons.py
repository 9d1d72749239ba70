"""Which Python versions a framework has wheels for."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from gpudoctor.facts.plan import InstallPlan, Place
from gpudoctor.facts.versions import package_version
from gpudoctor.facts.wish import Requirement
from gpudoctor.plan.places import NEW_ENVIRONMENT, conda, conda_prefix
from gpudoctor.rules._situation import unmet
from gpudoctor.rules.builds import dotted, release_numbers
from gpudoctor.rules.sections import Matrix, Scene, System
from gpudoctor.rules.terms import Ask, Fix, by_hand, run

if TYPE_CHECKING:
    from gpudoctor.plan.install import Refused


def minor_of(version: str | None) -> str | None:
    """3.12 of 3.12.4; None where it is not known."""
    numbers = release_numbers(version)
    return f"{numbers[0]}.{numbers[1]}" if numbers and len(numbers) > 1 else None


def releases_of(name: str, matrix: Matrix) -> tuple[str, ...]:
    """All releases the matrix knows, newest first."""
    rows: Iterable[str] = ()
    if name == "torch":
        rows = (row.version for row in matrix.torch_builds())
    elif name == "tensorflow":
        rows = (version for row in matrix.tensorflow_builds(dist="tensorflow") for version in (row.last, row.first))
    elif name == "jax":
        rows = (row.version for row in matrix.jax_builds())
    return tuple(dict.fromkeys(rows))


def wanted_releases(requirement: Requirement, matrix: Matrix) -> tuple[str, ...]:
    """The known releases that meet a requirement, without release candidates."""
    return tuple(
        version
        for version in releases_of(requirement.subject, matrix)
        if not _is_candidate(version) and not unmet(dotted(version), requirement.comparisons)
    )


def _is_candidate(version: str) -> bool:
    parsed = package_version(version)
    return parsed is None or parsed.is_prerelease


def known_pythons(platform: str, matrix: Matrix) -> tuple[str, ...]:
    """The Pythons with a wheel of any known release of torch, tensorflow or JAX, oldest first."""
    torch = (row.pythons for row in matrix.torch_builds() if platform in row.platforms)
    tensorflow = (row.pythons for row in matrix.tensorflow_builds(platform=platform))
    jax = (row.pythons for row in matrix.jax_builds() if platform in row.platforms)
    return in_order({python for pythons in (*torch, *tensorflow, *jax) for python in pythons})


def shared_pythons(names: Iterable[str], platform: str, matrix: Matrix) -> tuple[str, ...]:
    """The Pythons that the newest releases of all these frameworks have wheels for, oldest first."""
    newest = [matrix.pythons(name, version, platform) for name in names if (version := matrix.newest(name))]
    known = [set(pythons) for pythons in newest if pythons]
    return in_order(set.intersection(*known)) if known else ()


def in_order(pythons: Iterable[str]) -> tuple[str, ...]:
    """Python versions, oldest first: 3.9 before 3.10."""
    return tuple(sorted(set(pythons), key=lambda python: release_numbers(python) or ()))


def python_fix(
    pythons: Sequence[str], scene: Scene, host: System, matrix: Matrix, wanted: Requirement | None = None
) -> Fix:
    """A new environment with the newest Python but one, which most packages support, and what is wanted in it."""
    usual = pythons[-2] if len(pythons) > 1 else pythons[-1]
    if conda_prefix(scene.interpreter) is not None:
        create = conda(scene.interpreter, "create", "--name", NEW_ENVIRONMENT, f"python={usual}", "pip")
        title = f"Make an environment with Python {usual}"
        then = Ask(text=f"Then: conda activate {NEW_ENVIRONMENT}, and install there.")
        # conda keeps its environments in a place of its own, and this one is yet without what is wanted.
        return by_hand(title, create, then)
    tried = dict.fromkeys((usual, *reversed(pythons))) if wanted is not None else {}
    plans = [(python, _plan(wanted, python, scene, host, matrix)) for python in tried if wanted is not None]
    made = ((python, plan.install) for python, plan in plans if isinstance(plan, InstallPlan) and not plan.apart)
    python, installs = next(made, (usual, ()))
    refused = next((plan for _, plan in plans if plan and not isinstance(plan, InstallPlan)), None)
    if refused is not None and not installs:
        return by_hand(f"Find a build of {wanted.subject} that fits" if wanted else "", refused.text)
    activate = rf"{NEW_ENVIRONMENT}\Scripts\activate" if host.os == "windows" else f". {NEW_ENVIRONMENT}/bin/activate"
    steps = (
        run("uv", "venv", "--seed", "--python", python, NEW_ENVIRONMENT),
        *installs,
        Ask(text=f"Then: {activate}. (uv is at https://docs.astral.sh/uv/; it fetches that Python if need be.)"),
    )
    title = f"Make an environment with Python {python}"
    if installs and wanted is not None:
        title = f"Install {wanted.subject} in a new environment with Python {python}"
    return Fix(title, "safe", steps)


def _plan(
    wanted: Requirement, python: str, scene: Scene, host: System, matrix: Matrix
) -> "InstallPlan | Refused | None":
    """The plan that installs what is wanted into the new environment, or why there is none; None: not known."""
    # Imported here: only a wish that this Python cannot meet needs a plan.
    from gpudoctor.plan.demand import NotADemand, parse_demand
    from gpudoctor.plan.install import plan_install
    from gpudoctor.plan.this_machine import machine_here

    machine = machine_here(scene, matrix)
    if machine.platform is None:
        return None
    place = Place(manager="uv", python=python, venv=NEW_ENVIRONMENT, version=python, is_windows=host.os == "windows")
    try:
        return plan_install(machine, parse_demand((_as_written(wanted),)), matrix, place=place)
    except NotADemand:
        return None


def _as_written(wanted: Requirement) -> str:
    """The requirement as an installer reads it: here ==2.15 is any 2.15, there 2.15.0 only."""
    bounds = (
        f"{sign}{version}{'.*' if sign in ('==', '!=') and version.count('.') < 2 else ''}"
        for sign, version in wanted.comparisons
    )
    return f"{wanted.subject}{','.join(bounds)}"
