"""Which Python versions a framework is published for."""

from collections.abc import Iterable

from gpudoctor.matrix.query import Matrix
from gpudoctor.model.fix import Ask, Fix, Run
from gpudoctor.model.python import Interpreter
from gpudoctor.model.system import System
from gpudoctor.model.wish import Requirement
from gpudoctor.plan.places import NEW_ENVIRONMENT, conda_prefix
from gpudoctor.rules._builds import dotted, release_numbers
from gpudoctor.rules._required import unmet


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
    """The known releases that meet a requirement; empty where a newer, unknown one might meet it too."""
    known = releases_of(requirement.subject, matrix)
    newest = matrix.newest(requirement.subject)
    limit = release_numbers(newest)
    if limit is None or _is_open(requirement, limit):
        return ()
    return tuple(v for v in known if not unmet(dotted(v), requirement.comparisons))


def _is_open(requirement: Requirement, newest: tuple[int, ...]) -> bool:
    """A release after the newest known one would meet the requirement: nothing can be said against it."""
    return not unmet(f"{newest[0]}.{newest[1] + 1}", requirement.comparisons)


def pythons_of(name: str, version: str, platform: str, matrix: Matrix) -> tuple[str, ...]:
    """The Pythons with a wheel of a release; of torch or tensorflow in any release for "torch+tensorflow"."""
    if name != "torch+tensorflow":
        return matrix.pythons(name, version, platform) or ()
    torch = {python for row in matrix.torch_builds() if platform in row.platforms for python in row.pythons}
    tensorflow = {python for row in matrix.tensorflow_builds(platform=platform) for python in row.pythons}
    return tuple(torch | tensorflow)


def python_fix(pythons: list[str], interpreter: Interpreter, host: System) -> Fix:
    """A new environment with the newest Python but one, which most packages support."""
    python = pythons[-2] if len(pythons) > 1 else pythons[-1]
    title = f"Make an environment with Python {python}"
    if conda_prefix(interpreter) is not None:
        create = Run(argv=("conda", "create", "--name", NEW_ENVIRONMENT, f"python={python}", "pip"))
        return Fix(title=title, safety="safe", steps=(create, Ask(text=f"Then: conda activate {NEW_ENVIRONMENT}")))
    activate = rf"{NEW_ENVIRONMENT}\Scripts\activate" if host.os == "windows" else f". {NEW_ENVIRONMENT}/bin/activate"
    steps = (
        Run(argv=("uv", "venv", "--seed", "--python", python, NEW_ENVIRONMENT)),
        Ask(text=f"Then: {activate}. (uv is at https://docs.astral.sh/uv/; it fetches that Python if need be.)"),
    )
    return Fix(title=title, safety="safe", steps=steps)
