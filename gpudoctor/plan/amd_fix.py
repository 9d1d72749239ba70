"""The fix that installs the ROCm build of PyTorch for the AMD GPUs of a machine."""

from msgspec.structs import replace

from gpudoctor.facts.fix import Ask, Fix
from gpudoctor.facts.scene import Scene
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.answer import Wanted
from gpudoctor.plan.demand import COMPANIONS
from gpudoctor.plan.places import replace as replaced
from gpudoctor.plan.places import safety
from gpudoctor.plan.proposals import named
from gpudoctor.plan.this_machine import machine_here, with_amd_gpus


def torch_for_amd(scene: Scene, matrix: Matrix) -> Fix | None:
    """The fix; by hand where no build fits. None where the architecture of a GPU is not known."""
    # Imported here: a check that proposes no build needs no solver.
    from gpudoctor.plan.partial_fit import served_part

    machine = with_amd_gpus(machine_here(scene, matrix), scene, matrix)
    if not machine.gfx:
        return None
    # Which processor it is decides nothing: the wheels are for one.
    machine = replace(machine, platform=machine.platform or (f"{scene.os}-x86_64" if scene.os else None))
    present = tuple(name for name in COMPANIONS if scene.find(name) is not None)
    wanted = Wanted(framework="torch", companions=tuple((name, "") for name in present))
    found, _ = served_part(machine, (wanted,), matrix)
    if found.refusals:
        refusal = found.refusals[0]
        why = Ask(text=" ".join((refusal.text, *refusal.elsewhere)))
        return Fix("Find a build of PyTorch for this GPU", "manual", (why,))
    (one,) = found.environments[0].proposals
    pins = named(one.requirements, one, machine.platform)
    steps = replaced(scene, ("torch", *present), *pins, index=one.index_url)
    return Fix(f"Install PyTorch {one.version} built for ROCm", safety(scene), steps)
