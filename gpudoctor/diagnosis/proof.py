"""What running the frameworks proved, and what it did not."""

from collections.abc import Iterator

from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.live import AgentRun, Live, SmokeRun
from gpudoctor.facts.python import Frameworks
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.knowledge.frameworks import gpu_code_of


def trained_on(run: SmokeRun) -> tuple[str, ...]:
    """The single devices on which something passed and nothing failed, GPUs first."""
    tried = [trial for trial in run.trials if "+" not in trial.device]
    passed = {trial.device for trial in tried if trial.outcome == "passed"} - {trial.device for trial in run.failed}
    return tuple(sorted(passed, key=lambda device: (device == "cpu", device)))


def unproved(snapshot: Snapshot) -> Iterator[str]:
    """What was run and is not proved, one clause each. Nothing where nothing was run."""
    live = snapshot.live
    if not isinstance(live, Live):
        return
    for listed in live.devices:
        smoked = live.smoked(listed.framework)
        said_below = smoked is not None and smoked.run.ending != "finished"
        if listed.run is not None and listed.run.ending != "finished" and not said_below:
            yield f"which devices {listed.framework} lists: {how_it_ended(listed.run)}"
    for run in live.smoke:
        yield from _of_training(run, needs_gpu=_is_meant_for_gpu(snapshot, run.framework))


def _of_training(run: SmokeRun, *, needs_gpu: bool) -> Iterator[str]:
    if run.run.ending != "finished":
        yield f"whether {run.framework} trains: {how_it_ended(run.run)}"
    elif run.failed:
        trial = run.failed[0]
        why = trial.detail or (trial.error.type if trial.error else "no reason was told")
        yield f"whether {run.framework} trains on {trial.device}: {trial.network} {trial.precision} failed ({why})"
    elif not trained_on(run):
        yield f"whether {run.framework} trains: no training was done"
    elif needs_gpu and not any(device.startswith("gpu") for device in trained_on(run)):
        yield f"whether {run.framework} trains on a GPU: it trained on {', '.join(trained_on(run))} only"


def _is_meant_for_gpu(snapshot: Snapshot, name: str) -> bool:
    """There is an NVIDIA GPU that programs can use, and the framework was built for it."""
    gpus, frameworks = snapshot.gpus, snapshot.frameworks
    if not isinstance(gpus, Gpus) or not any(gpu.index is not None for gpu in gpus.nvidia):
        return False
    if not isinstance(frameworks, Frameworks):
        return False
    owner = frameworks.get(gpu_code_of(name))
    return owner is not None and owner.variant == "cuda"


def how_it_ended(run: AgentRun | None) -> str:
    """How a run ended, as one clause: "it was killed by SIGSEGV in the stage import torch"."""
    if run is None:
        return "it was not run"
    stage = f" in the stage {run.stopped_in}" if run.stopped_in else ""
    error = f"{run.error.type}: {run.error.text.partition(chr(10))[0][:120]}" if run.error else ""
    said = {
        "finished": "it said nothing of it",
        "failed": error or "it failed",
        "died": f"it was killed by {run.signal or 'a signal'}{stage}",
        "silent": f"it ended without a word (exit code {run.code}){stage}",
        "flooded": f"it printed too much and was stopped{stage}",
        "out-of-memory": f"it ran out of memory{stage}",
        "timed-out": f"it took longer than {run.seconds:.0f} s and was stopped{stage}",
        "abandoned": f"it hangs and cannot be stopped{stage}",
        "interrupted": f"it was interrupted{stage}",
        "not-started": f"it could not be started: {run.reason}",
    }
    return said[run.ending]
