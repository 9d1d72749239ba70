"""Which rule tells a failure: by the messages in it, by how the run ended, by what a training says of itself."""

from collections.abc import Iterable

from gpudoctor.facts.live import AgentRun, Symptom, Thrown, Trial

#: What a training says of itself, by words of its detail.
_BY_DETAIL = (
    ("did not run where it was asked", "trained-on-wrong-device"),
    ("differs", "result-differs-from-cpu"),
    ("the loss", "loss-did-not-fall"),
    ("the accuracy", "loss-did-not-fall"),
    ("memory", "memory-not-given-back"),
)
_BY_ENDING = {
    "silent": "framework-run-ended-silently",
    "flooded": "output-flooded",
    "out-of-memory": "run-out-of-memory",
}

#: The rules that the endings and details of a run choose; those of messages stand in their records.
OF_RUNS = frozenset(
    {*_BY_ENDING.values(), *(owner for _, owner in _BY_DETAIL)}
    | {"cpu-instruction-missing", "framework-import-crashed", "framework-run-crashed", "framework-import-failed"}
    | {"framework-import-hung", "framework-run-hung", "peer-copy-wrong", "smoke-failed"}
)


def of_symptoms(symptoms: Iterable[Symptom]) -> str | None:
    """The rule of the first message that is one of a failure; one that only falls back on gives way."""
    from gpudoctor.knowledge.message import message_of

    rows = [row for symptom in symptoms if (row := message_of(symptom.signature))]
    rows = [row for row in rows if not _is_no_failure(row.causes[0].key)]
    chosen = next((row for row in rows if not row.fallback), next(iter(rows), None))
    return chosen.reported_by if chosen else None


def _is_no_failure(cause: str) -> bool:
    from gpudoctor.knowledge.causes import all_causes

    record = all_causes().get(cause)
    return record is not None and (record.costs_speed or record.harmless)


def of_ending(run: AgentRun, stage: str, error: Thrown | None, symptoms: tuple[Symptom, ...]) -> str:
    """The rule that tells a run that did not finish."""
    importing = stage.startswith("import")
    if run.ending == "died":
        if run.signal == "SIGILL":
            return "cpu-instruction-missing"
        return "framework-import-crashed" if importing else "framework-run-crashed"
    if run.ending in ("timed-out", "abandoned"):
        return "framework-import-hung" if importing else "framework-run-hung"
    if run.ending in _BY_ENDING:
        return _BY_ENDING[run.ending]
    if run.ending == "failed" and error is not None:
        return of_symptoms(symptoms) or ("framework-import-failed" if importing else "smoke-failed")
    return "smoke-failed"


def of_detail(trial: Trial) -> str:
    """The rule that tells a training which ran to its end and is not as it should be."""
    detail = "" if trial.error else (trial.detail or "")
    return next((owner for words, owner in _BY_DETAIL if words in detail), "smoke-failed")
