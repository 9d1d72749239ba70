"""GPU017: the hardware slows the GPU down."""

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
    """A GPU is being slowed down by its hardware because of the power supply."""
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
