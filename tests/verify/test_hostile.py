"""Whatever stands in a text: words, no exception, and nothing that a terminal takes for its own."""

import random
import re

import pytest

from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.verify.verdict import Given
from gpudoctor.verify.verify import verify
from tests.verify.commands import machines, recorded

MATRIX, MACHINES = load_matrix(), machines()
PIECES = (
    *("", " ", "=", "==", ">=", "<", "[", "]", "'", '"', "\\", "`", "$X", "%X%", "${X}", "&&", ";", "|"),
    *("\x1b[31m", "\u202e", "\0", "9" * 40, "..", "@", "://", "#", "*", "!", "=2.x", "pytorch=2.x", "--", "-", "-r"),
    *("--index-url", "\n", "\r\n", "cu999", "+cu12", "torch===", "pip install", "conda install", "uv", "FROM"),
    *("docker run", "image:", "services:", "\u00e9", "\u6f22"),
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]")


@pytest.mark.parametrize("seed", range(4))
def test_changed_commands_never_raise(seed):
    chance = random.Random(seed)
    for one in chance.sample(recorded(), 90):
        text = one.command
        for _ in range(chance.randint(1, 4)):
            at = chance.randint(0, len(text))
            text = text[:at] + chance.choice(PIECES) + text[at + chance.choice((0, 0, 1, 5)) :]
        for verdict in verify(text, MACHINES[one.machine], MATRIX).found:
            shown = " ".join(filter(None, (verdict.command, verdict.subject, verdict.because, verdict.instead)))
            assert not _CONTROL.search(shown), (text, shown)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "#",
        "\\",
        "pip",
        "pip install",
        "uv",
        "uv pip",
        "conda",
        "docker run",
        "FROM",
        "export",
        "set",
        "setx",
        "$env:",
    ],
)
def test_next_to_nothing(text):
    assert verify(text, Given(), MATRIX).word in ("not known", "fits", "does not fit")


def test_a_long_text_is_read_no_further():
    found = verify("pip install torch==2.6.0\n" * 3000, Given(), MATRIX).found
    assert len(found) <= 2001
    assert found[-1].word == "not known"
    assert verify("x" * 2_000_000, Given(), MATRIX).found[0].word == "not known"
