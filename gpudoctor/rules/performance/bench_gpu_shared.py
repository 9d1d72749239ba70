"""PRF015: other programs used the GPU during the benchmark, so its numbers are too low."""

from gpudoctor.rules._benchmarks import measured_gpus, others_on
from gpudoctor.rules.sections import Gap, Gpus, Live
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen


@rule("PRF015", name="bench-gpu-shared", severity="info", when="live.bench")
def bench_gpu_shared(live: Live, gpus: Gpus | Gap | None) -> Iterator[Problem]:
    """Other programs used the GPU during the benchmark, so its numbers are too low.

    What it means:
    The GPU did not work for the measurement alone. What it lacks then says nothing about the GPU.

    Why it breaks:
    It does not break: programs that share a GPU take turns.

    How to fix it:
    Measure again when nothing else uses it; nvidia-smi lists who does.

    When to ignore it:
    When the other programs are always there, and you want to know what is left beside them.

    Sources:
    NVML API reference, nvmlDeviceGetComputeRunningProcesses, https://docs.nvidia.com/deploy/nvml-api/
    """
    for _, gpu in measured_gpus(live.bench, gpus):
        count = others_on(gpu)
        if gpu is None or not count:
            continue
        names = ", ".join(f"{one.name or 'PID'} ({one.pid})" for one in gpu.processes or () if one.kind == "compute")
        yield problem(
            f"{count} other program{'' if count == 1 else 's'} used the GPU during the benchmark, "
            "so its numbers are too low.",
            seen("on the GPU before the measuring began", names),
            subject=gpu.label,
            fix=by_hand("Measure again alone", "Measure again when nvidia-smi lists no other program."),
        )
