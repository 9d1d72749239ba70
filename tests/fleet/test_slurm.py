"""`fleet run --via slurm` on a real cluster of four nodes."""

import json
import sys
import threading

import pytest

from tests.e2e.command import gpudoctor
from tests.fleet.engines import GPUDOCTOR, SlurmCluster

pytestmark = pytest.mark.full


def run(cluster: SlurmCluster, path, *more: str, command: str = GPUDOCTOR):
    arguments = ("--via", "slurm", "-o", str(path), "--command", command, *more)
    return gpudoctor("fleet", "run", *arguments, env=cluster.environment, timeout=200)


def answers(path) -> dict[str, dict]:
    return {one["host"]: one for one in map(json.loads, path.read_text().splitlines())}


def test_all_nodes_answer_by_the_names_that_slurm_gives_them(slurm_cluster: SlurmCluster, tmp_path) -> None:
    done = run(slurm_cluster, tmp_path / "run.jsonl")
    assert done.returncode == 0, done.err
    found = answers(tmp_path / "run.jsonl")
    assert sorted(found) == list(slurm_cluster.NODES)
    assert {one["role"] for one in found.values()} == {"all"}


def test_drained_and_unknown_nodes_are_named_and_not_waited_for(slurm_cluster: SlurmCluster, tmp_path) -> None:
    slurm_cluster.ask("scontrol", "update", "nodename=gds4", "state=drain", "reason=bad cable")
    try:
        done = run(slurm_cluster, tmp_path / "run.jsonl", "--nodes", "gds[1-4],gds9")
    finally:
        slurm_cluster.ask("scontrol", "update", "nodename=gds4", "state=resume")
        slurm_cluster.wait_until_idle()
    assert done.returncode == 1
    found = answers(tmp_path / "run.jsonl")
    assert found["gds4"]["no_answer"] == {"why": "drained", "detail": "drained: bad cable"}
    assert found["gds9"]["no_answer"]["why"] == "unknown-host"
    assert sorted(name for name in found if "verdict" in found[name]) == list(slurm_cluster.NODES[:3])


def test_the_batch_script_does_the_same(slurm_cluster: SlurmCluster, tmp_path) -> None:
    path = tmp_path / "run.jsonl"
    printed = run(slurm_cluster, path, "--dry-run").out
    script = tmp_path / "job.sh"
    script.write_text(printed[printed.index("#!/bin/sh") :])
    slurm_cluster.ask("sbatch", "--wait", f"--output={tmp_path}/out", str(script))
    assert sorted(answers(path)) == list(slurm_cluster.NODES)


@pytest.mark.parametrize(("severity", "state"), [("warning", "idle"), ("error", "drained")])
def test_the_prolog_drains_on_an_error_and_never_on_a_warning(
    slurm_cluster: SlurmCluster, tmp_path, severity, state
) -> None:
    """The printed script, with a gpudoctor whose look finds one thing."""
    stub = tmp_path / "gpudoctor"
    stub.write_text(f"#!{sys.executable}\n{_STUB.format(severity=severity)}")
    stub.chmod(0o755)
    printed = gpudoctor("fleet", "examples", "slurm-prolog").out
    slurm_cluster.prolog(printed.replace("exec gpudoctor", f"exec {stub}").replace("/var/log", str(tmp_path)))
    try:
        slurm_cluster.ask("srun", "-w", "gds2", "--immediate=5", "--time=1", "true")
        assert slurm_cluster.settled("gds2") == state
    finally:
        slurm_cluster.prolog("#!/bin/sh\nexit 0\n")
        slurm_cluster.ask("scancel", "--name=true")
        slurm_cluster.ask("scontrol", "update", "nodename=gds2", "state=resume")
        slurm_cluster.wait_until_idle()


_STUB = """
import sys
from gpudoctor.fleet.exit_styles import said
from gpudoctor.fleet.record import NodeFinding, NodeRecord
assert sys.argv[1:] == ["node", "--budget", "10s", "--exit-style", "gate"]
finding = NodeFinding(code="GPU004", name="x", severity="{severity}", summary="x")
sys.exit(said(NodeRecord(schema=1, host="x", verdict="healthy", findings=(finding,)), "gate").code)
"""


def test_a_node_that_dies_in_the_middle_takes_nobody_along(slurm_cluster: SlurmCluster, tmp_path) -> None:
    """Last: the node stays dead."""
    threading.Timer(5, slurm_cluster.kill, ("gds3",)).start()
    done = run(slurm_cluster, tmp_path / "run.jsonl", "--budget", "5", command=f"sleep 10; {GPUDOCTOR}")
    assert done.returncode == 1
    found = answers(tmp_path / "run.jsonl")
    assert sorted(name for name in found if "verdict" in found[name]) == ["gds1", "gds2", "gds4"]
    assert found["gds3"]["no_answer"]["why"] in ("crashed", "timed-out", "unreachable", "busy")
