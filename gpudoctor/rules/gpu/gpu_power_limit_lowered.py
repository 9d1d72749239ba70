"""GPU014: a GPU's power limit is below its default."""

from gpudoctor.rules._gpu_fixes import chosen
from gpudoctor.rules.sections import Gpus
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, run, seen

#: A difference below this many watts is rounding.
NOTICEABLE_WATTS = 5


@rule("GPU014", name="gpu-power-limit-lowered", severity="info", when="gpus.nvidia.power.default_limit")
def gpu_power_limit_lowered(gpus: Gpus) -> Iterator[Problem]:
    """A GPU's power limit is below its default.

    What it means:
    Somebody or some tool lets this GPU draw less power than its maker intended. It is cooler and somewhat slower.

    Why it breaks:
    It does not. It explains why the GPU is slower than others of its model.

    How to fix it:
    Set the limit back to the default if you want the speed.

    When to ignore it:
    When it was set on purpose.

    Sources:
    nvidia-smi(1), option -pl
    """
    for gpu in gpus.nvidia:
        power = gpu.power
        if power is None or power.limit is None or power.default_limit is None:
            continue
        if power.limit >= power.default_limit - NOTICEABLE_WATTS:
            continue
        which = chosen(gpu)
        yield problem(
            f"This GPU's power limit is {power.limit:.0f} W; its default is {power.default_limit:.0f} W.",
            seen("power limit", f"{power.limit:.0f} W"),
            seen("default limit", f"{power.default_limit:.0f} W"),
            subject=gpu.label,
            fix=by_hand(
                "Set the default limit",
                run("nvidia-smi", *which, "-pl", f"{power.default_limit:.0f}"),
                needs_root=True,
                undo=f"nvidia-smi {' '.join(which)} -pl {power.limit:.0f}",
            ),
        )
