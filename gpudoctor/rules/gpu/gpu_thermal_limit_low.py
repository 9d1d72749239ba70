"""GPU015: a GPU's temperature limit is so low that it slows down in normal use."""

from gpudoctor.rules.sections import Gpus
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen

#: Usual limits are 80 to 95 °C, some ten degrees below the slowdown temperature.
LOW_C = 70
GAP_C = 25


@rule("GPU015", name="gpu-thermal-limit-low", severity="warning", when="gpus.devices.temperature_max_operating_c")
def gpu_thermal_limit_low(gpus: Gpus) -> Iterator[Problem]:
    """A GPU's temperature limit is so low that it slows down in normal use.

    What it means:
    A GPU lowers its clocks when it reaches its highest operating temperature. Here that is far below the usual.

    Why it breaks:
    The firmware of some laptops sets a low limit until a service of the operating system takes over.

    How to fix it:
    Install and start thermald (with --adaptive), and update the laptop's firmware.

    When to ignore it:
    When the machine is to stay cool and quiet.

    Sources:
    Public report, NVIDIA GPU of a ThinkPad T14 limited to 57 °C; thermald, https://github.com/intel/thermal_daemon
    """
    for gpu in gpus.nvidia:
        limit, slowdown = gpu.temperature_max_operating_c, gpu.temperature_slowdown_c
        if limit is None or slowdown is None or limit <= 0 or limit > LOW_C or slowdown - limit < GAP_C:
            continue
        text = "On a laptop, install and start thermald, and update the firmware."
        yield problem(
            f"The temperature limit of this GPU is only {limit} °C, so it slows down in normal use.",
            seen("highest operating temperature", f"{limit} °C"),
            seen("slowdown temperature", f"{slowdown} °C"),
            subject=gpu.label,
            fix=by_hand("Let thermald set the limit", text, needs_root=True),
        )
