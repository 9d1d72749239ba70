"""What healthy GPUs were measured to do: below their peaks, above the half of what makes a sick one."""

import pytest

from gpudoctor.knowledge.matrix.gpu_types import GpuReference
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.matrix.peaks import peaks, reference

MATRIX = load_matrix()
ROWS: tuple[GpuReference, ...] = MATRIX.table("gpu_reference")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_it_is_a_product_and_no_number_is_above_its_peak(row: GpuReference) -> None:
    assert row.name in {model.name for model in MATRIX.table("gpus")}
    assert reference(MATRIX, row.name) is row
    measured = (row.memory_bandwidth_gbs, row.fp32_tflops, row.bf16_tflops)
    assert any(measured)
    most = peaks(MATRIX, row.name)
    if most is not None:
        limits = (most.memory_bandwidth_gbs, most.fp32_tflops, most.fp16_tensor_tflops)
        for value, limit in zip(measured, limits, strict=True):
            assert value is None or limit is None or 0.3 * limit < value < limit, (value, limit)


def test_the_name_may_lack_the_maker() -> None:
    found = reference(MATRIX, "H100 80GB HBM3")
    assert found is not None
    assert (found.memory_bandwidth_gbs, found.bf16_tflops) == (2540, 794.5)
    assert reference(MATRIX, "NVIDIA GeForce RTX 9999") is None
