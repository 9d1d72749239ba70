"""Proves a built or changed environment: no new error by the rules, and a small network trains with each framework."""

from msgspec.structs import replace

from gpudoctor.apply.events import Proved
from gpudoctor.examine.look import run_frameworks
from gpudoctor.facts.base import Gap
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.live import Live, SmokeRun
from gpudoctor.facts.python import Frameworks
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.knowledge.causes import causes_of_packages
from gpudoctor.knowledge.frameworks import backends_of

#: Families of rules that judge an environment rather than the machine under it.
FAMILIES = ("LIB", "PYT")


class Proving:
    """Called with the interpreter of an environment that was built or changed.

    What was wrong with the environment at `before` (an interpreter) in the same way is no reason to take a change back.
    """

    def __init__(self, *, wanted: tuple[str, ...] = (), before: str | None = None, quiet: bool = False) -> None:
        """`wanted`: frameworks that must be among the proved."""
        self._wanted = wanted
        self._before = before
        self._quiet = quiet

    def __call__(self, python: str) -> tuple[Proved, ...]:
        """Raises KeyboardInterrupt."""
        snapshot = look(python)
        broken = self._newly_broken(snapshot)
        if broken:
            return broken
        proofs = self._train(snapshot)
        bad = tuple(one.framework for one in proofs if one.outcome == "failed")
        if bad and self._before is not None:
            known = {one.framework for one in self._train(look(self._before), bad) if one.outcome == "failed"}
            proofs = tuple(_as_before(one) if one.framework in known else one for one in proofs)
        names = {one.framework for one in proofs}
        missing = tuple(name for name in self._wanted if name not in names)
        if not proofs and not missing:
            missing = _untested(snapshot.frameworks)
        return (*proofs, *(Proved(framework=name, outcome="unproved", detail="it was not run") for name in missing))

    def _newly_broken(self, snapshot: Snapshot) -> tuple[Proved, ...]:
        """Errors that its files show, and that it did not have before: two cuDNNs in one place, a library not found."""
        errors = _errors(snapshot)
        if errors and self._before is not None:
            errors = {key: text for key, text in errors.items() if key not in _errors(look(self._before))}
        return tuple(Proved(framework=code, outcome="failed", detail=text) for (code, _), text in errors.items())

    def _train(self, snapshot: Snapshot, only: tuple[str, ...] | None = None) -> tuple[Proved, ...]:
        backend = backend_to_name(snapshot, _backend_taken())
        variables = {"KERAS_BACKEND": backend} if backend else {}
        snapshot, complete = run_frameworks(snapshot, only=only, quiet=self._quiet, variables=variables)
        if not complete:
            raise KeyboardInterrupt
        live = snapshot.live if isinstance(snapshot.live, Live) else Live()
        proofs = tuple(_judged(run, snapshot) for run in live.smoke)
        return tuple(_told(one, backend) if backend and one.framework == "keras" else one for one in proofs)


def _untested(frameworks: Frameworks | Gap | None) -> tuple[str, ...]:
    """What is there, though nothing was trained with it; empty where there is no framework."""
    if isinstance(frameworks, Gap):
        return ("frameworks",)
    return tuple(one.name for one in frameworks.found) if frameworks is not None else ()


def _backend_taken() -> str:
    # Imported here, as in `look`.
    from gpudoctor.host.real import RealHost
    from gpudoctor.probes.live.plan import keras_backend

    return keras_backend(RealHost())


def backend_to_name(snapshot: Snapshot, taken: str) -> str | None:
    """What KERAS_BACKEND must name here, as what Keras takes untold is not installed; None: nothing need be named."""
    found = snapshot.frameworks if isinstance(snapshot.frameworks, Frameworks) else None
    if found is None or found.get("keras") is None or found.get(taken) is not None:
        return None
    return next((name for name in reversed(backends_of("keras")) if found.get(name) is not None), None)


def _told(one: Proved, backend: str) -> Proved:
    if one.outcome != "passed":
        return one
    return replace(one, detail=f"with KERAS_BACKEND={backend}, which has to be set before it is used")


def look(python: str) -> Snapshot:
    """The facts of this machine and of the environment of an interpreter. No process is forked: we have threads."""
    # Imported here: only a look at this machine needs probes.
    from gpudoctor.host.real import RealHost
    from gpudoctor.probes.take import take_snapshot

    return take_snapshot(RealHost(), python)


def _errors(snapshot: Snapshot) -> dict[tuple[str, str | None], str]:
    # Imported here: what is installed need not wait for it.
    from gpudoctor.examine.judging import criteria_of, judge

    report = judge(snapshot, criteria_of((*FAMILIES, *causes_of_packages()), (), (), None))
    found = (one for one in report.diagnosis.findings if one.severity == "error")
    return {(one.code, one.subject): one.summary for one in found}


def _as_before(one: Proved) -> Proved:
    return Proved(framework=one.framework, outcome="unproved", detail=f"as before the change: {one.detail}")


def _judged(run: SmokeRun, snapshot: Snapshot) -> Proved:
    if not run.proved:
        outcome: str = "unproved" if run.run.ending == "not-started" else "failed"
        detail = _why(run)
        return Proved(framework=run.framework, outcome=outcome, detail=detail)  # type: ignore[arg-type]
    devices = tuple(dict.fromkeys(trial.device for trial in run.trials if trial.outcome == "passed"))
    if _should_use_gpu(run.framework, snapshot) and not any(device.startswith("gpu") for device in devices):
        detail = "it trained on the processor only; the GPU was not used. `gpudoctor check` says why"
        return Proved(framework=run.framework, outcome="unproved", detail=detail, devices=devices)
    return Proved(framework=run.framework, outcome="passed", devices=devices, took=round(run.run.seconds, 3))


def _should_use_gpu(framework: str, snapshot: Snapshot) -> bool:
    found = snapshot.frameworks.get(framework) if isinstance(snapshot.frameworks, Frameworks) else None
    gpus = snapshot.gpus.nvidia if isinstance(snapshot.gpus, Gpus) else ()
    return bool(gpus) and found is not None and found.variant == "cuda"


def _why(run: SmokeRun) -> str:
    for trial in run.failed:
        said = trial.error.text if trial.error is not None else None
        return f"{trial.network} on {trial.device}: {trial.detail or said or 'it failed'}"
    if run.run.error is not None:
        return f"{run.run.error.type}: {run.run.error.text}"
    where = f" in: {run.run.stopped_in}" if run.run.stopped_in else ""
    return run.run.reason or f"it {run.run.ending}{where}"
