"""FRM900 package-required."""

from collections.abc import Iterator

from gpudoctor.model.base import Gap
from gpudoctor.model.finding import Problem
from gpudoctor.model.fix import Ask, Fix
from gpudoctor.model.python import Frameworks, Interpreter, Packages
from gpudoctor.model.wish import Requirement, Wish
from gpudoctor.rules._builds import dotted
from gpudoctor.rules._declare import rule
from gpudoctor.rules._evidence import seen
from gpudoctor.rules._required import unmet

#: Subjects that other rules judge.
OTHERS = ("gpu", "driver", "cuda", "compute-capability", "python")


@rule("FRM900", name="package-required", severity="error", since="0.1")
def package_required(
    wish: Wish, packages: Packages | None, frameworks: Frameworks | Gap | None, interpreter: Interpreter | Gap | None
) -> Iterator[Problem]:
    """A required package is missing, or its version does not meet the requirement.

    What it means:
    `--require` or the project's configuration names a package, and the examined Python does not have it, or not in a
    version that meets the requirement.

    Why it breaks:
    It was never installed here, or it is in another environment.

    How to mend it:
    Install it into the examined Python, or examine another Python with `--python`.

    When to ignore it:
    Drop the requirement instead.

    Sources:
    The requirement itself.
    """
    where = interpreter.executable if isinstance(interpreter, Interpreter) else "the examined Python"
    for requirement in wish.requirements:
        if requirement.subject in OTHERS:
            continue
        version = _version(requirement.subject, packages, frameworks)
        if version is not None and not unmet(dotted(version), requirement.comparisons):
            continue
        if version is None and packages is not None and packages.excerpt:
            continue
        has = f"{requirement.subject} {version}" if version else f"no {requirement.subject}"
        yield Problem(
            summary=f"{requirement.text} is required, but {where} has {has}.",
            subject=requirement.subject,
            evidence=(seen("required", requirement.text), seen("installed", version or "not installed")),
            fixes=(_fix(requirement, where),),
        )


def _version(name: str, packages: Packages | None, frameworks: Frameworks | Gap | None) -> str | None:
    """What the framework itself reports, else what its metadata says."""
    framework = frameworks.get(name) if isinstance(frameworks, Frameworks) else None
    if framework is not None and framework.version:
        return framework.version
    package = packages.find(name) if packages is not None else None
    return package.version if package is not None else None


def _fix(requirement: Requirement, where: str) -> Fix:
    return Fix(
        title=f"Install {requirement.text}",
        safety="manual",
        steps=(Ask(text=f"Install {requirement.text} into {where}, in the build for your GPU."),),
    )
