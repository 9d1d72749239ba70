"""Applies a plan to one environment: builds a copy, verifies and smoke-tests it, then switches to it.

Until the switch the environment is as it was; the switch is one rename. What fails, or is interrupted, leaves nothing.
"""

import os
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import Literal

from msgspec import field, structs

from gpudoctor.apply import journal
from gpudoctor.apply.backups import forget_older
from gpudoctor.apply.building import Building, CutOff, Failed
from gpudoctor.apply.clone import clone
from gpudoctor.apply.contents import contents, of_any_copy
from gpudoctor.apply.crash_recovery import mend, mend_unfinished
from gpudoctor.apply.disk_space import NoRoom
from gpudoctor.apply.disk_usage import size_of
from gpudoctor.apply.distributions import differences, from_archives, installed, with_archives
from gpudoctor.apply.downloads import downloaded_once
from gpudoctor.apply.dry_run_answers import Answers
from gpudoctor.apply.dry_run_result import Archive, Sizer
from gpudoctor.apply.events import (
    EXIT_CODES,
    Copying,
    Event,
    Finished,
    Outcome,
    Progress,
    Proved,
    Proving,
    Started,
    Switched,
    Tell,
    progress,
)
from gpudoctor.apply.in_place import is_fixed, names_of_ours
from gpudoctor.apply.installer import environment_for, scrub, scrubbed
from gpudoctor.apply.journal import Change, Distribution, write
from gpudoctor.apply.lock import Busy, Lock
from gpudoctor.apply.nothing_to_change import is_needless
from gpudoctor.apply.preconditions import Refused, Unreachable, check_folder
from gpudoctor.apply.removal import remove, remove_empty
from gpudoctor.apply.retarget import Step, names_of
from gpudoctor.apply.signals import end_undisturbed, interruptible, undisturbed
from gpudoctor.apply.swap import identity
from gpudoctor.apply.switching import noted_contents, switch
from gpudoctor.apply.user_files import carry_over
from gpudoctor.facts.base import Fact
from gpudoctor.facts.fix import Run

#: Why there is nothing to do.
NOTHING = "All that the commands would install is there already, and nothing was changed."
#: Trains a small network with each framework of the environment of an interpreter.
Prove = Callable[[str], tuple[Proved, ...]]


class Work(Fact, frozen=True, kw_only=True):
    """What is to be done to one environment."""

    #: Absolute path of its folder; and as it is written in the steps, where that differs.
    environment: str
    given: str | None = None
    kind: Literal["new", "replaced", "changed"]
    #: in-place: for environments that cannot be moved, those of conda.
    way: Literal["beside", "in-place"] = "beside"
    #: Make the environment (where it is new), then change it. Those that are commands are run.
    make: tuple[Step, ...] = ()
    steps: tuple[Step, ...] = ()
    #: Distributions that must be there afterwards.
    wanted: tuple[str, ...] = ()
    #: Whether the installer is asked first (its dry run).
    verify: bool = True
    #: Environment variables of the user.
    variables: Mapping[str, str] = {}
    #: What installers said of these steps already.
    answers: Answers = field(default_factory=Answers)


def carry_out(work: Work, prove: Prove, tell: Tell, size_of: Sizer) -> Finished:
    """Do it. Whatever happens is told, and the last event is returned. Raises nothing but our own bugs."""
    begun = time.monotonic()

    def say(event: Event) -> None:
        tell(_timed(event, time.monotonic() - begun))

    with interruptible():
        end = _guarded(work, prove, say, size_of)
    timed = structs.replace(end, seconds=round(time.monotonic() - begun, 3))
    tell(timed)
    return timed


def _timed(event: Event, seconds: float) -> Event:
    return structs.replace(event, seconds=round(seconds, 3))


def _guarded(work: Work, prove: Prove, say: Tell, size_of: Sizer) -> Finished:
    parents: tuple[str, ...] = ()
    try:
        check_folder(work.environment, exists=work.kind != "new", stays=work.kind == "changed")
        parents = _make_parents(os.path.dirname(work.environment))
        with Lock(work.environment) as lock:
            mend_unfinished(work.environment, say)
            if work.kind == "changed" and _is_needless(work, say):
                return _finished("nothing-to-do", reason=NOTHING)
            return _locked(work, prove, say, size_of, lock.descriptor, parents)
    except (Refused, Busy) as error:
        return _finished("refused", reason=str(error))
    except KeyboardInterrupt:
        return _finished("interrupted", reason="interrupted; nothing was changed")
    except OSError as error:
        return _finished("refused", reason=_explained(error))
    finally:
        remove_empty(parents)


def _is_needless(work: Work, say: Tell) -> bool:
    variables = environment_for(work.variables)
    return is_needless(work.environment, work.steps, variables, lambda: say(Progress()), work.answers)


def _make_parents(path: str) -> tuple[str, ...]:
    """Make the folders above the environment; those that were not there."""
    missing = []
    while not os.path.isdir(path):
        missing.append(path)
        path = os.path.dirname(path)
    for folder in reversed(missing):
        os.mkdir(folder)
    return tuple(missing)


def _locked(work: Work, prove: Prove, say: Tell, size_of: Sizer, lock: int, parents: tuple[str, ...]) -> Finished:
    change = Change(
        id=journal.new_id(),
        begun=journal.now(),
        kind=work.kind,
        environment=work.environment,
        way="inside" if work.kind == "changed" and is_fixed(work.environment) else work.way,
        commands=tuple(scrubbed(step.argv) for step in (*work.make, *work.steps) if isinstance(step, Run)),
        before=_installed(work.environment) if work.kind != "new" else (),
        made=parents,
    )
    say(Started(id=change.id, environment=change.environment, kind=change.kind, way=change.way))
    try:
        return _attempt(work, change, prove, say, size_of, lock)
    except BaseException as error:
        with undisturbed():
            _take_back(change, error, say)
        outcome, reason = _ending(error)
        if outcome is None:
            raise
        return _finished(outcome, reason=reason, unreachable=isinstance(error, Unreachable))


def _ending(error: BaseException) -> tuple[Outcome | None, str]:
    if isinstance(error, Failed):
        return "failed-and-rolled-back", str(error)
    if isinstance(error, Refused | NoRoom):
        return "refused", str(error)
    if isinstance(error, KeyboardInterrupt):
        return "interrupted", "interrupted; the environment is as it was"
    if isinstance(error, OSError):
        return "failed-and-rolled-back", _explained(error)
    return None, ""


def _attempt(work: Work, change: Change, prove: Prove, say: Tell, size_of: Sizer, lock: int) -> Finished:
    change = _open(change)
    with downloaded_once(environment_for(work.variables), change.folder, work.environment) as variables:
        return _done(work, change, prove, say, size_of, lock, variables)


def _done(
    work: Work, change: Change, prove: Prove, say: Tell, size_of: Sizer, lock: int, variables: Mapping[str, str]
) -> Finished:
    place = change.tree if change.way == "beside" else change.environment
    building = Building(
        names=names_of(work.environment, work.given),
        place=place,
        detour=change.detour,
        variables=variables,
        say=say,
        size_of=size_of,
        keep_open=(lock,),
        answers=work.answers,
    )
    if work.kind == "changed":
        ours = names_of_ours(change.environment)
        _copy(change, ours, say)
        if change.way != "beside":
            names = tuple(name for name in os.listdir(change.environment) if name not in ours)
            change = write(change, state="changing", staged=identity(change.tree), names=names)
    elif change.way == "in-place":
        change = write(change, state="changing")
    building.run(work.make, verify=False)
    building.run(work.steps, verify=work.verify)
    building.expect(work.wanted)
    say(Proving())
    proofs = prove(building.python)
    for proof in proofs:
        say(proof)
    failed = [proof for proof in proofs if proof.outcome == "failed"]
    if failed:
        raise Failed("; ".join(f"{one.framework} does not work: {one.detail or 'training failed'}" for one in failed))
    if change.way == "beside":
        change = switch(change, building, say)
    elif change.kind == "changed":
        # What users wrote meanwhile is no part of the change: the copy to go back to has it, too.
        _, seen, tree = carry_over(change.environment, change.tree, noted_contents(change), change.id)
        journal.note_contents(change, seen, tree)
    say(Switched(environment=change.environment))
    return _close(change, proofs, building.archives)


def _copy(change: Change, ours: Collection[str], say: Tell) -> None:
    """Copy the environment into the tree, and tell about once a second how far that is."""
    whole = size_of(change.environment)
    say(Copying(of_bytes=whole))
    clone(change.environment, change.tree, leave_out=ours, tick=progress(whole, say))
    copied = contents(change.tree)
    journal.note_contents(change, of_any_copy(copied), copied)


def _installed(environment: str) -> tuple[Distribution, ...]:
    """What is installed, with the archives that earlier changes came from."""
    known = (one for change in journal.load_changes(environment) for one in change.after)
    return with_archives(installed(environment), known)


def _open(change: Change) -> Change:
    """Make the folder of the change. From here on there is a journal."""
    write(change)
    os.mkdir(change.folder, 0o700)
    with open(os.path.join(change.folder, ".gitignore"), "w", encoding="utf-8") as stream:
        stream.write("*\n")
    return write(change)


def _close(change: Change, proofs: tuple[Proved, ...], archives: tuple[Archive, ...]) -> Finished:
    after = from_archives(with_archives(installed(change.environment), change.before), archives)
    proved = tuple(proof.framework for proof in proofs if proof.outcome == "passed")
    end_undisturbed()
    change = write(change, state="done", after=after, proved=proved)
    # From here on it is done: what cannot be tidied up is no reason to take it back.
    with suppress(OSError):
        if change.kind == "new" and journal.is_listed(change):
            # There is nothing in it: undoing a new environment removes what is not the user's.
            journal.list_contents(change)
            remove(change.folder)
        forget_older(change.environment, KEPT)
    whole: Outcome = "installed-and-proved" if proofs else "installed"
    outcome = whole if len(proved) == len(proofs) else "installed-not-proved"
    return _finished(outcome, changes=differences(change.before, after), id=change.id)


#: Ways back that are kept for one environment. Each holds only the files that were replaced.
KEPT = 3


def _take_back(change: Change, error: BaseException, say: Tell) -> None:
    """As it was before; the journal keeps why."""
    known = next((one for one in journal.load_changes(change.environment) if one.id == change.id), change)
    mend(known, say, half=isinstance(error, CutOff) or not isinstance(error, Failed))
    _, reason = _ending(error)
    with suppress(OSError):
        write(known, state="failed", reason=scrub(reason or type(error).__name__)[:2000])


def _explained(error: OSError) -> str:
    what = error.strerror or str(error)
    return f"{error.filename}: {what}" if error.filename else what


def _finished(outcome: Outcome, **facts: object) -> Finished:
    return Finished(outcome=outcome, exit_code=EXIT_CODES[outcome], **facts)  # type: ignore[arg-type]
