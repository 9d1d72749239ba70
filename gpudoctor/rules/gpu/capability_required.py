"""GPU901: a GPU does not have the compute capability you require."""

from gpudoctor.rules._situation import unmet
from gpudoctor.rules.sections import Gpus, Matrix, Wish
from gpudoctor.rules.terms import Iterator, Problem, problem, rule, seen


@rule("GPU901", name="capability-required", severity="error", when="wish.requirements")
def capability_required(gpus: Gpus | None, wish: Wish, matrix: Matrix) -> Iterator[Problem]:
    """A GPU does not have the compute capability you require.

    What it means:
    The option --require 'compute-capability>=8.0' was given. Every NVIDIA GPU must meet it, because a framework may
    pick any of them. A GPU whose capability is not known does not meet it.

    Why it breaks:
    The compute capability is fixed by the GPU's generation.

    How to fix it:
    Use another GPU. In a machine with several, hide the older ones with CUDA_VISIBLE_DEVICES.

    When to ignore it:
    Leave the requirement out.

    Sources:
    Compute capabilities of NVIDIA GPUs, https://developer.nvidia.com/cuda-gpus
    """
    for requirement in wish.of("compute-capability"):
        if gpus is None or not gpus.nvidia:
            yield problem(
                f"{requirement.text} is required, but there is no NVIDIA GPU.",
                seen("NVIDIA GPUs", 0),
                subject=requirement.text,
            )
            continue
        for gpu in gpus.nvidia:
            capability = matrix.capability(gpu)
            if not unmet(str(capability) if capability else None, requirement.comparisons):
                continue
            has = f"has {capability}" if capability else "has one that is not known"
            yield problem(
                f"{requirement.text} is required, but {gpu.label} {has}.",
                seen(f"{gpu.label}: compute capability", capability or "not known", gpu.source),
                subject=gpu.label,
            )
