"""DRV026: a GPU has not joined the machine's NVSwitch fabric, so CUDA does not start."""

from gpudoctor.rules._situation import is_contained, is_virtual
from gpudoctor.rules.sections import Container, Driver, Gap, Gpu, Gpus, Scene
from gpudoctor.rules.terms import Fix, Iterator, Problem, answer_seen, by_hand, problem, rule, run, seen


@rule("DRV026", name="fabric-state-incomplete", severity="error", when="gpus.nvidia.fabric")
def fabric_state_incomplete(gpus: Gpus, scene: Scene) -> Iterator[Problem]:
    """A GPU has not joined the machine's NVSwitch fabric, so CUDA does not start.

    What it means:
    In machines with NVSwitch the service Fabric Manager connects the GPUs to one another. The driver says that this GPU
    was not connected, or not yet.

    Why it breaks:
    Fabric Manager is not running, still at work, or met an error (a defective link, another version than the driver's).
    CUDA then answers "system not yet initialized" (802).

    How to fix it:
    Restart Fabric Manager and read its log. In a container or a virtual machine only the host can do this.

    When to ignore it:
    In the first minute after the machine started.

    Sources:
    NVML API reference, nvmlGpuFabricInfo_t, https://docs.nvidia.com/deploy/nvml-api/; NVIDIA Fabric Manager user guide,
    https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/
    """
    apart = [gpu for gpu in gpus.nvidia if _is_apart(gpu)]
    if not apart:
        return
    answer = scene.driver.cuda_init if isinstance(scene.driver, Driver) else None
    works = answer is not None and answer.ok
    first = apart[0].fabric
    yield problem(
        f"{_count(len(apart))} not joined the NVSwitch fabric, which CUDA waits for.",
        *(seen(f"fabric state of {gpu.label}", gpu.fabric.state) for gpu in apart[:4] if gpu.fabric),
        *((seen("NVML's code of how it ended", first.status),) if first and first.status else ()),
        *((answer_seen("The CUDA driver (cuInit)", answer),) if answer else ()),
        subject=apart[0].label if len(apart) == 1 else None,
        severity="warning" if works else None,
        fixes=_fixes(scene.container, in_guest=is_virtual(scene.host) and not gpus.nvswitches),
    )


def _is_apart(gpu: Gpu) -> bool:
    if gpu.fabric is None or gpu.fabric.state == "not-supported":
        return False
    return gpu.fabric.state != "completed" or bool(gpu.fabric.status)


def _count(number: int) -> str:
    return "One GPU has" if number == 1 else f"{number} GPUs have"


def _fixes(container: Container | Gap | None, *, in_guest: bool) -> tuple[Fix, ...]:
    if in_guest:
        text = "On the hypervisor, run Fabric Manager and activate the partition of these GPUs (shared NVSwitch model)."
        return (by_hand("Have the host connect the GPUs", text, needs_root=True),)
    if is_contained(container):
        text = "On the host: restart nvidia-fabricmanager, then this container. Without access to it, use another."
        return (by_hand("Have the host's fabric repaired", text, needs_root=True),)
    steps = (
        run("systemctl", "restart", "nvidia-fabricmanager"),
        run("journalctl", "-u", "nvidia-fabricmanager", "--no-pager"),
    )
    return (by_hand("Restart Fabric Manager and read its log", *steps, needs_root=True),)
