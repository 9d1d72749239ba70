"""The fix where no build fits: what would have to change, in words, and no command."""

from functools import lru_cache

from gpudoctor.facts.fix import Ask, Fix, Run, by_hand
from gpudoctor.facts.scene import Scene
from gpudoctor.knowledge.frameworks import descriptor
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.machine import Machine


def nothing_fits(framework: str, scene: Scene, machine: Machine | None, matrix: Matrix) -> Fix:
    """A manual fix: why no build is named, what would change that, and the makers' page."""
    known = descriptor(framework)
    by_hand = _with_libraries_beside(framework, machine, matrix) if machine else None
    if by_hand is not None:
        return by_hand
    what, page = (known.title, known.page) if known else (framework, "")
    if machine is None:
        text = f"Too little is known of this machine to name a build of {what}. Choose one here: {page}"
    else:
        python = f" with Python {scene.python_minor}" if scene.python_minor else ""
        text = (
            f"No build of {what} that is known here fits this GPU and driver{python}. "
            f"{_what_would_do(framework, machine, matrix)} See {page}. "
            "NVIDIA's containers are another way: https://catalog.ngc.nvidia.com"
        )
    return Fix(title=f"Find a build of {what} that fits", safety="manual", steps=(Ask(text=text),))


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
