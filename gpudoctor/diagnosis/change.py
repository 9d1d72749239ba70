"""One kind of difference between two snapshots: how it is found and how to undo it."""

from collections.abc import Iterator
from typing import Any

import msgspec

from gpudoctor.facts.base import Fact
from gpudoctor.facts.python import Frameworks
from gpudoctor.facts.snapshot import Snapshot


class Change(Fact, frozen=True, kw_only=True):
    """One difference. `gained` and `lost` are for lists, such as a search path."""

    section: str
    #: driver, torch, LD_LIBRARY_PATH.
    what: str
    before: str | None = None
    after: str | None = None
    gained: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    #: What undoes it alone: an item of its section. None: the section is undone whole.
    item: str | None = None

    @property
    def undo(self) -> tuple[str, str | None]:
        """Changes with the same are undone together."""
        return self.section, self.item


def scalar(section: str, what: str, old: Any, new: Any, item: str | None = None) -> Iterator[Change]:
    """A fact that is known in both and differs. That one of them does not know it is no change."""
    if old is not None and new is not None and words(old) != words(new):
        yield Change(section=section, what=what, before=words(old), after=words(new), item=item)


def listed(section: str, what: str, old: Any, new: Any, item: str | None = None) -> Iterator[Change]:
    """A list that is known in both: what it gained and lost, or its new order."""
    if old is None or new is None:
        return
    had, has = [words(one) for one in old], [words(one) for one in new]
    gained, lost = tuple(one for one in has if one not in had), tuple(one for one in had if one not in has)
    if gained or lost:
        yield Change(section=section, what=what, gained=gained, lost=lost, item=item)
    elif had != has:
        yield Change(section=section, what=f"order of {what}", before=", ".join(had), after=", ".join(has), item=item)


def words(value: Any) -> str:
    """A value as it is shown."""
    if isinstance(value, bool):
        return "on" if value else "off"
    name = getattr(value, "path", None)
    return str(name if isinstance(name, str) else value)


def undone(after: Snapshot, before: Snapshot, change: Change) -> Snapshot:
    """`after` with one change taken back."""
    old, new = getattr(before, change.section), getattr(after, change.section)
    if change.item is None or old is None or new is None:
        return msgspec.structs.replace(after, **{change.section: old})
    if change.section == "frameworks":
        was = old.get(change.item)
        kept = tuple(was if one.name == change.item else one for one in new.found if one.name != change.item or was)
        if was is not None and new.get(change.item) is None:
            kept = (*kept, was)
        return msgspec.structs.replace(after, frameworks=Frameworks(found=kept) if kept else None)
    variables = {name: value for name, value in new.variables.items() if name != change.item}
    if (value := old.get(change.item)) is not None:
        variables[change.item] = value
    return msgspec.structs.replace(after, environ=msgspec.structs.replace(new, variables=variables))
