"""PYT018: a package's files are installed, but its metadata is gone."""

import posixpath

from gpudoctor.knowledge.frameworks import AT_START
from gpudoctor.plan.places import TENSORFLOWS
from gpudoctor.plan.recipes import again
from gpudoctor.rules._unmet_requirements import complete
from gpudoctor.rules.sections import Framework, Frameworks, Interpreter, Packages, Scene
from gpudoctor.rules.terms import Fix, Iterator, Problem, problem, rule, seen


@rule(
    "PYT018",
    name="package-without-record",
    severity="warning",
    when="frameworks.found.dist=None or packages.unmet.files",
)
def package_without_record(
    packages: Packages, frameworks: Frameworks, interpreter: Interpreter, scene: Scene
) -> Iterator[Problem]:
    """A package's files are installed, but its metadata is gone.

    What it means:
    Each installed package has a folder that describes it (its .dist-info). Here the package itself can be imported, but
    that folder is missing.

    Why it breaks:
    For pip and uv the package is not installed: they do not see that another package needs it, they put another release
    on top of its files, and they cannot remove it. Programs that ask which release is installed fail with
    "PackageNotFoundError". It happens when folders are copied, or deleted, by hand.

    How to fix it:
    Install the package again, in the same release where it is known.

    When to ignore it:
    If something other than pip looks after this package and keeps no such record.

    Sources:
    https://packaging.python.org/en/latest/specifications/recording-installed-packages/
    """
    for framework in frameworks.found:
        if framework.name in AT_START and _has_no_record(framework, packages, interpreter):
            yield _problem(framework.label, framework.location or "", again(scene, framework))
    for one in packages.unmet:
        if (
            one.files is not None
            and not _is_anothers(one.requirement, packages)
            and any(one.package == (f.dist or f.name) for f in frameworks.found)
        ):
            yield _problem(one.requirement, one.files, complete(scene, one.package, (one,)))


def _is_anothers(name: str, packages: Packages) -> bool:
    """The files are those of its namesake: tf-keras asks for tensorflow, and tensorflow-cpu is installed."""
    return name in TENSORFLOWS and any(packages.find(other) is not None for other in TENSORFLOWS)


def _has_no_record(framework: Framework, packages: Packages, interpreter: Interpreter) -> bool:
    """It lies where pip installs, and no distribution is known for it. A folder on PYTHONPATH needs none."""
    folder = posixpath.dirname((framework.location or "").replace("\\", "/"))
    places = {place.replace("\\", "/") for place in interpreter.site_dirs if place not in interpreter.python_path}
    return framework.dist is None and folder in places and packages.lacks(framework.name)


def _problem(what: str, where: str, fix: Fix) -> Problem:
    return problem(
        f"The files of {what} are installed, but its metadata is gone, so pip does not know it.",
        seen("files", where),
        seen("record (.dist-info)", "missing"),
        subject=what,
        fix=fix,
    )
