"""GPU009: fewer PCIe lanes than there could be."""

from collections.abc import Iterator

from gpudoctor.model.finding import Problem
from gpudoctor.model.fix import Ask, Fix
from gpudoctor.model.gpus import Gpus
from gpudoctor.rules._declare import rule
from gpudoctor.rules._evidence import seen


@rule("GPU009", name="pcie-link-downgraded", severity="warning", since="0.1")
def pcie_link_downgraded(gpus: Gpus) -> Iterator[Problem]:
    """A GPU uses fewer PCIe lanes than it and its slot could.

    What it means:
    Data goes to the GPU over PCIe lanes, 16 at best. This GPU uses fewer than the driver says are possible, so copying
    to and from it is slower. (A lower PCIe generation at idle is normal: it saves power.)

    Why it breaks:
    A card or riser that is not seated well, a slot that shares its lanes with another one, or a firmware setting.

    How to mend it:
    With the power off, reseat the card, leave out risers, and look in the board's manual which slots share lanes.

    When to ignore it:
    When loading data is not what your programs wait for.

    Sources:
    nvidia-smi(1), PCIe link width
    """
    for gpu in gpus.devices:
        link = gpu.pcie
        if link is None or link.width is None or link.width_max is None or gpu.virtualization not in (None, "none"):
            continue
        if not 0 < link.width < link.width_max:
            continue
        text = (
            "With the power off, reseat the card without a riser; check in the board's manual which slots share lanes."
        )
        yield Problem(
            summary=f"This GPU uses {link.width} of {link.width_max} possible PCIe lanes, so copying data is slower.",
            subject=gpu.label,
            evidence=(seen("PCIe lanes in use", link.width), seen("PCIe lanes possible", link.width_max)),
            fixes=(Fix(title="Check seat and slot", safety="manual", steps=(Ask(text=text),), needs_reboot=True),),
        )
