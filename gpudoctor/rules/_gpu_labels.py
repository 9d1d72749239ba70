"""Names GPUs in a sentence, grouped by model: GPUs 0 to 7 (NVIDIA H100 80GB HBM3)."""

from collections.abc import Iterable, Sequence

from gpudoctor.facts.finding import Evidence
from gpudoctor.facts.gpus import Gpu
from gpudoctor.rules.builds import Service, in_words


def label_of(gpus: Sequence[Gpu]) -> str:
    """GPUs of one model."""
    indices = [gpu.index for gpu in gpus if gpu.index is not None]
    if len(gpus) < 2 or len(indices) < len(gpus):
        return in_words(gpu.label for gpu in gpus)
    return f"GPUs {_numbers(indices)} ({gpus[0].name or gpus[0].pci_id or 'unknown model'})"


def labels(gpus: Iterable[Gpu]) -> str:
    """Any GPUs."""
    models: dict[tuple[str | None, str | None], list[Gpu]] = {}
    for gpu in gpus:
        models.setdefault((gpu.name, gpu.pci_id), []).append(gpu)
    return in_words(label_of(own) for own in models.values())


def labels_with_capability(services: Iterable[Service]) -> str:
    """The GPUs that a build serves alike, with their compute capability."""
    return in_words(f"{label_of(gpus)}, compute capability {one.capability}" for one, gpus in _groups(services))


def evidence_of(services: Iterable[Service]) -> tuple[Evidence, ...]:
    """The compute capability of each model."""
    return tuple(
        Evidence(fact=f"{label_of(gpus)}: compute capability", value=str(one.capability), source=one.gpu.source)
        for one, gpus in _groups(services)
    )


def _groups(services: Iterable[Service]) -> list[tuple[Service, list[Gpu]]]:
    found: dict[tuple[str | None, str | None, str], tuple[Service, list[Gpu]]] = {}
    for one in services:
        key = (one.gpu.name, one.gpu.pci_id, str(one.capability))
        found.setdefault(key, (one, []))[1].append(one.gpu)
    return list(found.values())


def _numbers(indices: Iterable[int]) -> str:
    """0, 2 and 4 to 7."""
    runs: list[list[int]] = []
    for index in sorted(indices):
        if runs and runs[-1][-1] == index - 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    return in_words(part for run in runs for part in ([f"{run[0]} to {run[-1]}"] if len(run) > 2 else map(str, run)))
