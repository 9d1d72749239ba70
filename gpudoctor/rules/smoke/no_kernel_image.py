"""SMK015: the framework has no code for this GPU."""

from gpudoctor.knowledge.frameworks import planned
from gpudoctor.plan.recipes import framework_for_gpus
from gpudoctor.rules.live_problem import Failed, Said, failure_rule
from gpudoctor.rules.sections import Matrix, Scene
from gpudoctor.rules.terms import Fix, by_hand


@failure_rule("SMK015", name="no-kernel-image", severity="error")
def no_kernel_image(failed: Failed, scene: Scene, matrix: Matrix) -> Said:
    """The framework has no code for this GPU.

    What it means:
    A program for a GPU holds machine code for certain models. This one has none for this GPU, and none that the
    driver could translate.

    Why it breaks:
    The build is older than the GPU, or it is so new that it no longer serves the GPU.

    How to fix it:
    Install a build that was made for this GPU.

    When to ignore it:
    If you do not mean to use this GPU.

    Sources:
    https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#application-compatibility
    """
    return (
        f"{failed.who} has no code for the GPU{failed.where}, so nothing can run there.",
        _fixes(failed, scene, matrix),
    )


def _fixes(failed: Failed, scene: Scene, matrix: Matrix) -> tuple[Fix, ...]:
    if failed.name not in planned():
        return (
            by_hand(
                "Install a build for this GPU",
                "See nvidia-smi --query-gpu=name,compute_cap --format=csv, and choose a build for that capability.",
            ),
        )
    return (framework_for_gpus(failed.name, scene, matrix, failed.version),)
