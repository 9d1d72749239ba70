"""More facts never take the lead from the true cause: what nobody saw says nothing for or against it."""

import os
import random
from collections.abc import Callable, Iterator

import msgspec
import pytest

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.diagnosis.requirements import parse_wish
from gpudoctor.facts.base import Gap
from gpudoctor.facts.snapshot import SECTIONS, Snapshot
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.rules.load import load_rules
from tests.cases.known import MISSES
from tests.cases.load import Case, cases

#: Every how many cases one is tried here; 1 tries all of them, in some minutes.
EVERY = int(os.environ.get("GPUDOCTOR_MORE_FACTS_EVERY", "8"))
JUDGED = [
    one
    for one in cases()
    if not (one.probe_only or one.expected.quiet or one.expected.severity == "info" or one.id in MISSES)
][::EVERY]


def growing(whole: Snapshot, order: random.Random) -> Iterator[tuple[str, Snapshot]]:
    """The sections that were seen, added one by one to a snapshot that has none of them."""
    seen = [name for name in SECTIONS if not isinstance(getattr(whole, name), Gap | None)]
    order.shuffle(seen)
    snapshot = msgspec.structs.replace(whole, **dict.fromkeys(seen, Gap(reason="nobody looked")))
    for name in seen:
        snapshot = msgspec.structs.replace(snapshot, **{name: getattr(whole, name)})
        yield name, snapshot


def filling(whole: Snapshot, order: random.Random) -> Iterator[tuple[str, Snapshot]]:
    """The optional facts of all sections, filled in one by one; some thirty of them."""
    sections = {name: getattr(whole, name) for name in SECTIONS if not isinstance(getattr(whole, name), Gap | None)}
    facts = [
        (name, field.name)
        for name, section in sections.items()
        for field in msgspec.structs.fields(type(section))
        if field.default is None and getattr(section, field.name) is not None
    ]
    order.shuffle(facts)
    facts = facts[:30]
    for name, fact in facts:
        sections[name] = msgspec.structs.replace(sections[name], **{fact: None})
    for name, fact in facts:
        known = getattr(getattr(whole, name), fact)
        sections[name] = msgspec.structs.replace(sections[name], **{fact: known})
        yield f"{name}.{fact}", msgspec.structs.replace(whole, **sections)


@pytest.mark.parametrize("case", JUDGED, ids=lambda case: case.id)
@pytest.mark.parametrize("more", [growing, filling], ids=lambda more: more.__name__)
def test_the_true_cause_keeps_the_lead(case: Case, more: Callable[..., Iterator[tuple[str, Snapshot]]]) -> None:
    leads = False
    for added, snapshot in more(case.snapshot(), random.Random(case.id)):
        found = diagnose(snapshot, load_matrix(), load_rules(), parse_wish(case.asked)).root_causes
        led, leads = leads, bool(found) and found[0].name == case.expected.rule
        assert leads or not led, (added, [one.name for one in found[:3]])
