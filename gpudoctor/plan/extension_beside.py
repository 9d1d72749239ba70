"""Which release of an extension goes with the torch that is installed, and how it is installed. Data only."""

from gpudoctor.facts.fix import Ask, Fix, Run
from gpudoctor.facts.scene import Scene
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.answer import Wanted
from gpudoctor.plan.builds import builds_of
from gpudoctor.plan.demand import EXTRAS
from gpudoctor.plan.extras import extension_for
from gpudoctor.plan.proposals import proposal
from gpudoctor.plan.this_machine import machine_here

#: pip would take the copy that it built before, and another torch with it.
_ANEW = ("--force-reinstall", "--no-deps", "--no-cache-dir")


def extension_beside(name: str, torch: str, scene: Scene, matrix: Matrix) -> Fix | None:
    """The fix for a torch ("2.1.2+cu121"); None where that build, or the extension, is not known."""
    machine = machine_here(scene, matrix)
    known = builds_of("torch", machine.platform, matrix)
    build = next((one for one in known if f"{one.version}+{one.variant}" == torch), None)
    if build is None or EXTRAS.get(name) != "torch":
        return None
    extra = extension_for(name, proposal(build, Wanted(framework="torch"), machine, matrix), machine, matrix)
    if extra.refusal is not None:
        return Fix(title=f"Do without {name} here", safety="manual", steps=(Ask(text=extra.refusal.text),))
    options = (*_ANEW, *(("--no-build-isolation",) if extra.is_compiled else ()))
    steps = (Run(argv=(scene.python, "-m", "pip", "install", *options, extra.requirement or name)),)
    return Fix(title=f"Install the {name} for torch {torch}", safety="review", steps=steps)
