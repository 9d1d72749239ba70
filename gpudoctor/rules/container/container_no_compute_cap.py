"""BOX005: the container has nvidia-smi but not libcuda: its driver capabilities lack "compute"."""

from gpudoctor.rules._driver_state import CUDA_LIBRARY, NVML_LIBRARY
from gpudoctor.rules._situation import is_contained
from gpudoctor.rules.sections import Container, Driver, Gpus
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen

VARIABLE = "NVIDIA_DRIVER_CAPABILITIES"


@rule(
    "BOX005",
    name="container-no-compute-cap",
    severity="error",
    needs=("driver.libraries",),
    when="not container.kind=none, not driver.cuda_init.ok",
)
def container_no_compute_cap(gpus: Gpus, driver: Driver, container: Container) -> Iterator[Problem]:
    """The container has nvidia-smi but not libcuda: its driver capabilities lack "compute".

    What it means:
    NVIDIA's toolkit hands a container only those parts of the driver that the variable NVIDIA_DRIVER_CAPABILITIES
    names. "utility" gives nvidia-smi, "compute" gives libcuda. Here compute is missing.

    Why it breaks:
    Without libcuda no CUDA program starts, though nvidia-smi shows the GPU.

    How to fix it:
    Start the container with -e NVIDIA_DRIVER_CAPABILITIES=compute,utility, or set it so in the image.

    When to ignore it:
    When the container only watches the GPU.

    Sources:
    NVIDIA Container Toolkit, driver capabilities,
    https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/docker-specialized.html
    """
    if not gpus.nvidia or not is_contained(container) or driver.libraries is None:
        return
    names = {library.name for library in driver.libraries if not library.stub}
    if NVML_LIBRARY not in names or CUDA_LIBRARY in names or (driver.cuda_init and driver.cuda_init.ok):
        return
    value = container.nvidia_driver_capabilities
    granted = {word.strip() for word in (value or "").split(",")}
    if granted & {"compute", "all"}:
        return
    text = f"Start the container again with: docker run --gpus all -e {VARIABLE}=compute,utility IMAGE"
    yield problem(
        "The container has nvidia-smi but not libcuda: its driver capabilities lack 'compute'.",
        seen(VARIABLE, value if value is not None else "not set, or not known"),
        seen(NVML_LIBRARY, "present"),
        seen(CUDA_LIBRARY, "missing"),
        confidence="certain" if value else "likely",
        fix=by_hand("Ask for the compute capability", text, needs_container=True),
    )
