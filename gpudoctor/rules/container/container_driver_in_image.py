"""BOX014: the image brings a driver of its own."""

from collections.abc import Iterator

from gpudoctor.model.driver import Driver
from gpudoctor.model.finding import Problem
from gpudoctor.model.fix import Ask, Fix
from gpudoctor.model.gpus import Gpus
from gpudoctor.model.system import Container
from gpudoctor.rules._consequences import NO_DEVICE
from gpudoctor.rules._declare import rule
from gpudoctor.rules._evidence import answer_seen, seen
from gpudoctor.rules._situation import is_contained


@rule("BOX014", name="container-driver-in-image", severity="error", since="0.1")
def container_driver_in_image(gpus: Gpus, driver: Driver, container: Container) -> Iterator[Problem]:
    """The container's image brings driver libraries of its own, which get in the way of the host's.

    What it means:
    A container must use the driver libraries of its host, which the container toolkit hands in. This image has a driver
    installed besides.

    Why it breaks:
    The image's libraries fit another kernel module than the host's: version mismatch, or no start at all. Mostly
    someone installed the package cuda or nvidia-driver in the Dockerfile.

    How to mend it:
    Build the image without driver packages: cuda-toolkit instead of cuda, or one of NVIDIA's own CUDA images.

    When to ignore it:
    When CUDA works in the container: then the host's libraries are found first.

    Sources:
    NVIDIA Container Toolkit, architecture overview,
    https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/arch-overview.html
    """
    inside = container.driver_packages_inside
    answers = [answer for answer in (driver.nvml, driver.cuda_init) if answer and answer.outcome != "not-asked"]
    if not gpus.nvidia or not is_contained(container) or not inside or all(answer.ok for answer in answers):
        return
    text = "Remove these packages from the image; take cuda-toolkit instead of cuda, and no nvidia-driver package."
    yield Problem(
        summary="The container's image brings driver libraries of its own, which get in the way of the host's.",
        confidence="likely",
        evidence=(
            seen("driver packages in the image", ", ".join(inside[:5])),
            *((answer_seen("NVML", driver.nvml),) if driver.nvml else ()),
        ),
        explains=("drv-lib-mismatch", "nvml-library-missing", *NO_DEVICE),
        fixes=(
            Fix(
                title="Build the image without a driver", safety="manual", steps=(Ask(text=text),), needs_container=True
            ),
        ),
    )
