"""BOX014: the container image contains its own driver libraries, which conflict with the host's."""

from gpudoctor.rules._driver_state import differ, real_libraries
from gpudoctor.rules._situation import is_contained
from gpudoctor.rules.sections import Container, Driver, DriverLibrary, Gpus
from gpudoctor.rules.terms import Fix, Iterator, Problem, answer_seen, by_hand, problem, rule, seen


@rule(
    "BOX014",
    name="container-driver-in-image",
    severity="error",
    when="not container.kind=none, not driver.nvml.ok or not driver.cuda_init.ok",
)
def container_driver_in_image(gpus: Gpus, driver: Driver, container: Container) -> Iterator[Problem]:
    """The container image contains its own driver libraries, which conflict with the host's.

    What it means:
    A container must use the driver libraries of its host, which the container toolkit hands in. This image has others
    besides, and programs take those.

    Why it breaks:
    The image's libraries fit another kernel module than the host's: version mismatch, or no start at all. Mostly
    someone installed the package cuda or nvidia-driver in the Dockerfile, or the image was exported from a container
    that ran with an older driver. In LXC the libraries are installed by hand, and must be of the host's release.

    How to fix it:
    Build the image without driver packages: cuda-toolkit instead of cuda, or one of NVIDIA's own CUDA images.

    When to ignore it:
    When CUDA works in the container: then the host's libraries are found first.

    Sources:
    NVIDIA Container Toolkit, architecture overview,
    https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/arch-overview.html
    """
    inside = container.driver_packages_inside
    foreign = _foreign(driver)
    answers = [answer for answer in (driver.nvml, driver.cuda_init) if answer and answer.outcome != "not-asked"]
    if not gpus.nvidia or not is_contained(container) or not (inside or foreign):
        return
    if all(answer.ok for answer in answers):
        return
    yield problem(
        "The container image contains its own driver libraries, which conflict with the host's.",
        *((seen("driver packages in the image", ", ".join(inside[:5])),) if inside else ()),
        *(seen(one.name, f"{one.release} ({one.real_path or one.path})") for one in foreign),
        *((seen("kernel module of the host", driver.module_release),) if driver.module_release else ()),
        *((answer_seen("NVML", driver.nvml),) if driver.nvml else ()),
        confidence="certain" if foreign else "likely",
        fixes=_fixes(inside, foreign),
    )


def _foreign(driver: Driver) -> tuple[DriverLibrary, ...]:
    """Copies that programs take and that fit another kernel module, while the host's own are there as well."""
    module = driver.module_release
    copies = real_libraries(driver)
    if not any(differ(module, one.release) is False for one in copies):
        return ()
    return tuple(one for one in copies if one.first and differ(module, one.release))


def _fixes(inside: tuple[str, ...] | None, foreign: tuple[DriverLibrary, ...]) -> tuple[Fix, ...]:
    if inside:
        text = "Remove these packages from the image; take cuda-toolkit instead of cuda, and no nvidia-driver package."
    else:
        releases = " and ".join(sorted({f"*.so.{one.release}" for one in foreign}))
        text = (
            f"Remove the driver's files {releases} from the image and run ldconfig in the container. Build images from "
            "a Dockerfile: one exported from a running GPU container carries that day's driver along."
        )
    title = "Build the image without a driver"
    return (by_hand(title, text, needs_container=True),)
