"""Facts of a measurement. Durations are seconds, rates bytes or operations a second; medians with their spread."""

from typing import Literal

from gpudoctor.model.base import Fact


class Timing(Fact, frozen=True, kw_only=True):
    """Seconds of one thing done many times: median, 20th and 80th percentile, and how often it was timed."""

    median: float
    p20: float
    p80: float
    repeats: int

    @property
    def spread(self) -> float:
        """(p80 - p20) / median; over 0.05 nothing is concluded from it."""
        return (self.p80 - self.p20) / self.median if self.median else 0.0


class Transfer(Fact, frozen=True, kw_only=True):
    """A copy of `size` bytes."""

    direction: Literal["host-to-device", "device-to-host", "device", "host"]
    pinned: bool | None = None
    size: int
    time: Timing


class Gemm(Fact, frozen=True, kw_only=True):
    """A square matrix product, n by n, on a device; with its operands there, or copied there and back each time."""

    n: int
    device: str
    precision: str
    with_copies: bool = False
    time: Timing


class TrainingStep(Fact, frozen=True, kw_only=True):
    """One training step of a network at a batch size on a device, and where the time went, as far as was told apart."""

    #: dense, conv, transformer
    network: str
    device: str
    batch: int
    #: Side of the input: 28 for 28 by 28.
    input_size: int
    precision: str = "float32"
    time: Timing
    transfer_seconds: float | None = None
    input_seconds: float | None = None


class Sample(Fact, frozen=True, kw_only=True):
    """The GPU while it was measured, `at` seconds after the start."""

    at: float
    device: str
    clock_sm_mhz: int | None = None
    clock_memory_mhz: int | None = None
    temperature_c: int | None = None
    power_w: float | None = None
    utilization_percent: int | None = None
    throttle_reasons: tuple[str, ...] = ()


class Bench(Fact, frozen=True, kw_only=True):
    """One measurement of this machine."""

    framework: str
    version: str | None = None
    #: Asked for, and taken.
    seconds_asked: float
    seconds: float
    devices: tuple[str, ...] = ()
    cpu_threads: int | None = None
    transfers: tuple[Transfer, ...] = ()
    gemms: tuple[Gemm, ...] = ()
    steps: tuple[TrainingStep, ...] = ()
    samples: tuple[Sample, ...] = ()
    #: False: it was interrupted or ran out of time, and holds what was done until then.
    complete: bool = True
    #: What was left out, and why.
    notes: tuple[str, ...] = ()
