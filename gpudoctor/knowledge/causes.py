"""The known causes (causes.toml), and how likely each is given the messages and surroundings."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

from gpudoctor.facts.base import Fact
from gpudoctor.facts.finding import Severity
from gpudoctor.facts.live import Symptom
from gpudoctor.knowledge.message import STRENGTH, PossibleCause, message_of
from gpudoctor.tables import records_of

Layer = Literal[
    "gpu", "driver", "host", "network", "container", "toolkit", "libraries", "python", "frameworks", "program"
]


System = Literal["linux", "wsl", "windows", "macos"]


class Elsewhere(Fact, frozen=True, kw_only=True):
    """A remedy of its own for a place."""

    #: Words of diagnosis/place.py that are all true of it: at-conda, about-tensorflow, jetson, windows.
    place: tuple[str, ...]
    #: In place of all that is said otherwise; empty: the same.
    say: str = ""
    #: Commands in place of the others.
    run: tuple[str, ...] = ()


class Remedy(Fact, frozen=True, kw_only=True):
    """What to do about a cause: a sentence, and commands as they are typed; <WORDS> in them are to be filled in."""

    #: Empty where a rule finds the cause: its manual page says it, and `also` goes with the commands.
    say: str = ""
    also: str = ""
    #: What is looked up where the facts are stated: a framework's build for the GPU and driver (by its id); "python",
    #: the Pythons that have what the installer did not find; "extension", the build an extension names;
    #: "library", the package of the library that a message names.
    recipe: str | None = None
    #: What its rule proposes comes before all of this, also where it finds the cause under an assumption only.
    of_rule: bool = False
    #: The same on every system.
    run: tuple[str, ...] = ()
    #: For a POSIX shell, WSL's too where it has none of its own.
    linux: tuple[str, ...] = ()
    wsl: tuple[str, ...] = ()
    #: For PowerShell.
    windows: tuple[str, ...] = ()
    macos: tuple[str, ...] = ()
    #: The first of which the place is the reporter's stands for all of the above.
    at: tuple[Elsewhere, ...] = ()
    #: Groups of such places that several causes share, which follow; in causes.toml only.
    places: tuple[str, ...] = ()

    def commands(self, system: str | None) -> tuple[str, ...]:
        """The commands for linux, wsl, windows or macos; those for Linux where the system is not known."""
        own = {"windows": self.windows, "macos": self.macos, "wsl": self.wsl or self.linux}
        return (*self.run, *own.get(system or "linux", self.linux))


class Cause(Fact, frozen=True, kw_only=True):
    """One cause: a record of causes.toml. Where a rule has its name, layer, severity and words are the rule's."""

    id: str
    #: Where in the stack it is.
    layer: Layer | None = None
    severity: Severity | None = None
    #: One sentence that a beginner understands.
    words: str | None = None
    #: Nothing has to be done.
    harmless: bool = False
    #: It only costs speed or digits: a message about it is of no failure.
    costs_speed: bool = False
    #: Packages that do not go together: it is of an environment, not of the machine under it.
    of_packages: bool = False
    #: Why a framework lists no GPU where this is found, by the reasons of diagnosis/visibility.py.
    hides_gpu: Literal["cpu", "vendor", "mask", "library", "architecture", "windows"] | None = None
    #: The systems on which it can be; every system where none is named.
    systems: tuple[System, ...] = ()
    #: Whose GPU it needs.
    gpu: Literal["nvidia", "amd"] | None = None
    #: The framework without which it is none: a text about others only is not about it.
    framework: Literal["torch", "tensorflow", "jax"] | None = None
    #: The releases of a framework in which alone it can be: {"torch": "==2.4.0"}.
    releases: dict[str, str] = {}
    #: Conditions each of which rules it out, by their names in conditions.toml or diagnosis/conditions*.py.
    refuted_by: tuple[str, ...] = ()
    #: Conditions of the same kind without one of which nothing but its message points to it.
    needs: tuple[str, ...] = ()
    #: Conditions of the same kind each of which makes it likely, where a message names it.
    shown_by: tuple[str, ...] = ()
    #: Surroundings that a text names and in which its facts may mean another cause.
    open_in: tuple[str, ...] = ()
    #: Causes and failures that follow from it, the next ones only: what follows from those follows from it as well.
    leads_to: tuple[str, ...] = ()
    #: None only where nothing has to be done.
    remedy: Remedy | None = None


@lru_cache(maxsize=1)
def all_causes() -> dict[str, Cause]:
    """All records, by id. A cause without one can be anywhere and is ruled out by nothing but its rule."""
    return {cause.id: cause for cause in records_of("knowledge/causes", tuple[Cause, ...])}


@lru_cache(maxsize=1)
def causes_without_rule() -> dict[str, Cause]:
    """The causes that no rule finds, by id."""
    return {name: cause for name, cause in all_causes().items() if cause.words is not None}


def causes_of_packages() -> tuple[str, ...]:
    """The rules' causes that are of packages which do not go together."""
    return tuple(name for name, cause in all_causes().items() if cause.of_packages and cause.words is None)


def what_follows_from(cause: str, but: Iterable[str] = ()) -> tuple[str, ...]:
    """The names of what follows from a cause, near and far; not `but`, nor what follows by way of these only."""
    found = {cause, *but}
    effects: list[str] = []
    queue = [cause]
    while queue:
        record = all_causes().get(queue.pop())
        fresh = [one for one in (record.leads_to if record else ()) if one not in found]
        found.update(fresh)
        effects += fresh
        queue += fresh
    return tuple(sorted(effects))


class LikelyCause(Fact, frozen=True, kw_only=True):
    """A cause and how likely it is, between 0 and 1, by all messages together."""

    key: str
    prior: float


#: What is left of a cause whose surroundings are not known to be there.
ELSEWHERE = 0.13


#: What messages that leave the cause open count for it at most, however many there are: they repeat one another.
OPEN = 0.69


def causes_of(symptoms: Iterable[Symptom], surroundings: Iterable[str] = ()) -> tuple[LikelyCause, ...]:
    """The causes of all messages together, likeliest first. Each message adds its doubt; none takes any away.

    Likely is only what one message alone makes likely.
    """
    around = frozenset(surroundings)
    unlikely: dict[str, float] = {}
    best: dict[str, float] = {}
    symptoms = tuple(symptoms)
    of_message = {one.signature: _weights(one.signature, around) for one in symptoms}
    told = _told_by_line(symptoms, of_message)
    for name, weights in of_message.items():
        for key, weight in weights.items():
            if told.get(name) and key not in told[name]:
                continue
            if weight <= ELSEWHERE:
                # However often it is not known to be there.
                unlikely[key] = min(unlikely.get(key, 1.0), 1.0 - weight)
                best.setdefault(key, weight)
                continue
            unlikely[key] = unlikely.get(key, 1.0) * (1.0 - weight)
            best[key] = max(best.get(key, 0.0), weight)
    ranked = sorted(unlikely.items(), key=lambda item: (best[item[0]] < STRENGTH["strong"], item[1]))
    return tuple(
        LikelyCause(key=key, prior=round(1.0 - doubt if best[key] >= STRENGTH["strong"] else min(1.0 - doubt, OPEN), 4))
        for key, doubt in ranked
    )


def _weights(message: str, around: frozenset[str]) -> dict[str, float]:
    row = message_of(message)
    weights: dict[str, float] = {}
    for cause in row.causes if row else ():
        weights[cause.key] = max(weights.get(cause.key, 0.0), _weight(cause, around))
    return weights


def _told_by_line(symptoms: tuple[Symptom, ...], of_message: dict[str, dict[str, float]]) -> dict[str, set[str]]:
    """By general message: the causes that particular ones name in each of its lines, beside which others are noise."""
    strong = {name: {key for key, one in row.items() if one >= STRENGTH["strong"]} for name, row in of_message.items()}
    lines: dict[str, set[str]] = {}
    for one in symptoms:
        lines.setdefault(one.text, set()).update(strong[one.signature])
    found: dict[str, set[str]] = {}
    for one in symptoms:
        if not strong[one.signature]:
            found.setdefault(one.signature, set(lines[one.text])).intersection_update(lines[one.text])
    return found


def _weight(cause: PossibleCause, around: frozenset[str]) -> float:
    return cause.prior if cause.where is None or cause.where in around else cause.prior * ELSEWHERE


def words_of_cause(key: str, rule_summaries: dict[str, str]) -> str:
    """A cause in one sentence: the summary of the rule of that name, or our own words."""
    cause = causes_without_rule().get(key)
    return (cause.words if cause else None) or rule_summaries.get(key, key)
