"""Peaks of GPUs: bandwidth from bus and data rate, FP32 from lanes and clock, no slip of a unit, variants apart."""

from pathlib import Path

import pytest

from gpudoctor.facts.versions import Capability
from gpudoctor.knowledge.matrix.gpu_types import GpuPeaks
from gpudoctor.knowledge.matrix.load import load_matrix, read_table
from gpudoctor.knowledge.matrix.peaks import peaks
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.tables import LOOKED_UP, TABLES, MatrixUnreadable

MATRIX = load_matrix()
ROWS: tuple[GpuPeaks, ...] = MATRIX.table("gpu_peaks")
#: What two facts of one GPU may differ by: makers round, and some state a clock a step below the highest.
SLACK = 0.03
#: Smallest and largest value of any GPU that is known: a number in another unit falls outside.
RANGES = {
    "memory_gb": (2, 400),
    "memory_bus_bits": (64, 8192),
    "memory_rate_gbps": (1, 40),
    "memory_bandwidth_gbs": (80, 10_000),
    "sm_count": (4, 200),
    "fp32_lanes": (512, 25_000),
    "boost_mhz": (500, 3_200),
    "fp32_tflops": (1, 150),
    "fp16_tensor_tflops": (20, 3_000),
    "tf32_tensor_tflops": (10, 1_500),
    "tdp_watts": (10, 1_500),
}
#: FP32 lanes of an SM. Source: CUDA C++ programming guide, "Arithmetic Instructions".
LANES = {"3.5": 192, "3.7": 192, "5.2": 128, "6.0": 64, "6.1": 128, "7.0": 64, "7.5": 64, "8.0": 64}
TENSOR_CORES_FROM = Capability("7.0")
TF32_FROM = Capability("8.0")


def row(name: str) -> GpuPeaks:
    found = peaks(MATRIX, name)
    assert found is not None, name
    return found


def capability(one: GpuPeaks) -> Capability:
    found = {model.capability for model in MATRIX.models_by_name(one.name)}
    assert len(found) == 1, one.name
    return found.pop()


def by_name(one: GpuPeaks) -> str:
    return one.name


each = pytest.mark.parametrize("one", ROWS, ids=by_name)


@each
def test_it_is_a_product_of_the_table_of_gpus(one: GpuPeaks) -> None:
    assert one.name in {model.name for model in MATRIX.table("gpus")}
    assert peaks(MATRIX, one.name) is one


@each
def test_units(one: GpuPeaks) -> None:
    assert any(getattr(one, field) is not None for field in RANGES)
    for field, (least, most) in RANGES.items():
        value = getattr(one, field)
        assert value is None or least <= value <= most, field


@each
def test_bandwidth_is_bus_width_times_data_rate(one: GpuPeaks) -> None:
    if None not in (one.memory_bus_bits, one.memory_rate_gbps):
        assert one.memory_bandwidth_gbs == pytest.approx(one.memory_bus_bits * one.memory_rate_gbps / 8, rel=SLACK)


@each
def test_fp32_is_two_operations_a_lane_and_clock(one: GpuPeaks) -> None:
    if None not in (one.fp32_lanes, one.boost_mhz):
        assert one.fp32_tflops == pytest.approx(2 * one.fp32_lanes * one.boost_mhz / 1e6, rel=SLACK)


@each
def test_lanes_are_those_of_its_sms(one: GpuPeaks) -> None:
    assert (one.sm_count is None) == (one.fp32_lanes is None) or one.notes
    if one.fp32_lanes is not None:
        assert one.fp32_lanes == one.sm_count * LANES.get(str(capability(one)), 128)


@each
def test_tensor_peaks_are_dense_and_of_gpus_that_have_tensor_cores(one: GpuPeaks) -> None:
    if one.fp16_tensor_tflops is not None:
        assert capability(one) >= TENSOR_CORES_FROM
    if one.tf32_tensor_tflops is not None:
        assert capability(one) >= TF32_FROM
        # A TF32 peak next to an FP16 peak with sparsity would be a fourth.
        assert one.tf32_tensor_tflops == pytest.approx(one.fp16_tensor_tflops / 2, rel=SLACK)
    if one.fp16_tensor_tflops is not None and one.fp32_tflops is not None:
        geforce = "GeForce" in one.name
        ratio = one.fp16_tensor_tflops / one.fp32_tflops
        # With FP16 accumulation GeForce is twice as fast as with FP32; with sparsity all since Ampere are.
        most = 4.1 if geforce and capability(one) < TF32_FROM else 2.1 if geforce else 17
        assert 1.9 <= ratio <= most


@pytest.mark.parametrize(
    ("slower", "faster", "field"),
    [
        ("NVIDIA A100 80GB PCIe", "NVIDIA A100-SXM4-80GB", "memory_bandwidth_gbs"),
        ("NVIDIA A100 80GB PCIe", "NVIDIA A100-SXM4-80GB", "tdp_watts"),
        ("NVIDIA A100-SXM4-40GB", "NVIDIA A100-SXM4-80GB", "memory_bandwidth_gbs"),
        ("NVIDIA H100 PCIe", "NVIDIA H100 80GB HBM3", "memory_bandwidth_gbs"),
        ("NVIDIA H100 PCIe", "NVIDIA H100 80GB HBM3", "fp16_tensor_tflops"),
        ("NVIDIA H100 PCIe", "NVIDIA H100 80GB HBM3", "sm_count"),
        ("NVIDIA H200 NVL", "NVIDIA H200", "fp16_tensor_tflops"),
        ("Tesla P100-PCIE-12GB", "Tesla P100-PCIE-16GB", "memory_bandwidth_gbs"),
        ("Tesla P100-PCIE-16GB", "Tesla P100-SXM2-16GB", "fp32_tflops"),
        ("Tesla V100-PCIE-16GB", "Tesla V100-SXM2-16GB", "fp32_tflops"),
        ("Tesla V100-PCIE-32GB", "Tesla V100S-PCIE-32GB", "memory_bandwidth_gbs"),
        ("NVIDIA L40", "NVIDIA L40S", "fp16_tensor_tflops"),
        (
            "NVIDIA RTX PRO 6000 Blackwell Server Edition",
            "NVIDIA RTX PRO 6000 Blackwell Workstation Edition",
            "memory_bandwidth_gbs",
        ),
    ],
)
def test_variants_of_a_product_are_apart(slower: str, faster: str, field: str) -> None:
    assert getattr(row(slower), field) < getattr(row(faster), field)


@pytest.mark.parametrize(
    ("name", "bandwidth", "fp16"),
    [
        ("NVIDIA GeForce RTX 3090", 936, 71),
        ("NVIDIA GeForce RTX 4090", 1008, 165),
        # Not 419, which is with FP16 accumulation or with sparsity.
        ("NVIDIA GeForce RTX 5090", 1792, 209.5),
        ("NVIDIA A100-SXM4-80GB", 2039, 312),
        # Not 1979, which is with sparsity.
        ("NVIDIA H100 80GB HBM3", 3350, 989),
        ("NVIDIA H200", 4800, 989),
        ("Tesla T4", 320, 65),
        ("Tesla V100-SXM2-16GB", 900, 125),
    ],
)
def test_known_gpus(name: str, bandwidth: float, fp16: float) -> None:
    assert row(name).memory_bandwidth_gbs == pytest.approx(bandwidth, rel=0.005)
    assert row(name).fp16_tensor_tflops == pytest.approx(fp16, rel=0.005)


def test_names_as_drivers_write_them() -> None:
    assert peaks(MATRIX, "GeForce RTX 3090") is peaks(MATRIX, "NVIDIA GeForce RTX 3090")
    assert peaks(MATRIX, "GH200 480GB") is not None
    assert peaks(MATRIX, "NVIDIA GeForce RTX 3090 Laptop GPU") is None


def test_every_number_has_a_citation_and_a_date() -> None:
    assert all(one.source and one.checked and one.confidence for one in ROWS)


@each
def test_what_the_maker_states_is_named_where_the_row_is_less_sure(one: GpuPeaks) -> None:
    assert set(one.official) <= {fact for fact in RANGES if getattr(one, fact) is not None}
    assert not (one.official and one.confidence == "official")


def test_a_number_is_the_makers_own_or_is_not() -> None:
    h100, a100, t4 = row("NVIDIA H100 PCIe"), row("NVIDIA A100-SXM4-40GB"), row("Tesla T4")
    assert h100.is_official("fp16_tensor_tflops")
    # 2039 is worked out; data sheets say 2 TB/s.
    assert not h100.is_official("memory_bandwidth_gbs")
    assert a100.is_official("memory_bandwidth_gbs")
    assert not t4.is_official("memory_bandwidth_gbs")
    assert not row("NVIDIA A30").is_official("boost_mhz"), "not known at all"


def test_what_a_check_asks_does_not_read_it() -> None:
    read: list[str] = []

    def reading(name: str) -> bytes:
        read.append(name)
        return read_table(name)

    matrix = Matrix(reading)
    assert matrix.edition
    for name in TABLES:
        matrix.table(name)
    assert matrix.models_by_name("NVIDIA GeForce RTX 3090")
    assert not set(read) & set(LOOKED_UP)


def test_a_missing_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(MatrixUnreadable, match=r"gpu_peaks\.json cannot be read"):
        peaks(Matrix(lambda name: read_table(name, str(tmp_path))), "Tesla T4")


#: GB/s of all NVLinks of a GPU in one direction (NVIDIA's architecture papers of V100, A100 and H100).
NVLINK = {"V100": 150, "A100": 300, "H100": 450, "H200": 450}


def test_limits_of_sums_over_gpus_are_possible() -> None:
    """Not far below what the links carry; above it by no more than sums within the switch gain."""
    limits = {row.name: row.all_reduce_gbs for row in MATRIX.table("gpu_reference") if row.all_reduce_gbs}
    assert len(limits) == 5
    for name, limit in limits.items():
        links = next(rate for model, rate in NVLINK.items() if model in name)
        assert 0.7 * links <= limit <= 1.1 * links, name
