"""BOX020: the driver's libraries are in the container, but its dynamic loader does not find them."""

from gpudoctor.rules._driver_state import CUDA_LIBRARY, NVML_LIBRARY, real_libraries
from gpudoctor.rules._situation import is_contained
from gpudoctor.rules.sections import Container, Driver, Gpus
from gpudoctor.rules.terms import Fix, Iterator, Problem, problem, rule, run, seen


@rule(
    "BOX020",
    name="container-ldcache-stale",
    severity="error",
    when="not container.kind=none, driver.nvml.outcome=no-library or driver.cuda_init.outcome=no-library",
)
def container_ldcache_stale(gpus: Gpus, driver: Driver, container: Container) -> Iterator[Problem]:
    """The driver's libraries are in the container, but its dynamic loader does not find them.

    What it means:
    The toolkit put libcuda and libnvidia-ml into the container. The loader looks libraries up in a cache, and that
    cache does not list them.

    Why it breaks:
    The toolkit brings the cache up to date when the container starts. It cannot where ldconfig fails: on a read-only
    file system, or in an image with another layout.

    How to fix it:
    Run ldconfig in the container, or put the folder of the driver's libraries on LD_LIBRARY_PATH.

    When to ignore it:
    Never: CUDA programs do not find libcuda.

    Sources:
    ldconfig(8); NVIDIA Container Toolkit, troubleshooting,
    https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/troubleshooting.html
    """
    if not gpus.nvidia or not is_contained(container):
        return
    asked = ((NVML_LIBRARY, driver.nvml), (CUDA_LIBRARY, driver.cuda_init))
    missing = [name for name, answer in asked if answer is not None and answer.outcome == "no-library"]
    copies = [one for one in real_libraries(driver) if one.name in missing and not one.first and one.size != 0]
    if not copies:
        return
    yield problem(
        "The driver's libraries are in the container, but its dynamic loader does not find them.",
        *tuple(seen(copy.name, f"{copy.path}, not found by the loader") for copy in copies),
        confidence="likely",
        fix=Fix("Bring the loader's cache up to date", "review", (run("ldconfig"),), needs_root=True),
    )
