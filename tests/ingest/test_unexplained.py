"""The strongest error line of a text, who printed it, and what is asked then."""

import pytest

from gpudoctor.ingest.unexplained import strongest_error
from gpudoctor.knowledge import causes_without_rule, program_of

#: A text, the line to quote (None: no failure is stated), and the program that printed it.
TEXTS = [
    ("all is well\nGPU 0: A100", None, None),
    ("Compiled with 0 errors", None, None),
    ("I get an error with my GPU\nFooError: bar", 2, "python"),
    ("ValueError: first\nFooError: last", 2, "python"),
    ("My training fails since Monday.", 1, None),
    ("$ sudo modprobe nvidia\nmodprobe: FATAL: Module nvidia not found", 2, "modprobe"),
    ('  File "/v/lib/python3.12/site-packages/jax/x.py", line 1\nOddError: no', 2, "jax"),
    ("docker: Error response from daemon: odd", 1, "docker"),
]


@pytest.mark.parametrize(("text", "line", "program"), TEXTS)
def test_the_strongest_line_and_its_program(text, line, program):
    lines = text.split("\n")
    found = strongest_error(lines)
    assert (found.line if found else None) == line
    if found and found.printed:
        assert program_of(lines, found.line).id == program


def test_every_cause_without_a_rule_has_a_remedy():
    assert [one.id for one in causes_without_rule().values() if not one.harmless and one.remedy is None] == []
