"""Checks the table `extensions` (xformers, flash-attn …) against the METADATA of wheels."""

from collections.abc import Iterator

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from gpudoctor.index.claims import Claim, claim
from gpudoctor.index.requirement_text import named, parsed
from gpudoctor.index.wheel_claims.stated import LINUX, PYTHONS, specifier_text
from gpudoctor.index.wheel_facts import Library, WheelFacts
from gpudoctor.knowledge.matrix.query import Matrix

ALL_PYTHONS = (*PYTHONS, "3.15")
#: The tag py3.
OF_ANY = ">=3"


def extension_claims(matrix: Matrix, library: Library) -> Iterator[Claim]:
    """What each release asks of torch, Python and NumPy, and which CUDA it is made for."""
    for row in matrix.table("extensions"):
        name = f"{row.package} {row.versions[0]}" + (f" ({row.dist})" if row.dist else "")
        read = {version: library(row.wheels or row.dist or row.package, version, LINUX) for version in row.versions}
        for version, facts in read.items():
            # What was not recorded may be there all the same.
            if getattr(library, "is_live", False) and LINUX in (row.platforms or (LINUX,)):
                is_there = facts is not None or row.is_compiled
                yield claim("extensions", name, f"{version} has a wheel", True, is_there, fields=("versions",))
            if facts is None or facts.requires is None:
                continue
            required = tuple(parsed(facts.requires))
            about = f"of {version}"
            torch = named(required, "torch")
            # Where its makers name a torch themselves, METADATA may admit more.
            if row.torch and row.confidence != "official" and torch and str(torch[0].specifier):
                own, stated = specifier_text(row.torch), str(torch[0].specifier)
                yield claim("extensions", name, f"torch {about}", own, stated, fields=("torch",))
            if row.requires_python and facts.pythons:
                own_pythons, stated_pythons = _admitted(row.requires_python), _of_wheels(facts)
                yield claim(
                    "extensions", name, f"Pythons {about}", own_pythons, stated_pythons, fields=("requires_python",)
                )
            if row.numpy and (numpy := named(required, "numpy")):
                own, stated = specifier_text(row.numpy), str(numpy[0].specifier)
                yield claim("extensions", name, f"numpy {about}", own, stated, fields=("numpy",))
            if row.cuda and facts.cuda:
                major = (int(facts.cuda.split(".")[0]),)
                yield claim("extensions", name, f"cuda {about}", row.cuda, major, fields=("cuda",))


def _admitted(specifier: str) -> tuple[str, ...]:
    return tuple(one for one in ALL_PYTHONS if SpecifierSet(specifier).contains(one))


def _of_wheels(facts: WheelFacts) -> tuple[str, ...]:
    """The Pythons that can use wheels of such tags ("3.10", ">=3.9") and are admitted by their METADATA.

    Where some wheels have a compiled part and one has not (py3-none-any), those with it count.
    """
    admitted = SpecifierSet(facts.requires_python or "")
    compiled = [tag for tag in facts.pythons if tag != OF_ANY]
    oldest = [Version(tag.strip(">=t")) for tag in compiled or facts.pythons if tag.startswith(">=")]
    return tuple(
        one
        for one in ALL_PYTHONS
        if admitted.contains(one) and (one in facts.pythons or any(Version(one) >= first for first in oldest))
    )
