"""Says in words which frameworks the smoke trainings proved."""

from collections.abc import Iterable

from gpudoctor.diagnosis.proof import how_it_ended, trained_on
from gpudoctor.facts.live import Live, SmokeRun
from gpudoctor.knowledge.frameworks import title_of


def proved(live: Live) -> str:
    """What was proved, as a clause: "PyTorch trained on GPU 0 and the CPU"; empty where nothing was."""
    by_place: dict[tuple[str, ...], list[str]] = {}
    for run in live.smoke:
        if trained_on(run):
            by_place.setdefault(trained_on(run), []).append(name_of(run.framework))
    return "; ".join(
        f"{listing(names)} trained on {listing(place(device) for device in devices)}"
        for devices, names in by_place.items()
    )


def training(live: Live) -> tuple[str, bool]:
    """One line for the report, and whether everything that was run is well."""
    parts = [text for text in (proved(live), *map(_failure, live.smoke)) if text]
    return "; ".join(parts) or "nothing was trained", all(run.proved for run in live.smoke)


def name_of(framework: str) -> str:
    """As its makers write it."""
    return title_of(framework)


def place(device: str) -> str:
    """gpu:0 is GPU 0."""
    return "the CPU" if device == "cpu" else device.replace("gpu:", "GPU ").replace("+", " and ")


def listing(words: Iterable[str]) -> str:
    """a, b and c."""
    every = list(words)
    return "".join(every) if len(every) < 2 else f"{', '.join(every[:-1])} and {every[-1]}"


def _failure(run: SmokeRun) -> str:
    if run.run.ending != "finished":
        return f"{name_of(run.framework)}: {how_it_ended(run.run)}"
    devices = dict.fromkeys(trial.device for trial in run.failed)
    return f"{name_of(run.framework)} failed on {listing(map(place, devices))}" if devices else ""
