"""Row types of the matrix for GPU generations and products."""

from typing import Literal

from gpudoctor.facts.versions import Capability, DriverRelease
from gpudoctor.knowledge.matrix.types import Row

Action = Literal[
    "restart-program",
    "reset-gpu",
    "restart-machine",
    "check-power",
    "check-link",
    "update-driver",
    "ask-support",
    "none",
]


class Architecture(Row, frozen=True, kw_only=True, tag_field="row", tag="architecture"):
    """A GPU architecture, one row for each compute capability, and the drivers that serve it."""

    name: str
    capabilities: tuple[Capability, ...]
    #: First and last driver branch; None is open or unknown.
    first_branch: int | None = None
    last_branch: int | None = None
    #: open: only the open kernel modules. proprietary: only the proprietary ones.
    kernel_module: Literal["open", "proprietary", "either"] | None = None
    #: Integrated into a Tegra chip (Jetson): a driver of its own, and no cubins of discrete GPUs.
    tegra: bool = False
    chips: str | None = None
    notes: str | None = None


class GpuModel(Row, frozen=True, kw_only=True):
    """A GPU product."""

    name: str
    #: Device part of the PCI id, four lower-case hex digits: "2684".
    device_ids: tuple[str, ...] = ()
    architecture: str | None = None
    capability: Capability | None = None
    #: datacenter, workstation, geforce, mining or jetson.
    segment: str | None = None
    #: The oldest driver whose product list was seen to name it; older ones may know it too.
    first_listed: DriverRelease | None = None
    last_branch: int | None = None


class GpuPeaks(Row, frozen=True, kw_only=True):
    """What a GPU product can do at most, as its maker states it or its parts work out.

    Of one GPU, at the boost clock, without sparsity. The confidence is that of the least sure fact of the row.
    """

    #: As in the table of GPUs.
    name: str
    #: GB as products are named: the chips' GiB.
    memory_gb: float | None = None
    memory_bus_bits: int | None = None
    #: Gbit/s of one line of the bus.
    memory_rate_gbps: float | None = None
    #: GB/s, 10^9 bytes a second.
    memory_bandwidth_gbs: float | None = None
    sm_count: int | None = None
    #: FP32 lanes of all SMs ("CUDA cores"); each does a multiply and an add a clock.
    fp32_lanes: int | None = None
    boost_mhz: int | None = None
    #: TFLOP/s outside the tensor cores.
    fp32_tflops: float | None = None
    #: TFLOP/s, FP16 with FP32 accumulation, as frameworks use it; BF16 is as fast where capability is 8.0 or more.
    fp16_tensor_tflops: float | None = None
    #: TFLOP/s; none before capability 8.0.
    tf32_tensor_tflops: float | None = None
    #: Power limit, W, the highest of the standard settings.
    tdp_watts: int | None = None
    notes: str | None = None
    #: Facts that were read in a text or a repository of the maker, of a row whose grade is lower for others of it.
    official: tuple[str, ...] = ()

    def is_official(self, fact: str) -> bool:
        """Whether the maker itself states this number."""
        return getattr(self, fact) is not None and (self.confidence == "official" or fact in self.official)


class GpuReference(Row, frozen=True, kw_only=True):
    """What a healthy GPU of a product was measured to do, where somebody published it: less than its peak."""

    #: As in the table of GPUs.
    name: str
    #: GB/s, 10^9 bytes a second, read and written.
    memory_bandwidth_gbs: float | None = None
    #: TFLOP/s of matrix products in FP32 with all its digits (no TF32).
    fp32_tflops: float | None = None
    #: TFLOP/s of matrix products in BF16 (FP16 is as fast).
    bf16_tflops: float | None = None
    #: GB/s of each link while the eight of a node add up with NCCL: the least that an operator accepts.
    all_reduce_gbs: float | None = None
    notes: str | None = None


class Xid(Row, frozen=True, kw_only=True):
    """An error of a GPU that the driver writes to the kernel log by number, and what NVIDIA's catalogue says to do."""

    xid: int
    #: As the driver's source calls it: ROBUST_CHANNEL_CTXSW_TIMEOUT_ERROR.
    name: str
    #: What happened, after "the kernel log says:"; where the GPU needs attention.
    what: str | None = None
    #: restart-program: a program failed, the GPU did not. none: another Xid tells more, or nothing is to be done.
    action: Action
    #: The rule that knows more of it.
    judged_by: str | None = None


class Chip(Row, frozen=True, kw_only=True):
    """A chip of NVIDIA, and the PCI device ids of its GPUs. Tegra's have none: Jetson boards do not list them."""

    chip: str
    capability: Capability
    #: Of the range, in hexadecimal; empty: it has no range of its own.
    first: str = ""
    last: str = ""
