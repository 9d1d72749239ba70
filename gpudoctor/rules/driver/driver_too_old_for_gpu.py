"""DRV011: the driver is too old for this GPU."""

from gpudoctor.facts.versions import DriverRelease
from gpudoctor.knowledge.matrix.gpu_types import Architecture
from gpudoctor.rules._driver_fixes import update_driver
from gpudoctor.rules._driver_state import architecture_of, refused_by_release, release_of, unlisted
from gpudoctor.rules._situation import is_real, kernel_of
from gpudoctor.rules.sections import Driver, Gpu, Gpus, Matrix, Scene
from gpudoctor.rules.terms import Iterator, Problem, log_seen, problem, rule, seen


@rule("DRV011", name="driver-too-old-for-gpu", severity="error", when="gpus.nvidia.is_listed=False")
def driver_too_old_for_gpu(gpus: Gpus, driver: Driver, scene: Scene, matrix: Matrix) -> Iterator[Problem]:
    """The driver is too old for this GPU.

    What it means:
    Every GPU generation needs a first driver branch. The installed driver is from before that.

    Why it breaks:
    The distribution installs an older branch by default, or the card was exchanged for a newer one and the driver
    stayed. A driver ignores a GPU it does not know.

    How to fix it:
    Install the branch named below or a newer one. If your distribution does not have it, NVIDIA's repository does.

    When to ignore it:
    When another GPU in this machine does the computing.

    Sources:
    Supported products of the driver releases, https://www.nvidia.com/drivers, and the driver branches in this
    program's matrix
    """
    release = release_of(driver, kernel_of(scene.host))
    if release is None:
        return
    for gpu in unlisted(gpus):
        architecture = architecture_of(gpu, matrix)
        if architecture is None or architecture.first_branch is None or release.branch >= architecture.first_branch:
            yield from _by_the_kernel(gpu, gpus, driver, scene, release, architecture)
            continue
        first = architecture.first_branch
        yield problem(
            f"Driver {release} is too old for this {architecture.name} GPU: it needs {first} or newer.",
            seen("driver", release),
            seen(f"first driver branch for {architecture.name}", first),
            seen(gpu.label, "not listed by NVML"),
            subject=gpu.label,
            fixes=update_driver(scene, f"branch {first} or newer"),
        )


def _by_the_kernel(
    gpu: Gpu, gpus: Gpus, driver: Driver, scene: Scene, release: DriverRelease, architecture: Architecture | None
) -> Iterator[Problem]:
    """A model that came later than the release, though the branch knows its kind: only the kernel log tells."""
    last = architecture.last_branch if architecture else None
    lines = refused_by_release(driver, gpu, gpus)
    # In a virtual machine it is more likely a part of a GPU.
    if not lines or (last and release.branch > last) or (architecture is not None and not is_real(scene.host)):
        return
    yield problem(
        f"Driver {release} does not support this GPU, says the kernel log.",
        seen("driver", release),
        *log_seen(lines),
        seen(gpu.label, "not listed by NVML"),
        subject=gpu.label,
        confidence="likely",
        fixes=update_driver(scene, f"branch {release.branch} or newer, of a later release"),
    )
