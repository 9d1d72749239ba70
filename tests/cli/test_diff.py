"""`gpudoctor diff`: what changed, most suspicious first."""

import json
from pathlib import Path

from click.testing import CliRunner

from gpudoctor.cli.main import cli
from gpudoctor.facts.codec import encode
from tests.diagnosis.test_compare import healthy
from tests.tickets.stated import FOLDER
from tests.whole import framework


def test_the_command(tmp_path: Path) -> None:
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    before.write_bytes(encode(healthy()))
    after.write_bytes(encode(healthy(frameworks=(framework("torch", "2.6.0+cpu"),))))
    shown = CliRunner().invoke(cli, ["diff", str(before), str(after)])
    assert shown.exit_code == 1
    assert "torch 2.5.1+cu124" in shown.output
    assert "undoing this alone takes back FRM001" in shown.output
    assert CliRunner().invoke(cli, ["diff", str(after), str(before)]).exit_code == 0
    told = json.loads(CliRunner().invoke(cli, ["diff", str(before), str(after), "--format", "json"]).output)
    assert told["suspects"][0]["brings"] == ["FRM001"]


def test_pasted_texts_are_compared_by_what_both_state() -> None:
    texts = [str(FOLDER / f"{name}.txt") for name in ("torch-51858", "torch-122924")]
    shown = CliRunner().invoke(cli, ["diff", *texts])
    assert shown.exit_code == 1
    assert "driver 535.98" in shown.output
    assert "version of Python 3.9.16" in shown.output


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "empty.json"
    path.write_bytes(b"")
    shown = CliRunner().invoke(cli, ["diff", str(path), str(path)])
    assert shown.exit_code == 3
    assert "cannot be read: it is empty" in shown.output
