"""PRF019: the GPU works but is no faster than the CPU, because each step gives it too little to do."""

from gpudoctor.facts.bench import CPU, Bench, TrainingStep
from gpudoctor.rules._slowness import complaint
from gpudoctor.rules.sections import Gap, Gpus, Live
from gpudoctor.rules.terms import Evidence, Iterator, Problem, by_hand, problem, rule, seen

COMPLAINTS = ("gpu-no-faster-than-cpu", "gpu-little-used")
ASK = (
    "Train in larger batches or a larger network; where neither is wanted, train on the CPU. `gpudoctor bench` shows "
    "from which size on the GPU of this machine wins."
)


@rule(
    "PRF019",
    name="perf-workload-too-small",
    severity="info",
    when="live.symptoms.signature=gpu-no-faster-than-cpu|gpu-little-used",
)
def perf_workload_too_small(live: Live, gpus: Gpus | Gap | None) -> Iterator[Problem]:
    """The GPU works but is no faster than the CPU, because each step gives it too little to do.

    What it means:
    Somebody finds the GPU slow or idle, and it is not broken: a step of a small network, or of a small batch, is
    over sooner than it takes to start it and to copy its data.

    Why it breaks:
    Every operation is started from the CPU, which takes some microseconds whatever its size. A GPU wins by doing
    thousands of things at once, and a dense network of a few layers in batches of 16 has not so many.

    How to fix it:
    Enlarge the batch until the time of an epoch no longer falls; see that data is prepared ahead of time; compile the
    step (torch.compile, tf.function, jax.jit), which starts fewer operations. Small networks are well off on a CPU.

    When to ignore it:
    When another finding says that the GPU is held back, or is not used at all.

    Sources:
    https://docs.nvidia.com/deeplearning/performance/dl-performance-gpu-background/index.html (operations need enough
    work to fill a GPU); https://pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    """
    told = complaint(live, gpus, COMPLAINTS)
    if told is None:
        return
    lost, won = _against_the_cpu(live.bench) if live.bench else (None, None)
    if live.bench and won is None:
        return  # a GPU that wins nowhere has another trouble
    yield problem(
        "The GPU is used but gains little: each step is probably too small for a GPU.",
        seen("it is said", told.text),
        *_shown(lost, "faster on the CPU"),
        *_shown(won, "quicker here"),
        confidence="likely" if lost else "possible",
        fix=by_hand("Give the GPU more to do at once", ASK),
    )


def _against_the_cpu(bench: Bench) -> tuple[TrainingStep | None, TrainingStep | None]:
    """The largest step that a GPU lost and the largest that it won, of those whose timings are steady."""
    steady = [one for one in bench.steps if not one.time.noisy]
    on_cpu = {_work(one): one.time.median for one in steady if one.device == CPU}
    lost, won = None, None
    for one in sorted((one for one in steady if one.device != CPU and _work(one) in on_cpu), key=_size):
        if one.time.median < on_cpu[_work(one)]:
            won = one
        else:
            lost = one
    return lost, won


def _work(step: TrainingStep) -> tuple[str, int, int, str]:
    return step.network, step.batch, step.input_size, step.precision


def _size(step: TrainingStep) -> int:
    return step.batch * step.input_size**2


def _shown(step: TrainingStep | None, what: str) -> tuple[Evidence, ...]:
    if step is None:
        return ()
    return (seen(what, f"{step.network}, batch {step.batch}, input {step.input_size}"),)
