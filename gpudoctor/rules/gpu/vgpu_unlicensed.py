"""GPU021: a vGPU without a licence."""

from gpudoctor.rules._situation import place
from gpudoctor.rules.sections import Container, Gap, Gpus
from gpudoctor.rules.terms import Ask, Iterator, Problem, by_hand, problem, rule, run, seen


@rule("GPU021", name="vgpu-unlicensed", severity="error", when="gpus.nvidia.vgpu_licensed=False")
def vgpu_unlicensed(gpus: Gpus, container: Container | Gap | None) -> Iterator[Problem]:
    """A virtual GPU (vGPU) has no licence, so the driver slows it down and later refuses CUDA."""
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
