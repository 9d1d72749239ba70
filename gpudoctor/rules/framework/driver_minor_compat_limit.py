"""FRM022: the driver runs this build, but not all that came with its newer CUDA."""

import re

from gpudoctor.facts.versions import CudaVersion, DriverRelease
from gpudoctor.knowledge.milestones import milestone
from gpudoctor.rules._driver_floor import forward_library
from gpudoctor.rules.builds import built_for_cuda, driver_os
from gpudoctor.rules.sections import Driver, Framework, Frameworks, Gpus, Matrix, Scene
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen

#: CUDA 12.1 brought kernels with large parameters, which drivers before 530 do not know.
FIRST_CUDA = CudaVersion(milestone("cuda-large-parameters"))
FIRST_DRIVER = DriverRelease(milestone("driver-large-parameters"))


@rule("FRM022", name="driver-minor-compat-limit", severity="info", when="frameworks.found.variant=cuda, gpus.nvidia")
def driver_minor_compat_limit(
    gpus: Gpus, driver: Driver, frameworks: Frameworks, scene: Scene, matrix: Matrix
) -> Iterator[Problem]:
    """The driver runs this build, but not all that came with its newer CUDA.

    What it means:
    Drivers of the 525 branch run programs built with any CUDA 12 (minor-version compatibility). What came later than
    CUDA 12.0 is left out: kernels with more than 4 KiB of parameters need driver 530 or newer.

    Why it breaks:
    Code compiled with CUDA 12.1 or newer may use such kernels without asking the driver first: "CUDA error: operation
    not supported". Published PyTorch wheels ask; a PyTorch or an extension that you compiled yourself may not.

    How to fix it:
    Update the driver, or compile with CUDA 12.0.

    When to ignore it:
    With published wheels. Then this is only a note.

    Sources:
    https://developer.nvidia.com/blog/cuda-12-1-supports-large-kernel-parameters/
    https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html
    """
    release = driver.release
    if driver_os(scene.host, scene.container) != "linux" or not gpus.nvidia or release is None:
        return
    if release.branch < FIRST_CUDA.major or release >= FIRST_DRIVER or forward_library(driver) is not None:
        return
    floor = matrix.family_floor(FIRST_CUDA, "linux")
    for framework in built_for_cuda(frameworks):
        if framework.cuda is None or framework.cuda.major != FIRST_CUDA.major or framework.cuda < FIRST_CUDA:
            continue
        own = _is_own_build(framework)
        if not own or floor is None or release < floor.release:
            continue
        # Imported here: few builds are somebody's own.
        from gpudoctor.rules._driver_fixes import update_driver

        yield problem(
            f"{framework.label} is compiled here with CUDA {framework.cuda}; some of its kernels need driver "
            f"{FIRST_DRIVER.branch} or newer, and this machine has {release}.",
            seen("driver", release, driver.source),
            seen("compiled with CUDA", framework.cuda, framework.source),
            seen("version", f"{framework.version}, not a published release"),
            subject=framework.label,
            severity="error",
            confidence="likely",
            fixes=(
                *update_driver(scene, f"release {FIRST_DRIVER} or newer"),
                by_hand("Compile with CUDA 12.0", "Build it with CUDA 12.0."),
            ),
        )


def _is_own_build(framework: Framework) -> bool:
    """A version that no index has: 2.6.0a0+git1234567."""
    return re.search(r"\+git|a0(\+|$)", framework.version or "") is not None
