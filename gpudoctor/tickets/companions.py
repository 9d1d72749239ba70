"""Companions of a torch that was not believed: a command names all three, another Python prints its own torch."""

from collections.abc import Iterable
from typing import Any

from msgspec import structs

from gpudoctor.facts.base import Section
from gpudoctor.facts.python import Framework, Frameworks, Packages
from gpudoctor.knowledge.matrix.query import Matrix

_COMPANIONS = ("torchvision", "torchaudio")


def without_those_of_another_torch(
    sections: dict[str, Section], not_believed: Iterable[str], matrix: Matrix
) -> dict[str, Section]:
    """The sections without the companions that were made for these releases, and not for the one that was believed."""
    frameworks = sections.get("frameworks")
    torch = frameworks.get("torch") if isinstance(frameworks, Frameworks) else None
    other = {release.partition("+")[0] for release in not_believed}
    if not isinstance(frameworks, Frameworks) or torch is None or not torch.version or not other:
        return sections
    own = torch.version.partition("+")[0]

    def stays(one: Framework | Any) -> bool:
        made = matrix.torch_for(one.name, one.version) if one.name in _COMPANIONS and one.version else ()
        return own in made or other.isdisjoint(made)

    left: dict[str, Section] = {"frameworks": structs.replace(frameworks, found=tuple(filter(stays, frameworks.found)))}
    packages = sections.get("packages")
    if isinstance(packages, Packages):
        left["packages"] = structs.replace(packages, installed=tuple(filter(stays, packages.installed)))
    return sections | left
