"""Which facts needed for a verdict were not seen; while there are any, nothing is called healthy."""

from collections.abc import Iterable, Iterator

from gpudoctor.diagnosis.proof import unproved
from gpudoctor.facts.base import Gap
from gpudoctor.facts.driver import Answer, Driver
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.libraries import Libraries
from gpudoctor.facts.python import Framework, Frameworks, Packages
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Container, System
from gpudoctor.knowledge.frameworks import computing, gpu_code_owners
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.rules.builds import device_code, release_numbers
from gpudoctor.rules.visible_devices import disagreement

#: Sections, as they are called in a sentence.
SECTION_WORDS = {
    "host": "the operating system and the processor",
    "container": "whether this is a container",
    "gpus": "the GPUs",
    "driver": "the driver",
    "interpreter": "the Python interpreter",
    "packages": "the installed packages",
    "frameworks": "the frameworks",
    "environ": "the environment variables",
    "toolkits": "the CUDA toolkits",
    "libraries": "the libraries of CUDA",
    "live": "what the frameworks do",
}
#: Single facts that rules need, likewise.
FACT_WORDS = {
    "host.cpu": "the processor",
    "host.kernel": "the kernel's release",
    "driver.device_nodes": "the device files",
    "driver.libraries": "the driver's libraries",
}
#: From which release on every build for CUDA names libraries of CUDA that it loads; older torch bundled some of them
#: under names of its own.
_WALKED = {
    "torch": numbers_of("torch-names-cuda-libraries"),
    "tensorflow": numbers_of("tensorflow-names-cuda-libraries"),
}


def lacking(needs: Iterable[str], snapshot: Snapshot) -> tuple[str, ...]:
    """Of the facts that a rule needs, those that nobody saw, though their section was looked at."""
    return tuple(name for name in needs if _lacks(snapshot, *name.split(".")))


def _lacks(snapshot: Snapshot, section: str, fact: str) -> bool:
    found = getattr(snapshot, section)
    return found is not None and not isinstance(found, Gap) and getattr(found, fact) is None


def unseen_facts(snapshot: Snapshot, matrix: Matrix | None = None) -> tuple[str, ...]:
    """What could not be seen, one sentence each; empty when a verdict rests on seen facts only.

    With a matrix, the GPU code of a release newer than it counts too, where the files do not tell it.
    """
    return tuple(_unseen(snapshot, matrix))


def _unseen(snapshot: Snapshot, matrix: Matrix | None) -> Iterator[str]:
    yield from _section(SECTION_WORDS["host"], snapshot.host)
    yield from _section(SECTION_WORDS["container"], snapshot.container)
    yield from _section(SECTION_WORDS["gpus"], snapshot.gpus)
    yield from _section(SECTION_WORDS["driver"], snapshot.driver)
    yield from _section(SECTION_WORDS["interpreter"], snapshot.interpreter)
    if not isinstance(snapshot.interpreter, Gap):
        yield from _section(SECTION_WORDS["packages"], snapshot.packages)
        yield from _section(SECTION_WORDS["frameworks"], snapshot.frameworks)
    yield from unproved(snapshot)
    yield from _of_counts(snapshot)
    if not isinstance(snapshot.gpus, Gpus) or not snapshot.gpus.nvidia:
        return
    for one in snapshot.gpus.contradictions:
        yield f"the {one.what} of {one.gpu}: NVML says {one.nvml}, the CUDA driver {one.cuda}"
    yield from _section(SECTION_WORDS["environ"], snapshot.environ)
    yield from _section(SECTION_WORDS["toolkits"], snapshot.toolkits)
    yield from _section(SECTION_WORDS["libraries"], snapshot.libraries)
    yield from _of_gpus(snapshot.gpus, snapshot.container)
    if isinstance(snapshot.driver, Driver):
        yield from _of_driver(snapshot.driver, snapshot.host)
    if isinstance(snapshot.frameworks, Frameworks):
        yield from _of_frameworks(snapshot.frameworks, snapshot.libraries, snapshot.host)
        if matrix is not None:
            yield from _of_device_code(snapshot.frameworks, matrix, snapshot.host)
    if isinstance(snapshot.packages, Packages):
        yield from _section("files that two packages own", snapshot.packages.overlaps)
        yield from _section("files that are damaged", snapshot.packages.damaged)


def _of_counts(snapshot: Snapshot) -> Iterator[str]:
    """NVML and the CUDA driver contradict each other: no verdict rests on either."""
    if not isinstance(snapshot.driver, Driver):
        return
    is_jetson = isinstance(snapshot.host, System) and snapshot.host.tegra is not None
    counts = disagreement(snapshot.gpus, snapshot.driver, snapshot.environ)
    if counts is not None and not (is_jetson and counts.nvml == 0):
        yield f"which GPUs there are: NVML counts {counts.nvml}, the CUDA driver {counts.cuda}"


def _section(what: str, value: object) -> Iterator[str]:
    if isinstance(value, Gap):
        yield f"{what}: {value.reason}"


def _of_gpus(gpus: Gpus, container: Container | Gap | None) -> Iterator[str]:
    for gpu in gpus.nvidia:
        # A GPU that refused to answer is a finding already.
        if gpu.capability is None and not gpu.refusals and not _is_for_others(gpu, gpus, container):
            yield f"the compute capability of {gpu.label}"


def _is_for_others(gpu: Gpu, gpus: Gpus, container: Container | Gap | None) -> bool:
    """The bus shows it, and it was given to a virtual machine, or not to this container or this scheduler's job."""
    if gpu.bound_driver in ("vfio-pci", "pci-stub", "xen-pciback"):
        return True
    shares = isinstance(container, Container) and (
        container.kind not in ("none", None) or (container.slurm is not None and container.slurm.in_job)
    )
    return shares and gpu.index is None and any(other.index is not None for other in gpus.nvidia)


def _of_driver(driver: Driver, host: System | Gap | None) -> Iterator[str]:
    if driver.release is None and driver.cuda is None:
        yield "the driver's release"
    # A Jetson has no NVML before JetPack 6.
    is_jetson = isinstance(host, System) and host.tegra is not None
    for what, answer in (("NVML", driver.nvml), ("the CUDA driver", driver.cuda_init)):
        if what == "NVML" and is_jetson and (answer is None or answer.outcome == "no-library"):
            continue
        if answer is None or not answer.ok:
            yield f"an answer of {what}{_why(answer)}"


def _why(answer: Answer | None) -> str:
    if answer is None or answer.outcome == "not-asked":
        return ": it was not asked"
    if answer.outcome == "answered":
        return f": it answered {answer.name or answer.code}"
    return f": {answer.outcome}" + (f" ({answer.detail})" if answer.detail else "")


def _of_frameworks(
    frameworks: Frameworks, libraries: Libraries | Gap | None, host: System | Gap | None
) -> Iterator[str]:
    judged = [framework for name in computing() if (framework := frameworks.get(name))]
    for framework in judged:
        yield from _of_build(framework)
    if isinstance(libraries, Libraries):
        on_linux = isinstance(host, System) and host.os == "linux"
        yield from _of_libraries(judged, libraries, on_linux=on_linux)
    plugin = frameworks.get("jax-cuda-plugin")
    if plugin is not None and plugin.code_files is False:
        yield _without_code(plugin)


def _of_device_code(frameworks: Frameworks, matrix: Matrix, host: System | Gap | None) -> Iterator[str]:
    for release_of, (owner, *_) in gpu_code_owners().items():
        framework = frameworks.get(owner)
        if framework is None or framework.variant != "cuda" or device_code(framework, matrix, host) is not None:
            continue
        have, known = release_numbers(framework.version), release_numbers(matrix.newest(release_of))
        if have and known and have > known:
            yield f"which GPUs {framework.label} was built for: its files do not say, and it is newer than the tables"


def _of_build(framework: Framework) -> Iterator[str]:
    if framework.version is None:
        yield f"the version of {framework.name}"
    if framework.variant is None:
        yield f"whether {framework.label} was built for a GPU"
    elif framework.code_files is False:
        yield _without_code(framework)
    elif framework.variant == "cuda" and framework.cuda is None:
        yield f"the CUDA version {framework.label} was built with"


def _without_code(framework: Framework) -> str:
    return f"the GPU code of {framework.label}: the files that hold it are not there"


def _of_libraries(judged: list[Framework], libraries: Libraries, *, on_linux: bool) -> Iterator[str]:
    """On Linux the loader's way is walked for each framework; one that leads nowhere was not seen.

    A framework for CUDA of which neither the files nor the way were seen may be anything.
    """
    walked = {one.framework for one in libraries.resolutions or ()}
    for framework in judged:
        first = _WALKED.get(framework.name)
        if first is None or framework.variant != "cuda" or framework.name in walked or framework.code_files is False:
            continue
        numbers = release_numbers(framework.version)
        if on_linux and libraries.resolutions is None:
            yield f"which libraries {framework.label} loads: nobody looked"
        elif framework.code_files is None:
            yield f"the GPU code of {framework.label}: its files were not seen"
        elif on_linux and numbers is not None and numbers >= first:
            yield f"which libraries {framework.label} loads: its files do not say"
