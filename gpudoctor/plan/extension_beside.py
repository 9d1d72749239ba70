"""The fix that installs an extension's release for the installed torch, or says why there is none."""

from gpudoctor.facts.fix import Ask, Fix
from gpudoctor.facts.python import Framework
from gpudoctor.facts.scene import Scene
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.extension_for import against, beside_torch, extension_for, rows_of
from gpudoctor.plan.places import install, safety

#: pip would take the copy that it built before, and another torch with it.
_ANEW = ("--force-reinstall", "--no-deps", "--no-cache-dir")


def extension_beside(name: str, torch: Framework, scene: Scene, matrix: Matrix) -> Fix | None:
    """The fix; by hand where no release goes with that torch. None where the extension or the torch is not known."""
    rows, beside = rows_of(name, matrix), beside_torch(torch, scene, matrix)
    if not rows or beside.torch is None or beside.platform is None:
        return None
    made = extension_for(name, beside, matrix)
    if made is None:
        text = f"{name} {rows[0].versions[0]} {against(rows[0], beside)}, and no other release goes with it."
        return Fix(f"Do without {name} beside torch {torch.version}", "manual", (Ask(text=text),))
    steps = install(scene, made.requirement, options=(*_ANEW, *made.options))
    return Fix(f"Install the {name} for torch {torch.version}", safety(scene), steps)
