"""BOX004: the container has lost access to the GPU's device files, although they exist."""

from gpudoctor.facts.gpus import DeviceNode
from gpudoctor.rules._driver_state import denied_nodes, failed_with, gpu_nodes, is_denied_by_cgroup
from gpudoctor.rules._situation import is_contained
from gpudoctor.rules.failures import pasted
from gpudoctor.rules.sections import Container, Driver, Gap, Gpus, Live
from gpudoctor.rules.terms import Ask, Fix, Iterator, Problem, answer_seen, by_hand, problem, rule, seen

#: NVML_ERROR_UNKNOWN.
UNKNOWN = 999


@rule("BOX004", name="container-cgroup-device-lost", severity="error", when="not container.kind=none")
def container_cgroup_device_lost(
    gpus: Gpus, driver: Driver, container: Container, live: Live | Gap | None
) -> Iterator[Problem]:
    """The container has lost access to the GPU's device files, although they exist.

    What it means:
    The kernel keeps a list of devices for every container. The GPU was struck from it, or never on it. nvidia-smi says
    "Failed to initialize NVML: Unknown Error".

    Why it breaks:
    With systemd as the manager of control groups, a daemon-reload on the host writes the lists anew, and devices that
    were added from outside are lost. It often happens hours after the start of a container that worked.

    Others never had the GPU on their list: with no-cgroups = true in the toolkit's settings, which only rootless Docker
    needs; in Kubernetes, where the kubelet's static CPU manager writes the list anew; or when nvidia-uvm was loaded
    only after the container was made.

    How to fix it:
    Start the container again. For good: use CDI (docker run --device nvidia.com/gpu=all), or create the links below
    /dev/char on the host (nvidia-ctk system create-dev-char-symlinks --create-all), or let Docker manage control
    groups itself (cgroupfs). If a new container fails at once, look for no-cgroups = true in
    /etc/nvidia-container-runtime/config.toml and set it to false. --privileged hides the error and opens all of the
    host: do not use it for this.

    When to ignore it:
    Never, if the container is to use the GPU.

    Sources:
    NVIDIA Container Toolkit, troubleshooting, "Containers losing access to GPUs with error: Failed to initialize NVML:
    Unknown Error"; no-cgroups: https://github.com/NVIDIA/nvidia-container-toolkit/issues/381; static CPU manager:
    https://github.com/NVIDIA/k8s-device-plugin, option passDeviceSpecs
    """
    if not (gpus.nvidia or gpu_nodes(driver)) or not is_contained(container):
        return
    refused = [node for node in denied_nodes(driver) if is_denied_by_cgroup(node)]
    # What a message tells is of its own time; the files may have been looked at in another container.
    told = any(one.signature == "nvml-unknown-error" for one in pasted(live))
    unknown = failed_with(driver.nvml, UNKNOWN) and bool(driver.device_nodes) and (told or _may_all_be_denied(driver))
    if not (unknown or (refused and _is_in_the_way(driver))):
        return
    yield problem(
        "The container has lost access to the GPU's device files, although they exist.",
        *(seen(node.path, node.error) for node in refused[:3]),
        *((answer_seen("NVML", driver.nvml),) if driver.nvml else ()),
        *((answer_seen("The CUDA driver (cuInit)", driver.cuda_init),) if driver.cuda_init else ()),
        seen("container", container.kind),
        confidence="certain" if refused else "likely",
        fixes=(_again(container), _at_once(container)),
    )


def _is_in_the_way(driver: Driver) -> bool:
    """A container that was given some of the GPUs is refused the others, and works."""
    if driver.nvml is None or not driver.nvml.ok or driver.nvml.device_count == 0:
        return True
    answer = driver.cuda_init
    return answer is not None and answer.outcome == "answered" and not answer.ok


def _again(container: Container) -> Fix:
    if container.kubernetes or container.kind == "kubernetes":
        steps: tuple[Ask, ...] = (
            Ask(text="Delete the pod, so that it is recreated."),
            Ask(text="For good: give the device plugin passDeviceSpecs or CDI (needed with a static CPU manager)."),
        )
    else:
        steps = (
            Ask(text="On the host, start the container again (docker restart CONTAINER)."),
            Ask(text="For good, give it the GPU through CDI: docker run --device nvidia.com/gpu=all IMAGE"),
        )
    return by_hand("Start the container again", *steps, needs_root=True, needs_container=True)


def _at_once(container: Container) -> Fix:
    """What to look for where a new container fails as well."""
    text = "On the host, run: nvidia-ctk config --set nvidia-container-cli.no-cgroups=false --in-place"
    if container.rootless:
        text = "Rootless engines need CDI, or no-cgroups = true in /etc/nvidia-container-runtime/config.toml."
    uvm = Ask(text="On the host, have nvidia-uvm loaded before containers start: nvidia-modprobe -c 0 -u")
    return by_hand("If a new container fails at once", text, uvm, needs_root=True, needs_container=True)


def _may_all_be_denied(driver: Driver) -> bool:
    """No node is known to open."""
    nodes: tuple[DeviceNode, ...] = driver.device_nodes or ()
    return not any(node.accessible for node in nodes)
