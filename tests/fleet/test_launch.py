"""How nodes are asked: the printed launches, the reasons, and bad input."""

import json
import shlex
import subprocess

import pytest

from gpudoctor.fleet.launch import kubernetes, slurm
from gpudoctor.fleet.launch.reasons import reason_of
from gpudoctor.fleet.launch.request import Request
from tests.e2e.command import gpudoctor

#: What a launcher printed, its exit code, and the reason.
REASONS = [
    ("ssh: Could not resolve hostname gpu9: Name or service not known", 255, "unknown-host"),
    ("ssh: connect to host gpu9 port 22: Connection refused", 255, "refused"),
    ("root@gpu9: Permission denied (publickey).", 255, "refused"),
    ("Host key verification failed.", 255, "refused"),
    ("ssh: connect to host gpu9 port 22: Connection timed out", 255, "unreachable"),
    ("ssh: connect to host gpu9 port 22: No route to host", 255, "unreachable"),
    ("sh: 1: gpudoctor: not found", 127, "no-gpudoctor"),
    ("bash: gpudoctor: command not found", 127, "no-gpudoctor"),
    ("/usr/bin/python3: No module named gpudoctor", 1, "no-gpudoctor"),
    ("srun: error: Node failure on gpu9", 1, "crashed"),
    ("srun: error: Unable to allocate resources: Requested nodes are busy", 1, "busy"),
    ("srun: error: Invalid node name specified in job", 1, "unknown-host"),
    ("", 139, "crashed"),
    ("", 0, "garbage"),
    ("", None, "crashed"),
]


@pytest.mark.parametrize(("said", "code", "why"), REASONS)
def test_reasons(said, code, why) -> None:
    assert reason_of(code, said, timed_out=False).why == why


def test_out_of_time_is_the_reason_whatever_was_printed() -> None:
    assert reason_of(None, "Connection refused", timed_out=True).why == "timed-out"


@pytest.mark.parametrize(
    ("state", "why"),
    [("idle", None), ("mixed", None), ("allocated", None), ("drained", "drained"), ("draining", "drained"),
     ("down*", "unreachable"), ("idle*", "unreachable"), ("maint", "drained"), ("POWERED_DOWN", "drained")],
)  # fmt: skip
def test_states_of_slurm(state, why) -> None:
    out = slurm.out_of_service({"n1": slurm.State(state=state, reason="disk")}, ("n1",))
    assert (out["n1"].why if out else None) == why


@pytest.mark.parametrize("code", [0, 1, 3, 4])
def test_an_answer_ends_with_0_whatever_it_says(code) -> None:
    request = Request(command=f"sh -c 'exit {code}' -")
    assert subprocess.run(["sh", "-c", request.shell()], check=False).returncode == 0


def test_a_command_that_is_not_there_does_not() -> None:
    request = Request(command="/nowhere/gpudoctor")
    assert subprocess.run(["sh", "-c", request.shell()], check=False, capture_output=True).returncode == 127


def test_a_file_is_sent_and_nothing_of_it_stays(tmp_path) -> None:
    request = Request(pyz="x.pyz", role="a b; touch bad")
    program = b"import sys; print(sys.argv[1:])"
    done = subprocess.run(
        ["sh", "-c", request.shell("n 1")], input=program, capture_output=True, check=True, cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin:/usr/local/bin", "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    assert b"'--role', 'a b; touch bad'" in done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("nodes", [(), ("gpu001", "GPU_2.example.org")])
@pytest.mark.parametrize("mode", ["static", "bench"])
def test_manifests_are_valid(nodes, mode) -> None:
    kubernetes_validate = pytest.importorskip("kubernetes_validate")
    text = kubernetes.manifest(Request(mode=mode, role="a'b"), nodes, image="example.org/gpudoctor:1", namespace="ops")
    documents = [json.loads(part) for part in text.split("---\n")]
    assert len(documents) == max(1, len(nodes))
    for document in documents:
        kubernetes_validate.validate(document, "1.29", strict=True)


DRY_RUNS = [
    (("ssh", "--nodes", "gpu[1-3]"), "ssh -oBatchMode=yes"),
    (("slurm", "--nodes", "gpu[1-3]"), "--nodelist=gpu[1-3]"),
    (("slurm", "--nodes", "gpu[1-3]"), "#SBATCH --nodes=3"),
    (("kubernetes", "--image", "x:1"), '"DaemonSet"'),
    (("local",), "-m gpudoctor node"),
    (("dask", "--scheduler", "tcp://x:1"), "Client.run"),
]


@pytest.mark.parametrize(("arguments", "printed"), DRY_RUNS)
def test_dry_runs_print_the_launch(tmp_path, arguments, printed) -> None:
    path = f"{shlex.quote(str(tmp_path))}"
    done = gpudoctor("fleet", "run", "--dry-run", "--via", *arguments, cwd=tmp_path, env={"PATH": path})
    assert done.returncode == 0, done.err
    assert printed in done.out
    assert list(tmp_path.iterdir()) == []


BAD = [
    (("ssh",), 2, "--nodes"),
    (("ssh", "--nodes", "gpu[1-"), 2, "no set of nodes"),
    (("ssh", "--nodes", "-oProxyCommand=x"), 2, "no name of a node"),
    (("slurm", "--nodes", "gpu1"), 3, "not on the PATH"),
    (("kubernetes",), 2, "--image"),
    (("kubernetes", "--image", "x:1"), 2, "kubectl"),
    (("dask",), 2, "--scheduler"),
    (("dask", "--scheduler", "tcp://127.0.0.1:1"), 3, "does not answer"),
    (("local", "--nodes", "x"), 2, "this machine"),
    (("local", "-o", "/nowhere/run.jsonl"), 3, "could not be written"),
    (("ssh", "--nodes", "a", "--pyz", "/nowhere.pyz"), 2, "nowhere.pyz"),
    (("slurm", "--pyz", "x"), 2, "--pyz"),
]


@pytest.mark.parametrize(("arguments", "code", "said"), BAD)
def test_bad_input(tmp_path, arguments, code, said) -> None:
    (tmp_path / "ssh").write_text("#!/bin/sh\nexit 255\n")
    (tmp_path / "ssh").chmod(0o755)
    done = gpudoctor("fleet", "run", "--via", *arguments, cwd=tmp_path, env={"PATH": str(tmp_path)}, timeout=90)
    assert done.returncode == code, done.err
    assert said in done.err
    assert "Traceback" not in done.err


def test_this_machine(tmp_path) -> None:
    other = {"GPUDOCTOR_NODE": "elsewhere"}  # set where it is typed, for another purpose
    done = gpudoctor("fleet", "run", "--via", "local", "-o", "run.jsonl", cwd=tmp_path, env=other)
    assert done.returncode == 0, done.err
    assert json.loads((tmp_path / "run.jsonl").read_text())["schema"] == 1
    assert gpudoctor("fleet", "run", "--via", "local", "-o", "run.jsonl", cwd=tmp_path).returncode == 0
    assert (tmp_path / "run.jsonl").read_text().count("\n") == 1


def test_nothing_is_appended_to_a_file_that_is_no_run(tmp_path) -> None:
    (tmp_path / "thesis.tex").write_text("\\documentclass{article}\n")
    done = gpudoctor("fleet", "run", "--via", "local", "-o", "thesis.tex", cwd=tmp_path)
    assert done.returncode == 3
    assert (tmp_path / "thesis.tex").read_text() == "\\documentclass{article}\n"
