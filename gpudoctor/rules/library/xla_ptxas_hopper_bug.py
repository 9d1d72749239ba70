"""LIB017: the ptxas that JAX uses has a known bug on Hopper and newer GPUs."""

from gpudoctor.facts.versions import Capability, LibraryVersion
from gpudoctor.knowledge.milestones import milestone
from gpudoctor.plan.places import install, safety
from gpudoctor.rules._xla import calls_ptxas_of_path, jax_kernels, ptxas_of_packages, ptxas_on_path
from gpudoctor.rules.sections import Frameworks, Gap, Gpus, Matrix, Packages, Scene, Toolkits
from gpudoctor.rules.terms import Fix, Iterator, Problem, problem, rule, seen

HOPPER = Capability("9.0")
FIRST_BAD, FIRST_GOOD = (
    LibraryVersion(milestone("ptxas-hopper-fault")),
    LibraryVersion(milestone("ptxas-hopper-mended")),
)


@rule(
    "LIB017",
    name="xla-ptxas-hopper-bug",
    severity="warning",
    when="frameworks.jaxlib or frameworks.jax-cuda-plugin, gpus.nvidia",
)
def xla_ptxas_hopper_bug(
    gpus: Gpus,
    frameworks: Frameworks,
    packages: Packages,
    toolkits: Toolkits | Gap | None,
    scene: Scene,
    matrix: Matrix,
) -> Iterator[Problem]:
    """The ptxas that JAX uses has a known bug on Hopper and newer GPUs.

    What it means:
    ptxas from 12.0 up to 12.6.77 may compile wrong code for compute capability 9.0 and newer.

    Why it breaks:
    Clamped minimum and maximum operations can give wrong results. XLA warns of such a ptxas: "You are using ptxas X,
    which is older than 12.6.85. ptxas before 12.6.85 is known to miscompile XLA code on Hopper GPUs".

    How to fix it:
    Bring NVIDIA's compiler package to 12.6.85 or newer: pip install --upgrade "nvidia-cuda-nvcc-cu12>=12.6.85".

    When to ignore it:
    If this JAX is not used on that GPU.

    Sources:
    https://github.com/openxla/xla/pull/19927 (9.0 and newer, ptxas 12.0 to below 12.6.85)
    """
    jax = jax_kernels(frameworks)
    capabilities = [capability for gpu in gpus.nvidia if (capability := matrix.capability(gpu)) is not None]
    if jax is None or not any(capability >= HOPPER for capability in capabilities):
        return
    ptxas = (ptxas_on_path(toolkits) if calls_ptxas_of_path(jax) else None) or ptxas_of_packages(packages)
    if ptxas is None or not FIRST_BAD <= ptxas.version < FIRST_GOOD:
        return
    yield problem(
        f"JAX compiles with ptxas {ptxas.version}, which has a known bug on Hopper and newer GPUs.",
        seen("ptxas", f"{ptxas.version}, {ptxas.where}"),
        seen("first sound one", FIRST_GOOD),
        subject=ptxas.where,
        fix=Fix(
            "Bring NVIDIA's compiler package up to date",
            safety(scene),
            install(scene, "nvidia-cuda-nvcc-cu12>=12.6.85", options=("--upgrade",)),
        ),
    )
