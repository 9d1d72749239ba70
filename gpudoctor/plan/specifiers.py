"""PEP 440 specifiers: whether a version meets one, and whether two can both be met."""

from functools import lru_cache
from typing import TYPE_CHECKING

from gpudoctor.facts.versions import package_version

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet


@lru_cache(maxsize=2048)
def _parsed(specifier: str) -> "SpecifierSet":
    # Imported here: a static check need not parse specifiers.
    from packaging.specifiers import SpecifierSet

    return SpecifierSet(specifier)


def is_specifier(text: str) -> bool:
    """Whether it is one; the empty one, which any version meets, too."""
    try:
        _parsed(text)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=8192)
def meets(version: str, specifier: str) -> bool:
    """Whether a version, with its local tag if it has one, meets a specifier."""
    return not specifier or _parsed(specifier).contains(version, prereleases=True)


@lru_cache(maxsize=4096)
def agree(*specifiers: str) -> bool:
    """Whether some version meets all specifiers.

    A range ends at a version that is named in it, so it is enough to try those, and one just above and just below each.
    """
    named = {one.version.removesuffix(".*") for text in specifiers if text for one in _parsed(text)}
    # After === anything may stand; no release is called what is no version.
    bounds = {text for text in named if package_version(text) is not None}
    tried = {"0", "99999", *bounds, *(f"{bound}.0.1" for bound in bounds), *filter(None, map(_below, bounds))}
    return any(all(meets(version, specifier) for specifier in specifiers) for version in tried)


def _below(version: str) -> str | None:
    """A version just below: 2.0 gives 1.99999."""
    from packaging.version import Version

    release = [*Version(version).release]
    while release and release[-1] == 0:
        release.pop()
    return ".".join(map(str, [*release[:-1], release[-1] - 1, 99999])) if release else None
