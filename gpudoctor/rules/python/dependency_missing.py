"""PYT016: a package that a framework needs at start-up is not installed."""

from gpudoctor.facts.python import Unmet
from gpudoctor.knowledge.frameworks import AT_START, SOON
from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.rules._unmet_requirements import complete
from gpudoctor.rules.builds import in_words, is_conda, release_numbers
from gpudoctor.rules.sections import Framework, Frameworks, Packages, Scene
from gpudoctor.rules.terms import Iterator, Problem, problem, rule, seen

#: TensorFlow imports keras while it is imported itself, from the release that gave it away to the one that waits.
_KERAS_FIRST, _KERAS_LAST = numbers_of("tensorflow-keras-apart"), numbers_of("tensorflow-keras-late")


@rule("PYT016", name="dependency-missing", severity="error", when="packages.unmet")
def dependency_missing(packages: Packages, frameworks: Frameworks, scene: Scene) -> Iterator[Problem]:
    """A package that a framework needs at start-up is not installed.

    What it means:
    The framework is installed, and something it cannot start without is not.

    Why it breaks:
    `import tensorflow` ends with "ModuleNotFoundError: No module named ...". It happens after `pip install --no-deps`,
    after an uninstall of what another package had brought, and when an installation was cut short.

    How to fix it:
    Install what is missing, in the versions that the framework asks for.

    When to ignore it:
    If the package is found another way, a folder on PYTHONPATH say, and the framework can be imported.

    Sources:
    https://packaging.python.org/en/latest/specifications/core-metadata/#requires-dist-multiple-use
    """
    found = {
        name: missing
        for name in AT_START
        if (framework := frameworks.get(name)) is not None and (missing := _missing(framework, packages))
    }
    # One command for all: what two of them need must suit both.
    together = tuple(one for missing in found.values() for one in missing if not is_conda(packages, one.package))
    for name, missing in found.items():
        owner = missing[0].package
        label = (frameworks.get(name) or Framework(name=name)).label
        names = in_words(one.requirement for one in missing[:6])
        at_start = all(one.requirement in AT_START[name] for one in missing)
        yield problem(
            f"{label} needs {names}{' to start' if at_start else ''}, "
            f"which {'is' if len(missing) == 1 else 'are'} not installed.",
            *tuple(seen(f"{owner} needs {one.requirement}{one.wanted}", "not installed") for one in missing),
            subject=name,
            fix=complete(scene, owner, missing if is_conda(packages, owner) else together),
        )


def _missing(framework: Framework, packages: Packages) -> tuple[Unmet, ...]:
    owner = framework.dist or framework.name
    needed = AT_START[framework.name] | SOON.get(framework.name, frozenset())
    # conda says in records of its own what a package needs, and under other names.
    names = frozenset() if is_conda(packages, owner) else needed
    names |= {"keras"} if _starts_with_keras(framework) else frozenset()
    return tuple(
        one
        for one in packages.unmet
        if one.package == owner and one.found is None and one.files is None and one.requirement in names
    )


def _starts_with_keras(framework: Framework) -> bool:
    numbers = release_numbers(framework.version) or ()
    return framework.name == "tensorflow" and _KERAS_FIRST <= numbers[:2] <= _KERAS_LAST
