"""The data of `gpudoctor advise`: the job, and its time, memory and cost on each device."""

from typing import Literal

from gpudoctor.facts.base import Fact
from gpudoctor.facts.matlab import OnGpu

ADVICE_SCHEMA = 1
#: train: all parameters. lora: small matrices beside them. run: no training.
Task = Literal["train", "lora", "run"]
Precision = Literal["float32", "mixed"]
Costs = Literal["nothing", "effort", "money"]


class Job(Fact, frozen=True, kw_only=True):
    """A network and what is done with it; `flops` and `stored` are of the forward pass of one sample."""

    title: str
    #: The preset, if it is one.
    network: str | None = None
    task: Task = "train"
    kind: Literal["dense", "conv", "transformer", "recurrent"] = "conv"
    parameters: float
    flops: float
    #: Elements that its layers put out.
    stored: float
    #: Operations of a framework.
    operations: int
    sample: str = "sample"
    sample_bytes: float = 0.0
    samples: int
    epochs: int = 1
    batch: int
    #: None: mixed where the device has it, as frameworks advise.
    precision: Precision | None = None


class Interval(Fact, frozen=True, kw_only=True):
    """A number with the range in which it is expected."""

    low: float
    middle: float
    high: float


def total_seconds(job: Job, rate: Interval) -> Interval:
    """How long the whole job takes; the low end is the quick one."""
    samples = job.samples * job.epochs
    return Interval(low=samples / rate.high, middle=samples / rate.middle, high=samples / rate.low)


class Estimate(Fact, frozen=True, kw_only=True):
    """The job on one device."""

    device: str
    kind: Literal["cpu", "gpu"] = "gpu"
    here: bool = False
    precision: Precision = "float32"
    #: Samples a second; None where data are missing, which `missing` says.
    rate: Interval | None = None
    missing: str = ""
    #: What it waits for.
    bound: Literal["arithmetic", "memory", "starting operations", "copies"] | None = None
    #: measured: on this machine. published: this network on this GPU. derived: from peaks and published shares of them.
    basis: Literal["measured", "published", "derived"] = "derived"
    memory_needed: float = 0.0
    memory_there: float | None = None
    #: The largest batch that fits, 0 where none does; None where the memory is not known.
    largest_batch: int | None = None
    #: Newest builds that serve the GPU, as "torch 2.14.1+cu130".
    builds: tuple[str, ...] = ()
    #: What is to be known of an old GPU.
    note: str = ""
    #: In the currency of the price file.
    price: float | None = None

    @property
    def fits(self) -> bool | None:
        """Whether the batch that was asked for fits; None is not known."""
        return None if self.memory_there is None else self.memory_needed <= self.memory_there


class Option(Fact, frozen=True, kw_only=True):
    """Something to do, the cheapest first; `costs` is nothing, effort or money."""

    costs: Costs
    title: str
    why: str


class AdviceReport(Fact, frozen=True, kw_only=True, omit_defaults=False):
    """Everything that `gpudoctor advise` says."""

    schema: int = ADVICE_SCHEMA
    job: Job
    answer: str
    estimates: tuple[Estimate, ...]
    options: tuple[Option, ...]
    currency: str = ""
    prices_of: str = ""
    #: Where the numbers come from, and what they leave out.
    basis: tuple[str, ...] = ()
    #: The MATLABs that are installed, on the GPUs here.
    matlab: tuple[OnGpu, ...] = ()
