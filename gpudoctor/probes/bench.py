"""Runs the benchmark of one framework and samples the GPUs meanwhile."""

import os
import sys
import tempfile
from collections.abc import Iterable
from typing import Any, TypeVar

from msgspec import structs

from gpudoctor.facts.base import Fact
from gpudoctor.facts.bench import Bench, BenchDevice, Gemm, Sample, TrainingStep, Transfer
from gpudoctor.facts.live import AgentRun
from gpudoctor.facts.python import Interpreter
from gpudoctor.host.background import Aside
from gpudoctor.host.children import stop_for_good
from gpudoctor.host.port import Host
from gpudoctor.probes.live.limits import memory_cap
from gpudoctor.probes.live.run import Asked, run_agent
from gpudoctor.probes.live.transcript import Listener, Told, Transcript
from gpudoctor.probes.nvidia.children import binding_folder, nvml_libraries
from gpudoctor.probes.nvidia.nvml_fields import reasons

#: Seconds that the framework's import and the start of its devices may take beside the measuring.
GRACE = 150.0
#: Seconds between two samples of a GPU.
PAUSE = 0.25

_F = TypeVar("_F", bound=Fact)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C. What was measured until then; the children are gone, and no more can be started."""

    def __init__(self, bench: Bench, run: AgentRun) -> None:
        super().__init__()
        self.bench = bench
        self.run = run


def measure(
    host: Host,
    interpreter: Interpreter,
    framework: str,
    *,
    seconds: float,
    devices: tuple[str, ...] | None = None,
    on_event: Listener | None = None,
) -> tuple[Bench, AgentRun]:
    """Measure `devices` (cpu, gpu:0; None: the CPU and the first GPU) for that many seconds after the import.

    To be called in the main thread, where Ctrl-C raises Interrupted. Raises nothing else.
    """
    asked = Asked(deadline=seconds + GRACE, devices=devices, seconds=seconds, memory_cap=memory_cap(host, 1))
    sampler = _Sampler(host, seconds + GRACE, wanted=devices != ("cpu",))
    sampler.start()
    work = Aside(lambda: run_agent(host, interpreter, framework, "bench", asked, on_event))
    interrupted = False
    try:
        run, facts = work.result()
    except KeyboardInterrupt:
        interrupted = True
        stop_for_good()
        run, facts = work.result()
    bench = assemble(framework, seconds, facts, sampler.stop())
    if interrupted:
        run = structs.replace(run, ending="interrupted", signal=None, code=None, reason=None)
        raise Interrupted(bench, run)
    return bench, run


def assemble(framework: str, asked: float, facts: Iterable[Told], samples: tuple[Sample, ...] = ()) -> Bench:
    """The measurement that an agent told. What it tells again after a round takes the place of what it told before."""
    told = tuple(facts)
    fields: dict[str, Any] = {"framework": framework, "seconds_asked": asked, "seconds": 0.0, "complete": False}
    for one in told:
        if one.kind == "bench":
            fields.update(one.value)
    head = Told("bench", fields).as_fact(Bench)
    if head is None:  # a bug of the agent: what it measured still stands
        head = Bench(framework=framework, seconds_asked=asked, seconds=0.0, complete=False)
    texts = (one.value.get("text") for one in told if one.kind == "note")
    return structs.replace(
        head,
        devices=_facts(told, "device", BenchDevice),
        transfers=_facts(told, "transfer", Transfer),
        gemms=_facts(told, "gemm", Gemm),
        steps=_facts(told, "step", TrainingStep),
        samples=samples,
        notes=tuple(text for text in texts if isinstance(text, str)),
    )


def _facts(told: tuple[Told, ...], name: str, kind: type[_F]) -> tuple[_F, ...]:
    found = (one.as_fact(kind) for one in told if one.kind == name)
    return tuple({_what(one): one for one in found if one is not None}.values())


def _what(fact: Fact) -> tuple[object, ...]:
    """What was measured, without what came of it."""
    results = ("time", "moved", "transfer_seconds", "input_seconds", "compute_seconds")
    return tuple(value for name, value in structs.asdict(fact).items() if name not in results)


class _Sampler:
    """A child that samples the GPUs until the measuring is over; nothing where there is no driver to ask."""

    def __init__(self, host: Host, seconds: float, *, wanted: bool) -> None:
        self._samples: tuple[Sample, ...] = ()
        self._host, self._seconds = host, seconds
        self._libraries = nvml_libraries(host) if wanted else ()
        self._folder = binding_folder()
        self._work: Aside[None] | None = None

    def start(self) -> None:
        """Begin, if there is a driver to ask."""
        if self._libraries and self._folder:
            descriptor, self._file = tempfile.mkstemp(prefix="gpudoctor-bench-")
            os.close(descriptor)
            self._work = Aside(self._run)

    def stop(self) -> tuple[Sample, ...]:
        """End it: what it saw."""
        if self._work is not None:
            os.unlink(self._file)
            self._work.result()
        return self._samples

    def _run(self) -> None:
        script = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "agent", "sample_nvml.py")
        lines = (str(self._seconds), str(PAUSE), self._file, self._folder or "", *self._libraries)
        argv = (sys.executable or "python", "-I", "-S", "-B", script)
        ran = self._host.run(argv, timeout=self._seconds + 5, stdin=os.fsencode("\n".join(lines)), cap=8 << 20)
        self._samples = parse_samples(ran.stdout)


def parse_samples(output: bytes) -> tuple[Sample, ...]:
    """The samples in the output of `agent/sample_nvml.py`."""
    transcript = Transcript((("nvml", "bench"),))
    transcript.feed(output + b"\n")
    found = (_sample(one.value) for one in transcript.parts[0].facts if one.kind == "sample")
    return tuple(one for one in found if one is not None)


def _sample(value: dict[str, Any]) -> Sample | None:
    bits = value.get("throttle_bits")
    held = reasons(bits) if isinstance(bits, int) else ()
    return Told("sample", {**value, "throttle_reasons": held}).as_fact(Sample)
