"""DRV017: NVIDIA Fabric Manager, which this NVSwitch machine needs, is not running."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.rules._driver_state import failed_with
from gpudoctor.rules._situation import is_contained, place
from gpudoctor.rules.sections import Container, Driver, Gap, Gpu, Gpus
from gpudoctor.rules.terms import Iterator, Problem, answer_seen, by_hand, problem, rule, run, seen

#: CUDA_ERROR_SYSTEM_NOT_READY.
NOT_READY = 802


@rule("DRV017", name="fabric-manager-down", severity="error", when="gpus.nvswitches or driver.cuda_init.code=802")
def fabric_manager_down(gpus: Gpus, driver: Driver, container: Container | Gap | None) -> Iterator[Problem]:
    """NVIDIA Fabric Manager, which this NVSwitch machine needs, is not running.

    What it means:
    In servers with NVSwitch the GPUs form one fabric. A service, NVIDIA Fabric Manager, must set it up before any CUDA
    program can start. Without it CUDA answers "system not yet initialized" (802), while nvidia-smi looks fine.

    Why it breaks:
    The service is not installed, not enabled, or failed; often after a driver update, because it must be of exactly
    the driver's release.

    How to fix it:
    Install nvidia-fabricmanager of the driver's exact release, and start and enable the service.

    When to ignore it:
    When the GPUs belong to virtual machines and the service runs in another one.

    Sources:
    Fabric Manager user guide, https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/
    """
    manager = driver.fabric_manager
    not_ready = failed_with(driver.cuda_init, NOT_READY)
    down = manager is not None and manager.running is False and not is_contained(container)
    works = driver.cuda_init is not None and driver.cuda_init.ok
    # The bus was not seen: modules (SXM) that are several and answer so are linked by switches. Where they tell their
    # fabric's state, that decides (fabric-state-incomplete): in a virtual machine the switches are on its host.
    untold = gpus.nvswitches is None and not any(gpu.fabric for gpu in gpus.nvidia)
    is_linked = untold and not_ready and gpus.several and all(map(_is_module, gpus.nvidia))
    if not (gpus.nvswitches or is_linked) or not gpus.nvidia or works or not (down or not_ready):
        return
    if manager is not None and manager.running and not not_ready:
        return
    evidence = [seen("NVSwitch devices", gpus.nvswitches) if gpus.nvswitches else seen("GPUs", gpus.nvidia[0].name)]
    if manager is not None and not is_contained(container):
        evidence.append(seen("Fabric Manager", _state(manager.installed, manager.running)))
    if not_ready:
        evidence.append(answer_seen("The CUDA driver (cuInit)", driver.cuda_init))
    yield problem(
        "NVIDIA Fabric Manager, which this NVSwitch machine needs, is not running.",
        *tuple(evidence),
        confidence="certain" if down and not_ready else "likely",
        fix=by_hand(
            f"Install and start Fabric Manager{place(container)}",
            f"Install nvidia-fabricmanager of release {driver.release or 'equal to the driver'}.",
            run("systemctl", "enable", "--now", "nvidia-fabricmanager"),
            needs_root=True,
        ),
    )


def _is_module(gpu: Gpu) -> bool:
    return re.search(r"SXM|HBM3|H[12]00\b(?!.*PCIe)|B[123]00\b", gpu.name or "") is not None


def _state(installed: bool | None, running: bool | None) -> str:
    if installed is False:
        return "not installed"
    return {True: "running", False: "not running", None: "state not known"}[running]
