"""BOX002: the container was started without access to the GPU of its host."""

from gpudoctor.rules._driver_state import CUDA_LIBRARY, NVML_LIBRARY, gpu_nodes, is_loaded, real_libraries
from gpudoctor.rules._situation import is_contained, known
from gpudoctor.rules.builds import is_jetson
from gpudoctor.rules.sections import Container, Driver, Scene, System
from gpudoctor.rules.terms import Evidence, Fix, Iterator, Problem, by_hand, problem, rule, seen

#: What a GPU of a pod takes beside the request, where runc starts the pods.
RUNTIME = "add runtimeClassName: nvidia to its specification, or make nvidia the default runtime of containerd."
INCUS = (
    "On the host (with LXD: lxc for incus): incus config set CONTAINER nvidia.runtime=true",
    "incus config device add CONTAINER gpu gpu",
    "Restart the container. The host needs NVIDIA's container toolkit, or no /dev/nvidia* comes.",
)

BUS = "GPUs that the PCI bus shows"


@rule(
    "BOX002", name="container-no-gpu-flag", severity="error", when="not container.kind=none, gpus.nvidia or host.tegra"
)
def container_no_gpu_flag(driver: Driver | None, container: Container, scene: Scene) -> Iterator[Problem]:
    """The container was started without access to the GPU of its host.

    What it means:
    The host has an NVIDIA GPU, but the container got neither its device files nor the driver's libraries.

    Why it breaks:
    A container sees only what it is given. docker run without --gpus gives no GPU, and --privileged gives the device
    files but not the libraries.

    How to fix it:
    Start the container with --gpus all (Docker), with --device nvidia.com/gpu=all (Podman, CDI), with a device
    reservation (Compose), with --runtime nvidia (Jetson), with nvidia.com/gpu in the resource limits and, where nvidia
    is not containerd's default runtime, runtimeClassName: nvidia (Kubernetes), or with NVIDIA_VISIBLE_DEVICES=all
    (enroot), with nvidia.runtime and a gpu device (Incus, LXD). The host needs the NVIDIA Container Toolkit. Do not
    install a driver in the container.

    When to ignore it:
    When this container is not meant to use the GPU.

    Sources:
    NVIDIA Container Toolkit, https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/docker-specialized.html;
    k8s-device-plugin, README, https://github.com/NVIDIA/k8s-device-plugin; enroot, standard hooks,
    https://github.com/NVIDIA/enroot/blob/master/doc/standard-hooks.md; Incus, instance options,
    https://linuxcontainers.org/incus/docs/main/reference/instance_options/
    """
    found = known(scene.gpus)
    cards = found.nvidia if found else ()
    # The GPU of a Jetson is on no bus, and a container does not see its device tree.
    jetson = is_jetson(scene.host)
    if not (cards or jetson) or not is_contained(container) or any(gpu.is_listed for gpu in cards):
        return
    if driver is not None and is_loaded(driver) is False and not jetson:
        return
    # Another driver holds them on the host: no option of the container brings NVIDIA's.
    if cards and all(gpu.bound_driver not in (None, "none", "nvidia") for gpu in cards):
        return
    nodes = gpu_nodes(driver) if driver else ()
    libraries = {one.name for one in real_libraries(driver)} if driver else set()
    unseen = driver is not None and (driver.device_nodes is None or driver.libraries is None)
    if unseen or CUDA_LIBRARY in libraries or (nodes and NVML_LIBRARY in libraries):
        return
    yield problem(
        "This container was started without access to the host's GPU.",
        seen("Jetson", scene.host.tegra) if jetson and isinstance(scene.host, System) else seen(BUS, len(cards)),
        *_evidence(container, [node.path for node in nodes], libraries),
        fixes=_fixes(container, jetson=jetson),
    )


def _evidence(container: Container, nodes: list[str], libraries: set[str]) -> Iterator[Evidence]:
    yield seen("device files /dev/nvidia*", ", ".join(nodes) or "none")
    yield seen("driver libraries in the container", ", ".join(sorted(libraries)) or "none")
    if container.nvidia_visible_devices is not None:
        yield seen("NVIDIA_VISIBLE_DEVICES", container.nvidia_visible_devices or "(empty)")


def _is_assigned(container: Container) -> bool:
    """The device plugin names the pod's GPUs in this variable; an image says "all"."""
    return (container.nvidia_visible_devices or "").startswith(("GPU-", "MIG-"))


def _fixes(container: Container, *, jetson: bool) -> tuple[Fix, ...]:
    if container.kubernetes or container.kind == "kubernetes":
        texts: tuple[str, ...] = (
            "Ask for a GPU in the pod's specification: resources: limits: nvidia.com/gpu: 1",
            f"If it asks for one, NVIDIA's runtime did not start the pod: {RUNTIME}",
        )
        if _is_assigned(container):
            texts = (f"The pod was given a GPU but not started by NVIDIA's runtime: {RUNTIME}",)
        return (by_hand("Start the container with GPU access", *texts, needs_container=True),)
    if container.kind == "lxc":
        return (by_hand("Start the container with GPU access", *INCUS, needs_container=True),)
    if container.kind == "enroot":
        text = "Start the container with the variable NVIDIA_VISIBLE_DEVICES=all set; enroot looks at nothing else."
    elif container.kind == "podman":
        text = "Start the container again with: podman run --device nvidia.com/gpu=all IMAGE"
    elif container.kind == "apptainer":
        text = "Start the container again with the option --nv: apptainer exec --nv IMAGE COMMAND"
    else:
        how = "--runtime nvidia" if jetson else "--gpus all"
        text = f"Start the container again with: docker run {how} IMAGE"
    return (by_hand("Start the container with GPU access", text, needs_container=True),)
