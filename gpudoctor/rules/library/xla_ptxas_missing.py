"""LIB015: JAX needs ptxas to compile for the GPU, but it was not found."""

from gpudoctor.plan.places import Steps, conda, install, safety
from gpudoctor.rules._gpu_packages import cuda_packages
from gpudoctor.rules._xla import CONDA_PACKAGES, calls_ptxas_of_path, jax_kernels, ptxas_of_packages
from gpudoctor.rules.builds import is_conda
from gpudoctor.rules.sections import Frameworks, Gpus, Packages, Scene, Toolkits
from gpudoctor.rules.terms import Fix, Iterator, Problem, problem, rule, seen


@rule(
    "LIB015",
    name="xla-ptxas-missing",
    severity="error",
    when="frameworks.jaxlib or frameworks.jax-cuda-plugin, gpus.nvidia",
)
def xla_ptxas_missing(
    gpus: Gpus, toolkits: Toolkits | None, frameworks: Frameworks, packages: Packages, scene: Scene
) -> Iterator[Problem]:
    """JAX needs ptxas to compile for the GPU, but it was not found.

    What it means:
    XLA, the compiler in JAX, calls ptxas to turn PTX into machine code. JAX's other CUDA libraries come from Python
    packages here, but the package with ptxas is missing, and no CUDA toolkit has one.

    Why it breaks:
    The package was left out (`--no-deps`) or removed; conda-forge's jaxlib of early 2024 did not ask for it. JAX stops
    with "Couldn't find a suitable version of ptxas" or "ptxas not found".

    How to fix it:
    Install NVIDIA's package of the compiler: pip install nvidia-cuda-nvcc for CUDA 13 (nvidia-cuda-nvcc-cu12 or -cu11
    for CUDA 12 and 11), or conda install -c conda-forge cuda-nvcc; TensorFlow before 2.14 takes that of a CUDA toolkit
    on PATH.

    When to ignore it:
    If your JAX brings its compiler along and you see no such message.

    Sources:
    https://docs.jax.dev/en/latest/installation.html
    https://github.com/conda-forge/jaxlib-feedstock/issues/239
    """
    jax = jax_kernels(frameworks)
    by_conda = is_conda(packages, "jaxlib")
    if not gpus.nvidia or jax is None or (jax.cuda is None and not by_conda) or not calls_ptxas_of_path(jax):
        return
    has_toolkit = toolkits is not None and (toolkits.found or toolkits.ptxas_on_path or toolkits.excerpt)
    if has_toolkit or ptxas_of_packages(packages) or not packages.lacks(*CONDA_PACKAGES):
        return
    if by_conda or jax.cuda is None:
        wanted = "cuda-nvcc"
        steps: Steps = (conda(scene.interpreter, "install", wanted),)
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
