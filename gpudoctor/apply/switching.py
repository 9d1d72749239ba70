"""Switches to a newly built environment by one rename, and carries users' files over."""

import os

from gpudoctor.apply import journal
from gpudoctor.apply.building import Building
from gpudoctor.apply.carry_files import Moved
from gpudoctor.apply.contents import Contents, contents
from gpudoctor.apply.distributions import differences, installed
from gpudoctor.apply.events import Tell
from gpudoctor.apply.journal import Change, write
from gpudoctor.apply.preconditions import Refused
from gpudoctor.apply.put_back import carried
from gpudoctor.apply.rewrite_paths import rewrite_paths
from gpudoctor.apply.swap import exchange, identity
from gpudoctor.apply.user_files import carry_over


def switch(change: Change, building: Building, say: Tell) -> Change:
    """Put the tree in the environment's place, with all that users wrote there until then. Raises Refused."""
    rewrite_paths(change.tree, change.detour)
    moved, here, there = Moved(), {}, contents(change.tree)  # type: tuple[Moved, Contents, Contents]
    if change.kind != "new":
        _refuse_changed(change, change.environment)
        moved, here, there = carry_over(change.environment, change.tree, noted_contents(change), change.id)
    journal.note_contents(change, there, here)
    change = write(change, state="switching", staged=identity(change.tree))
    if change.kind == "new":
        os.rename(change.tree, change.environment)
    else:
        exchange(change.environment, change.tree)
        # Until the last moment, and by those who have a folder open, it may have been written to.
        _refuse_changed(change, change.tree)
        late, here, _ = carry_over(change.tree, change.environment, (here, there), change.id)
        moved += late
        journal.note_contents(change, late.noted(there, here), here)
    building.starts(change.environment)
    if moved:
        say(carried(change, moved))
    return change


def noted_contents(change: Change) -> tuple[Contents | None, Contents | None]:
    """What is noted of the environment and of the tree, as far as it is."""
    noted = journal.contents_of(change)
    return (noted.environment, noted.tree) if noted is not None else (None, None)


def _refuse_changed(change: Change, tree: str) -> None:
    """Raises Refused where another installer was at work in the environment meanwhile."""
    meanwhile = differences(change.before, installed(tree))
    if meanwhile:
        raise Refused(
            f"packages of {change.environment} were changed by another program while this was being prepared "
            f"({'; '.join(meanwhile[:6])}); they are as that program left them. Run this again once it has ended."
        )
