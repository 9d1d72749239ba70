"""Facts of the NVIDIA driver: kernel module, user-space libraries, device nodes, and what NVML and CUDA answer."""

from typing import Literal

from gpudoctor.facts.base import Fact, Gap, Section, Source
from gpudoctor.facts.gpus import DeviceNode, Refusal
from gpudoctor.facts.versions import CudaVersion, DriverRelease


class Answer(Fact, frozen=True, kw_only=True):
    """How NVML or the CUDA driver answered when asked in a child process.

    `outcome` tells an answer (which may be an error code) from a child that found no library, crashed, hung, could not
    be killed (D state), or printed something else.
    """

    outcome: Literal["answered", "no-library", "crashed", "timed-out", "stuck", "garbage", "not-asked"]
    code: int | None = None
    #: NVML_ERROR_DRIVER_NOT_LOADED, CUDA_ERROR_NO_DEVICE …
    name: str | None = None
    meaning: str | None = None
    #: SIGSEGV …, or the kernel function a stuck process sleeps in.
    detail: str | None = None
    library: str | None = None
    device_count: int | None = None
    #: What it refused to tell although it had started, of itself and of several GPUs; NVML's of one GPU stand there.
    refusals: tuple[Refusal, ...] = ()
    source: Source | None = None

    @property
    def ok(self) -> bool:
        """The library answered and reported success."""
        return self.outcome == "answered" and self.code == 0


class DriverLibrary(Fact, frozen=True, kw_only=True):
    """One libcuda or libnvidia-ml on the machine; `release` is read from the real file's name."""

    #: libcuda.so.1 or libnvidia-ml.so.1
    name: str
    path: str
    real_path: str | None = None
    release: DriverRelease | None = None
    #: In a `stubs` directory: links, never runs.
    stub: bool = False
    #: From a cuda-compat package (forward compatibility).
    compat: bool = False
    #: The one the loader takes for a program with no RPATH of its own.
    first: bool = False
    size: int | None = None


class ModuleFile(Fact, frozen=True, kw_only=True):
    """nvidia.ko on disk for one kernel."""

    kernel: str
    path: str
    release: DriverRelease | None = None


class DkmsState(Fact, frozen=True, kw_only=True):
    """One row of the DKMS tree: added, built or installed for a kernel; failed; or broken: its source is gone."""

    module: str
    version: str
    kernel: str | None = None
    state: str | None = None
    #: The first error in the log of a build that failed.
    error: str | None = None


class SystemPackage(Fact, frozen=True, kw_only=True):
    """A package of the distribution."""

    name: str
    version: str


class KernelLine(Fact, frozen=True, kw_only=True):
    """A line of the kernel log that speaks of the NVIDIA driver."""

    text: str
    xid: int | None = None
    pci_bus_id: str | None = None


class FabricManager(Fact, frozen=True, kw_only=True):
    """NVIDIA Fabric Manager, needed where NVSwitch is present."""

    installed: bool | None = None
    version: DriverRelease | None = None
    running: bool | None = None


class Driver(Section, frozen=True, kw_only=True):
    """The NVIDIA driver. Absent (None) means looked for and not there at all."""

    #: The release in use: the loaded kernel module's, else what NVML, WSL or Windows says.
    release: DriverRelease | None = None
    #: What the user-space driver offers (cuDriverGetVersion, NVML). Not a toolkit.
    cuda: CudaVersion | None = None
    module_release: DriverRelease | None = None
    module_flavour: Literal["open", "proprietary"] | None = None
    #: Loaded kernel modules that matter: nvidia, nvidia_uvm, nvidia_drm, nvidia_modeset, nouveau, nova_core.
    modules_loaded: tuple[str, ...] | None = None
    module_parameters: dict[str, str] = {}
    module_files: tuple[ModuleFile, ...] | None = None
    libraries: tuple[DriverLibrary, ...] | None = None
    device_nodes: tuple[DeviceNode, ...] | None = None
    dkms: tuple[DkmsState, ...] | None = None
    #: /lib/modules/<running kernel>/build leads to headers.
    kernel_headers: bool | None = None
    secure_boot: bool | None = None
    #: Kernel lockdown: none, integrity, confidentiality.
    lockdown: str | None = None
    blacklisted: tuple[str, ...] | None = None
    packages: tuple[SystemPackage, ...] | None = None
    kernel_log: tuple[KernelLine, ...] | Gap | None = None
    #: The machine slept since boot.
    resumed_since_boot: bool | None = None
    suspend_services: bool | None = None
    fabric_manager: FabricManager | None = None
    persistence_daemon: bool | None = None
    nvml: Answer | None = None
    cuda_init: Answer | None = None
    source: Source | None = None

    def node(self, path: str) -> DeviceNode | None:
        """The device node at `path`, if it is there."""
        return next((node for node in self.device_nodes or () if node.path == path), None)

    def library(self, name: str) -> DriverLibrary | None:
        """The copy of `name` that the loader takes."""
        return next((lib for lib in self.libraries or () if lib.name == name and lib.first), None)
