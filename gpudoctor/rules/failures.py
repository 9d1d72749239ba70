"""Failures of what was run or pasted, each once, and the rule that reports each.

Every failure has exactly one owner among the rules of the family SMK (or a rule of another family, for messages about
building). So nothing that failed is left untold, and nothing is told twice.
"""

from collections.abc import Iterable
from functools import lru_cache

from gpudoctor.facts.base import Fact
from gpudoctor.facts.live import AgentRun, SmokeRun, Stage, Symptom, Thrown, Trial
from gpudoctor.redact.credentials import excerpt, without_credentials
from gpudoctor.rules.sections import Gap, Live
from gpudoctor.rules.terms import Iterator

#: Trials with these are what every program needs; others are offers of the device or the compiler.
_PLAIN_PRECISION, _OPTIONAL_MODES = "float32", ("compile", "xla")
#: Stages beside the trainings that prove something themselves, by how their names begin, and what their failure is.
_PROOFS = {"memory of ": "memory-not-given-back", "torch.from_numpy": "numpy-abi"}


class Failure(Fact, frozen=True, kw_only=True):
    """One thing that failed."""

    owner: str
    #: torch 2.6.0, as far as it is known; None for a pasted message that does not tell.
    framework: str | None = None
    #: What was being done: "import torch", "train dense float32 on gpu:0", "pasted text, line 41".
    doing: str
    #: The words of it, one line.
    text: str
    #: gpu:0, cpu, where it was on one.
    device: str | None = None
    #: Nothing that every program needs.
    optional: bool = False
    #: Only known from somebody's words, not from a run.
    pasted: bool = False
    symptoms: tuple[Symptom, ...] = ()
    run: AgentRun | None = None
    trial: Trial | None = None


def failures_of(live: Live, owner: str) -> tuple[Failure, ...]:
    """The failures that the rule `owner` tells."""
    return tuple(failure for failure in failures(live) if failure.owner == owner)


def pasted(live: Live | Gap | None) -> tuple[Symptom, ...]:
    """The messages of somebody's text, where that is all there is: nothing was run here."""
    if not isinstance(live, Live) or live.smoke or any(one.run is not None for one in live.devices):
        return ()
    return live.symptoms


def failures(live: Live) -> tuple[Failure, ...]:
    """All failures, each once, in the order in which they happened."""
    return _failures(live)


@lru_cache(maxsize=4)
def _failures(live: Live) -> tuple[Failure, ...]:
    found: dict[tuple[str, str | None, str], Failure] = {}
    for failure in _all(live):
        # An import that fails ends the listing of devices and the training alike.
        found.setdefault((failure.owner, failure.framework, failure.doing), failure)
    return tuple(found.values())


def _all(live: Live) -> Iterator[Failure]:
    for listed in live.devices:
        if listed.run is not None:
            yield from _of_run(live, listed.run, _label(listed.framework, listed.version))
    for smoke in live.smoke:
        label = _label(smoke.framework, smoke.version)
        yield from _of_run(live, smoke.run, label)
        yield from _of_trials(smoke, label)
        yield from _of_stages(smoke, label)
    yield from _of_words(pasted(live))


def _label(framework: str, version: str | None) -> str:
    return f"{framework} {version}" if version else framework


def _of_run(live: Live, run: AgentRun, label: str) -> Iterator[Failure]:
    if run.ending in ("finished", "interrupted"):
        return
    stage = _last(run)
    error = run.error or (stage.error if stage else None)
    printed = "\n".join(run.log)
    symptoms = (
        *_recognised(_words(error), run.framework),
        *(
            one
            for one in live.symptoms
            if one.framework == run.framework and one.where == f"{run.task} {run.framework}"
        ),
        *_recognised(printed, run.framework),
    )
    yield Failure(
        owner=of_ending(run, stage.name if stage else "", error, symptoms),
        framework=label,
        doing=stage.name if stage else f"start {run.framework}",
        text=_line(error) or _how_it_ended(run),
        symptoms=_each_once(symptoms),
        run=run,
    )


def _how_it_ended(run: AgentRun) -> str:
    words = {
        "failed": "it failed without giving a reason",
        "died": f"the system killed it with {run.signal or 'a signal'}",
        "silent": f"it ended without any message (exit code {'not known' if run.code is None else run.code})",
        "flooded": "it printed endlessly and was stopped",
        "out-of-memory": "it ran out of memory and was stopped",
        "timed-out": f"it had not finished after {run.seconds:.0f} s and was stopped",
        "abandoned": "it hangs and cannot be stopped",
        "not-started": "it could not be started",
    }[run.ending]
    return f"{words}: {run.reason}" if run.reason else words


def _last(run: AgentRun) -> Stage | None:
    """The stage in which a run ended: the one begun last, else the last that failed."""
    unfinished = next((stage for stage in run.stages if stage.outcome == "unfinished"), None)
    return unfinished or next((stage for stage in reversed(run.stages) if stage.outcome == "failed"), None)


def _of_trials(smoke: SmokeRun, label: str) -> Iterator[Failure]:
    for trial in smoke.failed:
        symptoms = _recognised(_words(trial.error), smoke.framework) if trial.error else ()
        yield Failure(
            owner=of_symptoms(symptoms) or of_detail(trial),
            framework=label,
            doing=_training(trial),
            text=_line(trial.error) or trial.detail or "it failed without giving a reason",
            device=trial.device,
            optional=trial.precision != _PLAIN_PRECISION or trial.mode in _OPTIONAL_MODES,
            symptoms=symptoms,
            run=smoke.run,
            trial=trial,
        )
    for source, target, _, right in smoke.peers or ():
        if right is False:
            yield Failure(
                owner="peer-copy-wrong",
                framework=label,
                doing=f"copy from gpu:{source} to gpu:{target}",
                text="the data that arrived differs from the data sent",
                device=f"gpu:{source}+gpu:{target}",
                run=smoke.run,
            )


def _training(trial: Trial) -> str:
    mode = f" ({trial.mode})" if trial.mode else ""
    return f"train {trial.network} {trial.precision} on {trial.device}{mode}"


def _of_stages(smoke: SmokeRun, label: str) -> Iterator[Failure]:
    for stage in smoke.run.stages:
        owner = next((owner for begin, owner in _PROOFS.items() if stage.name.startswith(begin)), None)
        if owner is None or stage.outcome != "failed":
            continue
        # The count of memory raises MemoryError itself, which elsewhere says that the machine's memory is full.
        own = stage.error is None or stage.error.type == "MemoryError"
        symptoms = () if own else _recognised(_words(stage.error), smoke.framework)
        if owner == "numpy-abi":
            # The error says that there is no NumPy; why, PyTorch prints as a warning.
            said = _recognised("\n".join(smoke.run.log), smoke.framework)
            symptoms = _each_once((*(one for one in said if of_symptoms((one,)) == owner), *symptoms))
        yield Failure(
            owner=of_symptoms(symptoms) or owner,
            framework=label,
            doing=stage.name,
            text=_line(stage.error) or stage.detail or "it failed",
            device=stage.name.partition(" of ")[2] or None,
            symptoms=symptoms,
            run=smoke.run,
        )


def _of_words(symptoms: Iterable[Symptom]) -> Iterator[Failure]:
    """What somebody pasted: nothing was run here, so each message that is one of a failure counts."""
    symptoms = tuple(symptoms)
    lacks_torch = any(one.signature == "module-not-found" and "'torch'" in one.text for one in symptoms)
    for symptom in symptoms:
        owner = of_symptoms((symptom,))
        if lacks_torch and symptom.signature == "build-requirements-failed":
            owner = "ext-build-isolation"
        if owner is not None:
            yield Failure(
                owner=owner,
                framework=symptom.framework,
                doing=symptom.where or "the pasted text",
                text=symptom.text,
                pasted=True,
                symptoms=(symptom,),
            )


def _recognised(text: str, framework: str) -> tuple[Symptom, ...]:
    if not text:
        return ()
    # Imported here: a look that runs nothing needs no catalogue of messages.
    from gpudoctor.knowledge.recognition import recognise

    return recognise(text, framework=framework, clean=without_credentials)


def _each_once(symptoms: Iterable[Symptom]) -> tuple[Symptom, ...]:
    return tuple({symptom.signature: symptom for symptom in reversed(tuple(symptoms))}.values())[::-1]


def _words(error: Thrown | None) -> str:
    """The exception as Python prints it last, after what led to it."""
    return f"{error.type}: {error.text}\n{error.traceback or ''}" if error else ""


def _line(error: Thrown | None) -> str | None:
    if error is None:
        return None
    first = next((line.strip() for line in error.text.splitlines() if line.strip()), "")
    return excerpt(f"{error.type}: {first}", 400) if first else error.type


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
