"""GPU009: a GPU uses fewer or slower PCIe lanes than it and its slot support."""

from gpudoctor.facts.gpus import PcieLink
from gpudoctor.rules.sections import Gpu, Gpus
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen

#: Per cent of time in use, and performance states, at which the link has left its idle speed.
BUSY = 50
AWAKE = (0, 1, 2, 3)

_SEAT = by_hand(
    "Check seat and slot",
    "With the power off, reseat the card without a riser; check in the board's manual which slots share "
    "lanes, and that the firmware does not hold the slot at a lower PCIe generation.",
    needs_reboot=True,
)


@rule("GPU009", name="pcie-link-downgraded", severity="warning", when="gpus.devices.pcie")
def pcie_link_downgraded(gpus: Gpus) -> Iterator[Problem]:
    """A GPU uses fewer or slower PCIe lanes than it and its slot support.

    What it means:
    Data goes to the GPU over PCIe lanes, 16 at best. This GPU uses fewer than the driver says are possible, so copying
    to and from it is slower. Or the link stays at a lower PCIe generation while the GPU works. (At idle that is normal:
    it saves power.)

    Why it breaks:
    A card or riser that is not seated well, a slot that shares its lanes with another one, or a firmware setting.

    How to fix it:
    With the power off, reseat the card, leave out risers, and look in the board's manual which slots share lanes.

    When to ignore it:
    When loading data is not what your programs wait for.

    Sources:
    nvidia-smi(1), PCIe link width
    """
    for gpu in gpus.devices:
        link = gpu.pcie
        if link is None or gpu.virtualization not in (None, "none"):
            continue
        if link.width and link.width_max and link.width < link.width_max:
            yield problem(
                f"This GPU uses {link.width} of {link.width_max} possible PCIe lanes, so copying is slower.",
                seen("PCIe lanes in use", link.width),
                seen("PCIe lanes possible", link.width_max),
                subject=gpu.label,
                fix=_SEAT,
            )
        elif _stays_slow(gpu, link):
            yield problem(
                f"This GPU runs at PCIe {link.generation}.0, although {link.generation_max}.0 is possible.",
                seen("PCIe generation in use", link.generation),
                seen("PCIe generation possible", link.generation_max),
                seen("GPU in use", f"{gpu.utilization_percent} %"),
                subject=gpu.label,
                confidence="likely",
                fix=_SEAT,
            )


def _stays_slow(gpu: Gpu, link: PcieLink) -> bool:
    """The generation rises as soon as the GPU works, if it can."""
    if not link.generation or not link.generation_max or link.generation >= link.generation_max:
        return False
    return (gpu.utilization_percent or 0) >= BUSY and gpu.performance_state in (None, *AWAKE)
