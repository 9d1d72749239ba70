"""GPU012: the GPU System Processor (GSP) stopped answering the driver."""

from gpudoctor.facts.fix import Write
from gpudoctor.facts.versions import DriverRelease
from gpudoctor.knowledge.milestones import milestone
from gpudoctor.rules._driver_fixes import REBOOT
from gpudoctor.rules._driver_state import xid_lines
from gpudoctor.rules.sections import Driver, Gpus
from gpudoctor.rules.terms import Fix, Iterator, Problem, by_hand, log_seen, problem, rule, seen

#: GSP RPC timeout; GSP error.
XIDS = (119, 120)
#: The release of branch 525 that fixed most of these.
MENDED = DriverRelease(milestone("driver-gsp-mended"))


@rule("GPU012", name="xid-119-gsp", severity="error", when="gpus.nvidia, driver.kernel_log")
def xid_119_gsp(gpus: Gpus, driver: Driver) -> Iterator[Problem]:
    """The GPU System Processor (GSP) stopped answering the driver.

    What it means:
    From Turing on, a small processor on the GPU does part of the driver's work. The kernel log says that it did not
    answer in time (Xid 119) or reported an error (Xid 120).

    Why it breaks:
    Early releases of branch 525 had faults there. Later it is mostly firmware, a virtual machine, or a failing card.

    How to fix it:
    Restart the machine and update the driver. Where the GPU allows it (not with the open kernel modules), the work of
    the GSP can be given back to the main processor.

    When to ignore it:
    When it came once and never again.

    Sources:
    NVIDIA Xid errors, Xid 119 and 120, https://docs.nvidia.com/deploy/xid-errors/
    """
    lines = xid_lines(driver, *XIDS)
    if not gpus.nvidia or not lines:
        return
    release = driver.module_release or driver.release
    early = release is not None and release.branch == MENDED.branch and release < MENDED
    newer = f"Update to {MENDED} or newer, or to a newer branch." if early else "Update the driver."
    fixes: tuple[Fix, ...] = (REBOOT, by_hand("Update the driver", newer, needs_root=True, needs_reboot=True))
    if driver.module_flavour == "proprietary":
        option = Write(path="/etc/modprobe.d/nvidia-gsp.conf", text="options nvidia NVreg_EnableGpuFirmware=0\n")
        undo = f"Remove {option.path} and restart."
        fixes += (by_hand("Switch the GSP off", option, needs_root=True, needs_reboot=True, undo=undo),)
    yield problem(
        "The GPU System Processor (GSP) stopped answering the driver.",
        *log_seen(lines),
        seen("driver", release or "not known"),
        fixes=fixes,
    )
