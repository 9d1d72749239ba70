"""What to ask the reporter next: the one command that decides between the causes that remain."""

import re
from collections.abc import Iterable

from gpudoctor.engine.ranking import SETTLED, Candidate
from gpudoctor.knowledge import Message, message_of
from gpudoctor.model.base import Fact, Gap
from gpudoctor.model.driver import Driver
from gpudoctor.model.gpus import Gpus
from gpudoctor.model.live import Live
from gpudoctor.model.python import Frameworks
from gpudoctor.model.snapshot import Snapshot
from gpudoctor.model.system import System

#: Sees more than any other single command.
WHOLE = "gpudoctor report --static"
_WINDOWS_PIP = 'pip list | findstr /i "torch tensorflow jax nvidia keras numpy"'
_PIP = "pip list | grep -iE 'torch|tensorflow|jax|nvidia|keras|numpy'"


class Question(Fact, frozen=True, kw_only=True):
    """One thing to ask."""

    #: A command to run, or a fact to name.
    ask: str
    #: What it decides.
    why: str


def next_question(snapshot: Snapshot, causes: tuple[Candidate, ...], disputed: Iterable[str] = ()) -> Question | None:
    """The next question; None where nothing is left to decide. `disputed` are facts that the text states twice."""
    disputed = tuple(disputed)
    if any(fact.startswith(("driver.release", "driver.cuda", "gpus")) for fact in disputed):
        return Question(ask="nvidia-smi", why="The text states different things of the driver or the GPU.")
    if any(fact.startswith("frameworks") for fact in disputed):
        return Question(ask=_list(snapshot), why="The text states different versions of a framework.")
    settled = bool(causes) and causes[0].state == "found" and causes[0].weight >= SETTLED
    if settled or (causes and causes[0].key == "harmless"):
        return None
    return _of_signatures(snapshot, causes) or _of_gaps(snapshot, causes)


def _of_signatures(snapshot: Snapshot, causes: tuple[Candidate, ...]) -> Question | None:
    """The question of the message that points to the likeliest causes, unless the facts answer it already."""
    symptoms = snapshot.live.symptoms if isinstance(snapshot.live, Live) else ()
    rows = [row for name in dict.fromkeys(one.signature for one in symptoms) if (row := message_of(name))]
    weights = {one.key: one.weight for one in causes}
    ranked = sorted(rows, key=lambda row: (row.fallback, -_points(row, weights)))
    for row in ranked:
        if not _is_answered(row, snapshot):
            between = [one for one in causes if one.key in {cause.key for cause in row.causes}][:3]
            return Question(ask=row.ask, why=_why(between))
    return None


def _points(row: Message, weights: dict[str, float]) -> float:
    """How much of what a message points to is what remains: the one that means little else is asked about first."""
    told = sum(cause.prior for cause in row.causes)
    return sum(weights.get(cause.key, 0.0) * cause.prior for cause in row.causes) / told if told else 0.0


def _why(between: list[Candidate]) -> str:
    words = [f'"{one.words.rstrip(".")}"' for one in between]
    if len(words) < 2:
        return f"It shows whether this is it: {words[0]}." if words else "It says more about this message."
    return f"It decides between {', '.join(words[:-1])} and {words[-1]}."


def _is_answered(row: Message, snapshot: Snapshot) -> bool:
    """All commands that the question names are ones whose answers are known."""
    known = set()
    if isinstance(snapshot.driver, Driver) and snapshot.driver.release and isinstance(snapshot.gpus, Gpus):
        known.add("nvidia-smi")
    torch = snapshot.frameworks.get("torch") if isinstance(snapshot.frameworks, Frameworks) else None
    if torch is not None and torch.version and torch.variant:
        known |= {"torch.__version__", "torch.version.cuda", "collect_env"}
    asked = set(re.findall(r"nvidia-smi\b(?! -)|torch\.__version__|torch\.version\.cuda|collect_env", row.ask))
    rest = re.sub(
        r"nvidia-smi|python3? -c|import torch|print|torch\.[\w.]+|python -m torch\.utils\.collect_env", "", row.ask
    )
    return bool(asked) and asked <= known and not re.search(r"[a-z]{3,}", rest)


def _list(snapshot: Snapshot) -> str:
    host = snapshot.host
    return _WINDOWS_PIP if isinstance(host, System) and host.os == "windows" else _PIP


def _unknown(snapshot: Snapshot) -> str:
    if not isinstance(snapshot.gpus, Gap):
        return "The driver is not known."
    return (
        "The GPU is not known." if not isinstance(snapshot.driver, Gap) else "Neither the GPU nor its driver is known."
    )


def _of_gaps(snapshot: Snapshot, causes: tuple[Candidate, ...]) -> Question | None:
    """The section that most verdicts lack."""
    if isinstance(snapshot.gpus, Gap) or isinstance(snapshot.driver, Gap):
        return Question(ask="nvidia-smi", why=_unknown(snapshot))
    if isinstance(snapshot.frameworks, Gap):
        return Question(ask=_list(snapshot), why="No framework and no version of one is known.")
    unbuilt = [one for one in snapshot.frameworks.found if one.variant is None] if snapshot.frameworks else []
    if any(one.name == "torch" for one in unbuilt):
        return Question(ask="python -m torch.utils.collect_env", why="Which build of PyTorch this is is not known.")
    if snapshot.doctor is not None:
        # gpudoctor has looked already; nothing that can be typed sees more.
        return None
    if not causes and not any(isinstance(getattr(snapshot, name), Gap) for name in ("libraries", "environ")):
        return None
    return Question(ask=WHOLE, why="The text states nothing that decides; gpudoctor looks at the whole stack.")
