"""DRV008: your user is not allowed to open the GPU's device files."""

from gpudoctor.facts.gpus import DeviceNode
from gpudoctor.rules._driver_state import NO_PERMISSION, denied_nodes, failed_with, is_denied_by_cgroup
from gpudoctor.rules._situation import is_contained, known, may_hide_gpus
from gpudoctor.rules.sections import Container, Driver, Gap, Gpus, System
from gpudoctor.rules.terms import Ask, Fix, Iterator, Problem, answer_seen, by_hand, problem, rule, run, seen


@rule(
    "DRV008", name="dev-permission", severity="error", when="driver.device_nodes.accessible=False or driver.nvml.code"
)
def dev_permission(
    gpus: Gpus, driver: Driver, host: System | Gap, container: Container | Gap | None
) -> Iterator[Problem]:
    """Your user is not allowed to open the GPU's device files.

    What it means:
    Programs reach the GPU through files such as /dev/nvidia0. The permissions of these files do not let your user
    open them, so only root or members of a group see the GPU.

    Why it breaks:
    The administrator limited the GPU to a group (often video or render), or a setting of the nvidia module
    (NVreg_DeviceFileMode, NVreg_DeviceFileGID) did.

    How to fix it:
    Have your user added to the group that owns the files, then log in again: a session keeps the groups it started
    with.

    When to ignore it:
    When your user is not meant to use this GPU.

    Sources:
    NVIDIA driver README, chapter on the device files /dev/nvidia*; usermod(8)
    """
    if not gpus.nvidia:
        return
    hides = isinstance(container, Gap) or may_hide_gpus(container)
    denied = [node for node in denied_nodes(driver) if not (hides and is_denied_by_cgroup(node))]
    refused = failed_with(driver.nvml, NO_PERMISSION) and not denied_nodes(driver)
    if not denied and not refused:
        return
    machine = known(host)
    evidence = [seen(node.path, _permissions(node)) for node in denied[:3]]
    if machine and machine.groups is not None:
        evidence.append(seen("your groups", ", ".join(machine.groups) or "none"))
    if driver.nvml and not driver.nvml.ok:
        evidence.append(answer_seen("NVML", driver.nvml))
    groups = sorted({node.group for node in denied if node.group and node.group != "root"})
    yield problem(
        "Your user is not allowed to open the GPU's device files.", *tuple(evidence), fixes=_fixes(container, groups)
    )


def _permissions(node: DeviceNode) -> str:
    mode = f"mode {node.mode & 0o7777:04o}, " if node.mode is not None else ""
    owner = f"owner {node.owner or 'not known'}, group {node.group or 'not known'}"
    return f"{mode}{owner}" + (f": {node.error}" if node.error else "")


def _fixes(container: Container | Gap | None, groups: list[str]) -> tuple[Fix, ...]:
    if is_contained(container):
        group = groups[0] if groups else "GROUP"
        inside = (
            f"Start it with docker run --group-add {group}, or with podman run --group-add keep-groups.",
            "A group of the host goes by its number, as ls -ln /dev/nvidia0 shows it.",
            "A user whom the image makes at its start does not get it: add that user to the group in the container.",
        )
        return (by_hand("Give the container the group of the device files", *inside, needs_container=True),)
    if groups:
        add = Ask(text=f"Ask an administrator to run: usermod -aG {groups[0]} YOUR_USER_NAME")
    else:
        add = Ask(text="Ask the administrator for access to /dev/nvidia*: a group, or mode 0666 of the files.")
    steps = (run("ls", "-l", "/dev/nvidiactl"), add, Ask(text="Log out, and log in again."))
    return (by_hand("Get access to the device files", *steps, needs_root=True, needs_login=True),)
