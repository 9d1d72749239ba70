"""Runs an agent script in the examined interpreter, with the user's folder and variables."""

import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from msgspec import structs

import gpudoctor
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact
from gpudoctor.facts.live import AgentRun, Ending, Task
from gpudoctor.facts.python import Interpreter
from gpudoctor.host.port import Host, Ran
from gpudoctor.host.watch import Watch
from gpudoctor.probes.live.limits import agent_environment, count_oom_kills
from gpudoctor.probes.live.transcript import Listener, Part, Told, Transcript

_AGENT = os.path.join(os.path.dirname(gpudoctor.__file__), "agent")
#: Bytes kept of what an agent tells, and of what it prints; one that writes more is stopped.
CAP = 8 * 1024 * 1024
_BEGINS = re.compile(r"^@gpudoctor (\w+)$", re.MULTILINE)
_NOT_REACHED = "what was run before it in the same process ended it"


class Asked(Fact, frozen=True, kw_only=True):
    """What an agent is asked, and what it may take. `deadline` in seconds a framework, `memory_cap` in bytes."""

    deadline: float
    #: gpu:0, cpu; None: all.
    devices: tuple[str, ...] | None = None
    data: str = "generated"
    quick: bool = True
    #: For its trainings or measurements; None: as the agent thinks fit.
    seconds: float | None = None
    threads: int | None = None
    memory_cap: int | None = None
    #: Whether it has to wait until no other agent uses the GPU.
    turns: bool = False


class Outcome(Fact, frozen=True, kw_only=True):
    """One task: how it fared, the facts it told, and what was printed meanwhile. `reached` False: it never began."""

    run: AgentRun
    facts: tuple[Told, ...] = ()
    printed: str = ""
    reached: bool = True


def run_agent(
    host: Host, interpreter: Interpreter, framework: str, task: Task, asked: Asked, on_event: Listener | None = None
) -> tuple[AgentRun, tuple[Told, ...]]:
    """Do one task of one framework in a process of its own: how it fared, and what it told. Never raises."""
    (outcome,) = run_tasks(host, interpreter, ((framework, task),), asked, on_event)
    return outcome.run, outcome.facts


def run_tasks(
    host: Host,
    interpreter: Interpreter,
    tasks: tuple[tuple[str, Task], ...],
    asked: Asked,
    on_event: Listener | None = None,
) -> tuple[Outcome, ...]:
    """Do tasks one after the other in one process; an outcome for each. Never raises."""
    possible = tuple(one for one in tasks if _has_script(*one))
    done = dict(zip(possible, _run(host, interpreter, possible, asked, on_event), strict=True)) if possible else {}
    return tuple(done.get(one) or _not_started(one) for one in tasks)


def _run(
    host: Host, interpreter: Interpreter, tasks: tuple[tuple[str, Task], ...], asked: Asked, on_event: Listener | None
) -> tuple[Outcome, ...]:
    told = Transcript(tasks, on_event)
    watch = Watch(on_output=lambda output: _follow(watch, told, output), memory_cap=asked.memory_cap)
    kills, began = count_oom_kills(host), time.monotonic()
    with _temporary_folder(agent_environment(host.env, asked.threads)) as env:
        ran = host.run(
            (interpreter.executable, "-X", "faulthandler", "-B", os.path.join(_AGENT, "run_tasks.py"), *_names(tasks)),
            timeout=asked.deadline,
            env=env,
            stdin=_request(host, asked),
            cap=CAP,
            watch=watch,
        )
    told.close()
    by_kernel = ran.signal == "SIGKILL" and kills is not None and (count_oom_kills(host) or 0) > kills
    printed = _by_task(ran.stderr.decode("utf-8", "replace"))
    outcomes = []
    for part in told.parts:
        run = _agent_run(part, told, ran, by_kernel=by_kernel, watch=watch)
        seconds = (part.ended or time.monotonic()) - (part.began or began)
        run = structs.replace(run, seconds=round(seconds, 3), device="+".join(asked.devices or ()) or None)
        first = part is told.parts[0]
        text = (printed[""] if first else "") + printed.get(f"{part.task}_{part.framework}", "")
        reached = first or part.began is not None
        outcomes.append(Outcome(run=run, facts=tuple(part.facts), printed=text, reached=reached))
    return tuple(outcomes)


@contextmanager
def _temporary_folder(env: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
    """The variables, with a folder for temporary files: an agent that is killed cannot remove its own."""
    try:
        folder = tempfile.mkdtemp(prefix="gpudoctor-", dir=env.get("TMPDIR"))
    except OSError:
        yield env  # the frameworks will say so
        return
    try:
        yield {**env, "TMPDIR": folder}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _follow(watch: Watch, told: Transcript, output: bytes) -> None:
    before = told.framework
    told.feed(output)
    if told.framework != before:
        watch.begin_anew()
    if told.waits:
        watch.hold()
    else:
        watch.go_on()


def _request(host: Host, asked: Asked) -> bytes:
    request = {
        "devices": asked.devices,
        "data": asked.data,
        "threads": asked.threads,
        "seconds": asked.seconds,
        "quick": asked.quick,
        "turns": asked.turns,
        # As the user's own script would be found. In safe-path mode nothing is found there.
        "cwd": os.devnull if host.env.get("PYTHONSAFEPATH") else host.cwd or os.sep,
    }
    return json.dumps(request).encode()


def _agent_run(part: Part, told: Transcript, ran: Ran, *, by_kernel: bool, watch: Watch) -> AgentRun:
    """How one task of the process fared; one that was never reached shares the end of the one before it."""
    reached = part.began is not None or part is told.parts[0]
    last = next((one for one in reversed(told.parts) if one.began is not None), told.parts[0])
    ending, reason = _done(part) if reached and part is not last else _ending(last, told, ran, by_kernel=by_kernel)
    whose = part if reached else last
    at_end = whose is last
    peak = told.peak_mib or (watch.peak // 1024**2 if watch.peak else None)
    return AgentRun(
        framework=part.framework,
        task=part.task,
        ending=ending,
        stages=whose.stages,
        signal=ran.signal if at_end and ending == "died" else None,
        code=ran.code if at_end and ending == "silent" else None,
        error=whose.failed,
        peak_mib=peak,
        reason=reason if reached else "; ".join(filter(None, (_NOT_REACHED, reason))),
    )


def _done(part: Part) -> tuple[Ending, str | None]:
    """How a task ended that said all it had to say."""
    if part.failed is None:
        return "finished", None
    if part.failed.type == "MemoryError":
        return "out-of-memory", "Python found no more memory (MemoryError)"
    return "failed", None


def _ending(part: Part, told: Transcript, ran: Ran, *, by_kernel: bool) -> tuple[Ending, str | None]:
    """How the task ended in which the process ended."""
    if told.done and ran.outcome != "abandoned":
        return _done(part)
    if ran.outcome == "not-started":
        return "not-started", ran.reason
    if ran.overgrown:
        return "out-of-memory", ran.describe()
    if by_kernel:
        return "out-of-memory", "the kernel ended it for want of memory"
    if ran.truncated:
        return "flooded", ran.describe() if ran.outcome == "signalled" else "it printed too much"
    if ran.outcome == "timed-out":
        asleep = f"uninterruptible sleep in {ran.wchan or 'the kernel'}" if ran.state == "D" else None
        return "timed-out", asleep
    if ran.outcome == "abandoned":
        return "abandoned", ran.describe()
    return ("died" if ran.outcome == "signalled" else "silent"), None


def _not_started(task: tuple[str, Task]) -> Outcome:
    reason = f"this gpudoctor has no {task[1]} for {task[0]}"
    return Outcome(run=AgentRun(framework=task[0], task=task[1], ending="not-started", reason=reason))


def _names(tasks: tuple[tuple[str, Task], ...]) -> tuple[str, ...]:
    return tuple(f"{task}_{framework}" for framework, task in tasks)


def _has_script(framework: str, task: Task) -> bool:
    return os.path.isfile(os.path.join(_AGENT, f"{task}_{framework}.py"))


def _by_task(printed: str) -> dict[str, str]:
    """What was printed, by the task that was under way; "" is what came before the first."""
    first, *rest = _BEGINS.split(printed)
    return {"": first, **dict(zip(rest[::2], rest[1::2], strict=True))}
