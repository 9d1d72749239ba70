"""Merges the fixes of all findings into one plan: each change once, in order, conflicts left out and named."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from gpudoctor.facts.finding import Diagnosis, Finding
from gpudoctor.facts.fix import Ask, Fix, Run, run
from gpudoctor.facts.plan import Conflict, Mending, Plan, Scope, Step, Unresolved
from gpudoctor.facts.versions import DriverRelease
from gpudoctor.plan.effects import contradiction
from gpudoctor.plan.places import NEW_ENVIRONMENT

REBOOT = (run("reboot"),)


def plan_of(diagnosis: Diagnosis, only: Iterable[str] = (), *, can_be_root: bool | None = None) -> Plan:
    """The plan for the causes of a diagnosis; for the findings of some codes (or names) only, where given.

    What follows from a cause goes with it. Notes are no faults, and get their fix only when they are asked for.
    `can_be_root` False: a way that needs no administrator goes before one that does.
    """
    asked = set(only)
    findings = [one for one in diagnosis.findings if _is_meant(one, asked)]
    kept: list[Mending] = []
    conflicts: list[Conflict] = []
    unresolved: list[Unresolved] = []
    for finding in findings:
        if not finding.fixes:
            reason = "No fix is known that can be made from here."
            unresolved.append(Unresolved(code=finding.code, summary=finding.summary, reason=reason))
            continue
        conflict = _take(finding, kept, can_be_root=can_be_root)
        if conflict is not None:
            conflicts.append(conflict)
    ordered = sorted(_apart(kept), key=_turn)
    return Plan(fixes=tuple(_prepared_once(ordered)), conflicts=tuple(conflicts), unresolved=tuple(unresolved))


def _is_meant(finding: Finding, asked: set[str]) -> bool:
    if asked:
        return bool({finding.code, finding.name} & asked)
    return not finding.because_of and finding.severity != "info"


def _take(finding: Finding, kept: list[Mending], *, can_be_root: bool | None) -> Conflict | None:
    """Add the first way to mend a finding that agrees with what is kept; the conflict where none does."""
    ways = sorted(finding.fixes, key=lambda fix: fix.needs_root) if can_be_root is False else finding.fixes
    first: Conflict | None = None
    for fix in ways:
        if _scope(fix) == "person" and first is not None:
            # Something that only a person can do is no way round a conflict.
            continue
        index = next((number for number, one in enumerate(kept) if _is_same(one.fix, fix)), None)
        if index is not None:
            kept[index] = _joined(kept[index], fix, finding)
            return None
        against = next(((one, why) for one in kept if (why := contradiction(one.fix, fix))), None)
        if against is None:
            kept.append(_mending(fix, (finding.code,), (finding.summary,)))
            return None
        other, why = against
        codes = tuple(dict.fromkeys((*other.cures, finding.code)))
        first = first or Conflict(kept=other.fix.title, left_out=fix.title, codes=codes, text=why)
    return first


def _is_same(one: Fix, other: Fix) -> bool:
    """The same change: the same commands (or words, where there are none), or a driver from some release on."""
    lifts = (one.driver or "").startswith(">="), (other.driver or "").startswith(">=")
    return all(lifts) or (_commands(one) or one.steps) == (_commands(other) or other.steps)


def _commands(fix: Fix) -> tuple[Step, ...]:
    return tuple(step for step in fix.steps if not isinstance(step, Ask))


def _joined(one: Mending, fix: Fix, finding: Finding) -> Mending:
    # A code may stand for several findings: what three frameworks miss is three sentences.
    pairs = dict.fromkeys((*zip(one.cures, one.because, strict=True), (finding.code, finding.summary)))
    codes, because = zip(*pairs, strict=True)
    return _mending(_stronger(one.fix, fix), codes, because)


def _stronger(one: Fix, other: Fix) -> Fix:
    """Of two driver updates the one to the newer release; commands that install a driver, with the floor said."""
    if one.driver is None or other.driver is None:
        return max(one, other, key=lambda fix: len(fix.steps))
    low, high = sorted((one, other), key=_floor)
    if _floor(low) == _floor(high) or not any(isinstance(step, Run) for step in low.steps):
        return high if _floor(high) > _floor(low) else one
    floor = Ask(text=f"It must be {high.driver}: see that the release that is offered is not older.")
    return replace(low, title=f"{low.title} ({high.driver})", steps=(floor, *low.steps), driver=high.driver)


def _floor(fix: Fix) -> DriverRelease:
    return DriverRelease((fix.driver or ">=0").lstrip("<>="))


def _mending(fix: Fix, cures: tuple[str, ...], because: tuple[str, ...]) -> Mending:
    flags = (
        ("root", fix.needs_root),
        ("a restart", fix.needs_reboot),
        ("a new login", fix.needs_login),
        ("a new container", fix.needs_container),
    )
    needs = tuple(name for name, flag in flags if flag)
    return Mending(fix=fix, cures=cures, because=because, scope=_scope(fix), needs=needs)


def _scope(fix: Fix) -> Scope:
    """Who carries it out: the user's own tools, an administrator, or a person's hands."""
    commands = bool(_commands(fix))
    if commands and fix.needs_root:
        return "system"
    return "user" if commands and fix.safety != "manual" else "person"


def _turn(one: Mending) -> tuple[bool, bool]:
    """The driver and the system come before the user's packages; a bare restart ends what the system needs.

    Sorting is stable: within a kind the order of the findings holds, from the hardware up.
    """
    is_system = one.fix.needs_root or one.fix.driver is not None or "a restart" in one.needs
    return not is_system, one.fix.steps == REBOOT


def _prepared_once(kept: list[Mending]) -> Iterator[Mending]:
    """What readies an environment (pip put back, damaged metadata deleted) is done by the first fix that needs it."""
    done: list[Step] = []
    for one in kept:
        steps = tuple(step for step in one.fix.steps if step not in done)
        done += [step for step in steps if isinstance(step, Run) and _prepares(step.argv)]
        yield one if steps == one.fix.steps else replace(one, fix=replace(one.fix, steps=steps))


def _prepares(argv: tuple[str, ...]) -> bool:
    return argv[:2] == ("rm", "-r") or argv[1:3] == ("-m", "ensurepip")


def _apart(kept: list[Mending]) -> list[Mending]:
    """Fixes that each make a new environment get folders of their own: what they install need not agree."""
    making = [one for one in kept if any(_makes(step) for step in one.fix.steps)]
    folders = {id(one): f"{NEW_ENVIRONMENT}-{number}" for number, one in enumerate(making[1:], 2)}
    return [_moved(one, folders[id(one)]) if id(one) in folders else one for one in kept]


def _makes(step: Step) -> bool:
    return isinstance(step, Run) and step.argv[-1:] == (NEW_ENVIRONMENT,)


def _moved(one: Mending, folder: str) -> Mending:
    steps = tuple(_in_folder(step, folder) if isinstance(step, Run) else step for step in one.fix.steps)
    return replace(one, fix=replace(one.fix, steps=steps))


def _in_folder(step: Run, folder: str) -> Run:
    words = (folder + word[len(NEW_ENVIRONMENT) :] if _is_inside(word) else word for word in step.argv)
    return replace(step, argv=tuple(words))


def _is_inside(word: str) -> bool:
    return word == NEW_ENVIRONMENT or word.startswith((f"{NEW_ENVIRONMENT}/", f"{NEW_ENVIRONMENT}\\"))
