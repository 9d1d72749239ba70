"""GPU017: a GPU is being slowed down by its hardware because of the power supply."""

from gpudoctor.rules.sections import Gpus
from gpudoctor.rules.terms import Ask, Iterator, Problem, by_hand, problem, rule, seen

#: A draw near the limit under SwPowerCap is normal work; these are not.
FAULTS = ("HwPowerBrakeSlowdown", "HwSlowdown")
THERMAL = "HwThermalSlowdown"


@rule(
    "GPU017",
    name="gpu-throttle-reasons",
    severity="warning",
    when="gpus.nvidia.throttle_reasons=HwPowerBrakeSlowdown|HwSlowdown",
)
def gpu_throttle_reasons(gpus: Gpus) -> Iterator[Problem]:
    """A GPU is being slowed down by its hardware because of the power supply.

    What it means:
    The board or the power supply asks the GPU to draw much less power (power brake, or hardware slowdown). It then runs
    at a fraction of its speed.

    Why it breaks:
    A power cable that is missing or loose, too weak a power supply, or a server that saves power because of a fault.

    How to fix it:
    Check the power cables and the supply, and the event log of the server's management.

    When to ignore it:
    When it happens for moments only.

    Sources:
    NVML API reference, clocks event reasons, https://docs.nvidia.com/deploy/nvml-api/
    """
    for gpu in gpus.nvidia:
        reasons = gpu.throttle_reasons or ()
        active = [reason for reason in FAULTS if reason in reasons]
        if not active or THERMAL in reasons:
            continue
        draw = gpu.power.draw if gpu.power else None
        cables = Ask(text="With the power off, check the card's power cables; check the power supply and its log.")
        yield problem(
            "This GPU is being slowed down by its hardware, usually because of the power supply.",
            seen("reasons for lower clocks", ", ".join(active)),
            *((seen("power draw", f"{draw:.0f} W"),) if draw is not None else ()),
            subject=gpu.label,
            confidence="likely",
            fix=by_hand("Check the power supply", cables),
        )
