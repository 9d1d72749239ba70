"""BOX017: SELinux blocks the container's access to the GPU's device files."""

from gpudoctor.rules._driver_state import NO_PERMISSION, denied_nodes, failed_with, is_denied_by_cgroup, is_open_to_all
from gpudoctor.rules._situation import is_contained
from gpudoctor.rules.sections import Container, Driver, Gpus, System
from gpudoctor.rules.terms import Iterator, Problem, answer_seen, by_hand, problem, rule, run, seen


@rule("BOX017", name="container-selinux", severity="error", when="host.selinux_enforcing, not container.kind=none")
def container_selinux(gpus: Gpus, driver: Driver, container: Container, host: System) -> Iterator[Problem]:
    """SELinux blocks the container's access to the GPU's device files.

    What it means:
    The permissions of the device files would let you in, but the host's security rules (SELinux) keep containers from
    devices.

    Why it breaks:
    On Fedora, RHEL and their relatives SELinux is on, and containers may not use devices unless told so.

    How to fix it:
    On the host, allow containers to use devices, or use CDI, which sets the labels.

    When to ignore it:
    Never, if the container is to use the GPU.

    Sources:
    container_selinux(8), boolean container_use_devices
    """
    if not gpus.nvidia or not is_contained(container) or not host.selinux_enforcing:
        return
    refused = denied_nodes(driver)
    denied = [node for node in refused if not is_denied_by_cgroup(node) and is_open_to_all(node)]
    # Where no file tells of it, NVML does; the usual permissions of the files let everybody in.
    if not denied and (refused or not failed_with(driver.nvml, NO_PERMISSION)):
        return
    allow = run("setsebool", "-P", "container_use_devices", "1")
    yield problem(
        "SELinux blocks the container's access to the GPU's device files.",
        *(seen(node.path, f"mode {(node.mode or 0) & 0o7777:04o}: {node.error or 'no access'}") for node in denied[:3]),
        *((answer_seen("NVML", driver.nvml),) if not denied else ()),
        seen("SELinux", "enforcing"),
        confidence="likely",
        fix=by_hand(
            "On the host, let containers use devices",
            allow,
            needs_root=True,
            undo="setsebool -P container_use_devices 0",
        ),
    )
