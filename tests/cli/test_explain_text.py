"""`gpudoctor explain "error text"`: what it means, its causes, and what the facts say of them."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from gpudoctor.cli.main import cli
from gpudoctor.examine.explaining import explained
from gpudoctor.facts.codec import encode
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.versions import DriverRelease
from tests.cases.load import cases
from tests.tickets.stated import FOLDER

SYMPTOMS = json.loads((Path(__file__).parent.parent / "tickets" / "symptoms.json").read_text(encoding="utf-8"))


def explain(*args: str, text: str | None = None):
    return CliRunner().invoke(cli, ["explain", *args], input=text)


def test_a_message_is_explained() -> None:
    shown = explain("RuntimeError: CUDA error: no kernel image is available for execution on the device")
    assert shown.exit_code == 0
    assert "Causes, ranked by" in shown.output
    assert "gpudoctor explain FRM002" in shown.output
    assert "get_device_capability" in shown.output


def test_a_code_still_is_its_manual_page() -> None:
    assert explain("FRM001").output.startswith("FRM001 torch-cpu-only (error")


@pytest.mark.parametrize("what", ["FRM99", "torch-cpu-onyl"])
def test_a_slip_of_the_pen_is_not_taken_for_a_message(what: str) -> None:
    shown = explain(what)
    assert shown.exit_code == 2
    assert "Did you mean" in shown.output


def test_what_is_not_known_is_said() -> None:
    shown = explain("the printer is on fire")
    assert shown.exit_code == 3
    assert "No known error message" in shown.output


def test_a_log_on_standard_input_and_an_empty_one() -> None:
    log = (FOLDER / "styleclip-20.txt").read_text(encoding="utf-8")
    assert "tf-soname-missing" in json.loads(explain("-", "--format", "json", text=log).output)["causes"][0]["key"]
    assert explain("-", text="").exit_code == 3


def test_what_a_fact_excludes_is_said_with_the_fact() -> None:
    text = "RTX 3090, torch 2.1.0+cu121\nCUDA error: no kernel image is available for execution on the device\n"
    told = json.loads(explain("-", "--format", "json", text=text).output)
    named = {one["key"] for one in told["causes"]}
    excluded = {one["key"]: one["because"] for one in told["ruled_out"]}
    assert "arch-too-new-for-build" not in named
    assert "8.6" in excluded["arch-too-new-for-build"]
    assert "It is not " in explain("-", text=text).output


def test_what_is_missing_to_decide_is_said(tmp_path: Path) -> None:
    path = tmp_path / "half.json"
    path.write_bytes(encode(Snapshot(driver=Driver(release=DriverRelease("580.95.05")))))
    message = "CUDA driver version is insufficient for CUDA runtime version"
    told = json.loads(explain(message, "--from", str(path), "--format", "json").output)
    assert ("driver-too-old", ["gpus", "frameworks"]) in [(one["key"], one.get("missing")) for one in told["causes"]]
    assert "Undecided. Missing: the GPUs, the frameworks." in explain(message, "--from", str(path)).output


def test_facts_sharpen_the_causes(tmp_path: Path) -> None:
    """The same message with the facts of two machines."""
    message = "torch.cuda.is_available() False"
    firsts = {}
    for rule in ("torch-cpu-only", "driver-too-old"):
        case = next(one for one in cases() if one.expected.rule == rule)
        path = tmp_path / f"{rule}.json"
        path.write_bytes(encode(case.snapshot()))
        told = json.loads(explain(message, "--from", str(path), "--format", "json").output)
        firsts[rule] = told["causes"][0]["key"]
        assert told["causes"][0]["state"] == "found"
    assert firsts == {"torch-cpu-only": "torch-cpu-only", "driver-too-old": "driver-too-old"}


def test_the_true_cause_of_reported_messages_is_among_the_first_three() -> None:
    """Of the reported failures that came with an error message; a slow or hanging program has none."""
    right = [
        name
        for name, row in SYMPTOMS.items()
        if row["cause"] in [one.key for one in explained("\n".join(row["text"]).encode()).causes[:3]]
    ]
    assert len(SYMPTOMS) >= 120
    assert len(right) >= 0.9 * len(SYMPTOMS), sorted(set(SYMPTOMS) - set(right))
