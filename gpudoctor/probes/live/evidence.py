"""Turns what agents told and printed into facts: device lists, trainings, known messages, log lines."""

from collections.abc import Iterator

from msgspec import structs

from gpudoctor.facts.live import AgentRun, DeviceList, SmokeRun, Symptom, Thrown, Trial
from gpudoctor.knowledge.recognition import lines_that_matter, recognise
from gpudoctor.probes.live.run import Outcome
from gpudoctor.redact.credentials import without_credentials

#: Lines of a log kept, and characters of a log that are read: the last ones, where a run ended.
_LINES = 40
_READ = 1024 * 1024


def device_list(outcome: Outcome, version: str | None) -> DeviceList:
    """What a framework listed; told several times, each time with more."""
    told = [fact.as_fact(DeviceList) for fact in outcome.facts if fact.kind == "devices"]
    run = _with_log(_noting_misfits(outcome.run, told.count(None)), outcome.printed)
    known = [one for one in told if one is not None]
    if not known:
        return DeviceList(framework=run.framework, version=version, run=run)
    return structs.replace(known[-1], framework=run.framework, version=known[-1].version or version, run=run)


def smoke_run(outcome: Outcome, version: str | None, data: str) -> SmokeRun:
    """What a framework trained."""
    trials = [fact.as_fact(Trial) for fact in outcome.facts if fact.kind == "trial"]
    peers = [fact.value for fact in outcome.facts if fact.kind == "peer"]
    return SmokeRun(
        framework=outcome.run.framework,
        version=version,
        data=data,
        run=_with_log(_noting_misfits(outcome.run, trials.count(None)), outcome.printed),
        trials=tuple(trial for trial in trials if trial is not None),
        peers=tuple(_peer(value) for value in peers) or None,
    )


def symptoms(outcome: Outcome) -> Iterator[Symptom]:
    """The known messages in what was raised and printed, each once, with where it was met."""
    run = outcome.run
    if not outcome.reached:  # it shares the end of the one before it, which has told
        return
    where = f"{run.task} {run.framework}"
    seen: set[tuple[str, str]] = set()
    for place, text in (*_raised(outcome, where), (where, _read(outcome.printed))):
        for symptom in recognise(text, framework=run.framework, where=place, clean=without_credentials):
            if (symptom.signature, symptom.text) not in seen:
                seen.add((symptom.signature, symptom.text))
                yield symptom


def _raised(outcome: Outcome, where: str) -> Iterator[tuple[str, str]]:
    for fact in outcome.facts:
        trial = fact.as_fact(Trial) if fact.kind == "trial" else None
        if trial is not None and trial.error is not None:
            yield f"{where} on {trial.device}", _words(trial.error)
    for stage in outcome.run.stages:
        if stage.error is not None:
            yield f"{where}, {stage.name}", _words(stage.error)
    if outcome.run.error is not None:
        yield where, _words(outcome.run.error)


def _words(thrown: Thrown) -> str:
    """The exception as Python prints it last, and its traceback, which may hold the exceptions that led to it."""
    return f"{thrown.traceback or ''}\n{thrown.type}: {thrown.text}"


def _with_log(run: AgentRun, printed: str) -> AgentRun:
    log = lines_that_matter(_read(printed), _LINES)
    lines = sum(1 for line in printed.splitlines() if line.strip())
    return structs.replace(run, log=log, log_cut=lines > len(log))


def _read(printed: str) -> str:
    """The end of what was printed, in whole lines, without credentials: lines are cut afterwards."""
    end = printed if len(printed) <= _READ else printed[-_READ:].partition("\n")[2]
    return without_credentials(end)


def _noting_misfits(run: AgentRun, misfits: int) -> AgentRun:
    """A fact that cannot be read is our own bug, and it may have been a failure: the run does not count as finished."""
    if not misfits or run.ending != "finished":
        return run
    error = Thrown(type="Misfit", text=f"gpudoctor could not read {misfits} of the facts that its own agent told")
    return structs.replace(run, ending="failed", error=error)


def _peer(value: dict[str, object]) -> tuple[int, int, bool | None, bool | None]:
    def number(name: str) -> int:
        found = value.get(name)
        return found if isinstance(found, int) else -1

    def truth(name: str) -> bool | None:
        found = value.get(name)
        return found if isinstance(found, bool) else None

    return number("source"), number("target"), truth("access"), truth("correct")
