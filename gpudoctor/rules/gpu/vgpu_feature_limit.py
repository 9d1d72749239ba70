"""GPU022: what a vGPU may not be able to do."""

from gpudoctor.rules.failures import pasted
from gpudoctor.rules.sections import Gap, Gpus, Live
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen

#: Messages of a call that this GPU does not have.
REFUSED = ("cuda-not-supported", "vgpu-lacks-unified-memory")


@rule("GPU022", name="vgpu-feature-limit", severity="info", when="gpus.nvidia.virtualization=vgpu")
def vgpu_feature_limit(gpus: Gpus, live: Live | Gap | None) -> Iterator[Problem]:
    """A virtual GPU (vGPU) may not support unified memory and memory pools."""
    cards = [gpu for gpu in gpus.nvidia if gpu.virtualization == "vgpu"]
    if not cards:
        return
    text = "If cudaMallocManaged or cudaMallocAsync fail, ask the host's administrator to set enable_uvm=1 for this VM."
    failed = next((one for one in pasted(live) if one.signature in REFUSED), None)
    yield problem(
        "This is a virtual GPU; unified memory and memory pools "
        f"{'are' if failed else 'may be'} switched off in its profile.",
        seen("virtualization mode", "vGPU"),
        *((seen("a program was told", failed.text),) if failed else ()),
        severity="warning" if failed else None,
        subject=cards[0].label,
        confidence="likely" if failed else "possible",
        fix=by_hand("If a program asks for unified memory", text),
    )
