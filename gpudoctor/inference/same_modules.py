"""Two installed packages that provide the same module (onnxruntime and onnxruntime-gpu): which wins is unknown."""

from collections.abc import Iterator
from itertools import pairwise

from msgspec import structs

from gpudoctor.facts.python import Overlap, Package, Packages
from gpudoctor.facts.specifiers import is_met
from gpudoctor.knowledge.same_modules import same_modules


def with_same_modules(packages: Packages) -> Packages:
    """The packages with what two of them share. Where their files were looked at, that is known better."""
    if packages.files_known is not None or packages.overlaps != ():
        return packages
    found = tuple(_overlaps(packages))
    return structs.replace(packages, overlaps=found) if found else packages


def _overlaps(packages: Packages) -> Iterator[Overlap]:
    for row in same_modules():
        named = (one for one in packages.installed if one.name in row.packages)
        # conda's tensorflow-gpu is an empty package that requires its tensorflow.
        own = [one for one in named if one.installer != "conda" and _is_served(one, row.releases)]
        for first, second in pairwise(own):
            names = sorted((first.name, second.name), key=len)
            yield Overlap(first=names[0], second=names[1], most=True, example=f"{row.module}/__init__.py")


def _is_served(package: Package, releases: str) -> bool:
    return not releases or bool(package.version and is_met(releases, package.version))
