"""The commands that create an environment and install into it, for pip, uv and conda."""

from msgspec.structs import replace

from gpudoctor.facts.fix import Run, run
from gpudoctor.facts.plan import InstallPlan, Place, Step
from gpudoctor.plan.indexes import index_options
from gpudoctor.plan.places import CHANNEL


def make_steps(place: Place) -> tuple[Step, ...]:
    """Make the environment; nothing where it is there."""
    if place.conda is not None:
        python = f"python={place.version}" if place.version else "python"
        chosen = ("--override-channels", "--channel", CHANNEL)
        return (run(place.manager, "create", "--yes", *_named(place.conda), *chosen, python, "pip"),)
    if place.venv is None:
        return ()
    if place.manager == "uv":
        return (run("uv", "venv", "--python", place.python, place.venv),)
    return (run(place.python, "-m", venv_module(place.version), place.venv),)


def venv_module(version: str | None) -> str:
    """The module that makes virtual environments: Python 2 has none of its own (PEP 405 came with 3.3)."""
    return "virtualenv" if version is not None and version.startswith("2.") else "venv"


def remove_steps(place: Place, names: tuple[str, ...]) -> tuple[Step, ...]:
    """Uninstall distributions."""
    if not names:
        return ()
    if place.manager == "uv":
        return (run("uv", "pip", "uninstall", "--python", place.interpreter, *names),)
    return (run(*_python(place), "-m", "pip", "uninstall", "--yes", *names),)


def install_step(
    place: Place,
    requirements: tuple[str, ...],
    index_url: str | None,
    extra: tuple[str, ...],
    *options: str,
    first: bool = False,
) -> Run:
    """Install requirements, resolved together; `first`: from this index before any that is configured."""
    indexes = index_options(place.manager, index_url, extra, first=first)
    if place.manager == "uv":
        return run("uv", "pip", "install", "--python", place.interpreter, *options, *requirements, *indexes)
    return run(*_python(place), "-m", "pip", "install", *options, *requirements, *indexes)


def moved(plan: InstallPlan, place: Place) -> InstallPlan:
    """The same plan for another place: a new environment is built beside the old one, say."""
    install = tuple(_for_place(step, plan.place, place) for step in plan.install)
    remove = () if place.is_new else remove_steps(place, plan.removed)
    return replace(plan, place=place, make=make_steps(place), remove=remove, install=install)


def _for_place(step: Step, before: Place, after: Place) -> Step:
    """An install command of one place, begun as that of another; both are of the same tool."""
    if not isinstance(step, Run) or before.manager != after.manager:
        return step
    head, head_after = (install_step(place, (), None, ()).argv for place in (before, after))
    if step.argv[: len(head)] != head:
        return step
    return Run(argv=(*head_after, *step.argv[len(head) :]), env=step.env)


def _python(place: Place) -> tuple[str, ...]:
    if place.conda is not None:
        quiet = ("--no-capture-output",) if place.manager == "conda" else ()
        return (place.manager, "run", *quiet, *_named(place.conda), "python")
    return (place.interpreter,)


def _named(conda: str) -> tuple[str, str]:
    return ("--prefix" if "/" in conda or "\\" in conda else "--name", conda)
