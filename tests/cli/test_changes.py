"""A change of an environment, told in a line."""

import pytest

from gpudoctor.apply.journal import Change
from gpudoctor.cli.changes import told

REFUSED = "pip install --dry-run says that it cannot be installed:"


@pytest.mark.parametrize(
    ("reason", "line"),
    [
        ("The disk is full.\nMore of it.", "failed: The disk is full."),
        (f"{REFUSED}\nWARNING: Retrying\nERROR: No torch==9", f"failed: {REFUSED} ERROR: No torch==9"),
        (REFUSED, f"failed: {REFUSED}"),
        ("\n", "failed: "),
        (None, "failed: no reason is known"),
    ],
)
def test_a_failure_says_why(reason, line):
    change = Change(id="1", begun="2026-01-01", kind="new", environment="/e", state="failed", reason=reason)
    assert told(change) == f"1  /e  {line}"
