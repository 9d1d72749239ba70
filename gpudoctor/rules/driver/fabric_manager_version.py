"""DRV018: NVIDIA Fabric Manager and the driver have different versions."""

from gpudoctor.rules._driver_state import differ
from gpudoctor.rules._situation import is_contained
from gpudoctor.rules.sections import Container, Driver, Gap, Gpus
from gpudoctor.rules.terms import Ask, Iterator, Problem, by_hand, problem, rule, run, seen


@rule("DRV018", name="fabric-manager-version", severity="error", when="gpus.nvswitches, driver.fabric_manager")
def fabric_manager_version(gpus: Gpus, driver: Driver, container: Container | Gap | None) -> Iterator[Problem]:
    """NVIDIA Fabric Manager and the driver have different versions.

    What it means:
    On servers with NVSwitch, Fabric Manager must be of exactly the driver's release, to the last number.

    Why it breaks:
    One of the two was updated and the other was not, or one is held back. Fabric Manager then refuses to start, and
    CUDA answers "system not yet initialized".

    How to fix it:
    Install the release of nvidia-fabricmanager that equals the driver's and restart. Update both together from then on.

    When to ignore it:
    On a machine without NVSwitch, where Fabric Manager has nothing to do.

    Sources:
    Fabric Manager user guide, https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/
    """
    manager = driver.fabric_manager
    release = driver.module_release or driver.release
    if (
        not gpus.nvidia
        or not gpus.nvswitches
        or manager is None
        or is_contained(container)
        or not differ(manager.version, release)
    ):
        return
    steps = (
        Ask(text=f"Install nvidia-fabricmanager of release {release}."),
        run("systemctl", "restart", "nvidia-fabricmanager"),
    )
    yield problem(
        f"NVIDIA Fabric Manager is release {manager.version}, but the driver is release {release}.",
        seen("Fabric Manager", manager.version),
        seen("driver", release),
        seen("NVSwitch devices", gpus.nvswitches),
        fix=by_hand("Bring both to one release", *steps, needs_root=True, needs_reboot=True),
    )
