"""Chooses the next question to the reporter: commands that tell the remaining causes apart."""

from collections.abc import Iterable, Iterator

from gpudoctor.diagnosis.answered import is_answered
from gpudoctor.diagnosis.at_place import asked_at
from gpudoctor.diagnosis.commands_for import commands_for
from gpudoctor.diagnosis.not_here import runs_here
from gpudoctor.diagnosis.place import place_of
from gpudoctor.diagnosis.ranking import LIKELY, SETTLED, Candidate, is_worth_naming
from gpudoctor.diagnosis.refutations import refutation
from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact, Gap
from gpudoctor.facts.live import Live, Symptom
from gpudoctor.facts.python import Frameworks
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Container
from gpudoctor.knowledge.message import Message, message_of, values_named
from gpudoctor.knowledge.programs import Program, program_named, programs, programs_beside

#: Sees more than any other single command.
WHOLE = "gpudoctor report --static"
_PIP = "pip list | grep -iE 'torch|tensorflow|jax|nvidia|keras|numpy'"
#: is_available() swallows the error that this ends with.
_FIRST_TENSOR = 'python -c "import sys, torch; print(sys.executable, torch.__version__); torch.zeros(1).cuda()"'
_OUTPUT = "all that the program prints, from its start to the failure"
_RELEASE = "the program's release, and how it was installed"
#: What happens at every place: its messages ask nothing that is of this one.
_ANYWHERE = frozenset(("framework-sees-no-gpu", "cuda-start-failed"))
#: In a question: the image that the reporter starts.
_IMAGE = re.compile(r"\bIMAGE\b")
_WORD = re.compile(r"<([A-Z][A-Z_]*)>")


class Question(Fact, frozen=True, kw_only=True):
    """One thing to ask."""

    #: A command to run, or a fact to name.
    ask: str
    #: What it decides.
    why: str


class Asked(Fact, frozen=True, kw_only=True):
    """Who is asked: their system, what they have shown already, and the program whose error nothing explains."""

    system: str | None = None
    #: Commands whose output is known.
    given: tuple[str, ...] = ()
    program: str | None = None
    #: Surroundings that the text names, and the programs that it is about.
    around: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    #: No cause of what the text tells is known; the strongest line of a program that nothing explains.
    is_open: bool = False
    line: str | None = None


def next_question(
    snapshot: Snapshot, causes: tuple[Candidate, ...], disputed: Iterable[str] = (), asked: Asked | None = None
) -> Question | None:
    """The next question; None where nothing is left to decide. `disputed` are facts that the text states twice."""
    disputed, asked = tuple(disputed), asked or Asked(system=SnapshotView(snapshot).os)
    if {"driver.release", "driver.cuda"} <= {*disputed}:
        why = "The text shows two machines, or one before and after a change."
        return Question(ask="which of them fails; nvidia-smi on that one, now", why=why)
    if any(fact.startswith(("driver.release", "driver.cuda", "gpus")) for fact in disputed):
        return Question(ask="nvidia-smi", why="The text states different things about the driver or the GPU.")
    if any(fact.startswith("frameworks") for fact in disputed):
        ask = "; ".join(commands_for(_PIP, asked.system))
        return Question(ask=ask, why="The text states different versions of a framework.")
    settled = bool(causes) and causes[0].state == "found" and causes[0].weight >= SETTLED
    if settled or (causes and causes[0].key == "harmless"):
        return None
    is_anywhere = bool(causes) and causes[0].key in _ANYWHERE
    first = (one for one in _told(snapshot, asked) if is_anywhere and not one.fallback)
    question = (
        _of_programs(first, snapshot, asked)
        or _of_messages(snapshot, causes, asked)
        or _of_programs(_programs(snapshot, asked), snapshot, asked)
    )
    if question or (causes and causes[0].weight >= LIKELY):
        return question
    question = _of_gaps(snapshot, causes, asked)
    if question is None or not asked.is_open or asked.program or isinstance(snapshot.live, Live):
        return question
    more = (question.ask,) if question.ask != WHOLE else ()
    if asked.line is None:
        return Question(ask="; ".join((_OUTPUT, *more)), why="No line of a program that fails is stated.")
    return Question(ask="; ".join((_RELEASE, _OUTPUT, *more)), why="It is not known which program prints this line.")


def _open(ask: str, snapshot: Snapshot, asked: Asked) -> str | None:
    """What of a question is not answered yet, for that system."""
    parts = (one for part in commands_for(ask, asked.system) for one in _there(part, snapshot, asked))
    open_ = (part for part in parts if not is_answered(part, snapshot, asked.given, asked.around))
    left = "; ".join(dict.fromkeys(asked_at(open_, place_of(snapshot, asked.around, asked.system))))
    image = snapshot.container.image if isinstance(snapshot.container, Container) else None
    return (_IMAGE.sub(image, left) if image else left) or None


def _there(part: str, snapshot: Snapshot, asked: Asked) -> tuple[str, ...]:
    """A command as it is typed where this is, or what is asked there in its place."""
    seen = SnapshotView(snapshot, asked.around)
    if not runs_here(part, seen):
        return commands_for(next((one.ask for one in seen.known if one.ask), ""), asked.system)
    made = _for_maker(part, snapshot, asked)
    return (made,) if made else ()


def _for_maker(part: str, snapshot: Snapshot, asked: Asked) -> str | None:
    """A command as that GPU's maker has it; None where it has none such."""
    seen = SnapshotView(snapshot, asked.around)
    if not part.startswith("nvidia-smi"):
        return None if part.startswith("nvidia-") and seen.makers and "nvidia" not in seen.makers else part
    if seen.on_jetson:
        return "cat /etc/nv_tegra_release"
    if seen.makers == {"amd"}:
        return None if asked.system == "windows" else "rocminfo | grep -E 'gfx|Marketing'; ls -l /dev/kfd /dev/dri"
    return part


def _of_messages(snapshot: Snapshot, causes: tuple[Candidate, ...], asked: Asked) -> Question | None:
    """The question of the message that points to the likeliest causes, unless it is answered already."""
    symptoms = snapshot.live.symptoms if isinstance(snapshot.live, Live) else ()
    first = {one.signature: one for one in reversed(symptoms)}
    rows = [row for name in dict.fromkeys(one.signature for one in symptoms) if (row := message_of(name))]
    weights = {one.key: one.weight for one in causes}
    seen = SnapshotView(snapshot, asked.around)
    for row in sorted(rows, key=lambda row: (row.fallback, -_points(row, weights))):
        ask = _open(_with_values(row.ask, first[row.id]), snapshot, asked)
        is_ruled_out = row.causes and all(refutation(one.key, seen) for one in row.causes)
        if ask and ask != "nothing" and not is_ruled_out:
            named = {one.key for one in causes if is_worth_naming(one, causes[0])}
            between = len(named.intersection(cause.key for cause in row.causes))
            return Question(ask=ask, why=_WHY[min(between, 2)])
    return None


def _with_values(ask: str, symptom: Symptom) -> str:
    """The question with what the message's groups found in its line, each in the place of its word: <MISSING_DLL>."""
    return _WORD.sub(lambda word: next(values_named(symptom, word[1].lower()), word[0]), ask)


_WHY = ("It says more about this message.", "It shows whether this is the cause.", "It decides between these causes.")


def _points(row: Message, weights: dict[str, float]) -> float:
    """How much of what a message points to is what remains: the one that means little else is asked about first."""
    told = sum(cause.prior for cause in row.causes)
    return sum(weights.get(cause.key, 0.0) * cause.prior for cause in row.causes) / told if told else 0.0


def _of_programs(programs: Iterable[Program], snapshot: Snapshot, asked: Asked) -> Question | None:
    """The first question of these that is open."""
    for program in programs:
        ask = _open(program.question(asked.system, asked.line or ""), snapshot, asked)
        if ask:
            return Question(ask=ask, why=program.why)
    return None


def _programs(snapshot: Snapshot, asked: Asked) -> Iterator[Program]:
    """The one that printed it, unless that may be any; then what the text says, and where it was."""
    printed = program_named(asked.program)
    told = tuple(_told(snapshot, asked))
    yield from (one for one in (printed, *told) if one and not one.fallback)
    yield from (one for one in (*told, printed) if one and one.fallback)


def _told(snapshot: Snapshot, asked: Asked) -> Iterator[Program]:
    """What the text says that it is about, and what was asked at its place."""
    if asked.is_open:
        beside = programs_beside(place_of(snapshot, asked.around, asked.system).words)
        yield from (one for one in programs() if one.id in asked.about or one in beside)


def _of_gaps(snapshot: Snapshot, causes: tuple[Candidate, ...], asked: Asked) -> Question | None:
    """The section that most verdicts lack."""
    unknown = [name for name in ("gpus", "driver") if isinstance(getattr(snapshot, name), Gap)]
    makers = SnapshotView(snapshot, asked.around).makers
    own = _open("nvidia-smi", snapshot, asked) if unknown else None
    if own and (not makers or makers & {"nvidia", "amd"}):
        return Question(ask=own, why=_UNKNOWN[tuple(unknown)])
    if isinstance(snapshot.frameworks, Gap):
        ask = _open(_PIP, snapshot, asked)
        if ask:
            return Question(ask=ask, why="No framework and no version of one is stated.")
    unbuilt = snapshot.frameworks.found if isinstance(snapshot.frameworks, Frameworks) else ()
    if any(one.name == "torch" and one.variant is None for one in unbuilt):
        ask = _open("python -m torch.utils.collect_env", snapshot, asked)
        if ask:
            return Question(ask=ask, why="Which build of PyTorch this is, is not stated.")
    if snapshot.doctor is not None:
        # gpudoctor has looked already; nothing that can be typed sees more.
        return None
    if "framework-sees-no-gpu" in {one.key for one in causes} and SnapshotView(snapshot).variant("torch") == "cuda":
        ask = "; ".join(commands_for(_FIRST_TENSOR, asked.system))
        return Question(ask=ask, why="PyTorch hides why it sees no GPU; the first tensor on it gives CUDA's own error.")
    if not causes and not any(isinstance(getattr(snapshot, name), Gap) for name in ("libraries", "environ")):
        return None
    return Question(ask=WHOLE, why="Nothing stated decides it; gpudoctor looks at the whole stack.")


_UNKNOWN = {
    ("gpus",): "The GPU is not stated.",
    ("driver",): "The driver is not stated.",
    ("gpus", "driver"): "Neither the GPU nor its driver is stated.",
}
