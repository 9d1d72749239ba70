"""Compares one field of a matrix row with what a wheel's METADATA requires."""

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from gpudoctor.index.claims import Claim, claim
from gpudoctor.index.requirement_text import as_text, named, parsed, says_the_same
from gpudoctor.index.wheel_facts import WheelFacts
from gpudoctor.sources.package_names import normalise

LINUX = "linux-x86_64"
#: For tables without Pythons of their own.
PYTHONS = ("3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14")


def said(table: str, row: str, field: str, matrix: object, index: object) -> Claim:
    """The claim on one field of a row."""
    return claim(table, row, f"{field} in the wheel", matrix, index, fields=(field,))


def asks(facts: WheelFacts | None, package: str) -> SpecifierSet | None:
    """What a wheel asks of a package; None: nothing, or not read."""
    found = named(parsed(facts.requires or ()), package) if facts is not None else ()
    return found[0].specifier if found and str(found[0].specifier) else None


def asked_claim(
    table: str,
    name: str,
    field: str,
    about: str,
    told: str | None,
    required: tuple[Requirement, ...],
    platform: str,
    pythons: tuple[str, ...],
) -> Claim:
    """What a cell says of a requirement. One that names another distribution, keras-nightly>=3, is asked for that."""
    dist, text = field, told
    if told is not None and told[0].isalpha():
        own = Requirement(told.partition(";")[0].split("|")[0])
        dist, text = normalise(own.name), str(own.specifier)
    found = as_text(named(required, dist), platform, pythons)
    same = says_the_same(text, found, platform, pythons)
    return claim(table, name, f"{field} {about}", told, told if same else found, fields=(field,))


def specifier_text(text: str | None) -> str | None:
    """A specifier as packaging writes it."""
    return None if text is None else str(SpecifierSet(text))
