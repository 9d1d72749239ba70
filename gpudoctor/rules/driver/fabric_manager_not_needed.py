"""DRV023: NVIDIA Fabric Manager is installed but not needed here; it need not run."""

from gpudoctor.rules._situation import is_contained
from gpudoctor.rules.sections import Container, Driver, Gap, Gpus
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, run, seen


@rule("DRV023", name="fabric-manager-not-needed", severity="info", when="driver.fabric_manager.installed")
def fabric_manager_not_needed(gpus: Gpus, driver: Driver, container: Container | Gap | None) -> Iterator[Problem]:
    """NVIDIA Fabric Manager is installed but not needed here; it need not run.

    What it means:
    Fabric Manager serves machines with NVSwitch. This machine has none, so the service stops with a message.

    Why it breaks:
    It does not: some instructions and packages install it everywhere.

    How to fix it:
    Disable the service if its message disturbs you.

    When to ignore it:
    Always, if you like: CUDA works without it here.

    Sources:
    Fabric Manager user guide, https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/
    """
    manager = driver.fabric_manager
    if gpus.nvswitches != 0 or not gpus.nvidia or manager is None or is_contained(container):
        return
    if not manager.installed or manager.running:
        return
    disable = run("systemctl", "disable", "nvidia-fabricmanager")
    yield problem(
        "NVIDIA Fabric Manager is installed, but this machine has no NVSwitch for it to manage.",
        seen("NVSwitch devices", 0),
        seen("Fabric Manager", "installed"),
        fix=by_hand("Disable the service", disable, needs_root=True, undo="systemctl enable nvidia-fabricmanager"),
    )
