"""FRM900: a required package is missing, or its version does not meet the requirement."""

from gpudoctor.facts.wish import Requirement
from gpudoctor.plan.places import install, safety
from gpudoctor.rules._situation import unmet
from gpudoctor.rules.builds import dotted
from gpudoctor.rules.sections import Frameworks, Gap, Interpreter, Matrix, Packages, Scene, Wish
from gpudoctor.rules.terms import Fix, Iterator, Problem, by_hand, problem, rule, seen

#: Subjects that other rules judge.
OTHERS = ("gpu", "driver", "cuda", "compute-capability", "python")


@rule("FRM900", name="package-required", severity="error", when="wish.requirements")
def package_required(
    wish: Wish, packages: Packages | None, frameworks: Frameworks | Gap | None, scene: Scene, matrix: Matrix
) -> Iterator[Problem]:
    """A required package is missing, or its version does not meet the requirement.

    What it means:
    `--require` or the project's configuration names a package, and the examined Python does not have it, or not in a
    version that meets the requirement.

    Why it breaks:
    It was never installed here, or it is in another environment.

    How to fix it:
    Install it into the examined Python, or examine another Python with `--python`.

    When to ignore it:
    Drop the requirement instead.

    Sources:
    The requirement itself.
    """
    where = scene.interpreter.executable if isinstance(scene.interpreter, Interpreter) else "the examined Python"
    for requirement in wish.requirements:
        if requirement.subject in OTHERS:
            continue
        version = _version(requirement.subject, packages, frameworks)
        if version is not None and not unmet(dotted(version), requirement.comparisons):
            continue
        if version is None and packages is not None and packages.excerpt:
            continue
        has = f"has {requirement.subject} {version}" if version else "does not have it"
        yield problem(
            f"{requirement.text} is required, but {where} {has}.",
            seen("required", requirement.text),
            seen("installed", version or "not installed"),
            subject=requirement.subject,
            fix=_fix(requirement, where, scene, matrix),
        )


def _version(name: str, packages: Packages | None, frameworks: Frameworks | Gap | None) -> str | None:
    """What the framework itself reports, else what its metadata says."""
    framework = frameworks.get(name) if isinstance(frameworks, Frameworks) else None
    if framework is not None and framework.version:
        return framework.version
    package = packages.find(name) if packages is not None else None
    return package.version if package is not None else None


def _fix(requirement: Requirement, where: str, scene: Scene, matrix: Matrix) -> Fix:
    """Install it: a framework in the build that fits this machine, anything else as the installer finds it."""
    # Imported here: only a demand that is not met needs a plan.
    from gpudoctor.facts.plan import InstallPlan
    from gpudoctor.plan.demand import NotADemand, parse_demand
    from gpudoctor.plan.install import Refused, plan_install
    from gpudoctor.plan.this_machine import machine_here, packages_here, place_here

    title = f"Install {requirement.text}"
    try:
        demand = parse_demand((requirement.text,))
    except NotADemand:
        return Fix(title, safety(scene), install(scene, requirement.text))
    machine = machine_here(scene, matrix)
    plan = None
    if machine.platform is not None:
        plan = plan_install(machine, demand, matrix, place=place_here(scene), packages=packages_here(scene))
    if isinstance(plan, InstallPlan) and not plan.apart:
        builds = " and ".join(choice.build for choice in plan.choices)
        return Fix(f"{title}: {builds}" if builds else title, safety(scene), plan.steps)
    because = f" {plan.text}" if isinstance(plan, Refused) else ""
    text = f"Install {requirement.text} into {where}, in the build for your GPU.{because}"
    return by_hand(title, text)
