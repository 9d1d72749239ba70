"""GPU011: a GPU is running slower because it is too hot."""

from gpudoctor.rules.sections import Gpus
from gpudoctor.rules.terms import Ask, Iterator, Problem, by_hand, problem, rule, seen

REASONS = ("HwThermalSlowdown", "SwThermalSlowdown")


@rule(
    "GPU011",
    name="gpu-thermal-throttle",
    severity="warning",
    when="gpus.nvidia.throttle_reasons=HwThermalSlowdown|SwThermalSlowdown",
)
def gpu_thermal_throttle(gpus: Gpus) -> Iterator[Problem]:
    """A GPU is running slower because it is too hot.

    What it means:
    Above its temperature limit a GPU lowers its clocks to protect itself.

    Why it breaks:
    Dust, fans, a closed case, passively cooled server cards in an ordinary case, or a warm room.

    How to fix it:
    Clean it, give it air, raise the fan speed. A lower power limit costs little speed and much heat.

    When to ignore it:
    When it happens for moments only.

    Sources:
    NVML API reference, clocks event reasons, https://docs.nvidia.com/deploy/nvml-api/
    """
    for gpu in gpus.nvidia:
        active = [reason for reason in gpu.throttle_reasons or () if reason in REASONS]
        if not active:
            continue
        temperature = f"{gpu.temperature_c} °C" if gpu.temperature_c is not None else "not known"
        limit = gpu.temperature_max_operating_c or gpu.temperature_slowdown_c
        cool = Ask(text="Clean fans and filters, and see that cool air reaches the card; raise the fan speed.")
        yield problem(
            "This GPU is running slower because it is too hot.",
            seen("reasons for lower clocks", ", ".join(active)),
            seen("temperature", temperature),
            *((seen("limit", f"{limit} °C"),) if limit is not None else ()),
            subject=gpu.label,
            fix=by_hand("Cool it better", cool),
        )
