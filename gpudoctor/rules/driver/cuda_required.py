"""DRV901: the driver does not support the CUDA version you require."""

from gpudoctor.facts.versions import CudaVersion
from gpudoctor.facts.wish import Requirement
from gpudoctor.rules._driver_fixes import update_driver
from gpudoctor.rules._situation import os_of, unmet
from gpudoctor.rules.builds import driver_os
from gpudoctor.rules.sections import Driver, Matrix, Scene, Wish
from gpudoctor.rules.terms import Fix, Iterator, Problem, problem, rule, seen


@rule("DRV901", name="cuda-required", severity="error", when="wish.requirements")
def cuda_required(driver: Driver | None, wish: Wish, scene: Scene, matrix: Matrix) -> Iterator[Problem]:
    """The driver does not support the CUDA version you require.

    What it means:
    The option --require 'cuda>=12.4' was given. It is about the newest CUDA version that the driver offers, which is
    what nvidia-smi shows, not about a toolkit that may be installed.

    Why it breaks:
    Every driver branch offers CUDA up to one version. Programs built with a newer one may not start.

    How to fix it:
    Install a newer driver, or programs that were built with an older CUDA version.

    When to ignore it:
    Leave the requirement out.

    Sources:
    CUDA toolkit release notes, table of driver versions, https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/
    """
    system = os_of(scene.host)
    offered = driver.cuda if driver else None
    if offered is None and driver and driver.release and system in ("linux", "windows"):
        offered = matrix.offered_cuda(driver.release, "windows" if system == "windows" else "linux")
    for requirement in wish.of("cuda"):
        if unmet(str(offered) if offered else None, requirement.comparisons):
            has = f"it offers {offered}" if offered else "what it offers is not known"
            yield problem(
                f"{requirement.text} is required of the driver, but {has}.",
                seen("CUDA version that the driver offers", offered or "none, or not known"),
                subject=requirement.text,
                fixes=_fixes(driver, scene, requirement, matrix),
            )


def _fixes(driver: Driver | None, scene: Scene, requirement: Requirement, matrix: Matrix) -> tuple[Fix, ...]:
    """A driver of the release that the CUDA asked for came with; nothing where there is no driver to update."""
    system = driver_os(scene.host, scene.container)
    wanted = [CudaVersion.parse(version) for sign, version in requirement.comparisons if sign in (">=", "==")]
    if driver is None or driver.release is None or system is None or not wanted or wanted[0] is None:
        return ()
    floor = matrix.toolkit_floor(wanted[0], system)
    return update_driver(scene, f"release {floor.release} or newer") if floor is not None else ()
