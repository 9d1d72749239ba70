"""Training jobs to advise on: the presets (resnet-50 and others), and those described by options."""

import msgspec

from gpudoctor.facts.advice import Job, Precision, Task
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.training_types import Network

#: Tokens of one text, where a language model is given by its parameters alone.
TOKENS = 1024
#: Width over depth of language models: 4096 / 32 in those of 7 billion parameters (arXiv:2302.13971, table 2).
_WIDTH_OF_DEPTH = 128
#: Bytes a token takes as a number.
_TOKEN = 8


def networks(matrix: Matrix) -> tuple[Network, ...]:
    """The presets."""
    found: tuple[Network, ...] = matrix.table("networks")
    return found


def preset(network: Network) -> Job:
    """The job of a preset, with its usual data set and batch."""
    return Job(
        title=network.title, network=network.name, kind=network.kind,
        parameters=network.parameters_millions * 1e6, flops=network.forward_gflop * 1e9,
        stored=network.stored_millions * 1e6, operations=network.operations, sample=network.sample,
        sample_bytes=network.sample_kib * 1024, samples=network.samples, epochs=network.epochs, batch=network.batch,
    )  # fmt: skip


def language_model(parameters: float, task: Task, tokens: int = TOKENS) -> Job:
    """A language model of so many parameters: a text of `tokens` is a sample, a single token where it only runs.

    Depth and width from the parameters (12 depth width^2); activations as arXiv:2205.05198 has them, attention fused.
    """
    depth = max(1.0, (parameters / (12 * _WIDTH_OF_DEPTH**2)) ** (1 / 3))
    width = _WIDTH_OF_DEPTH * depth
    length = 1 if task == "run" else tokens
    verbs = {"train": "trained in full", "lora": "fine-tuned by LoRA", "run": "run, one text at a time"}
    return Job(
        title=f"a model of {_short(parameters)} parameters, {verbs[task]}", task=task, kind="transformer",
        parameters=parameters, flops=2 * parameters * length, stored=depth * 17 * length * width,
        operations=round(12 * depth), sample="token" if task == "run" else "text", sample_bytes=_TOKEN * length,
        samples=1000 if task == "run" else 10_000, epochs=1, batch=1,
    )  # fmt: skip


def own(parameters: float, flops: float, sample_bytes: float) -> Job:
    """A network that is known by its numbers only. Activations: a thousandth of the operations, as in convolutions."""
    return Job(
        title=f"a network of {_short(parameters)} parameters", parameters=parameters, flops=flops, stored=flops / 1000,
        operations=100, sample_bytes=sample_bytes, samples=100_000, epochs=1, batch=32,
    )  # fmt: skip


def changed(
    job: Job, *, samples: int | None, epochs: int | None, batch: int | None, precision: Precision | None
) -> Job:
    """The job with what a person stated in place of what is usual."""
    given = {"samples": samples, "epochs": epochs, "batch": batch, "precision": precision}
    return msgspec.structs.replace(job, **{name: value for name, value in given.items() if value is not None})


def _short(number: float) -> str:
    for size, word in ((1e9, "billion"), (1e6, "million"), (1e3, "thousand")):
        if number >= size:
            return f"{number / size:.3g} {word}"
    return f"{number:.0f}"
