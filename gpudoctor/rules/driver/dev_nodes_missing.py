"""DRV025: the kernel module is loaded, but its device files in /dev do not exist."""

from gpudoctor.rules._driver_state import discrete, is_loaded
from gpudoctor.rules._situation import is_bare
from gpudoctor.rules.builds import is_jetson
from gpudoctor.rules.sections import Answer, Container, Driver, Gap, Gpus, System
from gpudoctor.rules.terms import Ask, Iterator, Problem, answer_seen, by_hand, problem, rule, run, seen

CONTROL = "/dev/nvidiactl"


@rule(
    "DRV025",
    name="dev-nodes-missing",
    severity="error",
    needs=("driver.device_nodes",),
    when="not driver.nvml.ok or not driver.cuda_init.ok",
)
def dev_nodes_missing(
    gpus: Gpus, driver: Driver, host: System | Gap, container: Container | Gap | None
) -> Iterator[Problem]:
    """The kernel module is loaded, but its device files in /dev do not exist.

    What it means:
    Programs talk to the driver through files such as /dev/nvidiactl and /dev/nvidia0. The driver's kernel module runs,
    and these files are not there.

    Why it breaks:
    The module does not make the files itself. The setuid program nvidia-modprobe, or a rule of udev, makes them when
    the first program asks. The tool is not installed, has lost its setuid bit, or /dev is not the system's own (a
    chroot, a minimal image).

    How to fix it:
    Install nvidia-modprobe and run it once as root. nvidia-persistenced, started at boot, keeps the files there.

    When to ignore it:
    Never, if you want to use the GPU.

    Sources:
    nvidia-modprobe(1); NVIDIA driver README, chapter on the device files
    """
    served = [gpu for gpu in discrete(gpus) if gpu.bound_driver in (None, "nvidia")]
    if not served or not is_bare(container) or is_jetson(host) or is_loaded(driver) is not True:
        return
    # NVML makes the files as it starts, so on a machine that works they are there once it was asked.
    if driver.device_nodes is None or driver.node(CONTROL) or not _fails(driver.nvml, driver.cuda_init):
        return
    make = run("nvidia-modprobe", "-c", "0", "-u")
    lasting = Ask(text="To create them at every boot, enable the service nvidia-persistenced.")
    yield problem(
        "The NVIDIA kernel module is loaded, but its device files in /dev do not exist.",
        seen("kernel module nvidia", f"loaded ({driver.module_release or 'release not known'})"),
        seen(CONTROL, "does not exist"),
        answer_seen("NVML", driver.nvml),
        answer_seen("The CUDA driver (cuInit)", driver.cuda_init),
        fix=by_hand("Create the device files", make, lasting, needs_root=True),
    )


def _fails(*answers: Answer | None) -> bool:
    """The driver's libraries were asked, and none of them started."""
    asked = [answer for answer in answers if answer is not None and answer.outcome == "answered"]
    return bool(asked) and not any(answer.ok for answer in asked)
