"""PYT006: a framework in your home folder is imported instead of the environment's own."""

from gpudoctor.knowledge.causes import causes_of_packages
from gpudoctor.knowledge.frameworks import descriptors
from gpudoctor.rules._user_site import explained_by_mix
from gpudoctor.rules.builds import in_words, release_numbers
from gpudoctor.rules.sections import Gap, Interpreter, Matrix, Package, Packages, System
from gpudoctor.rules.terms import Fix, Iterator, Problem, SetEnv, problem, rule, run, seen

#: Distributions whose copy in the user site decides what runs.
WATCHED = frozenset(
    (*(name for one in descriptors() for name in (one.packages[0], *one.parts, *one.companions)), "numpy", "triton")
)
ENVIRONMENTS = ("venv", "conda", "conda-base")


def _is_surprise(mine: Package, hidden: list[Package], interpreter: Interpreter) -> bool:
    """Outside an environment the folder is there to be used; a copy that hides a newer one, or a bundle's, is not."""
    others = [package for package in hidden if package.name == mine.name]
    if interpreter.environment == "standalone":
        return bool(others)
    older = release_numbers(mine.version)
    return older is not None and any(older < (release_numbers(one.version) or older) for one in others)


@rule(
    "PYT006",
    name="py-user-site-shadow",
    severity="error",
    when="interpreter.user_site_enabled, packages.installed.user_site",
)
def py_user_site_shadow(
    interpreter: Interpreter, packages: Packages, host: System | Gap | None, matrix: Matrix
) -> Iterator[Problem]:
    """A framework in your home folder is imported instead of the environment's own.

    What it means:
    Python has a folder of packages for each user (~/.local/lib/python3.x, on Windows AppData/Roaming/Python). Packages
    there come before those of a conda environment with the same Python version.

    Why it breaks:
    `pip install --user`, or pip without write access, put a framework there long ago. Every environment of that Python
    version now gets this old copy. It meets packages of the environment that it was not installed with: another NumPy,
    another torchvision, CUDA libraries of another major version.

    How to fix it:
    Uninstall that copy, or set PYTHONNOUSERSITE=1 so that environments stay on their own.

    When to ignore it:
    If you keep the framework there on purpose.

    Sources:
    https://docs.python.org/3/library/site.html
    https://docs.python.org/3/using/cmdline.html#envvar-PYTHONNOUSERSITE
    """
    if interpreter.user_site_enabled is not True:
        return
    others = [package for package in (*packages.duplicates, *packages.installed) if not package.user_site]
    hidden = {package.name for package in others}
    strays = [package for package in packages.installed if package.user_site and package.name in WATCHED]
    if interpreter.environment not in ENVIRONMENTS:
        strays = [package for package in strays if _is_surprise(package, others, interpreter)]
    if not strays:
        return
    shadows = [package for package in strays if package.name in hidden]
    shadowed = {package.name for package in shadows}
    place = "the environment" if interpreter.environment in ENVIRONMENTS else "this Python"
    follows = explained_by_mix(packages, host, matrix)
    names = in_words(f"{package.name} {package.version}" for package in strays)
    yield problem(
        f"{names} {'comes' if len(strays) == 1 else 'come'} from your home folder, not from {place}.",
        seen("environment", interpreter.prefix or interpreter.executable),
        *(seen(package.name, f"{package.version} in {package.location or 'the user site'}") for package in strays),
        *(seen(f"hidden {package.name}", package.version) for package in others if package.name in shadowed),
        subject=in_words(package.name for package in strays),
        severity=None if shadows or follows else "warning",
        not_leading_to=tuple(name for name in causes_of_packages() if name not in follows),
        fixes=(
            Fix(
                "Leave the user's folder out of environments",
                "safe",
                (SetEnv(name="PYTHONNOUSERSITE", value="1"),),
                undo="unset PYTHONNOUSERSITE",
            ),
            Fix(
                "Uninstall the copies in the home folder",
                "review",
                (run(interpreter.executable, "-m", "pip", "uninstall", *(package.name for package in strays)),),
            ),
        ),
    )
