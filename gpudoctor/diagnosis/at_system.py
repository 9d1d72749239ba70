"""How to mend a driver where no package manager installs it: image-based systems, Unraid, TrueNAS."""

import shlex

from msgspec.structs import replace

from gpudoctor.facts.finding import Finding
from gpudoctor.facts.fix import Ask, Fix, Run
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import System
from gpudoctor.knowledge.causes import Elsewhere, all_causes

#: The places of `gpudoctor.knowledge.places` that a machine's own names tell.
_SYSTEMS = frozenset({"at-image-system", "at-unraid", "at-truenas"})


def fixed_at_system(findings: tuple[Finding, ...], snapshot: Snapshot) -> tuple[Finding, ...]:
    """The findings, with what an administrator does on this system in place of what one does on others."""
    host = snapshot.host
    if not isinstance(host, System) or host.os != "linux":
        return findings
    own = {one.name: rows for one in findings if one.fixes and (rows := _rows(one.name))}
    if not own:
        return findings
    # Imported here: few findings have another remedy on another system.
    from gpudoctor.knowledge.places import places_in

    words = places_in(" ".join(filter(None, (host.distribution, host.pretty_name, host.kernel))))
    there = {name: row for name, rows in own.items() if (row := _first(rows, words)) is not None}
    return tuple(
        replace(one, fixes=_fixes(one.fixes, there[one.name])) if one.name in there else one for one in findings
    )


def without_other_circumstances(findings: tuple[Finding, ...], snapshot: Snapshot) -> tuple[Finding, ...]:
    """The findings, without what their fixes ask of a person where the facts show another circumstance."""
    if not any(isinstance(step, Ask) for one in findings for fix in one.fixes for step in fix.steps):
        return findings
    # Imported here: on a machine with nothing to mend by hand there is nothing to leave out.
    from gpudoctor.diagnosis.circumstances import circumstances_of, steps_here
    from gpudoctor.diagnosis.snapshot_view import SnapshotView
    from gpudoctor.diagnosis.surroundings import surroundings_of

    seen = SnapshotView(snapshot)
    words = {*circumstances_of(seen), *surroundings_of(snapshot), *seen.makers, *({seen.os} if seen.os else ())}
    return tuple(
        replace(one, fixes=tuple(replace(fix, steps=steps_here(fix.steps, words)) for fix in one.fixes))
        for one in findings
    )


def _rows(name: str) -> tuple[Elsewhere, ...]:
    record = all_causes().get(name)
    rows = record.remedy.at if record is not None and record.remedy is not None else ()
    return tuple(row for row in rows if row.say and _SYSTEMS.issuperset(row.place))


def _first(rows: tuple[Elsewhere, ...], words: frozenset[str]) -> Elsewhere | None:
    return next((row for row in rows if words.issuperset(row.place)), None)


def _fixes(fixes: tuple[Fix, ...], row: Elsewhere) -> tuple[Fix, ...]:
    """The first of those that install something as root is done in the system's own way, and stands for all of them."""
    installing = [fix for fix in fixes if fix.needs_root and not _only_restarts(fix)]
    if not installing:
        return fixes
    own = replace(installing[0], steps=(Ask(text=row.say), *(step for line in row.run for step in _steps(line))))
    return tuple(own if fix is installing[0] else fix for fix in fixes if fix not in installing[1:])


def _only_restarts(fix: Fix) -> bool:
    programs = {step.argv[0] for step in fix.steps if isinstance(step, Run)}
    return bool(programs) and programs <= {"reboot", "modprobe"}


def _steps(line: str) -> tuple[Run | Ask, ...]:
    """A command as it is typed by root, after what its comment says of it."""
    command, _, comment = line.partition("  # ")
    argv = shlex.split(command.removeprefix("sudo "))
    return (*((Ask(text=f"{comment[0].upper()}{comment[1:]}:"),) if comment else ()), Run(argv=tuple(argv)))
