"""From which size on the GPU always wins."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpudoctor.bench.crossovers import crossing
from tests.bench.timings import noisy, steady

SIZES = (64, 128, 256, 512)


def curve(*milliseconds, time=steady):
    return {size: time(value / 1000) for size, value in zip(SIZES, milliseconds, strict=False)}


@pytest.mark.parametrize(
    ("cpu", "gpu", "outcome", "size", "last_loss"),
    [
        ((1, 2, 4, 8), (0.5, 0.6, 0.7, 0.8), "always", 64, None),
        ((1, 2, 4, 8), (3, 3, 3, 3), "from", 256, 128),
        ((1, 2, 4, 8), (2, 4, 8, 16), "never", None, 512),
        # A win that is lost again does not count: the threshold is where all larger sizes win.
        ((1, 2, 4, 8), (0.5, 3, 3, 3), "from", 256, 128),
        ((1, 2, 4, 8), (0.5, 1, 5, 4), "from", 512, 256),
        ((1, 2, 4, 8), (0.5, 1, 2, 9), "never", None, 512),
        # As quick as the CPU is no win.
        ((1, 2, 4, 8), (2, 2, 4, 8), "never", None, 512),
        ((1, 2), (2, 1), "from", 128, 64),
        ((1,), (0.5,), "unknown", None, None),
        ((), (), "unknown", None, None),
    ],
)
def test_crossings(cpu, gpu, outcome, size, last_loss):
    found = crossing(curve(*cpu), curve(*gpu))
    assert (found.outcome, found.size, found.last_loss) == (outcome, size, last_loss)


def test_noise_hides_a_win():
    found = crossing(curve(1, 2, 4, 8), {**curve(3, 3, 3, 3), 256: noisy(0.0039)})
    assert (found.outcome, found.size) == ("from", 512)
    found = crossing(curve(1, 2, 4, 8), {**curve(3, 3, 3, 3), 512: noisy(0.0078)})
    assert found.outcome == "unsure"


def test_noise_does_not_hide_a_win_that_is_larger_than_it():
    assert crossing(curve(10, 20, 40, 80), curve(1, 1, 1, 1, time=noisy)).outcome == "always"


def test_sizes_that_only_one_has_do_not_count():
    assert crossing(curve(1, 2, 4), {**curve(3, 3, 3), 8192: steady(0.1)}).size == 256


# A busy machine is slow to make examples.
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.floats(1e-6, 1), min_size=2, max_size=4),
    st.lists(st.floats(1e-6, 1), min_size=2, max_size=4),
)
def test_it_wins_at_every_size_from_the_crossing_on(cpu, gpu):
    first, second = curve(*cpu), curve(*gpu)
    found = crossing(first, second)
    shared = sorted(first.keys() & second.keys())
    if found.size is not None:
        assert all(second[size].median < first[size].median for size in shared if size >= found.size)
    if found.outcome == "from":
        assert shared.index(found.size) == shared.index(found.last_loss) + 1
