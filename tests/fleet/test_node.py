"""`gpudoctor node`: one line, within its budget, with the exit code that the caller reads."""

import json
import time
from pathlib import Path

import msgspec
import pytest

from gpudoctor.facts.driver import Answer
from gpudoctor.facts.gpus import Gpu, PcieLink, Power
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.fleet.budget import without_hasty_verdict
from gpudoctor.fleet.exit_styles import said
from gpudoctor.fleet.fingerprint import fingerprint_of
from gpudoctor.fleet.record import RECORD_SCHEMA, NodeFinding, NodeRecord
from tests.e2e.command import gpudoctor
from tests.fake_driver import FakeDriver, compiled_driver, machine  # noqa: F401 - fixture
from tests.whole import driver, framework
from tests.whole import machine as snapshot_of


def record(*severities: str, verdict: str = "healthy", **more) -> NodeRecord:
    findings = tuple(
        NodeFinding(code=f"GPU{number:03}", name="x", severity=severity, summary="Something | is wrong.\nVery.")
        for number, severity in enumerate(severities)
    )
    return NodeRecord(schema=RECORD_SCHEMA, host="n1", verdict=verdict, findings=findings, **more)


#: severities, verdict, then the exit codes of default, nagios, npd, gate and gate --strict.
STYLES = [
    ((), "healthy", (0, 0, 0, 0, 0)),
    ((), "no-gpu", (0, 0, 0, 0, 0)),
    (("info",), "healthy", (0, 0, 0, 0, 0)),
    (("warning",), "healthy", (0, 1, 0, 0, 0)),
    (("warning", "error"), "findings", (1, 2, 1, 1, 1)),
    ((), "incomplete", (3, 3, 2, 0, 1)),
    (("warning",), "incomplete", (3, 3, 2, 0, 1)),
    ((), "bug", (4, 3, 2, 0, 1)),
]


@pytest.mark.parametrize(("severities", "verdict", "codes"), STYLES)
def test_exit_codes(severities, verdict, codes) -> None:
    node = record(*severities, verdict=verdict)
    styles = ("default", "nagios", "npd", "gate")
    assert tuple(said(node, style).code for style in styles) == codes[:4]
    assert said(node, "gate", strict=True).code == codes[4]


def test_lines_for_monitors() -> None:
    node = record("warning", "error", "error", verdict="findings", seconds=0.25)
    line = said(node, "nagios").line
    assert line is not None
    assert line.startswith("GPU CRITICAL - GPU001 ")
    assert line.count("|") == 1
    assert "\n" not in line
    short = said(node, "npd").line
    assert short is not None
    assert len(short) <= 80


def test_the_fingerprint_names_what_was_seen_and_nothing_else() -> None:
    card = Gpu(
        vendor="nvidia", name="NVIDIA H100", vbios="96.00", power=Power(limit=700.0), ecc_enabled=True,
        pcie=PcieLink(generation=1, generation_max=5, width=16),
    )  # fmt: skip
    odd = msgspec.structs.replace(card, pcie=PcieLink(generation=1, generation_max=5, width=8))
    unknown = msgspec.structs.replace(card, vbios=None)
    snapshot = snapshot_of((card, odd, unknown), driver=driver("580.65.06"), frameworks=(framework("torch", "2.9.1"),))
    found = fingerprint_of(snapshot)
    assert (found["GPU"], found["GPUs"], found["power cap"], found["ECC"]) == ("NVIDIA H100", "3", "700 W", "on")
    assert found["PCIe"] == "gen 5 x16 on 2, gen 5 x8 on 1"
    assert (found["driver"], found["torch"]) == ("580.65.06", "2.9.1")
    assert "VBIOS" not in found
    assert "MIG" not in found
    assert fingerprint_of(Snapshot()) == {}


@pytest.mark.parametrize("outcome", ["timed-out", "stuck"])
def test_a_look_cut_short_does_not_say_that_the_driver_hangs(outcome) -> None:
    hung = snapshot_of((), driver=driver("580.65.06", nvml=Answer(outcome=outcome), cuda_init=Answer(outcome=outcome)))
    assert without_hasty_verdict(hung).driver.nvml is None
    refused = snapshot_of((), driver=driver("580.65.06", nvml=Answer(outcome="answered", code=9)))
    assert without_hasty_verdict(refused).driver == refused.driver


def run(fake_driver: FakeDriver, *arguments: str, **scenario):
    variables = fake_driver.environment(machine("H100", 2, **scenario))
    began = time.monotonic()
    done = gpudoctor("node", *arguments, env=variables)
    return done, time.monotonic() - began


def test_one_line_of_a_real_look(fake_driver: FakeDriver) -> None:
    done, _ = run(fake_driver, "--name", "gpu007", "--role", "train")
    assert done.out.count("\n") == 1, done.err
    line = json.loads(done.out)
    assert (line["schema"], line["host"], line["role"]) == (1, "gpu007", "train")
    assert line["fingerprint"]["VBIOS"] == "90.04.38.00.03"
    assert [one["model"] for one in line["gpus"]] == ["NVIDIA H100 80GB HBM3"] * 2
    assert len(done.stdout) < 5000


@pytest.mark.timed
@pytest.mark.parametrize(
    ("call", "how"),
    [
        ("nvmlInitWithFlags", "hang"),
        ("nvmlDeviceGetName", "deaf"),
        ("nvmlDeviceGetTemperature", "spin"),
        ("nvmlInitWithFlags", "stop"),
    ],
)
def test_a_driver_that_hangs_does_not_exceed_the_budget(fake_driver: FakeDriver, call, how) -> None:
    """Two seconds do not tell a hung driver from a slow one, so that a gate stays open."""
    done, took = run(fake_driver, "--budget", "2s", "--exit-style", "gate", **{f"do.{call}": how})
    assert took <= 2.0
    assert done.returncode == 0, done.out
    assert json.loads(done.out)["verdict"] == "incomplete"


def test_a_driver_that_hangs_closes_the_gate_where_there_was_time_to_see_it(fake_driver: FakeDriver) -> None:
    done, took = run(fake_driver, "--budget", "20s", "--exit-style", "gate", **{"do.nvmlInitWithFlags": "hang"})
    assert done.returncode == 1
    assert took <= 20
    assert "DRV007" in [one["code"] for one in json.loads(done.out)["findings"]]


@pytest.mark.parametrize("value", ["0", "0.5s", "2h", "soon", "-1s", "1e3s"])
def test_a_budget_that_is_none_is_refused(value) -> None:
    done = gpudoctor("node", f"--budget={value}")
    assert done.returncode == 2
    assert "write 2s, 30s or 5m" in done.err


def test_the_schema_is_printed() -> None:
    done = gpudoctor("node", "--schema")
    assert "NodeRecord" in json.loads(done.out)["$defs"]


def test_only_what_a_check_may_import(tmp_path: Path) -> None:
    """The layer above a check costs a check nothing."""
    done = gpudoctor("check", "--static", env={"PYTHONVERBOSE": "1"}, cwd=tmp_path)
    assert "gpudoctor.fleet" not in done.err
