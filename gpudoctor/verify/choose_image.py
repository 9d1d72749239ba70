"""Chooses the newest NVIDIA container image that fits the machine.

The options of the command: docs.nvidia.com/deeplearning/frameworks/user-guide, Running A Container (2026-11-23).
"""

from gpudoctor.facts.base import Fact
from gpudoctor.facts.versions import package_version
from gpudoctor.knowledge.matrix.offer_types import ContainerImage
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.answer import Wanted
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.specifiers import meets
from gpudoctor.verify.verdict import Given, Verdict
from gpudoctor.verify.verify import verify

#: Images of the tables by what is wanted.
IMAGES = {"torch": "pytorch", "tensorflow": "tensorflow"}
#: Memory that processes share, and pages that are not swapped, as data loaders and NCCL use them.
OPTIONS = ("--gpus", "all", "--ipc=host", "--ulimit", "memlock=-1", "--ulimit", "stack=67108864", "-it", "--rm")


class ImageChoice(Fact, frozen=True, kw_only=True):
    """An image that fits, or why none is named."""

    machine: Machine
    command: tuple[str, ...] = ()
    image: ContainerImage | None = None
    #: The newest one, where it does not fit, and why.
    newest: str = ""
    newest_because: str = ""
    #: Why there is none.
    refused: str = ""


def choose_image(wanted: Wanted, given: Given, matrix: Matrix) -> ImageChoice:
    """The newest tag with a release that is asked for and that runs on the machine."""
    machine = given.machine
    refused = _refused(wanted, machine)
    if refused:
        return ImageChoice(machine=machine, refused=refused)
    rows: tuple[ContainerImage, ...] = matrix.table("containers")
    asked = [row for row in rows if row.image == IMAGES[wanted.framework] and _is_asked_for(row, wanted)]
    if not asked:
        text = f"No image with {wanted.framework}{wanted.specifier} is in the tables."
        return ImageChoice(machine=machine, refused=text)
    judged = [(row, _judged(row, given, matrix)) for row in asked]
    newest, because = judged[0]
    found = next((row for row, verdict in judged if verdict.word == "fits"), None)
    if found is None:
        text = f"No image in the tables fits. The newest, {_name(newest)}: {because.because}"
        return ImageChoice(machine=machine, refused=text)
    return ImageChoice(
        machine=machine,
        command=_command(found),
        image=found,
        newest=_name(newest) if found is not newest else "",
        newest_because=because.because if found is not newest else "",
    )


def _refused(wanted: Wanted, machine: Machine) -> str:
    if wanted.framework not in IMAGES:
        known = " and ".join(IMAGES)
        return (
            f"The tables have images of {known} only. Build one: gpudoctor plan {wanted.framework} --format dockerfile"
        )
    if machine.os == "macos" or not machine.uses_cuda or not (machine.capabilities and machine.driver):
        return "No NVIDIA GPU with a driver is known here, and the images are for those."
    if machine.tegra is not None:
        return "These images are not made for Jetson boards; NVIDIA has others for each JetPack release."
    if machine.platform not in (None, "linux-x86_64", "windows-x86_64"):
        return f"Which of the images have a build for {machine.platform} is not in the tables."
    return ""


def _is_asked_for(row: ContainerImage, wanted: Wanted) -> bool:
    """Whether it has a release that is wanted; NVIDIA's own builds count as the release that they are made of."""
    version = package_version(row.version or "")
    if not wanted.specifier:
        return True
    return version is not None and meets(version.base_version, wanted.specifier)


def _judged(row: ContainerImage, given: Given, matrix: Matrix) -> Verdict:
    return verify([" ".join(_command(row))], given, matrix).found[0]


def _command(row: ContainerImage) -> tuple[str, ...]:
    return ("docker", "run", *OPTIONS, _name(row))


def _name(row: ContainerImage) -> str:
    return f"nvcr.io/nvidia/{row.image}:{row.tag}"
