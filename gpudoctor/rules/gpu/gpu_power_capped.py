"""GPU010: a GPU has a lower power limit than its peers, or draws less than its limit allows."""

from collections import defaultdict

from gpudoctor.rules.sections import Gpu, Gpus
from gpudoctor.rules.terms import Ask, Iterator, Problem, Run, by_hand, problem, rule, run, seen

#: A difference below this many watts is rounding.
NOTICEABLE_WATTS = 5
#: NVML's reason for lower clocks: the GPU draws too much power. At work, that far below its limit, it draws too little.
CAPPED = "SwPowerCap"
FAR_BELOW = 0.7
BUSY_PERCENT = 90


@rule("GPU010", name="gpu-power-capped", severity="warning", when="gpus.nvidia.power.limit")
def gpu_power_capped(gpus: Gpus) -> Iterator[Problem]:
    """A GPU has a lower power limit than its peers, or draws less than its limit allows.

    What it means:
    Each GPU has a limit of the power it may draw. One of your equal GPUs has a lower one, or it is held back as if it
    were at its limit while it draws far less. So it is slower, and in training on all of them the others wait for it.

    Why it breaks:
    Somebody set it for one GPU, or the firmware lowered it because of power or cooling.

    How to fix it:
    Set the same limit on all. If it falls back, look at power cables, power supply and the server's management.

    When to ignore it:
    When you set the limits differently on purpose.

    Sources:
    nvidia-smi(1), option -pl; NVML API reference, nvmlClocksEventReasonSwPowerCap
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
    for gpu in gpus.nvidia:
        if _is_held_back(gpu):
            yield _held_back(gpu)


def _is_held_back(gpu: Gpu) -> bool:
    """At work, slowed down for its power, and far from its limit."""
    if CAPPED not in (gpu.throttle_reasons or ()) or (gpu.utilization_percent or 0) < BUSY_PERCENT:
        return False
    power = gpu.power
    return power is not None and power.draw is not None and bool(power.limit) and power.draw < FAR_BELOW * _limit(gpu)


def _held_back(gpu: Gpu) -> Problem:
    draw = f"{gpu.power.draw:.0f} W" if gpu.power and gpu.power.draw is not None else "not known"
    look = "Check the GPU's power cables and supplies, and the power and thermal settings of the server's management."
    return problem(
        f"This GPU is slowed down for power at {draw}, although its limit is {_limit(gpu):.0f} W.",
        seen("power drawn", draw),
        seen("its power limit", f"{_limit(gpu):.0f} W"),
        seen("reasons for lower clocks", ", ".join(gpu.throttle_reasons or ())),
        seen("utilization", f"{gpu.utilization_percent} %"),
        subject=gpu.label,
        confidence="likely",
        fix=by_hand("Find what holds it back", look),
    )


def _limit(gpu: Gpu) -> float:
    return gpu.power.limit if gpu.power is not None and gpu.power.limit is not None else 0.0


def _problem(gpu: Gpu, highest: float) -> Problem:
    step: Run | Ask = Ask(text="Set the limit with nvidia-smi -i NUMBER -pl WATTS.")
    if gpu.index is not None:
        step = run("nvidia-smi", "-i", str(gpu.index), "-pl", f"{highest:.0f}")
    return problem(
        f"This GPU may draw {_limit(gpu):.0f} W, its peers {highest:.0f} W; training waits for it.",
        seen("its power limit", f"{_limit(gpu):.0f} W"),
        seen("limit of its peers", f"{highest:.0f} W"),
        subject=gpu.label,
        fix=by_hand("Set the same limit", step, needs_root=True),
    )
