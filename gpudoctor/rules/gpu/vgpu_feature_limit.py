"""GPU022: a virtual GPU (vGPU) may not support unified memory and memory pools."""

from gpudoctor.rules.failures import pasted
from gpudoctor.rules.sections import Gap, Gpus, Live
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen

#: Messages of a call that this GPU does not have.
REFUSED = ("cuda-not-supported", "vgpu-lacks-unified-memory")


@rule("GPU022", name="vgpu-feature-limit", severity="info", when="gpus.nvidia.virtualization=vgpu")
def vgpu_feature_limit(gpus: Gpus, live: Live | Gap | None) -> Iterator[Problem]:
    """A virtual GPU (vGPU) may not support unified memory and memory pools.

    What it means:
    A vGPU is a part of a real GPU. Some features of CUDA, among them unified memory and with it memory pools, are off
    unless the administrator of the host turned them on.

    Why it breaks:
    cudaMallocManaged or cudaMallocAsync fail with "operation not supported", while other programs work.

    How to fix it:
    Ask the administrator to turn unified memory on for this virtual machine (plugin parameter
    enable_uvm=1), or to hand over the whole GPU.

    When to ignore it:
    When your programs work; only running one tells whether the features are on.

    Sources:
    NVIDIA virtual GPU software user guide, "Unified memory", https://docs.nvidia.com/vgpu/latest/grid-vgpu-user-guide/
    """
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
