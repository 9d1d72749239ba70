"""Compares measured rates of a device with its peak and with healthy devices."""

from collections.abc import Iterable, Iterator

from gpudoctor.facts.base import Fact
from gpudoctor.facts.bench import CPU, TELLING_COPY, TOGETHER, Bench, BenchDevice, Sample
from gpudoctor.facts.bench_report import Achieved
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.knowledge.matrix.peaks import peaks, reference
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.rates import pcie_rate

#: Smaller products do not fill a GPU.
TELLING_PRODUCT = 4096
#: GPUs of a node, of which there are references.
NODE = 8
#: The columns of the tables of peaks and of references that hold for a precision.
_COLUMNS = {
    "float32": ("fp32_tflops", "fp32_tflops"),
    "tf32": ("tf32_tensor_tflops", None),
    "float16": ("fp16_tensor_tflops", "bf16_tflops"),
    "bfloat16": ("fp16_tensor_tflops", "bf16_tflops"),
}


class Link(Fact, frozen=True, kw_only=True):
    """A PCIe link as it was negotiated under load, as far as that is known."""

    generation: int | None = None
    width: int | None = None

    @property
    def rate(self) -> float | None:
        """Bytes a second in one direction."""
        return pcie_rate(self.generation, self.width) if self.generation and self.width else None

    def __str__(self) -> str:
        return f"PCIe {self.generation or '?'}.0 x{self.width or '?'}"


def gpu_of(device: BenchDevice, gpus: Gpus | None) -> Gpu | None:
    """The GPU that a framework measured, as NVML knows it: by UUID, by PCI address, else the only one of its name."""
    known = gpus.nvidia if gpus else ()
    for same in (
        [gpu for gpu in known if device.uuid and gpu.uuid and gpu.uuid.lower() == device.uuid.lower()],
        [gpu for gpu in known if device.pci_bus_id and gpu.pci_bus_id == device.pci_bus_id],
        [gpu for gpu in known if device.product and gpu.name == device.product],
    ):
        if same:
            return same[0] if len(same) == 1 else None
    return None


def samples_of(bench: Bench, gpu: Gpu | None) -> tuple[Sample, ...]:
    """What was sampled of that GPU during the run."""
    if gpu is None:
        return ()
    return tuple(
        one for one in bench.samples if (one.uuid == gpu.uuid if gpu.uuid else one.device == f"gpu:{gpu.index}")
    )


def link_of(bench: Bench, gpu: Gpu | None) -> Link:
    """The best link that was seen during the run (idle links slow down); else what GPU and slot can do together."""
    seen = samples_of(bench, gpu)
    generations = [one.pcie_generation for one in seen if one.pcie_generation]
    widths = [one.pcie_width for one in seen if one.pcie_width]
    still = gpu.pcie if gpu else None
    return Link(
        generation=max(generations, default=still.generation_max if still else None),
        width=max(widths, default=still.width if still else None),
    )


def achieved(bench: Bench, gpus: Gpus | None, matrix: Matrix, host_memory: float | None = None) -> tuple[Achieved, ...]:
    """Everything that can be held against something. `host_memory`: the CPU's bandwidth in theory, bytes a second."""
    found = list(_on_cpu(bench, host_memory))
    for device in bench.gpus:
        gpu = gpu_of(device, gpus)
        if gpu is None or not gpu.mig_enabled:  # a part of a GPU has its own peaks, which are not known
            found += _memory(bench, device, matrix)
            found += _products(bench, device, matrix)
        found += _copies(bench, device, gpu)
    return (*found, *_all_reduce(bench, matrix))


def _on_cpu(bench: Bench, host_memory: float | None) -> Iterator[Achieved]:
    best = bench.best_transfer("host", CPU)
    if best is not None:
        yield Achieved(
            device=CPU,
            what="memory",
            unit="B/s",
            rate=best.rate,
            peak=host_memory,
            peak_of="as given" if host_memory else None,
            noisy=best.time.noisy,
        )
    for precision in _precisions(bench, CPU):
        product = bench.best_gemm(CPU, precision)
        if product is not None:
            yield Achieved(device=CPU, what=precision, unit="FLOP/s", rate=product.rate, noisy=product.time.noisy)


def _memory(bench: Bench, device: BenchDevice, matrix: Matrix) -> Iterator[Achieved]:
    best = bench.best_transfer("device", device.name, TELLING_COPY)
    if best is None:
        return
    most, healthy = peaks(matrix, device.product or ""), reference(matrix, device.product or "")
    yield Achieved(
        device=device.name,
        what="memory",
        unit="B/s",
        rate=best.rate,
        peak=_times(most.memory_bandwidth_gbs if most else None, 1e9),
        peak_of=most.source if most and most.memory_bandwidth_gbs else None,
        reference=_times(healthy.memory_bandwidth_gbs if healthy else None, 1e9),
        reference_of=healthy.source if healthy and healthy.memory_bandwidth_gbs else None,
        telling=best.size >= TELLING_COPY,
        noisy=best.time.noisy,
    )


def _products(bench: Bench, device: BenchDevice, matrix: Matrix) -> Iterator[Achieved]:
    most, healthy = peaks(matrix, device.product or ""), reference(matrix, device.product or "")
    for precision in _precisions(bench, device.name):
        best = bench.best_gemm(device.name, precision)
        if best is None:
            continue
        in_peaks, in_references = _COLUMNS.get(precision, (None, None))
        peak = getattr(most, in_peaks) if most and in_peaks else None
        healthy_rate = getattr(healthy, in_references) if healthy and in_references else None
        yield Achieved(
            device=device.name,
            what=precision,
            unit="FLOP/s",
            rate=best.rate,
            peak=_times(peak, 1e12),
            peak_of=most.source if most and peak else None,
            reference=_times(healthy_rate, 1e12),
            reference_of=healthy.source if healthy and healthy_rate else None,
            telling=_largest(bench, device.name, precision) >= TELLING_PRODUCT,
            noisy=best.time.noisy,
        )


def _copies(bench: Bench, device: BenchDevice, gpu: Gpu | None) -> Iterator[Achieved]:
    link = link_of(bench, gpu)
    for direction in ("host-to-device", "device-to-host"):
        best = bench.best_transfer(direction, device.name, TELLING_COPY)
        if best is not None:
            yield Achieved(
                device=device.name,
                what=direction,
                unit="B/s",
                rate=best.rate,
                peak=link.rate,
                peak_of=str(link) if link.rate else None,
                telling=best.size >= TELLING_COPY,
                noisy=best.time.noisy,
            )


def _all_reduce(bench: Bench, matrix: Matrix) -> Iterator[Achieved]:
    """The sum over all GPUs that were measured; the references are of eight of one product."""
    best = bench.best_transfer("all-reduce", TOGETHER, TELLING_COPY)
    if best is None:
        return
    products = {device.product for device in bench.gpus}
    alike = len(products) == 1 and best.gpus == NODE
    healthy = reference(matrix, products.pop() or "") if alike else None
    yield Achieved(
        device=TOGETHER,
        what="all-reduce",
        unit="B/s",
        rate=best.rate,
        reference=_times(healthy.all_reduce_gbs if healthy else None, 1e9),
        reference_of=healthy.source if healthy and healthy.all_reduce_gbs else None,
        noisy=best.time.noisy,
    )


def _precisions(bench: Bench, device: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.precision for one in bench.gemms if one.device == device))


def _largest(bench: Bench, device: str, precision: str) -> int:
    sizes: Iterable[int] = (one.n for one in bench.gemms if (one.device, one.precision) == (device, precision))
    return max(sizes, default=0)


def _times(value: float | None, unit: float) -> float | None:
    return None if value is None else value * unit
