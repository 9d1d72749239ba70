"""The Python interface, as a script or a notebook uses it."""

import json
import subprocess
import sys

import pytest

import gpudoctor
from gpudoctor.facts.codec import encode
from gpudoctor.facts.finding import Finding
from gpudoctor.facts.snapshot import Snapshot
from tests.cases.load import cases

CASE = next(case for case in cases() if case.id.startswith("040"))


def test_a_snapshot_is_judged_as_the_command_judges_it() -> None:
    checked = gpudoctor.judge(CASE.snapshot())
    assert checked.verdict == "findings"
    assert not checked.healthy
    assert isinstance(checked.findings[0], Finding)
    assert checked.findings[0].code == json.loads(checked.to_json())["diagnosis"]["findings"][0]["code"]
    assert checked.to_dict() == json.loads(checked.to_json())
    assert gpudoctor.judge(encode(CASE.snapshot())).to_dict() == checked.to_dict()


def test_it_shows_itself() -> None:
    checked = gpudoctor.judge(CASE.snapshot())
    headline = "1 error found"
    assert headline in str(checked)
    assert "\x1b" not in str(checked)
    assert headline in checked._repr_html_()
    assert "<script" not in checked._repr_html_()
    assert checked.to_html().startswith("<!DOCTYPE html>")
    assert checked.to_markdown().startswith("**")
    assert repr(checked).startswith("<gpudoctor: findings, ")


def test_this_interpreter_is_examined() -> None:
    checked = gpudoctor.check(static=True)
    assert checked.snapshot.interpreter.executable == sys.executable
    assert isinstance(gpudoctor.snapshot(), Snapshot)


@pytest.mark.parametrize(
    "wrong",
    [{"require": ("nonsense!",)}, {"select": ("XYZ999",)}, {"ignore": ("no-such-rule",)}],
)
def test_what_cannot_be_asked_is_a_value_error(wrong) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        gpudoctor.check(static=True, **wrong)


@pytest.mark.parametrize("raw", [b"", b"{", b"[1]", b'{"schema": 99}', b"\xff\xfe"])
def test_what_is_no_snapshot_is_a_value_error(raw) -> None:
    with pytest.raises(ValueError, match=r"snapshot|empty|update gpudoctor"):
        gpudoctor.judge(raw)


def test_only_what_is_public_is_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'cure'"):
        _ = gpudoctor.cure


def test_importing_it_is_cheap() -> None:
    code = "import sys, gpudoctor; print(len([m for m in sys.modules if m.startswith('gpudoctor')]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1"


def test_a_notebook_shows_the_report(tmp_path) -> None:
    """IPython's own formatter, which Jupyter, Colab and VS Code use."""
    formatters = pytest.importorskip("IPython.core.formatters")
    shown = formatters.HTMLFormatter()(gpudoctor.judge(CASE.snapshot()))
    assert "1 error found" in shown
