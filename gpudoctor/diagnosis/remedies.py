"""Chooses the remedy of a cause: the rule's computed fix, its manual page, or the record in causes.toml."""

import shlex
from collections.abc import Iterable

from msgspec.structs import replace

from gpudoctor.diagnosis.at_place import at_place, line_of, said_at
from gpudoctor.diagnosis.circumstances import said_here, steps_here
from gpudoctor.diagnosis.commands_for import WORD
from gpudoctor.diagnosis.commands_that_fit import commands_that_fit, for_distribution
from gpudoctor.diagnosis.manual_advice import advice
from gpudoctor.diagnosis.not_here import runs_here
from gpudoctor.diagnosis.offered_wheels import Wheels, own_python, wheels_asked_for, wheels_of_stated_torch
from gpudoctor.diagnosis.place import Place, place_of
from gpudoctor.diagnosis.ranking import Candidate, is_effect
from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.finding import Finding
from gpudoctor.facts.fix import Ask, Fix, Run, SetEnv, Write
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.python import Frameworks, Interpreter
from gpudoctor.facts.scene import Scene, scene_of
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import System
from gpudoctor.knowledge.causes import Remedy as Written
from gpudoctor.knowledge.causes import all_causes
from gpudoctor.knowledge.frameworks import planned
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.places import machine_of
from gpudoctor.rules.declare import Rule
from gpudoctor.rules.live_problem import FIND_OUT

_PYTHON = re.compile(r"python3?(?= )")
#: The same, where the next begins with a <WORD>.
_SENTENCE_OR_WORD = re.compile(r"(?<=[.!?]) (?=[A-Z`\"<])")


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
    around: Iterable[str] = (),
) -> tuple[Remedy, ...]:
    """A remedy for each cause that has one. `system`: linux, wsl, windows, macos or None.

    `findings` are those of the facts and of assumptions. A build is looked up for the GPU in `snapshot`; `around` are
    the surroundings and places that a text names.
    """
    by_name = {rule.name: rule for rule in rules}
    # What a message alone names has no fix of these facts.
    findings = sorted(findings, key=lambda one: one.told and _is_of_rule(one.name))
    shown = {one.name: one for one in reversed(findings)}
    place = place_of(snapshot, around, system) if snapshot is not None else Place(system=system)
    made = (_remedy_at(one.key, shown.get(one.key), by_name.get(one.key), snapshot, place) for one in causes)
    seen = SnapshotView(snapshot or Snapshot(), around)
    return tuple(own for one in made if one is not None and (own := _fitting(one, place, seen)) is not None)


def _fitting(remedy: Remedy, place: Place, seen: SnapshotView) -> Remedy | None:
    """The remedy in words of what the text is about, without commands whose programs are not there."""
    record = all_causes().get(remedy.cause)
    say = said_here(said_at(remedy.say, place, record.framework if record else None), place.words)
    if not say:
        return None
    steps = tuple(one for one in remedy.steps if not isinstance(one, Run) or runs_here(shlex.join(one.argv), seen))
    own = steps_here(steps, place.words)
    commands = tuple(one for one in remedy.commands if runs_here(one, seen))
    instead = next((one.instead for one in seen.known if one.instead), "")
    if instead and (steps, commands) != (remedy.steps, remedy.commands):
        return Remedy(cause=remedy.cause, say=instead)
    return replace(remedy, say=say, steps=own, commands=commands)


def _remedy_at(
    key: str, finding: Finding | None, rule: Rule | None, snapshot: Snapshot | None, place: Place
) -> Remedy | None:
    """The remedy that a cause has for this place only, else the usual one in commands that are typed there."""
    record = all_causes().get(key)
    own = next((one for one in record.remedy.at if place.has(*one.place)), None) if record and record.remedy else None
    if own is not None:
        commands = tuple(
            _here(one, snapshot, place.system) for one in commands_that_fit(own.run, snapshot, place.words)
        )
        # Of what does not fit this machine only a rest would be left; what is for another distribution is none of it.
        meant = tuple(filter(None, for_distribution(own.run, snapshot, place.words))) if snapshot else own.run
        is_whole = len(commands) == len(meant)
        usual = None if own.say and is_whole else _remedy(key, finding, rule, snapshot, place)
        if not is_whole and usual is not None and _can_be_typed(usual):
            return _typed_at(usual, place, record.framework if record else None)
        say = own.say or (usual.say if usual else "")
        say = _without(_words_of(own.run) - _words_of(commands), say)
        return Remedy(cause=key, say=say, commands=at_place(commands, place, record.framework if record else None))
    usual = _remedy(key, finding, rule, snapshot, place)
    return _typed_at(usual, place, record.framework if record else None) if usual else None


def _can_be_typed(remedy: Remedy) -> bool:
    """It has commands, and none with a <WORD> that the reporter is to fill in."""
    lines = (*remedy.commands, *(shlex.join(one.argv) for one in remedy.steps if isinstance(one, Run)))
    return bool(lines) and not any(WORD.search(line) for line in lines)


def _typed_at(remedy: Remedy, place: Place, framework: str | None) -> Remedy:
    """The remedy with its commands as they are typed there; a person's steps stay."""
    if remedy.commands:
        return replace(remedy, commands=at_place(remedy.commands, place, framework))
    lines = [line for one in remedy.steps if (line := line_of(one, place.system))]
    typed = [at_place((line,), place, framework) for line in lines]
    if all(made == (line,) for made, line in zip(typed, lines, strict=True)):
        return remedy
    asked = " ".join(one.text for one in remedy.steps if isinstance(one, Ask))
    say = f"{remedy.say.rstrip('.')}. {asked}" if asked else remedy.say
    return Remedy(cause=remedy.cause, say=say, commands=tuple(line for made in typed for line in made))


def _remedy(
    key: str, finding: Finding | None, rule: Rule | None, snapshot: Snapshot | None, place: Place
) -> Remedy | None:
    system = place.system
    fixes = [one for one in finding.fixes if one.title != FIND_OUT] if finding and not finding.told else []
    record = all_causes().get(key)
    known = record.remedy if record else None
    by_hand = bool(fixes) and fixes[0].safety == "manual"
    may_be_built = (
        known is not None and not known.of_rule and known.recipe not in (None, "extension", "library") and by_hand
    )
    build = (
        _build(known, snapshot, record.framework if record else None, place.frameworks)
        if may_be_built or not fixes
        else None
    )
    if fixes and (build is None or build.safety == "manual") and (not may_be_built or _is_decided(snapshot)):
        also = known.also if known and not known.recipe else ""
        other = next((one for one in fixes[1:] if one.safety != "manual"), None) if by_hand else None
        if other is None or any(isinstance(step, Run) for step in fixes[0].steps):
            return Remedy(cause=key, say=". ".join(filter(None, (fixes[0].title, also))), steps=fixes[0].steps)
        # Who may not do the first, or cannot, has the second in full.
        say = f"{fixes[0].title}. Or leave that as it is: {other.title}"
        return Remedy(cause=key, say=". ".join(filter(None, (say, also))), steps=(*fixes[0].steps, *other.steps))
    if rule is None and known is None:
        return None
    if build is not None:
        return _of_build(key, build, snapshot, system)
    page = "" if rule is None or is_effect(rule.name, rule.code) else advice(rule, system)
    say = " ".join(filter(None, (known.say, page, known.also))) if known else page
    commands = commands_that_fit(known.commands(system), snapshot, place.words) if known else ()
    wheels = _wheels(snapshot, system) if snapshot is not None and known and known.recipe == "python" else None
    if wheels:
        first, last = wheels.pythons[0], wheels.pythons[-1]
        say = f"{wheels.package} {wheels.version} has wheels for Python {first} to {last}. {page}"
        commands = tuple(one.replace("<VERSION>", last) for one in commands)
    if snapshot is not None and key == "cudnn-too-old":
        from gpudoctor.diagnosis.named_in_messages import with_named_cudnn

        commands = with_named_cudnn(commands, snapshot)
    commands = tuple(_here(one, snapshot, system) for one in commands)
    say = _without(_words_of(known.commands(system)) - _words_of(commands), say) if known else say
    return Remedy(cause=key, say=say, commands=commands) if say else None


def _of_build(key: str, build: Fix, snapshot: Snapshot | None, system: str | None) -> Remedy:
    """A build's own steps; as commands, where the judge of commands wants a bound on NumPy or the like beside them."""
    typed = tuple(shlex.join(one.argv) for one in build.steps if isinstance(one, Run))
    fitting = tuple(_here(one, snapshot, system) for one in commands_that_fit(typed, snapshot))
    if fitting == typed or len(typed) != len(build.steps):
        return Remedy(cause=key, say=build.title, steps=build.steps)
    return Remedy(cause=key, say=build.title, commands=fitting)


def _words_of(commands: tuple[str, ...]) -> set[str]:
    return {word for command in commands for word in WORD.findall(command)}


def _without(words: set[str], say: str) -> str:
    """The sentences, but for those that explain words which have been filled in."""
    return " ".join(one for one in _SENTENCE_OR_WORD.split(say) if not words.intersection(WORD.findall(one)))


def _is_of_rule(cause: str) -> bool:
    record = all_causes().get(cause)
    return bool(record and record.remedy and record.remedy.of_rule)


def _is_decided(snapshot: Snapshot | None) -> bool:
    """Enough is stated to choose a build, so that none is the answer where none is chosen."""
    scene = scene_of(snapshot) if snapshot is not None else None
    return scene is not None and machine_of(scene, load_matrix()) is not None


def _wheels(snapshot: Snapshot, system: str | None) -> Wheels | None:
    """The release that the installer did not find; None where the matrix knows none, or one for the Python here."""
    seen = SnapshotView(snapshot, () if system is None else (system,))
    asked = next((one for one in wheels_asked_for(seen, exact=True) if own_python(seen) not in one.pythons), None)
    return asked or wheels_of_stated_torch(seen)


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


def _build(
    remedy: Written | None, snapshot: Snapshot | None, framework: str | None, around: frozenset[str] = frozenset()
) -> Fix | None:
    """The build that an extension names, or one for the GPUs that are stated; None where none is, or none is known.

    `framework`: the only one that the cause is about; else that of the recipe is what most have.
    """
    if remedy is None or remedy.recipe in (None, "python") or snapshot is None:
        return None
    # Imported here: most causes have no build for a remedy.
    from gpudoctor.diagnosis.named_in_messages import named_build, named_library

    if remedy.recipe == "library":
        return named_library(snapshot)
    if remedy.recipe == "extension":
        own = _extension(snapshot)
        return own if own is not None and own.safety != "manual" else named_build(snapshot) or own
    named = named_build(snapshot) if remedy.recipe == "torch" else None
    if named is not None:
        return named
    if not isinstance(snapshot.gpus, Gpus) or not any(gpu.name for gpu in snapshot.gpus.nvidia):
        return None
    found = snapshot.frameworks.found if isinstance(snapshot.frameworks, Frameworks) else ()
    there = {one.name: one.version for one in found if one.name in planned()}
    # Without one that is stated, that which a text is about.
    about = frozenset(there) or around.intersection(planned())
    if around and not about and not framework:
        # The program that fails has GPU code of its own.
        return None
    name = remedy.recipe if framework or remedy.recipe in about or len(about) != 1 else next(iter(about))
    # Imported here: few causes are cured by another build.
    from gpudoctor.plan.recipes import framework_for_gpus

    fix = framework_for_gpus(name, _with_least_driver(scene_of(snapshot)), load_matrix(), there.get(name))
    brings = {word for step in fix.steps if isinstance(step, Run) for word in step.argv}
    if fix.safety != "manual" and f"{name}=={there.get(name)}" in brings:
        # What is there already is no remedy.
        return None
    return fix if fix.safety != "manual" or _is_decided(snapshot) else None


def _with_least_driver(scene: Scene) -> Scene:
    """Where only the CUDA that the driver serves is stated: the oldest that does, as what it starts all start."""
    driver, host = scene.driver, scene.host
    if not isinstance(driver, Driver) or driver.release or driver.cuda is None:
        return scene
    system = host.os if isinstance(host, System) and host.os in ("linux", "windows") else "linux"
    floor = load_matrix().toolkit_floor(driver.cuda, system)
    return replace(scene, driver=replace(driver, release=floor.release)) if floor is not None else scene


def _extension(snapshot: Snapshot) -> Fix | None:
    """The one extension that is named, for the torch that is stated; None where either is not known."""
    from gpudoctor.diagnosis.filled_in import stated
    from gpudoctor.diagnosis.words_of_extensions import extensions_named
    from gpudoctor.plan.extension_beside import extension_beside

    names = extensions_named(stated(snapshot))
    torch = SnapshotView(snapshot).framework("torch")
    if len(names) != 1 or torch is None or not torch.version:
        return None
    return extension_beside(names[0], torch, scene_of(snapshot), load_matrix())
