"""Examines this machine for a fleet, within a time limit, and makes its record."""

import os
import socket
import sys
from collections.abc import Iterator
from datetime import datetime, timezone

from msgspec import structs

from gpudoctor import __version__
from gpudoctor.facts.finding import Finding
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.report import Report
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.fleet.budget import RESERVE, Budget, HurriedHost, OutOfTime, held_to, without_hasty_verdict
from gpudoctor.fleet.record import RECORD_SCHEMA, Measured, NodeFinding, NodeFix, NodeGpu, NodeRecord

#: Who launches us says what the node is called: its own name for itself may be another. slurmd sets its variable
#: on each node; any other is passed on from where srun was typed.
_NAMES = ("SLURMD_NODENAME", "GPUDOCTOR_NODE")
_ROLES = ("GPUDOCTOR_ROLE", "SLURM_JOB_PARTITION")
#: A record is a line of some kilobytes, whatever is found.
_MOST_FINDINGS, _MOST_COMMANDS = 20, 12
_SEVERAL_BYTES = {"B/s": (1e9, "GB/s"), "FLOP/s": (1e12, "TFLOP/s")}


def record_within(
    budget: Budget, *, python: str | None = None, run: str = "static", name: str | None = None, role: str | None = None
) -> NodeRecord:
    """The record of this machine. `run`: static, smoke or bench. To be called by the main thread, before any other."""
    record = NodeRecord(
        schema=RECORD_SCHEMA,
        host=name or _first_of(_NAMES) or socket.gethostname(),
        role=role or _first_of(_ROLES),
        gpudoctor=__version__,
        verdict="incomplete",
        unseen=(f"the look did not end within {budget.seconds:g} s",),
    )
    try:
        with held_to(budget):
            record = _examined(record, budget, python, run)
    except OutOfTime:
        pass
    now = datetime.now(timezone.utc).isoformat(timespec="seconds")
    return structs.replace(record, time=now, seconds=round(budget.seconds - budget.left, 3))


def _examined(record: NodeRecord, budget: Budget, python: str | None, run: str) -> NodeRecord:
    from gpudoctor.host.background import Aside
    from gpudoctor.probes.take import begin_snapshot

    host = HurriedHost(budget)
    finish = begin_snapshot(host, python, fork=sys.platform == "linux", seconds=budget.left - RESERVE)
    # What judges is read from disk while other processes look.
    from gpudoctor.examine.judging import Criteria, judge
    from gpudoctor.fleet.fingerprint import fingerprint_of
    from gpudoctor.rules.load import load_rules

    criteria = Criteria(rules=load_rules())
    snapshot = Aside(finish).result()
    if host.cut_short:
        snapshot = without_hasty_verdict(snapshot)
    if run == "smoke":
        snapshot = _smoke_tested(snapshot, budget)
    record = structs.replace(record, measured=tuple(_measured(snapshot, budget)) if run == "bench" else ())
    report = judge(snapshot, criteria)
    return structs.replace(
        record,
        verdict=report.verdict,
        fingerprint=fingerprint_of(report.snapshot),
        gpus=_gpus(report.snapshot),
        findings=tuple(map(_finding, report.diagnosis.findings[:_MOST_FINDINGS])),
        unseen=(*report.unseen, *_crashes(report)),
    )


def _first_of(names: tuple[str, ...]) -> str | None:
    return next((value for name in names if (value := os.environ.get(name))), None)


def _crashes(report: Report) -> tuple[str, ...]:
    doctor = report.snapshot.doctor
    traces = (*(one.traceback for one in report.diagnosis.crashed), *(doctor.crashes if doctor else ()))
    return tuple(f"gpudoctor itself failed: {trace.strip().rpartition(chr(10))[2]}" for trace in traces)


def _smoke_tested(snapshot: Snapshot, budget: Budget) -> Snapshot:
    from gpudoctor.examine.look import run_frameworks

    proved, _ = run_frameworks(snapshot, deadline=max(1.0, budget.left - 2 * RESERVE), quiet=True)
    return proved


def _measured(snapshot: Snapshot, budget: Budget) -> Iterator[Measured]:
    """What each GPU reaches in copies and products, by the first framework that can be measured."""
    from gpudoctor.bench.verdict import conclude
    from gpudoctor.facts.bench import TOGETHER
    from gpudoctor.facts.python import Frameworks, Interpreter
    from gpudoctor.host.real import RealHost
    from gpudoctor.knowledge.frameworks import computing, that_run
    from gpudoctor.knowledge.matrix.load import load_matrix
    from gpudoctor.probes.bench import Interrupted, measure

    interpreter, frameworks, gpus = snapshot.interpreter, snapshot.frameworks, snapshot.gpus
    if not (isinstance(interpreter, Interpreter) and isinstance(frameworks, Frameworks) and isinstance(gpus, Gpus)):
        return
    framework = next((one for one in computing() if one in that_run("bench") and frameworks.get(one)), None)
    if framework is None or not gpus.nvidia:
        return
    devices = tuple(f"gpu:{number}" for number in range(len(gpus.nvidia)))
    # A framework's import may take as long as the measuring.
    seconds = max(1.0, (budget.left - RESERVE) / 2)
    try:
        bench, _ = measure(RealHost(), interpreter, framework, seconds=seconds, devices=devices)
    except Interrupted as stop:
        bench = stop.bench
    rates: dict[tuple[str, str], list[float]] = {}
    for one in conclude(bench, gpus, load_matrix()).achieved:
        if (one.device.startswith("gpu") or one.device == TOGETHER) and not one.noisy:
            rates.setdefault((one.what, one.unit), []).append(one.rate)
    for (what, unit), values in rates.items():
        scale, named = _SEVERAL_BYTES.get(unit, (1.0, unit))
        yield Measured(name=what, unit=named, values=tuple(round(value / scale, 3) for value in values))


def _gpus(snapshot: Snapshot) -> tuple[NodeGpu, ...]:
    return tuple(map(_gpu, snapshot.gpus.devices)) if isinstance(snapshot.gpus, Gpus) else ()


def _gpu(gpu: Gpu) -> NodeGpu:
    remaps = gpu.row_remaps
    return NodeGpu(
        index=gpu.index,
        model=gpu.name,
        temperature_c=gpu.temperature_c,
        power_w=gpu.power.draw if gpu.power else None,
        clock_sm_max_mhz=gpu.clock_sm_max_mhz,
        ecc_uncorrected=gpu.ecc_uncorrected_volatile,
        ecc_corrected=gpu.ecc_corrected_volatile,
        rows_remapped=(remaps.correctable or 0) + (remaps.uncorrectable or 0) if remaps else None,
        nvlinks_active=sum(bool(link.active) for link in gpu.nvlinks) if gpu.nvlinks else None,
    )


def _finding(finding: Finding) -> NodeFinding:
    return NodeFinding(
        code=finding.code,
        name=finding.name,
        severity=finding.severity,
        summary=finding.summary,
        subject=finding.subject,
        because_of=finding.because_of,
        fix=None if finding.because_of or finding.severity == "info" else _fix(finding),
    )


def _fix(finding: Finding) -> NodeFix | None:
    """The first fix, which is the best one. What follows from another finding is fixed by its fix."""
    from gpudoctor.report.commands import is_command, step_lines

    if not finding.fixes:
        return None
    best = finding.fixes[0]
    lines = [(is_command(step), line) for step in best.steps for line in step_lines(step)][:_MOST_COMMANDS]
    return NodeFix(
        title=best.title,
        commands=tuple(line for command, line in lines if command),
        by_hand=tuple(line for command, line in lines if not command),
        needs_root=best.needs_root,
        needs_reboot=best.needs_reboot,
    )
