"""LIB015: JAX needs ptxas to compile for the GPU, but it was not found."""

from gpudoctor.plan.places import Steps, conda, install, safety
from gpudoctor.rules._gpu_packages import cuda_packages
from gpudoctor.rules._xla import CONDA_PACKAGES, calls_ptxas_of_path, jax_kernels, ptxas_of_packages
from gpudoctor.rules.builds import is_conda
from gpudoctor.rules.sections import Frameworks, Gap, Gpus, Interpreter, Packages, Scene, Toolkits
from gpudoctor.rules.terms import Fix, Iterator, Problem, problem, rule, seen


@rule(
    "LIB015",
    name="xla-ptxas-missing",
    severity="error",
    when="frameworks.jaxlib or frameworks.jax-cuda-plugin, gpus.nvidia",
)
def xla_ptxas_missing(
    gpus: Gpus,
    toolkits: Toolkits | None,
    frameworks: Frameworks,
    packages: Packages,
    interpreter: Interpreter | Gap | None,
    scene: Scene,
) -> Iterator[Problem]:
    """JAX needs ptxas to compile for the GPU, but it was not found."""
    jax = jax_kernels(frameworks)
    by_conda = is_conda(packages, "jaxlib")
    if not gpus.nvidia or jax is None or (jax.cuda is None and not by_conda) or not calls_ptxas_of_path(jax):
        return
    has_toolkit = toolkits is not None and (toolkits.found or toolkits.ptxas_on_path or toolkits.excerpt)
    if has_toolkit or ptxas_of_packages(packages) or not packages.lacks(*CONDA_PACKAGES):
        return
    if by_conda or jax.cuda is None:
        wanted = "cuda-nvcc"
        steps: Steps = (conda(interpreter, "install", wanted),)
    elif cuda_packages(packages).get(jax.cuda.major):
        wanted = f"nvidia-cuda-nvcc-cu{jax.cuda.major}" if jax.cuda.major < 13 else "nvidia-cuda-nvcc"
        steps = install(scene, wanted)
    else:
        return
    yield problem(
        f"{jax.label} needs ptxas to compile for the GPU, but none was found.",
        seen("ptxas on PATH", "none"),
        seen(wanted, "not installed"),
        seen("CUDA toolkits", "none found"),
        subject="ptxas",
        confidence="likely",
        fix=Fix("Install NVIDIA's compiler package", safety(scene), steps),
    )
