"""Facts of the GPUs. Units are in the names; a field that a GPU does not support is None."""

from typing import Literal

from gpudoctor.facts.base import Fact, Section, Source
from gpudoctor.facts.versions import Capability


class Refusal(Fact, frozen=True, kw_only=True):
    """A question that NVML or the CUDA driver did not answer: `NVML_ERROR_GPU_IS_LOST` (15) to `nvmlDeviceGetName`."""

    call: str
    code: int
    name: str
    meaning: str | None = None


class DeviceNode(Fact, frozen=True, kw_only=True):
    """A device file of a GPU. `mode` is the permission bits; `accessible` None where it was not tried."""

    path: str
    mode: int | None = None
    owner: str | None = None
    group: str | None = None
    accessible: bool | None = None
    error: str | None = None


class GpuProcess(Fact, frozen=True, kw_only=True):
    """A process that holds GPU memory. `name` is None where the PID is not in our PID namespace."""

    pid: int
    used_mib: int | None = None
    name: str | None = None
    user: str | None = None
    #: It runs as the user who looks.
    same_user: bool | None = None
    kind: Literal["compute", "graphics"] | None = None
    #: It has ended (state Z), or the system has no such process. None: not known, or another PID namespace.
    gone: bool | None = None


class RowRemaps(Fact, frozen=True, kw_only=True):
    """Memory rows remapped (Ampere and later)."""

    correctable: int | None = None
    uncorrectable: int | None = None
    pending: bool | None = None
    failed: bool | None = None


class MigInstance(Fact, frozen=True, kw_only=True):
    """One MIG device."""

    uuid: str
    name: str | None = None
    memory_total_mib: int | None = None


class NvLink(Fact, frozen=True, kw_only=True):
    """One NVLink of a GPU."""

    link: int
    active: bool | None = None
    version: int | None = None
    #: Since the driver was loaded: transfers that were repeated, and times that the link was brought up again.
    replays: int | None = None
    recoveries: int | None = None


class PcieLink(Fact, frozen=True, kw_only=True):
    """The PCIe link now and at most. At idle the generation drops by design; the width does not."""

    generation: int | None = None
    generation_max: int | None = None
    width: int | None = None
    #: The most that the GPU and its slot can do together.
    width_max: int | None = None
    #: The most that each of the two can do by itself, as the bus says.
    device_width_max: int | None = None
    port_width_max: int | None = None


class Power(Fact, frozen=True, kw_only=True):
    """Watts."""

    draw: float | None = None
    limit: float | None = None
    default_limit: float | None = None
    minimum: float | None = None
    maximum: float | None = None


class Fabric(Fact, frozen=True, kw_only=True):
    """How far a GPU has come in joining the fabric of its NVSwitches (Hopper and later)."""

    state: Literal["not-supported", "not-started", "in-progress", "completed"]
    #: NVML's code of how it ended; 0 is well.
    status: int | None = None


#: What tells which GPU it is.
_IDENTITY = frozenset({
    *("vendor", "index", "name", "uuid", "pci_bus_id", "pci_id", "pci_class", "capability", "architecture"),
    *("memory_total_mib", "source"),
})  # fmt: skip


class Gpu(Fact, frozen=True, kw_only=True):
    """One GPU, as far as its source could tell."""

    vendor: Literal["nvidia", "amd", "intel", "apple", "other"] | None = None
    #: NVML index; None where NVML did not list it.
    index: int | None = None
    name: str | None = None
    uuid: str | None = None
    #: "0000:01:00.0", lower case, four-digit domain.
    pci_bus_id: str | None = None
    #: "10de:2684": vendor and device.
    pci_id: str | None = None
    #: "0300" VGA, "0302" 3D controller.
    pci_class: str | None = None
    capability: Capability | None = None
    #: Turing, Ampere, Ada, Hopper, Blackwell …
    architecture: str | None = None
    #: 96.00.74.00.1A
    vbios: str | None = None
    memory_total_mib: int | None = None
    memory_used_mib: int | None = None
    processes: tuple[GpuProcess, ...] | None = None
    pcie: PcieLink | None = None
    power: Power | None = None
    temperature_c: int | None = None
    temperature_slowdown_c: int | None = None
    temperature_max_operating_c: int | None = None
    clock_sm_mhz: int | None = None
    clock_sm_max_mhz: int | None = None
    clock_memory_mhz: int | None = None
    clock_memory_max_mhz: int | None = None
    utilization_percent: int | None = None
    performance_state: int | None = None
    #: NVML's clock event reasons, without prefix: SwPowerCap, HwThermalSlowdown, GpuIdle …
    throttle_reasons: tuple[str, ...] | None = None
    ecc_enabled: bool | None = None
    ecc_uncorrected_volatile: int | None = None
    ecc_uncorrected_aggregate: int | None = None
    ecc_corrected_volatile: int | None = None
    retired_pages: int | None = None
    retired_pages_pending: bool | None = None
    row_remaps: RowRemaps | None = None
    mig_enabled: bool | None = None
    mig_instances: tuple[MigInstance, ...] | None = None
    compute_mode: Literal["default", "exclusive-thread", "prohibited", "exclusive-process"] | None = None
    persistence: bool | None = None
    nvlinks: tuple[NvLink, ...] | None = None
    display_attached: bool | None = None
    display_active: bool | None = None
    virtualization: Literal["none", "passthrough", "vgpu", "host-vgpu", "host-vsga"] | None = None
    #: A vGPU holds a licence; None for other GPUs.
    vgpu_licensed: bool | None = None
    fabric: Fabric | None = None
    #: A PCIe bridge above sends traffic between GPUs up to the processor (Access Control Services). Root can see it.
    acs_redirect: bool | None = None
    #: What the IOMMU does with this device's addresses; "none" is no IOMMU.
    iommu: Literal["none", "identity", "translated"] | None = None
    #: Kernel driver the PCI device is bound to: nvidia, nouveau, vfio-pci, "none".
    bound_driver: str | None = None
    #: PCI power state: D0, D3hot, D3cold.
    pci_power_state: str | None = None
    #: What NVML refused to tell of this GPU, other than "not supported".
    refusals: tuple[Refusal, ...] = ()
    #: Fields this GPU or driver does not support: unknown, and nothing wrong.
    unsupported: tuple[str, ...] = ()
    source: Source | None = None

    @property
    def has_details(self) -> bool:
        """More is known of it than which GPU it is and how much memory it has."""
        return any(getattr(self, name) not in (None, ()) for name in self.__struct_fields__ if name not in _IDENTITY)

    @property
    def is_listed(self) -> bool:
        """NVML lists it, or, where NVML was mute, the CUDA driver does: the driver serves it."""
        return self.index is not None or (self.source is not None and self.source.kind == "library")

    @property
    def label(self) -> str:
        """The GPU's name for a sentence, as in: GPU 1 (NVIDIA H100 PCIe)."""
        name = self.name or self.pci_id or "unknown model"
        if self.index is not None:
            return f"GPU {self.index} ({name})"
        if self.pci_bus_id:
            return f"GPU at {self.pci_bus_id} ({name})"
        return self.name or f"GPU ({name})"


class PeerLink(Fact, frozen=True, kw_only=True):
    """Whether two GPUs can reach the memory of each other. `status` is a word of NVML: OK, CHIPSET_NOT_SUPPORTED …."""

    a: int
    b: int
    status: str


class Contradiction(Fact, frozen=True, kw_only=True):
    """What NVML and the CUDA driver say differently of one GPU."""

    #: The GPU's label.
    gpu: str
    #: name, compute capability, memory in MiB …
    what: str
    nvml: str
    cuda: str


class Gpus(Section, frozen=True, kw_only=True):
    """All GPUs seen, merged over NVML, the PCI bus and nvidia-smi. Empty is written as an absent section."""

    devices: tuple[Gpu, ...] = ()
    #: The sources that answered, best first.
    sources: tuple[Source, ...] = ()
    #: Number of NVSwitch bridges on the PCI bus.
    nvswitches: int | None = None
    peer_links: tuple[PeerLink, ...] | None = None
    #: Where there is an AMD GPU: the device file that ROCm computes through, /dev/kfd. Empty: it is not there.
    amd_nodes: tuple[DeviceNode, ...] | None = None
    contradictions: tuple[Contradiction, ...] = ()

    @property
    def nvidia(self) -> tuple[Gpu, ...]:
        """The NVIDIA GPUs."""
        return tuple(gpu for gpu in self.devices if gpu.vendor == "nvidia")

    @property
    def several(self) -> bool:
        """There are NVIDIA GPUs, and not just one."""
        return len(self.nvidia) > 1
