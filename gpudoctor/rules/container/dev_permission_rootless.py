"""BOX013: a rootless container dropped the group that gives your user access to the GPU."""

from gpudoctor.rules._driver_state import NO_PERMISSION, denied_nodes, failed_with, is_denied_by_cgroup, is_open_to_all
from gpudoctor.rules._situation import is_contained
from gpudoctor.rules.sections import Container, Driver, Gap, Gpus, System
from gpudoctor.rules.terms import Iterator, Problem, answer_seen, by_hand, problem, rule, seen


@rule("BOX013", name="dev-permission-rootless", severity="error", when="container.rootless")
def dev_permission_rootless(
    gpus: Gpus, driver: Driver, container: Container, host: System | Gap | None
) -> Iterator[Problem]:
    """A rootless container dropped the group that gives your user access to the GPU.

    What it means:
    On the host your user may open the GPU through a group. A rootless container keeps the user but not the groups.

    Why it breaks:
    The device files belong to a group with a mode such as 0660, and inside the container you are no member of it.

    How to fix it:
    Podman: --group-add keep-groups. Or let the host give the files mode 0666.

    When to ignore it:
    When the container is not meant to use the GPU.

    Sources:
    podman-run(1), --group-add keep-groups
    """
    if not gpus.nvidia or not is_contained(container) or not container.rootless:
        return
    refused = denied_nodes(driver)
    denied = [node for node in refused if not (is_denied_by_cgroup(node) or is_open_to_all(node))]
    # Where no file tells of it, NVML does; unless SELinux can be the one who refuses.
    enforcing = isinstance(host, System) and host.selinux_enforcing is True
    told = failed_with(driver.nvml, NO_PERMISSION) and not refused and not enforcing
    if not (denied or told) or (driver.nvml is not None and driver.nvml.ok):
        return
    text = "Start the container again with: podman run --group-add keep-groups --device nvidia.com/gpu=all IMAGE"
    yield problem(
        "A rootless container dropped the group that gives your user access to the GPU.",
        *(seen(node.path, f"group {node.group or 'not known'}: {node.error or 'no access'}") for node in denied[:3]),
        *((answer_seen("NVML", driver.nvml),) if not denied else ()),
        seen("container", f"{container.kind}, rootless"),
        confidence="likely",
        fix=by_hand("Keep your groups", text),
    )
