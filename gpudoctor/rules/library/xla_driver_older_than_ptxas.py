"""LIB016: the driver supports an older CUDA than JAX's compiler, so JAX compiles more slowly."""

from gpudoctor.rules._driver_fixes import update_driver
from gpudoctor.rules._driver_floor import forward_library, offered_cuda
from gpudoctor.rules._xla import calls_ptxas_of_path, jax_kernels, ptxas_of_packages, ptxas_on_path
from gpudoctor.rules.builds import driver_os
from gpudoctor.rules.sections import Driver, Frameworks, Gap, Gpus, Matrix, Scene, Toolkits
from gpudoctor.rules.terms import Iterator, Problem, problem, rule, seen


@rule(
    "LIB016",
    name="xla-driver-older-than-ptxas",
    severity="info",
    when="frameworks.jaxlib or frameworks.jax-cuda-plugin, gpus.nvidia",
)
def xla_driver_older_than_ptxas(
    gpus: Gpus, driver: Driver, frameworks: Frameworks, toolkits: Toolkits | Gap | None, scene: Scene, matrix: Matrix
) -> Iterator[Problem]:
    """The driver supports an older CUDA than JAX's compiler, so JAX compiles more slowly.

    What it means:
    The ptxas that JAX calls belongs to a newer CUDA than the one the driver offers. Both work together, as they share
    the major version.

    Why it breaks:
    Nothing breaks. XLA then compiles in one piece instead of in parallel, and says so: "XLA is disabling parallel
    compilation, which may slow down compilation".

    How to fix it:
    Update the driver to a branch that offers the same CUDA.

    When to ignore it:
    If compiling is fast enough for you. For JAX releases after 0.4.35 this is only a note.

    Sources:
    https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html
    """
    jax, os = jax_kernels(frameworks), driver_os(scene.host, scene.container)
    if not gpus.nvidia or jax is None or os is None or forward_library(driver) is not None:
        return
    calls_path = calls_ptxas_of_path(jax)
    ptxas = (ptxas_on_path(toolkits) if calls_path else None) or ptxas_of_packages(scene.packages)
    offered = offered_cuda(driver, matrix, os)
    if ptxas is None or offered is None or offered.major != ptxas.cuda.major or offered >= ptxas.cuda:
        return
    floor = matrix.toolkit_floor(ptxas.cuda, os)
    wanted = f"release {floor.release} or newer" if floor is not None else f"one that offers CUDA {ptxas.cuda}"
    yield problem(
        f"The driver supports CUDA {offered}, but JAX has ptxas {ptxas.version}: it compiles more slowly.",
        seen("CUDA that the driver offers", offered, driver.source),
        seen("ptxas", f"{ptxas.version}, {ptxas.where}"),
        subject=jax.label,
        severity="warning" if calls_path else None,
        fixes=tuple(update_driver(scene, wanted)),
    )
