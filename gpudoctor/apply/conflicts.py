"""What an installation would change in an environment, and which installed packages it would break.

An installer sees that what it installs agrees; pip and uv do not ask what else is there (pip says so afterwards).
"""

from collections.abc import Collection, Mapping
from importlib.metadata import distributions

from gpudoctor.apply.distributions import site_folders
from gpudoctor.facts.base import Fact
from gpudoctor.facts.python import Unmet
from gpudoctor.knowledge.companion_bounds import unstated
from gpudoctor.probes.requirements.probe import find_unmet
from gpudoctor.sources.package_names import normalise


class Foreseen(Fact, frozen=True, kw_only=True):
    """What would be different afterwards: "numpy 1.26.4 -> 2.4.6"; and what would not agree any more."""

    changes: tuple[str, ...] = ()
    breaks: tuple[Unmet, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """Whom it breaks: "numba 0.60.0 needs numpy<2.1, and 2.4.6 would be installed"."""
        return tuple(
            f"{one.package} needs {one.requirement}{one.wanted}, and "
            f"{'none would be left' if one.found is None else f'{one.found} would be installed'}"
            for one in self.breaks
        )

    @property
    def bounds(self) -> tuple[str, ...]:
        """The requirements of what would break."""
        return tuple(f"{one.requirement}{one.wanted}" for one in self.breaks if one.found is not None and one.wanted)


def foresee(
    environment: str | None, installs: tuple[str, ...], removed: Collection[str], markers: Mapping[str, str]
) -> Foreseen:
    """What these "name==version" words would do to the environment in a folder (None: a new one)."""
    new = {normalise(name): version for name, _, version in (text.partition("==") for text in installs)}
    before, requires = _installed(environment) if environment is not None else ({}, {})
    after = {name: version for name, version in before.items() if name not in removed} | new
    staying = {name: lines for name, lines in requires.items() if name in after and name not in new}
    # An installer sees to what its packages state, and to nothing else.
    staying |= {name: lines for name, version in new.items() if (lines := unstated(name, version))}
    already = set(find_unmet(requires, before, dict(markers)))
    broken = [one for one in find_unmet(staying, after, dict(markers)) if one not in already]
    # Of some packages the dry run names no version: these are left out.
    broken = [one for one in broken if one.found != ""]
    return Foreseen(changes=tuple(_changes(before, after)), breaks=tuple(broken))


def _installed(environment: str) -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    """The distributions with their versions, and what each requires, as its metadata says."""
    versions: dict[str, str] = {}
    requires: dict[str, tuple[str, ...]] = {}
    for one in distributions(path=list(site_folders(environment))):
        try:
            name, version, lines = one.metadata["Name"], one.version, tuple(one.requires or ())
        except (ValueError, TypeError, AttributeError, KeyError, OSError):  # damaged or gone, it asks for nothing
            continue
        if name and version:
            versions.setdefault(normalise(name), version)
            requires.setdefault(normalise(name), (*lines, *unstated(normalise(name), version)))
    return versions, requires


def _changes(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    lines = []
    for name in sorted({*before, *after}):
        was, is_ = before.get(name), after.get(name)
        if was == is_:
            continue
        lines.append(
            f"+ {name} {is_}" if was is None else f"- {name} {was}" if is_ is None else f"{name} {was} -> {is_}"
        )
    return lines
