"""The parsed install request: frameworks in order, companions, other packages."""

import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

from gpudoctor.errors import Misused
from gpudoctor.facts.base import Fact
from gpudoctor.facts.versions import is_bounded
from gpudoctor.knowledge.frameworks import companions, descriptors, planned
from gpudoctor.plan.answer import Wanted
from gpudoctor.plan.specifiers import agree
from gpudoctor.sources.package_names import normalise
from gpudoctor.tables import rows_of

if TYPE_CHECKING:
    from packaging.requirements import Requirement

#: Packages that are made for one release of torch.
COMPANIONS = companions()
_EXTRAS = rows_of("knowledge/extras")
#: Packages that go with a framework, and the one they bring along where the wish names none.
EXTRAS = {name: brings or None for name, brings, _, _ in _EXTRAS}
#: Other names for the same wish.
ALIASES = {
    "tensorflow-gpu": "tensorflow",
    "tensorflow-cpu": "tensorflow",
    "jaxlib": "jax",
    "paddlepaddle-gpu": "paddle",
}
ALIASES |= {other: one.name for one in descriptors() if one.name in planned() for other in one.aliases}
ALIASES |= {other: name for name, _, others, _ in _EXTRAS for other in others.split()}
#: Those that are of use without a GPU.
FOR_CPU_TOO = frozenset(name for name, _, _, traits in _EXTRAS if "cpu" in traits.split())
#: What a file cannot say of them: with which options they are compiled, or which of several names fits.
NOT_IN_FILES = frozenset(name for name, _, _, traits in _EXTRAS if "not-in-files" in traits.split())
FRAMEWORKS = planned()


class NotADemand(Misused):
    """The words are no wish that can be understood; the message says why, and what one looks like.

    `near`: names that may have been meant.
    """

    def __init__(self, text: str, near: tuple[str, ...] = ()) -> None:
        super().__init__(text)
        self.near = near


class Demand(Fact, frozen=True, kw_only=True):
    """Everything that is wanted in one environment."""

    #: The frameworks, the most important first.
    wanted: tuple[Wanted, ...] = ()
    #: Packages whose version or build goes with a framework: (name, specifier).
    extras: tuple[tuple[str, str], ...] = ()
    #: Packages that are left to the installer, as requirements.
    others: tuple[str, ...] = ()
    #: Files of requirements that the installer is given as they are.
    files: tuple[str, ...] = ()
    #: Why no build can be chosen beside them: they settle where from, or which files; empty where it can.
    settled: str = ""
    #: Only what has a hash in them is installed.
    hashed: bool = False
    #: No GPU is to be used.
    cpu_only: bool = False


def parse_demand(texts: tuple[str, ...], cuda: str | None = None, *, any_package: bool = False) -> Demand:
    """The demand of "torch>=2.6", "torchvision", "keras" … `cuda`: 12.6, 12 or cpu. Raises NotADemand.

    `any_package`: others are left to the installer; but a slip of the pen must not install another package.
    """
    others: list[str] = []
    asked: dict[str, str] = {}
    for_cpu = False
    for text in texts:
        requirement = _requirement(text)
        name = ALIASES.get(name_of(requirement), name_of(requirement))
        if name not in (*FRAMEWORKS, *COMPANIONS, *EXTRAS):
            if not any_package or _is_slip(name):
                raise _unknown(requirement.name)
            others.append(text)
            continue
        if requirement.url is not None:
            raise NotADemand(f"{text!r} names a file or address; give a version, as in torch==2.6.0.")
        asked[name] = joined(asked.get(name, ""), str(requirement.specifier), name)
        for_cpu = for_cpu or name_of(requirement) == "tensorflow-cpu"
    alone = sum(name in FRAMEWORKS for name in asked) == 1
    return demand_of(asked, tuple(others), cuda="cpu" if for_cpu and alone and cuda is None else cuda)


def demand_of(asked: dict[str, str], others: tuple[str, ...] = (), cuda: str | None = None) -> Demand:
    """The demand of names with their specifiers, in order. Raises NotADemand."""
    cpu_only = cuda == "cpu"
    if cuda is not None and not cpu_only and re.fullmatch(r"\d{1,2}(?:\.\d{1,2})?", cuda) is None:
        raise NotADemand(f"{cuda!r} is no CUDA version; write 12.6, 12 or cpu.")
    asked = dict(asked)
    companions = tuple((name, asked.pop(name)) for name in COMPANIONS if name in asked)
    extras = tuple((name, asked.pop(name)) for name in EXTRAS if name in asked)
    if companions:
        asked.setdefault("torch", "")
    for name, _ in extras:
        needs = EXTRAS[name]
        if needs is not None and not (asked and name == "keras"):
            asked.setdefault(needs, "")
    wanted = tuple(
        Wanted(
            framework=name,
            specifier=specifier,
            companions=companions if name == "torch" else (),
            cuda=None if cpu_only else cuda,
        )
        for name, specifier in asked.items()
    )
    return Demand(wanted=wanted, extras=extras, others=others, cpu_only=cpu_only)


def joined(one: str, other: str, name: str) -> str:
    """Both specifiers in one. Raises NotADemand where no version can meet both."""
    both = ",".join(dict.fromkeys(part for part in (*one.split(","), *other.split(",")) if part))
    if not agree(both):
        raise NotADemand(f"No version can be {name}{both}.")
    return both


def name_of(requirement: "Requirement") -> str:
    """The normalised name (PEP 503)."""
    return normalise(requirement.name)


def _requirement(text: str) -> "Requirement":
    # Imported here: reading requirements is heavy, and a check needs none.
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        if not is_bounded(text):
            raise InvalidRequirement
        return Requirement(text)
    except InvalidRequirement:
        raise NotADemand(f"{text!r} is no framework; write torch, torch==2.6.0 or 'torch>=2.6,<2.8'.") from None


def _is_slip(name: str) -> bool:
    """Whether it is a name that is known with a letter wrong; tensorflow-hub and faiss-cpu are names of their own."""
    # Imported here: only a name that is not known needs it.
    from difflib import get_close_matches

    known = (*FRAMEWORKS, *COMPANIONS, *EXTRAS, *ALIASES)
    if any(_is_one_letter_off(name, one) for one in known):
        return name.replace("-cpu", "-gpu") not in known
    near = get_close_matches(name, known, n=3, cutoff=0.9)
    return any(not name.startswith(one) for one in near)


def _is_one_letter_off(name: str, other: str) -> bool:
    """One is wrong, missing, too many or in another place."""
    one, two = ({text, *(text[:at] + text[at + 1 :] for at in range(len(text)))} for text in (name, other))
    return not one.isdisjoint(two)


def _unknown(name: str) -> NotADemand:
    # Imported here: only a slip of the pen needs it.
    from difflib import get_close_matches

    known = (*FRAMEWORKS, *COMPANIONS, *EXTRAS)
    near = tuple(get_close_matches(name.lower(), known, n=3))
    hint = f"Did you mean {' or '.join(near)}?" if near else f"Known are {', '.join(known)}."
    return NotADemand(f"No framework {name!r} is known here. {hint}", near)


def together(one: Demand, other: Demand, cuda: str | None = None) -> Demand:
    """Both demands in one, the frameworks of the first before those of the second. Raises NotADemand."""
    asked = named(one)
    for name, specifier in named(other).items():
        asked[name] = joined(asked.get(name, ""), specifier, name)
    cpu = "cpu" if one.cpu_only or other.cpu_only else None
    both = demand_of(asked, tuple(dict.fromkeys((*one.others, *other.others))), cuda or cpu)
    settled = one.settled or other.settled
    if settled and both.wanted:
        names = ", ".join(wanted.framework for wanted in both.wanted)
        raise NotADemand(f"{settled}, so {names} cannot be chosen beside it. Ask for it in that file, or by itself.")
    if (one.hashed or other.hashed) and both.others:
        raise NotADemand(f"{settled}, and {both.others[0]!r} has none. Ask for it in that file, or by itself.")
    files = tuple(dict.fromkeys((*one.files, *other.files)))
    return replace(both, files=files, settled=settled, hashed=one.hashed or other.hashed)


def named(demand: Demand) -> dict[str, str]:
    """What is asked for by a name that is known here, with its specifier."""
    found = {one.framework: one.specifier for one in demand.wanted}
    found |= {name: specifier for one in demand.wanted for name, specifier in one.companions}
    return found | dict(demand.extras)
