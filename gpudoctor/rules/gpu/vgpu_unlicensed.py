"""GPU021: a virtual GPU (vGPU) has no licence, so the driver slows it down and later refuses CUDA."""

from gpudoctor.rules._situation import place
from gpudoctor.rules.sections import Container, Gap, Gpus
from gpudoctor.rules.terms import Ask, Iterator, Problem, by_hand, problem, rule, run, seen


@rule("GPU021", name="vgpu-unlicensed", severity="error", when="gpus.nvidia.vgpu_licensed=False")
def vgpu_unlicensed(gpus: Gpus, container: Container | Gap | None) -> Iterator[Problem]:
    """A virtual GPU (vGPU) has no licence, so the driver slows it down and later refuses CUDA.

    What it means:
    The GPU is a part of a real one, handed out by NVIDIA's vGPU software. That software wants a licence from a licence
    server.

    Why it breaks:
    Without one the vGPU works for some minutes, then becomes slower and slower, and CUDA programs fail to start.

    How to fix it:
    Ask who runs the virtual machine for the client token, and install it as NVIDIA's guide to the licence says. On
    Linux it goes into /etc/nvidia/ClientConfigToken, and then nvidia-gridd is restarted. In a cloud, use the
    provider's own GRID driver, which brings the licence. Of a container it is the machine (the node) that needs it.

    When to ignore it:
    Never, if you want to use the GPU for more than a few minutes.

    Sources:
    NVIDIA virtual GPU client licensing user guide,
    https://docs.nvidia.com/vgpu/latest/grid-licensing-user-guide/
    """
    for gpu in gpus.nvidia:
        if gpu.virtualization != "vgpu" or gpu.vgpu_licensed is not False:
            continue
        token = Ask(text="Put the client token of your licence server into /etc/nvidia/ClientConfigToken.")
        steps = (token, run("systemctl", "restart", "nvidia-gridd"), run("nvidia-smi", "-q"))
        yield problem(
            "This virtual GPU has no licence: it is slowed down, and CUDA programs will stop working.",
            seen("virtualization mode", "vGPU"),
            seen("licence", "none"),
            subject=gpu.label,
            fix=by_hand(f"Give the vGPU its licence{place(container)}", *steps, needs_root=True),
        )
