"""Writes the requirements in a wheel's METADATA as the matrix tables write them."""

from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache

from packaging.markers import Marker
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet

from gpudoctor.sources.package_names import normalise

#: What markers ask, by platform.
ENVIRONMENTS = {
    "linux-x86_64": ("Linux", "linux", "x86_64", "posix"),
    "linux-aarch64": ("Linux", "linux", "aarch64", "posix"),
    "windows-x86_64": ("Windows", "win32", "AMD64", "nt"),
    "macos-arm64": ("Darwin", "darwin", "arm64", "posix"),
    "macos-x86_64": ("Darwin", "darwin", "x86_64", "posix"),
}


def parsed(texts: Iterable[str]) -> tuple[Requirement, ...]:
    """The requirements among some Requires-Dist fields; what breaks the rules is left out."""
    return _parsed(tuple(texts))


@lru_cache(maxsize=4096)
def _parsed(texts: tuple[str, ...]) -> tuple[Requirement, ...]:
    found = []
    for text in texts:
        with suppress(InvalidRequirement):
            found.append(Requirement(text))
    return tuple(found)


def named(requirements: Iterable[Requirement], name: str, extra: str = "") -> tuple[Requirement, ...]:
    """The requirements of one name that hold for an extra ("" for none)."""
    return tuple(
        one for one in requirements if normalise(one.name) == name and ("extra" in str(one.marker)) == bool(extra)
    )


def holds(requirement: Requirement, platform: str, python: str, extra: str = "") -> bool:
    """Whether a requirement counts on a platform, for a Python."""
    return requirement.marker is None or _is_met(str(requirement.marker), platform, python, extra)


@lru_cache(maxsize=16384)
def _is_met(marker: str, platform: str, python: str, extra: str) -> bool:
    # A few hundred different markers are asked about a hundred thousand times.
    system, sys_platform, machine, os_name = ENVIRONMENTS[platform]
    environment = {
        "platform_system": system,
        "sys_platform": sys_platform,
        "platform_machine": machine,
        "os_name": os_name,
        "python_version": python,
        "python_full_version": f"{python}.0",
        "extra": extra,
    }
    return Marker(marker).evaluate(environment)


def as_text(requirements: Iterable[Requirement], platform: str, pythons: Iterable[str]) -> str | None:
    """What they ask, as the tables write it: one specifier, or `specifier; marker` for each, joined by ` | `."""
    counting = [one for one in requirements if any(holds(one, platform, python) for python in pythons)]
    specifiers = list(dict.fromkeys(str(one.specifier) for one in counting))
    everywhere = all(any(holds(one, platform, python) for one in counting) for python in pythons)
    if not specifiers:
        return None
    if len(specifiers) == 1 and everywhere:
        return specifiers[0]
    return " | ".join(f"{one.specifier}; {one.marker}" if one.marker else str(one.specifier) for one in counting)


def says_the_same(one: str | None, other: str | None, platform: str, pythons: Iterable[str]) -> bool:
    """Whether two such texts ask the same of every Python."""
    return all(_asked(one, platform, python) == _asked(other, platform, python) for python in pythons)


def _asked(text: str | None, platform: str, python: str) -> SpecifierSet | None:
    parts = [part.partition(";") for part in (text or "").split("|") if part.strip()]
    counting = [
        specifier
        for specifier, _, marker in parts
        if not marker.strip() or holds(Requirement(f"x; {Marker(marker.strip())}"), platform, python)
    ]
    return SpecifierSet(",".join(part.strip() for part in counting)) if counting else None
