"""FRM007: JAX is installed without its CUDA plugin, and so uses no NVIDIA GPU."""

from gpudoctor.knowledge.frameworks import computing
from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.plan.recipes import jax_for_gpus
from gpudoctor.rules.builds import gpu_names, release_numbers
from gpudoctor.rules.sections import Framework, Frameworks, Gap, Gpus, Matrix, Scene
from gpudoctor.rules.terms import Iterator, Problem, problem, rule, seen

_TAGGED = numbers_of("jaxlib-cuda-in-version")


@rule("FRM007", name="jax-cpu-only", severity="error", when="frameworks.jax, gpus.nvidia")
def jax_cpu_only(gpus: Gpus, frameworks: Frameworks, scene: Scene, matrix: Matrix) -> Iterator[Problem]:
    """JAX is installed without its CUDA plugin, and so uses no NVIDIA GPU.

    What it means:
    JAX's own package runs on the processor. The GPU part is a plugin of its own, and it is not installed here.

    Why it breaks:
    A plain `pip install jax` installs no plugin. JAX then says "An NVIDIA GPU may be present on this machine, but a
    CUDA-enabled jaxlib is not installed. Falling back to cpu."

    How to fix it:
    Install JAX with the extra for your CUDA major version: `jax[cuda13]` for drivers from 580 on and GPUs from
    Turing on, else `jax[cuda12]`. There are no CUDA plugins for native Windows and macOS; on Windows use WSL2.

    When to ignore it:
    Often. Keras, Flax and others bring JAX along. If you do not use JAX yourself, its message is noise. That is why
    this is only a note where PyTorch or TensorFlow already uses the GPU.

    Sources:
    https://docs.jax.dev/en/latest/installation.html
    """
    jax = frameworks.get("jax")
    if jax is None or not gpus.nvidia or _has_cuda(frameworks):
        return
    jaxlib = frameworks.get("jaxlib")
    unsure = all(part is None or part.variant is None for part in (jax, jaxlib))
    if unsure and (isinstance(scene.packages, Gap | None) or scene.packages.excerpt or _is_untagged(jaxlib)):
        return
    others = [name for name in computing() if _is_cuda(frameworks.get(name))]
    yield problem(
        f"{jax.label} has no CUDA plugin, so it cannot use {gpu_names(gpus)}.",
        seen("JAX", jax.version or "unknown version", jax.source),
        seen("CUDA plugin", "none installed"),
        *(seen("GPU build of another framework", name) for name in others),
        subject=jax.label,
        severity="info" if others else None,
        fix=jax_for_gpus(scene, matrix, jax.version),
    )


def _is_untagged(jaxlib: Framework | None) -> bool:
    """Of the time when wheels with CUDA had the same version as those without."""
    numbers = release_numbers(jaxlib.version if jaxlib is not None else None)
    return numbers is not None and numbers < _TAGGED


def _has_cuda(frameworks: Frameworks) -> bool:
    parts = ("jax", "jaxlib", "jax-cuda-plugin", "jax-cuda-pjrt")
    return any(_is_cuda(frameworks.get(part)) for part in parts) or frameworks.get("jax-cuda-plugin") is not None


def _is_cuda(framework: Framework | None) -> bool:
    return framework is not None and framework.variant in ("cuda", "rocm")
