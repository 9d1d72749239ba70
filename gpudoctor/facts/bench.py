"""The data of a benchmark run: devices, cases and timings. Seconds, bytes/s and operations/s; medians with spread."""

from typing import Literal

from gpudoctor.facts.base import Fact
from gpudoctor.facts.versions import Capability

#: Above this spread, (p80 - p20) / median, a timing is a range and no single number.
MOST_SPREAD = 0.05
#: Rounds of one measurement are made with time between them; their medians must be within this of one another.
MOST_DRIFT = 0.10
#: Below this share of what healthy GPUs reach something is wrong: the factor NVIDIA's own DCGM sets its limits by.
TOO_LOW = 0.75
#: Bytes. Smaller copies take their time by being started, not by what they carry.
TELLING_COPY = 16 << 20

CPU = "cpu"
#: The GPUs that were measured, together.
TOGETHER = "all GPUs"


class Timing(Fact, frozen=True, kw_only=True):
    """Seconds of one thing done many times: median, 20th and 80th percentile, and how often it was timed."""

    median: float
    p20: float
    p80: float
    repeats: int
    #: The median of each round, in the order in which they were made.
    rounds: tuple[float, ...] = ()

    @property
    def spread(self) -> float:
        """(p80 - p20) / median; over 0.05 nothing is concluded from it."""
        return (self.p80 - self.p20) / self.median if self.median else 0.0

    @property
    def drift(self) -> float:
        """How far the rounds are apart: 0.1 is a slowest round that took 1.1 times as long as the quickest."""
        return max(self.rounds) / min(self.rounds) - 1 if self.rounds and min(self.rounds) > 0 else 0.0

    @property
    def low(self) -> float:
        """The least that it is taken to be: the 20th percentile, or the quickest round."""
        return min(self.p20, *self.rounds) if self.rounds else self.p20

    @property
    def high(self) -> float:
        """The most that it is taken to be: the 80th percentile, or the slowest round."""
        return max(self.p80, *self.rounds) if self.rounds else self.p80

    @property
    def noisy(self) -> bool:
        """Whether too little agrees to say a single number."""
        return self.spread > MOST_SPREAD or self.drift > MOST_DRIFT or self.repeats < 3


class Transfer(Fact, frozen=True, kw_only=True):
    """A copy of `size` bytes between host and device, or work on arrays of `size` bytes in one of the two memories.

    all-reduce: every GPU ends with the sum of all their arrays.
    """

    direction: Literal["host-to-device", "device-to-host", "device", "host", "all-reduce"]
    #: The device at the other end; for "host" the CPU.
    device: str = CPU
    #: How many GPUs took part.
    gpus: int | None = None
    pinned: bool | None = None
    size: int
    #: Bytes read and written, as STREAM counts them: a copy within a memory moves twice its size. all-reduce of n GPUs:
    #: 2 (n - 1) / n of it, what each link carries (github.com/NVIDIA/nccl-tests, doc/PERFORMANCE.md, bus bandwidth).
    moved: int
    time: Timing

    @property
    def rate(self) -> float:
        """Bytes a second."""
        return self.moved / self.time.median if self.time.median else 0.0


class Gemm(Fact, frozen=True, kw_only=True):
    """A square matrix product, n by n, on a device; with its operands there, or copied there and back each time."""

    n: int
    device: str
    #: float32 (all of its digits), tf32, float16, bfloat16
    precision: str
    with_copies: bool = False
    time: Timing

    @property
    def rate(self) -> float:
        """Operations a second: a multiply and an add count two."""
        return 2 * self.n**3 / self.time.median if self.time.median else 0.0


class TrainingStep(Fact, frozen=True, kw_only=True):
    """One training step of a network at a batch size on a device, and where the time went, as far as was told apart.

    The parts are timed one by one; in the whole step they overlap, so that they may add up to more than it.
    """

    #: dense, conv, transformer
    network: str
    device: str
    batch: int
    #: Side of the input: 28 for 28 by 28.
    input_size: int
    #: float32 (as the framework does it unasked), mixed-float16, mixed-bfloat16
    precision: str = "float32"
    #: Choosing the examples, copying them to the device, and the step itself.
    time: Timing
    transfer_seconds: float | None = None
    input_seconds: float | None = None
    #: The step alone, on examples that are on the device.
    compute_seconds: float | None = None

    @property
    def rate(self) -> float:
        """Examples a second."""
        return self.batch / self.time.median if self.time.median else 0.0


class Sample(Fact, frozen=True, kw_only=True):
    """The GPU while it was measured, `at` seconds after the start."""

    at: float
    #: gpu and NVML's number of it.
    device: str
    uuid: str | None = None
    clock_sm_mhz: int | None = None
    clock_memory_mhz: int | None = None
    temperature_c: int | None = None
    power_w: float | None = None
    utilization_percent: int | None = None
    throttle_reasons: tuple[str, ...] = ()
    pcie_generation: int | None = None
    pcie_width: int | None = None


class BenchDevice(Fact, frozen=True, kw_only=True):
    """A device that was measured, as the framework knows it."""

    #: cpu, gpu:0 in the framework's own counting.
    name: str
    product: str | None = None
    uuid: str | None = None
    pci_bus_id: str | None = None
    capability: Capability | None = None
    memory_total_mib: int | None = None


class Bench(Fact, frozen=True, kw_only=True):
    """One measurement of this machine."""

    framework: str
    version: str | None = None
    #: Asked for, and taken, the framework's import included.
    seconds_asked: float
    seconds: float
    #: Seconds that the framework's import took.
    import_seconds: float | None = None
    devices: tuple[BenchDevice, ...] = ()
    cpu_threads: int | None = None
    transfers: tuple[Transfer, ...] = ()
    gemms: tuple[Gemm, ...] = ()
    steps: tuple[TrainingStep, ...] = ()
    samples: tuple[Sample, ...] = ()
    #: False: it was interrupted or ran out of time, and holds what was done until then.
    complete: bool = True
    #: What was left out, and why.
    notes: tuple[str, ...] = ()

    @property
    def gpus(self) -> tuple[BenchDevice, ...]:
        """The measured devices that are GPUs."""
        return tuple(device for device in self.devices if device.name != CPU)

    @property
    def measured(self) -> tuple[Transfer | Gemm | TrainingStep, ...]:
        """Everything that was timed."""
        return (*self.transfers, *self.gemms, *self.steps)

    def best_gemm(self, device: str, precision: str) -> Gemm | None:
        """The quickest product on a device with its operands there, of those that can be relied upon; else of all."""
        resident = [one for one in self.gemms if not one.with_copies]
        found = [one for one in resident if (one.device, one.precision) == (device, precision)]
        return max(found, key=lambda one: (not one.time.noisy, one.rate), default=None)

    def best_transfer(self, direction: str, device: str, least: int = 0) -> Transfer | None:
        """The quickest copy in a direction, of those of `least` bytes that can be relied upon; else of all."""
        found = [one for one in self.transfers if (one.direction, one.device) == (direction, device)]
        return max(found, key=lambda one: (one.size >= least, not one.time.noisy, one.rate), default=None)
