"""Unmet requirements of GPU packages, and the install commands for them."""

import re

from packaging.version import Version

from gpudoctor.facts.fix import Fix, by_hand
from gpudoctor.facts.python import Unmet
from gpudoctor.facts.scene import Scene
from gpudoctor.facts.versions import package_version
from gpudoctor.plan.nvidia_libraries import owners_of_the_same
from gpudoctor.plan.places import install, safety
from gpudoctor.plan.specifiers import agree
from gpudoctor.rules.builds import in_words, release_numbers

#: Triton, as torch's stable and nightly builds ask for it: one release for each of torch's.
TRITONS = ("triton", "pytorch-triton")
#: The ends of a range.
_BOUND = re.compile(r"(>=|<)\s*([^=\s][^,\s]*)")


def is_gpu_requirement(name: str) -> bool:
    """A CUDA library, the toolkit's metapackage, or triton."""
    return name.startswith("nvidia-") or name in ("cuda-toolkit", "cuda-bindings", *TRITONS)


def is_newer(unmet: Unmet) -> bool:
    """What is installed is newer than what is asked for: CUDA libraries of one major serve older programs."""
    found, floor = release_numbers(unmet.found), _floor(unmet)
    return found is not None and floor is not None and found >= floor


def is_older(unmet: Unmet) -> bool:
    """What is installed is older than what is asked for."""
    found, floor = release_numbers(unmet.found), _floor(unmet)
    return found is not None and floor is not None and found < floor


def is_of_lower_major(unmet: Unmet) -> bool:
    """libcudnn.so.8 where libcudnn.so.9 is asked for: a library under another name, which is not found."""
    found, floor = release_numbers(unmet.found), _floor(unmet)
    return found is not None and floor is not None and found[0] < floor[0]


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
    return Fix(title, safety(scene), install(scene, *wanted))


def requirements_of(unmet: tuple[Unmet, ...]) -> tuple[str, ...]:
    """What is asked for, each package once, and what others ask of it where some version suits all: numpy>=2.0,<3."""
    asked: dict[str, list[str]] = {}
    for one in unmet:
        asked.setdefault(one.requirement, []).append(one.wanted)
    return tuple(bounded(name, tuple(texts), unmet) for name, texts in asked.items())


def bounded(name: str, texts: tuple[str, ...], unmet: tuple[Unmet, ...]) -> str:
    """A requirement with these specifiers, and with those that installed packages state, where all of them agree."""
    own = tuple(dict.fromkeys(filter(None, texts)))
    stated = (text for one in unmet if one.requirement == name for text in (one.wanted, *one.others))
    every = tuple(dict.fromkeys((*own, *filter(None, stated))))
    return f"{name}{','.join(_strictest(every if agree(*every) else own))}"


def _strictest(specifiers: tuple[str, ...]) -> tuple[str, ...]:
    """The same without lower bounds below the highest, and upper ones above the lowest: >=1.26,<2."""
    every = dict.fromkeys(one.strip() for text in specifiers for one in text.split(",") if one.strip())
    kept = dict.fromkeys(every, "")
    ends: dict[str, tuple[Version, str]] = {}
    for one in every:
        match = _BOUND.fullmatch(one)
        version = package_version(match[2]) if match is not None else None
        if match is None or version is None:
            continue
        end = ends.setdefault(match[1], (version, one))
        if end[1] == one:
            continue
        is_stricter = version > end[0] if match[1] == ">=" else version < end[0]
        kept.pop(end[1] if is_stricter else one, None)
        ends[match[1]] = (version, one) if is_stricter else end
    return tuple(kept)


def elsewhere(owner: str, taken: tuple[str, ...]) -> Fix:
    """What to do where the files of a library are those of its namesake for another CUDA."""
    text = f"Install {owner} in an environment of its own: here {', '.join(taken)} owns the files that it needs."
    return by_hand(f"Give {owner} an environment of its own", text)
