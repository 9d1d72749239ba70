"""Taken out first, cut afterwards: a credential at the edge of what is shown of a line never shows its rest."""

import random

import pytest

from gpudoctor.facts.codec import encode
from gpudoctor.facts.live import AgentRun
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.recognition import recognise
from gpudoctor.probes.live.evidence import _with_log
from gpudoctor.redact.credentials import excerpt, without_credentials
from gpudoctor.redact.redactor import Door
from gpudoctor.tickets.read import ingest
from tests.redact.filled import planted

KINDS = planted(random.Random(3))
#: So many characters of a secret in a row are a leak.
SHOWN = 10
MESSAGE = "RuntimeError: CUDA error: no kernel image is available for execution on the device"
CHOSEN = random.Random(5).sample(sorted(KINDS), 48)


def shows(text: str, secret: str) -> bool:
    return any(secret[start : start + SHOWN] in text for start in range(max(1, len(secret) - SHOWN)))


def _lines(kind: str) -> list[str]:
    """The secret before and behind a known message, so that each window of it ends within."""
    text, _ = KINDS[kind]
    text = text.replace("\n", " ")
    found = [f"{text} {'x' * distance} {MESSAGE}" for distance in (40, 90, 110, 130, 250, 390, 400)]
    return found + [f"{MESSAGE} {'y' * distance} {text}" for distance in (150, 200, 230, 250, 300)]


@pytest.mark.parametrize("kind", CHOSEN)
def test_a_window_around_a_message_shows_no_part(kind: str) -> None:
    secret = KINDS[kind][1]
    for line in _lines(kind):
        for symptom in recognise(line, clean=without_credentials):
            assert not shows(symptom.text, secret), line
        snapshot = ingest(line.encode(), load_matrix()).snapshot
        assert not shows(encode(Door().fact(snapshot)).decode(), secret), line


@pytest.mark.parametrize("kind", CHOSEN)
def test_a_log_that_is_cut_shows_no_part(kind: str) -> None:
    text, secret = KINDS[kind]
    for distance in (300, 344, 360, 380, 395):
        printed = f"ERROR: cannot fetch {'x' * distance} {text} failed\n"
        run = _with_log(AgentRun(framework="torch", task="smoke", ending="finished"), printed)
        assert run.log
        assert not shows("\n".join(run.log), secret)
        assert not shows(excerpt(printed, 400), secret)


def test_an_address_longer_than_a_line_is_told() -> None:
    word = "PW364hunter" + "Secret"
    printed = f"ERROR: cannot fetch {'x' * 344} https://svc:{word}Password@nexus.example.net/simple failed\n"
    run = _with_log(AgentRun(framework="torch", task="smoke", ending="finished"), printed)
    assert word not in "\n".join(run.log)
