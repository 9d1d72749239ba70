"""`fleet run --via ssh` on hosts with an sshd each: every answer that can arrive does, and the others have a reason."""

import json
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from tests.e2e.command import gpudoctor
from tests.fleet.engines import GPUDOCTOR, SshHosts


def run(hosts: SshHosts, path, nodes: str, *more: str, command: str = GPUDOCTOR):
    arguments = ("--nodes", nodes, "-o", str(path), "--ssh-options", hosts.options, "--command", command)
    return gpudoctor("fleet", "run", "--via", "ssh", *arguments, *more, timeout=120)


def records(path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_every_host_answers_and_the_others_are_named(ssh_hosts: SshHosts, tmp_path) -> None:
    path = tmp_path / "run.jsonl"
    done = run(ssh_hosts, path, "gdh[1-6],gdh-refuses,gdh-nowhere.invalid")
    assert done.returncode == 1, done.err
    found = {one["host"]: one for one in records(path)}
    assert [found[name]["verdict"] for name in ssh_hosts.names] == ["no-gpu"] * 6
    assert found["gdh-refuses"]["no_answer"]["why"] == "refused"
    assert found["gdh-nowhere.invalid"]["no_answer"]["why"] == "unknown-host"
    assert "6 of 8" in done.err
    merged = gpudoctor("fleet", "merge", str(path))
    assert merged.returncode == 1
    assert "gdh-refuses" in merged.out


def test_a_second_run_asks_only_those_that_are_left(ssh_hosts: SshHosts, tmp_path) -> None:
    path = tmp_path / "run.jsonl"
    assert run(ssh_hosts, path, "gdh[1-3]").returncode == 0
    path.write_bytes(path.read_bytes()[:-20])  # killed in the middle of a line
    left = next(one for one in ssh_hosts.names if one not in path.read_text().rpartition("\n")[0])
    assert run(ssh_hosts, path, "gdh[1-4]").returncode == 0
    again = [json.loads(line)["host"] for line in path.read_text().splitlines()[-2:]]
    assert sorted(again) == sorted({left, "gdh4"})
    assert gpudoctor("fleet", "merge", str(path), "--expect", "gdh[1-4]").returncode == 0


def test_nodes_without_gpudoctor_say_so(ssh_hosts: SshHosts, tmp_path) -> None:
    path = tmp_path / "run.jsonl"
    assert run(ssh_hosts, path, "gdh[1-2]", command="/nowhere/gpudoctor").returncode == 1
    assert {one["no_answer"]["why"] for one in records(path)} == {"no-gpudoctor"}


@pytest.mark.full
@pytest.mark.timed
def test_a_host_that_dies_in_the_middle_takes_nobody_along(ssh_hosts: SshHosts, tmp_path) -> None:
    path = tmp_path / "run.jsonl"
    slow = f"sleep 4; {GPUDOCTOR}"
    threading.Timer(2, ssh_hosts.kill, ("gdh6",)).start()
    done = run(ssh_hosts, path, "gdh[1-6]", "--budget", "5", command=slow)
    assert done.returncode == 1
    found = {one["host"]: one for one in records(path)}
    assert [name for name in ssh_hosts.names if "verdict" in found[name]] == ssh_hosts.names[:5]
    assert found["gdh6"]["no_answer"]["why"] in ("timed-out", "unreachable", "crashed")


@pytest.mark.full
def test_ctrl_c_keeps_what_has_arrived(ssh_hosts: SshHosts, tmp_path) -> None:
    path = tmp_path / "run.jsonl"
    command = f"sh -c 'ip addr | grep -q {ssh_hosts.NETWORK}.1/ && sleep 60; exec {GPUDOCTOR} \"$@\"' -"
    argv = [sys.executable, "-m", "gpudoctor", "fleet", "run", "--via", "ssh", "--nodes", "gdh[1-3]", "-o", str(path)]
    argv += ["--ssh-options", ssh_hosts.options, "--command", command]
    with subprocess.Popen(argv, stderr=subprocess.PIPE, start_new_session=True) as process:
        for _ in range(300):
            time.sleep(0.1)
            if path.exists() and path.read_text().count("\n") >= 2:
                break
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        said = process.stderr.read().decode()
        assert process.wait(20) == 130, said
    assert "2 of 3" in said
    assert sorted(one["host"] for one in records(path)) == ["gdh2", "gdh3"]


@pytest.mark.full
def test_one_file_is_sent_to_hosts_without_gpudoctor(ssh_hosts: SshHosts, tmp_path) -> None:
    script = Path(__file__).parents[2] / "scripts" / "make_zipapp"
    ours = f"{sys.version_info[0]}.{sys.version_info[1]}"
    pyz, path = tmp_path / "gpudoctor.pyz", tmp_path / "run.jsonl"
    subprocess.run([sys.executable, script, pyz, "--python", ours], check=True, cwd=tmp_path)
    done = run(ssh_hosts, path, "gdh[1-3]", "--pyz", str(pyz))
    assert done.returncode == 0, done.err
    assert [one["verdict"] for one in records(path)] == ["no-gpu"] * 3
    assert not list(Path(tempfile.gettempdir()).glob("gpudoctor-node-*"))
    other = "3.10" if ours != "3.10" else "3.11"
    subprocess.run([sys.executable, script, pyz, "--python", other], check=True, cwd=tmp_path)
    refused = subprocess.run([sys.executable, pyz, "node"], capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "make_zipapp" in refused.stderr
