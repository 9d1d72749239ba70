"""The files that `gpudoctor fleet examples` prints, each tried as far as it goes without its service."""

import json
import re
import shutil
import subprocess
import sys

import pytest

from gpudoctor.cli.fleet_examples import EXAMPLES
from gpudoctor.fleet.openmetrics import render_openmetrics
from tests.e2e.command import gpudoctor
from tests.fleet.test_formats import mixed


def printed(name: str) -> str:
    done = gpudoctor("fleet", "examples", name)
    assert done.returncode == 0, done.err
    return done.out


def test_they_are_listed() -> None:
    done = gpudoctor("fleet", "examples")
    assert [line.split()[0] for line in done.out.splitlines()] == sorted(EXAMPLES)


@pytest.mark.parametrize("name", ["slurm-prolog", "slurm-health-check"])
def test_shells_read_the_scripts(name) -> None:
    subprocess.run(["sh", "-n"], input=printed(name), text=True, check=True)
    if shutil.which("shellcheck"):
        subprocess.run(["shellcheck", "-e", "SC2181", "-"], input=printed(name), text=True, check=True)


@pytest.mark.parametrize(("code", "drains"), [(0, False), (1, False), (2, True), (3, False)])
def test_the_health_check_drains_on_errors_only(tmp_path, code, drains) -> None:
    (tmp_path / "gpudoctor").write_text(f"#!/bin/sh\necho 'GPU X - \"said\" $HOME | gpus=1'\nexit {code}\n")
    (tmp_path / "scontrol").write_text('#!/bin/sh\nprintf "%s\\n" "$@" >>"$LOG"\n')
    for name in ("gpudoctor", "scontrol"):
        (tmp_path / name).chmod(0o755)
    log = tmp_path / "log"
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "LOG": str(log), "SLURMD_NODENAME": "gpu7"}
    subprocess.run(["sh"], input=printed("slurm-health-check"), text=True, check=False, env=environment)
    assert log.exists() == drains
    if drains:
        lines = log.read_text().splitlines()
        assert lines[:3] == ["update", "NodeName=gpu7", "State=DRAIN"]
        assert lines[3].startswith("Reason=gpudoctor: GPU X")


def test_the_line_of_cron_writes_metrics(tmp_path) -> None:
    line = next(one for one in printed("cron").splitlines() if one.startswith("*/10"))
    command = line.partition(" root ")[2].replace("/var/lib/prometheus/node-exporter", str(tmp_path))
    command = command.replace("gpudoctor node", f"{sys.executable} -m gpudoctor node")
    command = command.replace("gpudoctor fleet", f"{sys.executable} -m gpudoctor fleet")
    subprocess.run(["sh", "-c", command], check=True)
    assert "gpudoctor_fleet_nodes" in (tmp_path / "gpudoctor.prom").read_text()


def test_nagios_and_the_problem_detector_call_a_command_that_there_is() -> None:
    detector = json.loads(printed("node-problem-detector"))
    (rule,) = detector["rules"]
    assert rule["condition"] in {one["type"] for one in detector["conditions"]}
    assert gpudoctor(*rule["args"]).returncode in (0, 1, 2)
    command = re.search(r"/gpudoctor (.*)", printed("nagios"))
    assert command is not None
    assert gpudoctor(*command[1].split()).out.startswith("GPU ")


def test_the_dashboard_asks_for_metrics_that_there_are() -> None:
    known = set(re.findall(r"^# TYPE (\S+)", render_openmetrics(mixed()), re.MULTILINE))
    board = json.loads(printed("grafana"))
    asked = {name for one in board["panels"] for name in re.findall(r"gpudoctor_\w+", one["targets"][0]["expr"])}
    assert asked == known
    assert len({one["id"] for one in board["panels"]}) == len(board["panels"])


def test_the_alerts_ask_for_metrics_that_there_are(tmp_path) -> None:
    known = set(re.findall(r"^# TYPE (\S+)", render_openmetrics(mixed()), re.MULTILINE))
    assert set(re.findall(r"gpudoctor_fleet_\w+", printed("alerts"))) <= known
    if shutil.which("promtool"):
        (tmp_path / "alerts.yml").write_text(printed("alerts"))
        subprocess.run(["promtool", "check", "rules", "alerts.yml"], check=True, cwd=tmp_path, capture_output=True)
