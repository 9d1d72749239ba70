"""The data of what was run: devices each framework lists, smoke trainings, benchmarks, messages printed.

Every run is an agent: a script of ours that the target executes. What a ticket's author pasted of such runs (a list of
devices, a traceback, a log) is the same facts from another source.
"""

from typing import Literal

import msgspec

from gpudoctor.facts.base import Fact, Section
from gpudoctor.facts.bench import Bench
from gpudoctor.facts.versions import Capability

#: finished: it said all it had to say, be it that a stage failed. failed: an unexpected exception. died: a signal.
#: silent: it ended (exit code 0 or not) without its last word, as os._exit does. flooded: too much output.
#: out-of-memory: a MemoryError, or stopped at our cap or by the kernel. timed-out: stopped at its deadline.
#: abandoned: not stoppable. interrupted: the user stopped the whole look. not-started: no such program.
Ending = Literal[
    "finished",
    "failed",
    "died",
    "silent",
    "flooded",
    "out-of-memory",
    "timed-out",
    "abandoned",
    "interrupted",
    "not-started",
]

#: What is run of a framework.
Task = Literal["devices", "smoke", "bench"]


class Thrown(Fact, frozen=True, kw_only=True):
    """An exception in an agent: RuntimeError, its message (capped), and the last lines of the traceback."""

    type: str
    text: str
    traceback: str | None = None


class Stage(Fact, frozen=True, kw_only=True):
    """A named part of a run: import, list, train dense float32 on gpu:0. The last one begun says where a run ended."""

    name: str
    outcome: Literal["passed", "failed", "skipped", "unfinished"]
    seconds: float | None = None
    #: Why it failed or was skipped.
    detail: str | None = None
    error: Thrown | None = None


class AgentRun(Fact, frozen=True, kw_only=True):
    """How one agent fared."""

    framework: str
    #: Named as in the schema, which is older.
    task: Task = msgspec.field(name="errand")
    ending: Ending
    #: What it was asked to use: gpu:0, cpu; None for all.
    device: str | None = None
    seconds: float = 0.0
    stages: tuple[Stage, ...] = ()
    signal: str | None = None
    code: int | None = None
    #: The exception that ended it.
    error: Thrown | None = None
    #: Largest resident size, MiB.
    peak_mib: int | None = None
    #: The lines of its output that matter, capped; and whether there was more than was kept.
    log: tuple[str, ...] = ()
    log_cut: bool = False
    #: Why it was not started, or what else there is to say: "uninterruptible sleep in nvidia_ioctl".
    reason: str | None = None

    @property
    def stopped_in(self) -> str | None:
        """The stage it was in when it ended; None if it finished."""
        return next((stage.name for stage in self.stages if stage.outcome == "unfinished"), None)


class ListedDevice(Fact, frozen=True, kw_only=True):
    """A device as a framework names it."""

    #: As the framework writes it: /physical_device:GPU:0, cuda:0, /device:XLA_GPU:0, mps.
    name: str
    kind: Literal["cpu", "gpu", "xla-cpu", "xla-gpu", "mps", "xpu", "tpu", "other"]
    #: The framework's own number of it.
    index: int | None = None
    product: str | None = None
    uuid: str | None = None
    #: 0000:01:00.0
    pci_bus_id: str | None = None
    capability: Capability | None = None
    memory_total_mib: int | None = None


class DeviceList(Fact, frozen=True, kw_only=True):
    """What one framework lists."""

    #: tensorflow, torch, keras, jax
    framework: str
    version: str | None = None
    run: AgentRun | None = None
    #: None: the run ended before it could tell.
    devices: tuple[ListedDevice, ...] | None = None
    #: Whether the framework says that it can use a GPU: torch.cuda.is_available(). None: not told.
    gpu_available: bool | None = None
    built_with_cuda: bool | None = None
    built_with_rocm: bool | None = None
    #: Versions as the running framework reports them.
    cuda: str | None = None
    cudnn: str | None = None
    nccl: str | None = None
    #: sm_80, compute_90 as torch.cuda.get_arch_list() says.
    archs: tuple[str, ...] | None = None
    #: Keras: tensorflow, torch, jax. JAX: the default backend.
    backend: str | None = None
    #: What else it says of itself, for the report: tf.test.gpu_device_name, logical devices, keras paired with.
    notes: tuple[tuple[str, str], ...] = ()

    @property
    def gpus(self) -> tuple[ListedDevice, ...] | None:
        """The GPUs of the list, each once (without the XLA_GPU twins of old TensorFlow); None where not known."""
        return None if self.devices is None else tuple(device for device in self.devices if device.kind == "gpu")


class Trial(Fact, frozen=True, kw_only=True):
    """One network trained on one device: what was asked, what came of it, and the bounds it was held to."""

    #: dense, conv, and what is done with several devices: all-reduce, data-parallel, peer-copy.
    network: str
    #: gpu:0, cpu; gpu:0+gpu:1
    device: str
    #: float32, tf32, float16, bfloat16, mixed-float16, mixed-bfloat16
    precision: str = "float32"
    #: eager, graph, xla, compile
    mode: str | None = None
    outcome: Literal["passed", "failed", "skipped"]
    #: Why it was skipped or failed: "loss did not fall", "ran on cpu", "result differs from the CPU's".
    detail: str | None = None
    error: Thrown | None = None
    steps: int | None = None
    seconds: float | None = None
    first_loss: float | None = None
    last_loss: float | None = None
    accuracy: float | None = None
    #: Accuracy it had to reach, between 0 and 1.
    threshold: float | None = None
    #: Where the framework says that it ran.
    placed_on: str | None = None
    #: Largest relative difference from the CPU's result, and what is tolerated.
    difference: float | None = None
    tolerance: float | None = None
    #: Device memory, MiB: most in use; and what was still in use at the end.
    memory_peak_mib: float | None = None
    memory_left_mib: float | None = None


class SmokeRun(Fact, frozen=True, kw_only=True):
    """Everything one framework was made to train."""

    framework: str
    version: str | None = None
    #: generated, fashion-mnist
    data: str = "generated"
    run: AgentRun
    trials: tuple[Trial, ...] = ()
    #: Copies between pairs of GPUs: (from, to, whether direct access is possible, whether the copy was right).
    peers: tuple[tuple[int, int, bool | None, bool | None], ...] | None = None

    @property
    def failed(self) -> tuple[Trial, ...]:
        """The trials that failed."""
        return tuple(trial for trial in self.trials if trial.outcome == "failed")

    @property
    def proved(self) -> bool:
        """Whether it finished, trained something, and nothing failed."""
        return self.run.ending == "finished" and not self.failed and any(t.outcome == "passed" for t in self.trials)


class Symptom(Fact, frozen=True, kw_only=True):
    """A known error message, as it was met. `signature` is its id in `gpudoctor.knowledge`."""

    signature: str
    #: The line, capped.
    text: str
    framework: str | None = None
    #: Where it was met: smoke torch on gpu:0; pasted text, line 41.
    where: str | None = None


class LoadedModel(Fact, frozen=True, kw_only=True):
    """A language model that a program holds in memory."""

    program: str
    name: str
    #: Bytes, with its context.
    size: int
    #: The part that the processor computes, in percent.
    on_cpu: int
    #: Tokens of its context.
    context: int | None = None
    #: Bytes that a person says the GPU has.
    gpu_memory_told: int | None = None


class Live(Section, frozen=True, kw_only=True):
    """What was run and what it showed. A Gap: nothing was run (check --static)."""

    devices: tuple[DeviceList, ...] = ()
    smoke: tuple[SmokeRun, ...] = ()
    symptoms: tuple[Symptom, ...] = ()
    bench: Bench | None = None
    models: tuple[LoadedModel, ...] = ()

    def listed_by(self, framework: str) -> DeviceList | None:
        """What that framework lists."""
        return next((one for one in self.devices if one.framework == framework), None)

    def smoked(self, framework: str) -> SmokeRun | None:
        """What that framework trained."""
        return next((one for one in self.smoke if one.framework == framework), None)
