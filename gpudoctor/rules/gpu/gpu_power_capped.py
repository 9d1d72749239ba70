"""GPU010: one of equal GPUs may draw less power."""

from collections import defaultdict
from collections.abc import Iterator

from gpudoctor.model.finding import Problem
from gpudoctor.model.fix import Ask, Fix, Run
from gpudoctor.model.gpus import Gpu, Gpus
from gpudoctor.rules._declare import rule
from gpudoctor.rules._evidence import seen

#: A difference below this many watts is rounding.
NOTICEABLE_WATTS = 5


@rule("GPU010", name="gpu-power-capped", severity="warning", since="0.1")
def gpu_power_capped(gpus: Gpus) -> Iterator[Problem]:
    """One of several equal GPUs has a lower power limit than the others.

    What it means:
    Each GPU has a limit of the power it may draw. One of your equal GPUs has a lower one, so it is slower, and in
    training on all of them the others wait for it.

    Why it breaks:
    Somebody set it for one GPU, or the firmware lowered it because of power or cooling.

    How to mend it:
    Set the same limit on all. If it falls back, look at power cables, power supply and the server's management.

    When to ignore it:
    When you set the limits differently on purpose.

    Sources:
    nvidia-smi(1), option -pl
    """
    alike: dict[str, list[Gpu]] = defaultdict(list)
    for gpu in gpus.nvidia:
        if gpu.name and gpu.power is not None and gpu.power.limit is not None:
            alike[gpu.name].append(gpu)
    for group in alike.values():
        highest = max(_limit(gpu) for gpu in group)
        low = [gpu for gpu in group if _limit(gpu) < highest - NOTICEABLE_WATTS]
        if len(low) * 2 >= len(group):
            continue
        for gpu in low:
            yield _problem(gpu, highest)


def _limit(gpu: Gpu) -> float:
    return gpu.power.limit if gpu.power is not None and gpu.power.limit is not None else 0.0


def _problem(gpu: Gpu, highest: float) -> Problem:
    step: Run | Ask = Ask(text="Set the limit with nvidia-smi -i NUMBER -pl WATTS.")
    if gpu.index is not None:
        step = Run(argv=("nvidia-smi", "-i", str(gpu.index), "-pl", f"{highest:.0f}"))
    return Problem(
        summary=f"This GPU may draw {_limit(gpu):.0f} W, and its equals {highest:.0f} W; training waits for it.",
        subject=gpu.label,
        evidence=(seen("its power limit", f"{_limit(gpu):.0f} W"), seen("limit of its equals", f"{highest:.0f} W")),
        fixes=(Fix(title="Set the same limit", safety="manual", steps=(step,), needs_root=True),),
    )
