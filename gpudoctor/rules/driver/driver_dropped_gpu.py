"""DRV010: the driver is too new for this GPU: its branch no longer supports it."""

from gpudoctor.rules._driver_fixes import legacy_driver
from gpudoctor.rules._driver_state import architecture_of, log_lines, of_gpu, release_of, unlisted
from gpudoctor.rules._situation import kernel_of, place
from gpudoctor.rules.sections import Driver, Gpus, Matrix, Scene
from gpudoctor.rules.terms import Iterator, Problem, by_hand, log_seen, problem, rule, seen


@rule("DRV010", name="driver-dropped-gpu", severity="error", when="gpus.nvidia.is_listed=False")
def driver_dropped_gpu(gpus: Gpus, driver: Driver, scene: Scene, matrix: Matrix) -> Iterator[Problem]:
    """The driver is too new for this GPU: its branch no longer supports it.

    What it means:
    From time to time NVIDIA ends the support of old GPUs. Newer driver branches then ignore the card. Branch 580 is the
    last for Maxwell, Pascal and Volta, branch 470 the last for Kepler.

    Why it breaks:
    An update installed a newer branch than the last one that knows this card. The kernel log says that the driver
    "will ignore this GPU".

    How to fix it:
    Install the last branch for this card (your distribution calls it a legacy driver) and hold it, so that the next
    update does not replace it. Note which CUDA version it offers: frameworks must be built for that or an older one.

    When to ignore it:
    When another GPU in this machine does the computing.

    Sources:
    NVIDIA's list of legacy GPUs, https://www.nvidia.com/en-us/drivers/unix/legacy-gpu/, and the driver branches in
    this program's matrix
    """
    release = release_of(driver, kernel_of(scene.host))
    if release is None:
        return
    for gpu in unlisted(gpus):
        architecture = architecture_of(gpu, matrix)
        if architecture is None or architecture.last_branch is None or release.branch <= architecture.last_branch:
            continue
        last = architecture.last_branch
        lines = of_gpu(log_lines(driver, "Legacy drivers", "will ignore this GPU"), gpu)
        yield problem(
            f"Driver {release} does not support this {architecture.name} GPU; branch {last} is the last to.",
            seen("driver", release),
            seen(f"last driver branch for {architecture.name}", last),
            seen(gpu.label, "not listed by NVML"),
            *log_seen(lines),
            subject=gpu.label,
            fix=by_hand(
                f"Install driver branch {last}{place(scene.container)}",
                *legacy_driver(scene, last),
                needs_root=True,
                needs_reboot=True,
                driver=f"<={last}",
            ),
        )
