"""Requirements of GPU packages that are not met."""

import re

from gpudoctor.model.fix import Ask, Fix
from gpudoctor.model.python import Unmet
from gpudoctor.plan.neighbours import owners_of_the_same
from gpudoctor.plan.places import Scene, install, safety
from gpudoctor.rules._builds import release_numbers


def is_gpu_requirement(name: str) -> bool:
    """A CUDA library, the toolkit's metapackage, or triton."""
    return name.startswith("nvidia-") or name in ("cuda-toolkit", "cuda-bindings", "triton", "pytorch-triton")


def is_newer(unmet: Unmet) -> bool:
    """What is installed is newer than what is asked for: CUDA libraries of one major serve older programs."""
    found = release_numbers(unmet.found)
    bounds = re.findall(r"(?:==|>=|~=)\s*(\d+(?:\.\d+)*)", unmet.wanted)
    floors = [numbers for text in bounds if (numbers := release_numbers(text))]
    return found is not None and bool(floors) and found >= max(floors)


def complete(scene: Scene, owner: str, unmet: tuple[Unmet, ...]) -> Fix:
    """Install what is missing, as the owner's metadata words it."""
    title = f"Install what {owner} needs"
    package = scene.find(owner)
    if scene.is_shared or (package is not None and package.installer == "conda"):
        text = f"Install {owner} again, with its dependencies, in an environment of its own."
        return Fix(title=title, safety="manual", steps=(Ask(text=text),))
    wanted = tuple(f"{one.requirement}{one.wanted}" for one in unmet)
    if taken := owners_of_the_same(scene, wanted):
        return elsewhere(owner, taken)
    return Fix(title=title, safety=safety(scene), steps=install(scene, *wanted))


def elsewhere(owner: str, taken: tuple[str, ...]) -> Fix:
    """What to do where the files of a library are those of its namesake for another CUDA."""
    text = f"Install {owner} in an environment of its own: here {', '.join(taken)} owns the files that it needs."
    return Fix(title=f"Give {owner} an environment of its own", safety="manual", steps=(Ask(text=text),))
