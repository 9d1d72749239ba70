"""BOX002: the container was started without GPU access."""

from collections.abc import Iterator

from gpudoctor.model.driver import Driver
from gpudoctor.model.finding import Evidence, Problem
from gpudoctor.model.fix import Ask, Fix
from gpudoctor.model.gpus import Gpus
from gpudoctor.model.system import Container
from gpudoctor.rules._consequences import NO_MODULE
from gpudoctor.rules._declare import rule
from gpudoctor.rules._driver_state import CUDA_LIBRARY, NVML_LIBRARY, gpu_nodes, is_listed, is_loaded, real_libraries
from gpudoctor.rules._evidence import seen
from gpudoctor.rules._situation import is_contained


@rule("BOX002", name="container-no-gpu-flag", severity="error", since="0.1")
def container_no_gpu_flag(gpus: Gpus, driver: Driver | None, container: Container) -> Iterator[Problem]:
    """The container was started without access to the GPU of its host.

    What it means:
    The host has an NVIDIA GPU, but the container got neither its device files nor the driver's libraries.

    Why it breaks:
    A container sees only what it is given. docker run without --gpus gives no GPU, and --privileged gives the device
    files but not the libraries.

    How to mend it:
    Start the container with --gpus all (Docker), with --device nvidia.com/gpu=all (Podman, CDI), with a device
    reservation (Compose), or with nvidia.com/gpu in the resource limits (Kubernetes). The host needs the NVIDIA
    Container Toolkit. Do not install a driver in the container.

    When to ignore it:
    When this container is not meant to use the GPU.

    Sources:
    NVIDIA Container Toolkit, https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/docker-specialized.html
    """
    if not gpus.nvidia or not is_contained(container) or any(is_listed(gpu) for gpu in gpus.nvidia):
        return
    if driver is not None and is_loaded(driver) is False:
        return
    nodes = gpu_nodes(driver) if driver else ()
    libraries = {one.name for one in real_libraries(driver)} if driver else set()
    unseen = driver is not None and (driver.device_nodes is None or driver.libraries is None)
    if unseen or CUDA_LIBRARY in libraries or (nodes and NVML_LIBRARY in libraries):
        return
    yield Problem(
        summary="This container was started without access to the GPU of its host.",
        evidence=tuple(_evidence(gpus, container, [node.path for node in nodes], libraries)),
        explains=("drv-absent", "nvml-library-missing", "container-no-compute-cap", *NO_MODULE),
        fixes=_fixes(container),
    )


def _evidence(gpus: Gpus, container: Container, nodes: list[str], libraries: set[str]) -> Iterator[Evidence]:
    yield seen("GPUs that the PCI bus shows", len(gpus.nvidia))
    yield seen("device files /dev/nvidia*", ", ".join(nodes) or "none")
    yield seen("driver libraries in the container", ", ".join(sorted(libraries)) or "none")
    if container.nvidia_visible_devices is not None:
        yield seen("NVIDIA_VISIBLE_DEVICES", container.nvidia_visible_devices or "(empty)")


def _fixes(container: Container) -> tuple[Fix, ...]:
    if container.kubernetes or container.kind == "kubernetes":
        text = "Ask for a GPU in the pod's specification: resources: limits: nvidia.com/gpu: 1"
    elif container.kind == "podman":
        text = "Start the container again with: podman run --device nvidia.com/gpu=all IMAGE"
    elif container.kind == "apptainer":
        text = "Start the container again with the option --nv: apptainer exec --nv IMAGE COMMAND"
    else:
        text = "Start the container again with: docker run --gpus all IMAGE"
    return (
        Fix(
            title="Start the container with GPU access",
            safety="manual",
            steps=(Ask(text=text),),
            needs_container=True,
        ),
    )
