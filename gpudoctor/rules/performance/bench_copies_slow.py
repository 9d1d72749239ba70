"""PRF012: copies between RAM and the GPU reach less than three quarters of the PCIe link's speed."""

from gpudoctor.facts.bench import TELLING_COPY, TOO_LOW, Bench, Transfer
from gpudoctor.rules._benchmarks import link_of, measured_gpus
from gpudoctor.rules.sections import Gap, Gpus, Live
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen

ADVICE = (
    "Run the program on the CPU socket that the GPU is attached to (nvidia-smi topo -m shows it; numactl binds to it), "
    "and measure again when nothing else copies."
)


@rule("PRF012", name="bench-copies-slow", severity="warning", when="live.bench")
def bench_copies_slow(live: Live, gpus: Gpus | Gap | None) -> Iterator[Problem]:
    """Copies between RAM and the GPU reach less than three quarters of the PCIe link's speed.

    What it means:
    Every batch is copied to the GPU over PCIe. `gpudoctor bench` timed copies of pinned memory, the quickest there
    are, and they were far below what the link carries that was negotiated while they ran.

    Why it breaks:
    The memory of another processor socket, a virtual machine, an IOMMU that translates every address, another device
    on the same switch, or memory that is itself slow.

    How to fix it:
    Run the program on the CPU socket that the GPU is attached to. On a server of your own, look at the settings of
    PCIe and IOMMU in the firmware.

    When to ignore it:
    When your data are small, or lie on the GPU all the time.

    Sources:
    NVIDIA's nvbandwidth (https://github.com/NVIDIA/nvbandwidth) and Azure's health checks
    (https://github.com/Azure/azurehpc-health-checks) expect 67 to 83 % of the link; the rate of a link is computed from
    its generation and width (PCI Express base specification).
    """
    bench = live.bench
    for device, gpu in measured_gpus(bench, gpus):
        if bench is None or gpu is None:
            continue
        link = link_of(bench, gpu)
        for direction, what in (("host-to-device", "Copies to the GPU"), ("device-to-host", "Copies from the GPU")):
            best = _best(bench, direction, device.name)
            if best is None or link.rate is None or best.rate >= TOO_LOW * link.rate:
                continue
            yield problem(
                f"{what} reach only {best.rate / link.rate:.0%} of its PCIe link.",
                seen(f"measured, {direction}, pinned, {best.size >> 20} MiB", f"{best.rate / 1e9:.1f} GB/s"),
                seen("link under load", f"{link}, {link.rate / 1e9:.1f} GB/s"),
                subject=gpu.label,
                confidence="likely",
                fix=by_hand("Bring program and GPU together", ADVICE),
            )


def _best(bench: Bench, direction: str, device: str) -> Transfer | None:
    """The quickest large copy of pinned memory; None where none is steady."""
    found = [
        one
        for one in bench.transfers
        if (one.direction, one.device, one.pinned) == (direction, device, True)
        and one.size >= TELLING_COPY
        and not one.time.noisy
    ]
    return max(found, key=lambda one: one.rate, default=None)
