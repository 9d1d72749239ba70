"""Theory, against numbers that others published."""

import pytest

from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.matrix.peaks import peaks
from gpudoctor.knowledge.matrix.rates import host_memory_rate, pcie_rate


@pytest.mark.parametrize(
    ("megatransfers", "channels", "gigabytes"),
    [(2933, 4, 93.9), (4800, 24, 921.6), (3200, 1, 25.6), (2666, 2, 42.66)],
)
def test_host_memory(megatransfers, channels, gigabytes):
    assert host_memory_rate(megatransfers, channels) / 1e9 == pytest.approx(gigabytes, rel=1e-3)


@pytest.mark.parametrize(
    ("generation", "width", "gigabytes"),
    [
        (1, 16, 4.0),
        (2, 16, 8.0),
        (3, 16, 15.75),
        (4, 16, 31.5),
        (5, 16, 63.0),
        (4, 4, 7.88),
        (3, 1, 0.985),
        (6, 16, 118),
    ],
)
def test_pcie(generation, width, gigabytes):
    rate = pcie_rate(generation, width)
    assert rate is not None
    assert rate / 1e9 == pytest.approx(gigabytes, rel=2e-3)


def test_no_pcie_of_the_future():
    assert pcie_rate(9, 16) is None
    assert pcie_rate(4, 0) is None


@pytest.mark.parametrize("row", load_matrix().table("gpu_peaks"), ids=lambda row: row.name)
def test_the_table_of_peaks_follows_the_same_formula(row):
    """The rate of a line of the bus, times the lines."""
    if row.memory_rate_gbps and row.memory_bus_bits and row.memory_bandwidth_gbs:
        rate = row.memory_rate_gbps * row.memory_bus_bits / 8
        assert rate == pytest.approx(row.memory_bandwidth_gbs, rel=0.03)
    assert peaks(load_matrix(), row.name) == row
