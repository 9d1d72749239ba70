"""DRV028: a system device filter (cgroup) blocks this session's access to the GPU."""

from gpudoctor.rules._driver_state import denied_nodes, is_denied_by_cgroup, is_open_to_all
from gpudoctor.rules._situation import is_bare
from gpudoctor.rules.sections import Container, Driver, Gpus
from gpudoctor.rules.terms import Ask, Fix, Iterator, Problem, answer_seen, by_hand, problem, rule, seen


@rule(
    "DRV028",
    name="dev-cgroup-denied",
    severity="error",
    when="not gpus.nvidia.is_listed, driver.device_nodes.accessible=False",
)
def dev_cgroup_denied(gpus: Gpus, driver: Driver, container: Container) -> Iterator[Problem]:
    """A system device filter (cgroup) blocks this session's access to the GPU.

    What it means:
    The permissions of /dev/nvidia0 would let everybody in, and still the kernel answers "not permitted" (EPERM). A
    control group with a list of devices does that. nvidia-smi then says "No devices were found", while other users and
    root see the GPUs.

    Why it breaks:
    systemd can limit the devices of a service or of all that a user runs (DevicePolicy, DeviceAllow), and a scheduler
    those of a job. Containers started from such a session get no GPU either.

    How to fix it:
    Find the unit with the limit and have the administrator allow the devices there. In a scheduler's job, ask for a
    GPU. Groups and modes of the files have nothing to do with it.

    When to ignore it:
    When the administrator keeps this session from the GPU on purpose.

    Sources:
    systemd.resource-control(5), DeviceAllow and DevicePolicy
    """
    if not gpus.nvidia or not is_bare(container) or any(gpu.is_listed for gpu in gpus.nvidia):
        return
    denied = [node for node in denied_nodes(driver) if is_denied_by_cgroup(node) and is_open_to_all(node)]
    if not denied:
        return
    job = container.slurm is not None and container.slurm.in_job
    yield problem(
        "A system device filter (cgroup) blocks this session's access to the GPU.",
        *(seen(node.path, f"mode {(node.mode or 0) & 0o7777:04o}: {node.error}") for node in denied[:3]),
        *((answer_seen("NVML", driver.nvml),) if driver.nvml else ()),
        fixes=_fixes(job=job),
    )


def _fixes(*, job: bool) -> tuple[Fix, ...]:
    if job:
        text = "Ask the scheduler for a GPU; if the job has one, tell the administrator that its device list is wrong."
        return (by_hand("Ask the scheduler for a GPU", text),)
    look = Ask(text="See what limits it: systemctl show user-$(id -u).slice -p DevicePolicy -p DeviceAllow")
    allow = Ask(text='Have the administrator add DeviceAllow="char-nvidia* rw" to that unit, then log in again.')
    return (by_hand("Have the devices allowed", look, allow, needs_root=True, needs_login=True),)
