"""FRM001: a CPU-only PyTorch is installed, although this machine has an NVIDIA GPU."""

from gpudoctor.plan.recipes import torch_for_gpus
from gpudoctor.rules.builds import gpu_names, is_conda, is_jetson
from gpudoctor.rules.sections import Frameworks, Gap, Gpus, Matrix, Packages, Scene, System
from gpudoctor.rules.terms import Iterator, Problem, problem, rule, seen


@rule("FRM001", name="torch-cpu-only", severity="error", when="frameworks.torch.variant=cpu, gpus.nvidia")
def torch_cpu_only(
    gpus: Gpus,
    frameworks: Frameworks,
    packages: Packages | Gap | None,
    host: System | Gap | None,
    scene: Scene,
    matrix: Matrix,
) -> Iterator[Problem]:
    """A CPU-only PyTorch is installed, although this machine has an NVIDIA GPU."""
    torch = frameworks.get("torch")
    if torch is None or torch.variant != "cpu" or not gpus.nvidia or is_jetson(host):
        return
    if is_conda(packages, "torch", "pytorch"):
        return
    yield problem(
        f"{torch.label} is a CPU-only build, so it cannot use {gpu_names(gpus)}.",
        seen("PyTorch build", f"{torch.version or 'unknown version'}, no CUDA", torch.source),
        *(seen("GPU", gpu.label, gpu.source) for gpu in gpus.nvidia),
        subject=torch.label,
        fix=torch_for_gpus(scene, matrix, torch.version),
    )
