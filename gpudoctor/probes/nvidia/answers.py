"""What NVML and the CUDA driver answered, as facts."""

from gpudoctor.facts.base import Fact, Source
from gpudoctor.facts.driver import Answer
from gpudoctor.facts.gpus import Gpu, PeerLink
from gpudoctor.facts.versions import Capability, CudaVersion, DriverRelease

NVML = Source(kind="library", where="libnvidia-ml")
CUDA = Source(kind="library", where="libcuda")


class NvmlFacts(Fact, frozen=True, kw_only=True):
    """What NVML told. `gpus` holds every GPU that it counts, also one of which it tells nothing."""

    nvml: Answer
    release: DriverRelease | None = None
    cuda: CudaVersion | None = None
    gpus: tuple[Gpu, ...] = ()
    peer_links: tuple[PeerLink, ...] | None = None


class CudaDevice(Fact, frozen=True, kw_only=True):
    """A GPU as the CUDA driver shows it to this process, in the order that CUDA_VISIBLE_DEVICES and it decide."""

    ordinal: int
    name: str | None = None
    uuid: str | None = None
    pci_bus_id: str | None = None
    capability: Capability | None = None
    memory_total_mib: int | None = None


class CudaFacts(Fact, frozen=True, kw_only=True):
    """What the CUDA driver told. `cuda` is known without a GPU, and without a start of the driver."""

    cuda_init: Answer
    cuda: CudaVersion | None = None
    devices: tuple[CudaDevice, ...] = ()


def not_asked(reason: str, source: Source) -> Answer:
    """The answer of a library that was not asked, and why."""
    return Answer(outcome="not-asked", detail=reason, source=source)


def no_library(reason: str, source: Source) -> Answer:
    """The answer where there is no library to ask."""
    return Answer(outcome="no-library", detail=reason, source=source)
