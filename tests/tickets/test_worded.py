"""The same facts in every layout and language are read, and lead to the same first cause."""

import os
from collections import Counter
from functools import cache

import pytest

from gpudoctor.diagnosis.triage import ticket_of
from gpudoctor.examine.judging import Criteria, judge
from gpudoctor.examine.tickets import Input, subject_of
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.rules.load import load_rules
from gpudoctor.tickets.read import Ingested, ingest
from tests.tickets.worded import LANGUAGES, LAYOUTS, is_read, report, worded

#: GPUDOCTOR_WORDED: how many reports; GPUDOCTOR_WORDED_FROM: the number of the first.
COUNT = int(os.environ.get("GPUDOCTOR_WORDED", "8"))
FIRST = int(os.environ.get("GPUDOCTOR_WORDED_FROM", "0"))
REPORTS = [report(number) for number in range(FIRST, FIRST + COUNT)]


@cache
def made(index: int, layout: str, language: str) -> Ingested:
    return ingest(worded(REPORTS[index], layout, language).encode(), load_matrix())


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_written_is_read(layout: str, language: str) -> None:
    asked = [(index, path, value) for index, one in enumerate(REPORTS) for path, value in one.facts.items()]
    missed = [row for row in asked if not is_read(made(row[0], layout, language), *row[1:])]
    assert len(missed) <= 0.15 * len(asked), missed


def test_the_layout_does_not_change_the_first_cause() -> None:
    rules, matrix = load_rules(), load_matrix()
    criteria = Criteria(rules=rules)
    others = total = 0
    for index in range(len(REPORTS)):
        first: Counter[str | None] = Counter()
        for layout in LAYOUTS:
            for language in LANGUAGES:
                raw = worded(REPORTS[index], layout, language).encode()
                given = subject_of(Input("t", raw), matrix)
                causes = ticket_of("t", "text", judge(given.snapshot, criteria), rules, given.contents).causes
                first[causes[0].key if causes else None] += 1
        total += first.total()
        others += first.total() - first.most_common(1)[0][1]
    assert others <= 0.03 * total
