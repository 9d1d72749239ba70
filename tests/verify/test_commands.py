"""Commands with the verdict that public facts call for: right ones for a machine, and wrong ones in one way each."""

import time
from collections import Counter

import pytest

from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.verify.verify import verify
from tests.verify.commands import machines, recorded

MATRIX, MACHINES = load_matrix(), machines()


@pytest.mark.parametrize("one", recorded(), ids=lambda one: f"{one.line}-{one.machine}-{one.kind}")
def test_the_verdict(one):
    found = verify(one.command, MACHINES[one.machine], MATRIX)
    said = [(verdict.subject, verdict.word, verdict.because) for verdict in found.found]
    assert found.word == one.word, said
    assert all(verdict.because for verdict in found.found if verdict.word != "fits")


def test_enough_of_each_kind():
    kinds = Counter((one.word == "fits", one.kind) for one in recorded())
    assert sum(count for (fits, _), count in kinds.items() if fits) >= 150
    assert sum(count for (fits, _), count in kinds.items() if not fits) >= 150


@pytest.mark.timed
def test_a_verdict_takes_20_ms():
    commands = recorded()
    for one in commands:
        verify(one.command, MACHINES[one.machine], MATRIX)
    slowest = 0.0
    for one in commands:
        start = time.process_time()
        verify(one.command, MACHINES[one.machine], MATRIX)
        slowest = max(slowest, time.process_time() - start)
    assert slowest < 0.02
