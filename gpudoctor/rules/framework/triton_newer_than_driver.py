"""FRM028: the driver cannot load what torch.compile makes: Triton's assembler belongs to a newer CUDA major."""

from gpudoctor.facts.versions import Capability, CudaVersion
from gpudoctor.plan.places import install, safety
from gpudoctor.plan.triton import assembler_floor, brings_ptxas
from gpudoctor.rules._driver_fixes import update_driver
from gpudoctor.rules._driver_floor import forward_library, offered_cuda
from gpudoctor.rules.builds import driver_os
from gpudoctor.rules.sections import Driver, Environ, Framework, Frameworks, Gap, Gpus, Matrix, Packages, Scene
from gpudoctor.rules.terms import Ask, Fix, Iterator, Problem, problem, rule, seen

#: What Triton calls instead of its own assembler, by the GPU: before 10.0, from it on.
OVERRIDES = ("TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH")


@rule(
    "FRM028",
    name="triton-newer-than-driver",
    severity="warning",
    since="0.2",
    when="frameworks.torch.variant=cuda, driver.release, frameworks.triton or packages.triton",
)
def triton_newer_than_driver(
    gpus: Gpus, driver: Driver, frameworks: Frameworks, environ: Environ | Gap | None, scene: Scene, matrix: Matrix
) -> Iterator[Problem]:
    """The driver cannot load what torch.compile makes: Triton's assembler belongs to a newer CUDA major.

    What it means:
    Triton, which torch.compile uses, brings an assembler (ptxas) of its own, whatever CUDA PyTorch is built for. Its
    code runs on drivers of the same CUDA major. This one belongs to a newer major than the driver serves.

    Why it breaks:
    PyTorch itself works. The first compiled function ends with "Triton Error [CUDA]: device kernel image is invalid".
    Triton 3.7 and newer have an assembler of CUDA 13 for GPUs of compute capability 10.0 and higher, which needs driver
    580, also with PyTorch for CUDA 12. Every Triton since 2.0 has one of CUDA 12 at least, which needs driver 525.

    How to fix it:
    Update the driver, or let Triton use the ptxas of the driver's own CUDA: TRITON_PTXAS_PATH names it, and
    TRITON_PTXAS_BLACKWELL_PATH for GPUs from 10.0 on.

    When to ignore it:
    If you use neither torch.compile nor Triton kernels.

    Sources:
    https://github.com/pytorch/pytorch/issues/119054
    https://github.com/Dao-AILab/quack/issues/182
    https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html
    """
    torch, os = frameworks.get("torch"), driver_os(scene.host, scene.container)
    if torch is None or torch.variant != "cuda" or os != "linux" or forward_library(driver) is not None:
        return
    release, triton = driver.release, _triton(frameworks, scene.packages)
    if release is None or triton is None or brings_ptxas(torch.version, torch.cuda):
        return
    named = {one for one in OVERRIDES if isinstance(environ, Environ) and environ.get(one)}
    capabilities = {one for gpu in gpus.nvidia if (one := matrix.capability(gpu)) is not None}
    judged = [one for one in sorted(capabilities) if OVERRIDES[one.major >= 10] not in named]
    asked = assembler_floor(triton, judged, matrix)
    if asked is None or release >= asked[2].release or _runs_nothing(torch, driver, matrix):
        return
    capability, ptxas, floor = asked
    override = OVERRIDES[capability.major >= 10]
    offered = offered_cuda(driver, matrix, "linux")
    yield problem(
        f"torch.compile needs driver {floor.release} or newer here: Triton {triton} assembles for CUDA "
        f"{ptxas}, and driver {release} loads no code of CUDA {ptxas.major}.",
        seen("driver", release, driver.source),
        seen(f"ptxas of Triton {triton} for compute capability {capability}", f"CUDA {ptxas}"),
        seen(f"oldest driver for CUDA {ptxas.major}", floor.release),
        subject=f"triton {triton}",
        confidence="likely",
        fixes=(
            *_older_assembler(scene, override, capability, offered, ptxas),
            *update_driver(scene, f"release {floor.release} or newer"),
        ),
    )


def _triton(frameworks: Frameworks, packages: Packages | Gap | None) -> str | None:
    """The release of Triton that is installed."""
    found = frameworks.get("triton")
    if found is not None and found.version is not None:
        return found.version
    package = packages.find("triton") if isinstance(packages, Packages) else None
    return package.version if package is not None else None


def _runs_nothing(torch: Framework, driver: Driver, matrix: Matrix) -> bool:
    """The driver is too old for PyTorch itself: another rule's."""
    floor = matrix.family_floor(torch.cuda, "linux") if torch.cuda is not None else None
    return floor is None or driver.release is None or driver.release < floor.release


def _older_assembler(
    scene: Scene, override: str, capability: Capability, offered: CudaVersion | None, ptxas: CudaVersion
) -> tuple[Fix, ...]:
    """Install the ptxas of the CUDA that the driver offers, and name it to Triton."""
    # Within a major its newest assembler does: drivers load code of every minor release (minor-version compatibility).
    if offered is None or offered.major >= ptxas.major or (capability.major >= 10 and offered.major < 12):
        return ()
    package = f"nvidia-cuda-nvcc-cu{offered.major}"
    name = Ask(text=f"Before your program, set {override} to nvidia/cuda_nvcc/bin/ptxas in this site-packages folder.")
    return (Fix(f"Give Triton an assembler of CUDA {offered.major}", safety(scene), (*install(scene, package), name)),)
