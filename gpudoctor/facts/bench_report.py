"""The data of a benchmark's conclusion: speed-ups, crossovers, estimates, and the report of it all."""

from typing import Literal

from gpudoctor.facts.base import Fact
from gpudoctor.facts.bench import Bench
from gpudoctor.facts.finding import Finding
from gpudoctor.facts.live import AgentRun

BENCH_SCHEMA = 1


class Achieved(Fact, frozen=True, kw_only=True):
    """A rate that was reached, the most that is possible, and what healthy ones were measured to reach."""

    device: str
    #: memory, float32, tf32, float16, bfloat16, host-to-device, device-to-host, all-reduce
    what: str
    unit: Literal["B/s", "FLOP/s"]
    rate: float
    #: None: not known.
    peak: float | None = None
    #: Where the peak comes from, in words.
    peak_of: str | None = None
    reference: float | None = None
    reference_of: str | None = None
    #: False: it was measured at sizes that cannot fill the device, so that nothing follows from a low rate.
    telling: bool = True
    noisy: bool = False

    @property
    def of_peak(self) -> float | None:
        """Share of the peak."""
        return self.rate / self.peak if self.peak else None

    @property
    def of_reference(self) -> float | None:
        """Share of what healthy ones reach."""
        return self.rate / self.reference if self.reference else None


class Speedup(Fact, frozen=True, kw_only=True):
    """How many times as quick a training step is on a GPU as on the CPU; `low` and `high` by the ranges of both.

    `noisy`: the range does not settle whether the GPU is worth it.
    """

    network: str
    device: str
    batch: int
    input_size: int
    precision: str
    ratio: float
    low: float
    high: float
    noisy: bool = False


class Crossover(Fact, frozen=True, kw_only=True):
    """From which size of matrix on a GPU always wins over the CPU; outcomes as `bench.crossovers` has them."""

    device: str
    with_copies: bool
    outcome: Literal["always", "from", "never", "unsure", "unknown"]
    size: int | None = None
    last_loss: int | None = None


class Estimate(Fact, frozen=True, kw_only=True):
    """What a GPU that is not here would gain, worked out from peaks and this CPU's rates. No measurement."""

    product: str
    #: Times as quick where products of matrices decide, and where memory does; None: not known.
    compute: float | None = None
    memory: float | None = None
    #: Size of a product from which copying it to the GPU and back would pay.
    crossover: int | None = None
    source: str = ""

    @property
    def least(self) -> float | None:
        """The smaller of the two: what to expect of training that keeps the GPU busy."""
        known = [one for one in (self.compute, self.memory) if one is not None]
        return min(known) if len(known) == 2 else None


class Conclusion(Fact, frozen=True, kw_only=True):
    """What follows, in words and in numbers."""

    sentences: tuple[str, ...] = ()
    speedups: tuple[Speedup, ...] = ()
    crossovers: tuple[Crossover, ...] = ()
    achieved: tuple[Achieved, ...] = ()
    estimates: tuple[Estimate, ...] = ()
    #: How many of all timings are too noisy to conclude anything from.
    noisy: int = 0
    timings: int = 0


class BenchReport(Fact, frozen=True, kw_only=True, omit_defaults=False):
    """A measurement, how it went, what follows from it and what is wrong."""

    schema: int = BENCH_SCHEMA
    doctor: str
    taken_at: str
    #: The CPU's name.
    processor: str | None = None
    bench: Bench
    run: AgentRun
    conclusion: Conclusion
    findings: tuple[Finding, ...] = ()
