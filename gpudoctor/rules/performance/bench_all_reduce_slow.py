"""PRF020: the GPUs of this machine add up over their links at less than three quarters of what a healthy node does."""

from gpudoctor.rules._benchmarks import too_low
from gpudoctor.rules.sections import Gap, Gpus, Live, Matrix
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, run, seen


@rule("PRF020", name="bench-all-reduce-slow", severity="warning", since="0.2", when="live.bench")
def bench_all_reduce_slow(live: Live, gpus: Gpus | Gap | None, matrix: Matrix) -> Iterator[Problem]:
    """The GPUs of this machine add up over their links at less than three quarters of what a healthy node does.

    What it means:
    Training on several GPUs ends each step with a sum over all of them (all-reduce). `gpudoctor bench` timed it with
    NCCL on the eight GPUs of this machine, and their links carried less than operators of such machines accept.

    Why it breaks:
    NVLinks that are down or repeat transfers, a fabric manager that does not run, NCCL_P2P_DISABLE or a similar
    variable, an IOMMU or ACS that sends the traffic through the processor.

    How to fix it:
    Look at the links' state and counters and at what NCCL chose (NCCL_DEBUG=INFO), and measure again.

    When to ignore it:
    When programs use one GPU each, or something else was running.

    Sources:
    Limits by model: compat/gpu_reference.json, each with its source; bus bandwidth:
    https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md
    """
    bench = live.bench
    for one in too_low(bench, gpus, matrix, ("all-reduce",)) if bench else ():
        yield problem(
            f"The GPUs' links carry only {one.of_reference or 0:.0%} of what a healthy node's do.",
            seen("measured (all-reduce over 8 GPUs)", f"{one.rate / 1e9:,.0f} GB/s"),
            seen("healthy ones reach", f"{(one.reference or 0) / 1e9:,.0f} GB/s ({one.reference_of})"),
            confidence="likely",
            fix=by_hand(
                "See which links are down, and which way NCCL takes",
                run("nvidia-smi", "nvlink", "--status"),
                run("nvidia-smi", "topo", "-m"),
                "Train with NCCL_DEBUG=INFO and look for lines with 'via SHM' or 'via NET'.",
            ),
        )
