"""Examines nodes through Slurm: srun with one task a node. slurm.schedmd.com/srun.html, sinfo.html, sbatch.html."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping

from gpudoctor.errors import Failure
from gpudoctor.facts.base import Fact
from gpudoctor.fleet.launch.request import Launch, Request
from gpudoctor.fleet.node_names import folded
from gpudoctor.fleet.record import NoAnswer

#: Nodes of one job. All of a job's nodes must be free at once, so that one that is not keeps a part waiting only.
CHUNK = 64
#: Seconds that a job waits for its nodes.
_QUEUE_TIMEOUT_S = 60
_OUT = ("down", "drain", "fail", "maint", "power", "reserved", "unknown", "inval", "planned")


class State(Fact, frozen=True, kw_only=True):
    """What Slurm says of a node."""

    state: str
    reason: str = ""


class NoSlurm(Failure):
    """Slurm's commands are not here, or do not answer."""

    exit_code = 3


def states(partition: str | None = None) -> dict[str, State]:
    """All nodes that Slurm knows. Raises NoSlurm."""
    if shutil.which("sinfo") is None or shutil.which("srun") is None:
        raise NoSlurm("srun and sinfo are not on the PATH: run this on a login node of the cluster, or use --via ssh.")
    argv = ["sinfo", "--Node", "--noheader", "--format=%N|%T|%E", *(["--partition", partition] if partition else [])]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False, errors="replace")
    except subprocess.TimeoutExpired:
        raise NoSlurm("sinfo gave no answer within 60 s; is slurmctld running?") from None
    if done.returncode:
        raise NoSlurm(f"sinfo failed: {done.stderr.strip()[:300]}")
    found = {}
    for line in done.stdout.splitlines():
        name, state, reason = (*line.split("|", 2), "", "")[:3]
        if name:
            found[name] = State(state=state, reason="" if reason == "none" else reason)
    return found


def out_of_service(known: Mapping[str, State], nodes: tuple[str, ...]) -> dict[str, NoAnswer]:
    """The nodes that no job can be run on, and why."""
    out = {}
    for node in nodes:
        state = known.get(node)
        if state is None:
            out[node] = NoAnswer(why="unknown-host", detail="Slurm has no node of this name")
        elif state.state.lower().startswith(_OUT) or state.state.endswith("*"):
            down = state.state.endswith("*") or state.state.lower().startswith("down")
            said = f"{state.state}: {state.reason}" if state.reason else state.state
            out[node] = NoAnswer(why="unreachable" if down else "drained", detail=said)
    return out


def launches(
    request: Request, nodes: tuple[str, ...], partition: str | None, *, chunk: int = CHUNK
) -> Iterator[Launch]:
    """The jobs, each for some nodes."""
    for start in range(0, len(nodes), chunk):
        part = nodes[start : start + chunk]
        yield Launch(
            nodes=part,
            argv=("srun", *_options(request, part, partition), "sh", "-c", request.shell()),
            shell=request.shell(),
            deadline=request.deadline + _QUEUE_TIMEOUT_S,
        )


def _options(request: Request, nodes: tuple[str, ...], partition: str | None) -> list[str]:
    minutes = max(1, -(-int(request.deadline) // 60))
    options = [
        f"--nodelist={folded(nodes)}", f"--nodes={len(nodes)}", f"--ntasks={len(nodes)}", "--ntasks-per-node=1",
        "--job-name=gpudoctor", f"--time={minutes}", "--no-kill", "--kill-on-bad-exit=0", "--wait=0",
    ]  # fmt: skip
    options += [] if request.pyz else ["--input=none"]
    # Within an allocation a step of it shares what the job has; outside, a job of its own must not wait without end.
    options += ["--overlap"] if "SLURM_JOB_ID" in os.environ else [f"--immediate={_QUEUE_TIMEOUT_S}"]
    return [*options, f"--partition={partition}"] if partition else options


def script(request: Request, nodes: tuple[str, ...], partition: str | None, output: str) -> str:
    """The same as a batch script, for a cluster on which nobody waits at a terminal."""
    minutes = max(1, -(-int(request.deadline) // 60)) + 1
    heads = [f"--nodelist={folded(nodes)}", f"--nodes={len(nodes)}", "--ntasks-per-node=1", "--job-name=gpudoctor",
             f"--time={minutes}", "--no-kill"]  # fmt: skip
    heads += [f"--partition={partition}"] if partition else []
    lines = ["#!/bin/sh", *(f"#SBATCH {head}" for head in heads)]
    run = ["srun", "--kill-on-bad-exit=0", "--wait=0", "--input=none", "sh", "-c", request.shell()]
    lines.append(f"{shlex.join(run)} >>{shlex.quote(output)}")
    return "\n".join(lines) + "\n"
