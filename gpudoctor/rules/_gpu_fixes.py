"""Fixes with nvidia-smi for one GPU that need root, such as a reset."""

from gpudoctor.facts.fix import Ask, Fix, by_hand
from gpudoctor.facts.gpus import Gpu
from gpudoctor.rules.terms import run


def chosen(gpu: Gpu) -> tuple[str, ...]:
    """How nvidia-smi is told which GPU."""
    return ("-i", str(gpu.index)) if gpu.index is not None else ()


def reset(gpu: Gpu, *, first: str | None = None, then: str | None = None) -> Fix:
    """End what runs on a GPU and reset it, with what a person does before and after."""
    return by_hand(
        "End the work on this GPU and reset it",
        *((Ask(text=first),) if first else ()),
        run("nvidia-smi", "--gpu-reset", *chosen(gpu)),
        *((Ask(text=then),) if then else ()),
        needs_root=True,
    )
