"""Requirements of GPU packages that are not met."""

import re

from gpudoctor.facts.fix import Fix, by_hand
from gpudoctor.facts.python import Unmet
from gpudoctor.facts.scene import Scene
from gpudoctor.plan.nvidia_libraries import owners_of_the_same
from gpudoctor.plan.places import install, safety
from gpudoctor.rules.builds import in_words, release_numbers


def is_gpu_requirement(name: str) -> bool:
    """A CUDA library, the toolkit's metapackage, or triton."""
    return name.startswith("nvidia-") or name in ("cuda-toolkit", "cuda-bindings", "triton", "pytorch-triton")


def is_newer(unmet: Unmet) -> bool:
    """What is installed is newer than what is asked for: CUDA libraries of one major serve older programs."""
    found, floor = release_numbers(unmet.found), _floor(unmet)
    return found is not None and floor is not None and found >= floor


def is_older(unmet: Unmet) -> bool:
    """What is installed is older than what is asked for."""
    found, floor = release_numbers(unmet.found), _floor(unmet)
    return found is not None and floor is not None and found < floor


def _floor(unmet: Unmet) -> tuple[int, ...] | None:
    bounds = re.findall(r"(?:==|>=|~=)\s*(\d+(?:\.\d+)*)", unmet.wanted)
    return max((numbers for text in bounds if (numbers := release_numbers(text))), default=None)


def complete(scene: Scene, owner: str, unmet: tuple[Unmet, ...]) -> Fix:
    """Install what is missing, as those word it who need it: the owner, and others that the same command serves."""
    owners = tuple(dict.fromkeys(one.package for one in unmet)) or (owner,)
    title = f"Install what {in_words(owners)} {'needs' if len(owners) == 1 else 'need'}"
    package = scene.find(owner)
    if scene.is_shared or (package is not None and package.installer == "conda"):
        anew = f"Install {owner} again, with its dependencies, in an environment of its own."
        beside = f"Install {', '.join(requirements_of(unmet))} with conda beside it, or give it a new environment."
        return by_hand(title, anew if scene.is_shared else beside)
    wanted = requirements_of(unmet)
    if taken := owners_of_the_same(scene, wanted):
        return elsewhere(owner, taken)
    return Fix(title=title, safety=safety(scene), steps=install(scene, *wanted))


def requirements_of(unmet: tuple[Unmet, ...]) -> tuple[str, ...]:
    """What is asked for, each package once: numpy>=2.0,<3."""
    asked: dict[str, list[str]] = {}
    for one in unmet:
        asked.setdefault(one.requirement, []).append(one.wanted)
    return tuple(f"{name}{','.join(dict.fromkeys(filter(None, texts)))}" for name, texts in asked.items())


def elsewhere(owner: str, taken: tuple[str, ...]) -> Fix:
    """What to do where the files of a library are those of its namesake for another CUDA."""
    text = f"Install {owner} in an environment of its own: here {', '.join(taken)} owns the files that it needs."
    return by_hand(f"Give {owner} an environment of its own", text)
