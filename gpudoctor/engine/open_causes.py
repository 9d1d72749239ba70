"""Causes that no finding shows: those that messages point to, less those that a fact rules out."""

from collections.abc import Iterable, Mapping

from gpudoctor.engine.refutations import refutation
from gpudoctor.engine.snapshot_view import SnapshotView
from gpudoctor.engine.surroundings import surroundings_of
from gpudoctor.knowledge import all_causes, causes_of, words_of_cause
from gpudoctor.model.base import Fact
from gpudoctor.model.live import Live
from gpudoctor.model.snapshot import Snapshot
from gpudoctor.rules._declare import Rule

#: What a cause that asks for nothing counts at most beside one that does.
_GRAVE, _HARMLESS = 0.3, 0.1
#: A cause that a message usually has.
_USUAL = 0.6


class RuledOut(Fact, frozen=True, kw_only=True):
    """A cause that a message points to and a fact excludes."""

    key: str
    words: str
    #: The fact, as the end of a sentence.
    because: str


def weights_of(
    snapshot: Snapshot, around: frozenset[str], assumed: Mapping[str, float], shown: frozenset[str]
) -> dict[str, float]:
    """The weights of causes by messages and assumptions; what is `shown` is never ruled out."""
    around |= surroundings_of(snapshot)
    weights = _of_messages(snapshot, around)
    for name, weight in assumed.items():
        weights[name] = 1.0 - (1.0 - weights.get(name, 0.0)) * (1.0 - weight)
    seen = SnapshotView(snapshot, around)
    weights = {name: weight for name, weight in weights.items() if name in shown or refutation(name, seen) is None}
    harmless = {name for name in weights if name not in shown and name in all_causes() and all_causes()[name].harmless}
    if any(weight >= _GRAVE for name, weight in weights.items() if name not in harmless):
        weights |= {name: min(weights[name], _HARMLESS) for name in harmless}
    return weights


def summaries_of(names: Iterable[str], rules: Iterable[Rule]) -> dict[str, str]:
    """Each cause in one sentence."""
    summaries = {rule.name: rule.summary for rule in rules}
    return {name: words_of_cause(name, summaries) for name in names}


def ruled_out(snapshot: Snapshot, around: Iterable[str], rules: Iterable[Rule]) -> tuple[RuledOut, ...]:
    """The usual causes of the messages that a fact rules out, likeliest first."""
    surroundings = frozenset(around) | surroundings_of(snapshot)
    seen = SnapshotView(snapshot, surroundings)
    usual = [name for name, weight in _of_messages(snapshot, surroundings).items() if weight >= _USUAL]
    words = summaries_of(usual, rules)
    facts = ((name, refutation(name, seen)) for name in usual)
    return tuple(RuledOut(key=name, words=words[name], because=fact) for name, fact in facts if fact is not None)


def _of_messages(snapshot: Snapshot, around: frozenset[str]) -> dict[str, float]:
    symptoms = snapshot.live.symptoms if isinstance(snapshot.live, Live) else ()
    return {cause.key: cause.prior for cause in causes_of(symptoms, around)}
