"""What to do about a cause: the fix that its rule computed, else its manual page, else its record; for this system."""

import shlex
from collections.abc import Iterable

from gpudoctor.diagnosis.commands_for import is_foreign
from gpudoctor.diagnosis.commands_that_fit import commands_that_fit
from gpudoctor.diagnosis.named_in_messages import named_build, named_library
from gpudoctor.diagnosis.offered_wheels import Wheels, own_python, wheels_asked_for
from gpudoctor.diagnosis.ranking import Candidate, is_effect
from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact
from gpudoctor.facts.finding import Finding
from gpudoctor.facts.fix import Ask, Fix, Run, SetEnv, Write
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.python import Frameworks, Interpreter
from gpudoctor.facts.scene import scene_of
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.knowledge import all_causes
from gpudoctor.knowledge.causes import Remedy as Written
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.recipes import framework_for_gpus
from gpudoctor.rules.declare import MANUAL_HEADINGS, Rule
from gpudoctor.rules.live_problem import FIND_OUT

_PYTHON = re.compile(r"python3?(?= )")
_FIXING = MANUAL_HEADINGS[2]
_SENTENCE = re.compile(r"(?<=[.!?]) (?=[A-Z`\"])")
#: Words of a page that lead to what stands beside it in a report.
_ASIDE = re.compile(r" \((?:as )?below\)|,? as below(?=[.,;]|$)")
_BESIDE = re.compile(r"\bbelow\b(?! /)|\b[Tt]h(?:e|is) finding\b|\bprints the commands\b")


class Remedy(Fact, frozen=True, kw_only=True):
    """What to do about a cause."""

    cause: str
    #: In a sentence.
    say: str
    steps: tuple[Run | SetEnv | Write | Ask, ...] = ()
    #: Commands as they are typed; <WORDS> in them are to be filled in.
    commands: tuple[str, ...] = ()


def remedies(
    causes: Iterable[Candidate],
    findings: Iterable[Finding],
    rules: Iterable[Rule],
    system: str | None,
    snapshot: Snapshot | None = None,
) -> tuple[Remedy, ...]:
    """A remedy for each cause that has one. `system`: linux, wsl, windows, macos or None.

    `findings` are those of the facts and of assumptions. A build is looked up for the GPU in `snapshot`.
    """
    by_name = {rule.name: rule for rule in rules}
    shown = {one.name: one for one in reversed(tuple(findings))}
    made = (_remedy(one.key, shown.get(one.key), by_name.get(one.key), system, snapshot) for one in causes)
    return tuple(one for one in made if one is not None)


def _remedy(
    key: str, finding: Finding | None, rule: Rule | None, system: str | None, snapshot: Snapshot | None
) -> Remedy | None:
    fixes = [one for one in finding.fixes if one.title != FIND_OUT] if finding and not finding.told else []
    record = all_causes().get(key)
    known = record.remedy if record else None
    looked_up_in_vain = (
        known is not None
        and known.recipe not in (None, "extension", "library")
        and bool(fixes)
        and fixes[0].safety == "manual"
    )
    if fixes and not looked_up_in_vain:
        say = ". ".join(filter(None, (fixes[0].title, known.also if known and not known.recipe else "")))
        return Remedy(cause=key, say=say, steps=fixes[0].steps)
    if rule is None and known is None:
        return None
    build = _build(known, snapshot)
    if build is not None:
        return Remedy(cause=key, say=build.title, steps=build.steps)
    page = "" if rule is None or is_effect(rule.name, rule.code) else advice(rule, system)
    say = " ".join(filter(None, (known.say, page, known.also))) if known else page
    commands = commands_that_fit(known.commands(system), snapshot) if known else ()
    wheels = _wheels(snapshot, system) if snapshot is not None and known and known.recipe == "python" else None
    if wheels:
        first, last = wheels.pythons[0], wheels.pythons[-1]
        say = f"{wheels.package} {wheels.version} has wheels for Python {first} to {last}. {page}"
        commands = tuple(one.replace("<VERSION>", last) for one in commands)
    return Remedy(cause=key, say=say, commands=tuple(_here(one, snapshot, system) for one in commands)) if say else None


def _wheels(snapshot: Snapshot, system: str | None) -> Wheels | None:
    """The release that the installer did not find; None where the matrix knows none, or one for the Python here."""
    seen = SnapshotView(snapshot, () if system is None else (system,))
    return next((one for one in wheels_asked_for(seen, exact=True) if own_python(seen) not in one.pythons), None)


def _here(command: str, snapshot: Snapshot | None, system: str | None) -> str:
    """A command with the Python that is stated, where a path of one is."""
    target = snapshot.interpreter if snapshot is not None else None
    path = target.executable if isinstance(target, Interpreter) else ""
    called = _PYTHON.match(command)
    if called is None or not ("/" in path or "\\" in path):
        return command
    in_powershell = f'& "{path}"' if " " in path else path
    quoted = in_powershell if system == "windows" or "\\" in path else shlex.quote(path)
    return quoted + command[called.end() :]


def _build(remedy: Written | None, snapshot: Snapshot | None) -> Fix | None:
    """The build that an extension names, or one for the GPUs that are stated; None where none is, or none fits."""
    if remedy is None or remedy.recipe in (None, "python") or snapshot is None:
        return None
    if remedy.recipe == "library":
        return named_library(snapshot)
    named = named_build(snapshot) if remedy.recipe in ("torch", "extension") else None
    if named is not None or remedy.recipe == "extension":
        return named
    if not isinstance(snapshot.gpus, Gpus) or not any(gpu.name for gpu in snapshot.gpus.nvidia):
        return None
    stated = snapshot.frameworks.get(remedy.recipe) if isinstance(snapshot.frameworks, Frameworks) else None
    version = stated.version if stated else None
    fix = framework_for_gpus(remedy.recipe, scene_of(snapshot), load_matrix(), version)
    return fix if fix.safety != "manual" else None


def advice(rule: Rule, system: str | None) -> str:
    """How to fix it, of the rule's manual page, without what is about other systems or about a report's other lines."""
    _, _, text = rule.manual.partition(f"{_FIXING}:\n")
    sentences = _SENTENCE.split(_ASIDE.sub("", " ".join(text.partition("\n\n")[0].split())))
    own = [one for one in sentences if not _BESIDE.search(one)]
    first = "; ".join(clause for clause in own[0].split("; ") if not is_foreign(clause, system)) if own else ""
    if not first:
        # What is left would lean on an instruction that this system has not.
        return f"See `gpudoctor explain {rule.code}`; what it says is for another system." if own else ""
    first = first[0].upper() + first[1:].rstrip(".") + "."
    return " ".join([first, *(one for one in own[1:] if not is_foreign(one, system))])


def fix_of(rule: Rule, system: str | None) -> Fix:
    """That advice as a fix: its first sentence, then the rest."""
    first, *rest = _SENTENCE.split(advice(rule, system) or rule.summary)
    steps = (Ask(text=" ".join(rest)),) if rest else ()
    return Fix(title=first.rstrip("."), safety="manual", steps=steps)
