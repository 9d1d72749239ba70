"""Resolved threads similar to a ticket for which no cause is likely."""

from collections.abc import Iterable

from gpudoctor.diagnosis.ranking import LIKELY, Candidate
from gpudoctor.diagnosis.refutations import is_beside_the_point, refutation
from gpudoctor.diagnosis.remedies import remedies
from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts.base import Fact
from gpudoctor.facts.live import Live
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.knowledge.causes import words_of_cause
from gpudoctor.rules.declare import Rule

#: Threads that are shown where nothing is named, beside possible causes, and messages of the text that are compared.
MOST, BESIDE, _MESSAGES = 3, 1, 4


class Similar(Fact, frozen=True, kw_only=True):
    """A public thread with the same message, or in the same words, and what it came down to."""

    address: str
    #: The day it was read: 2026-11-22.
    read: str
    #: The name of a rule, or the id of a cause that no rule finds.
    cause: str
    #: What it was, in a sentence of our own.
    words: str
    #: What mends that cause, in general.
    cure: str = ""


def similar(
    snapshot: Snapshot,
    causes: tuple[Candidate, ...],
    rules: tuple[Rule, ...],
    around: Iterable[str],
    system: str | None,
    texts: Iterable[str],
) -> tuple[Similar, ...]:
    """Up to three threads, one for each cause that the facts leave open; none where a cause is likely.

    Beside possible causes one of the first of them: a cause that nothing else speaks for would only distract. `texts`
    are what the ticket begins with, and its error line.
    """
    if causes and causes[0].weight >= LIKELY:
        return ()
    # Imported here: of most tickets the messages tell more.
    from gpudoctor.knowledge.threads import similar_threads

    symptoms = snapshot.live.symptoms if isinstance(snapshot.live, Live) else ()
    signatures = {one.signature for one in symptoms}
    found = similar_threads(signatures, *texts, *(one.text for one in symptoms[:_MESSAGES]))
    seen = SnapshotView(snapshot, {*around})
    named = {one.key for one in causes[:1]}
    open_ = [
        one
        for one in found
        if (not named or one.cause in named)
        and not (is_beside_the_point(one.cause, seen) or refutation(one.cause, seen))
    ]
    firsts = {one.cause: one for one in reversed(open_)}
    most = BESIDE if causes else MOST
    threads = [one for one in found if firsts.get(one.cause) is one][:most]
    summaries = {rule.name: rule.summary for rule in rules}
    words = {one.cause: words_of_cause(one.cause, summaries) for one in threads}
    candidates = (Candidate(key=one.cause, words=words[one.cause], weight=0.0) for one in threads)
    cures = {one.cause: one.say for one in remedies(candidates, (), rules, system)}
    return tuple(
        Similar(
            address=one.address,
            read=one.read,
            cause=one.cause,
            words=one.what or words[one.cause],
            cure=cures.get(one.cause, ""),
        )
        for one in threads
    )
