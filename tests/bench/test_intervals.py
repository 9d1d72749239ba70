"""Planted speeds and planted noise: the ranges hold the truth, and no conclusion is a wrong one."""

import random
from statistics import median

import pytest

from gpudoctor.bench.speedups import WORTH_IT, speedups
from gpudoctor.facts.bench import Timing
from tests.bench.timings import bench, step

TRUE = (0.5, 0.8, 1.0, 1.1, 1.5, 2.0, 5.0, 10.0, 50.0)
#: What one sample, and what a whole round, is off by; and how often a sample takes three times as long.
MACHINES = {"idle": (0.01, 0.01, 0.0), "shared": (0.15, 0.08, 0.05), "loaded": (0.3, 0.2, 0.1)}
RUNS = 100


def timed(seconds: float, noise: tuple[float, float, float], seed: random.Random) -> Timing:
    """As the agent times: three rounds of fifteen."""
    of_sample, of_round, outliers = noise
    rounds = []
    for _ in range(3):
        slow = seconds * seed.lognormvariate(0, of_round)
        rounds.append([
            slow * seed.lognormvariate(0, of_sample) * (3 if seed.random() < outliers else 1) for _ in range(15)
        ])  # fmt: skip
    samples = sorted(sample for one in rounds for sample in one)
    fifth = len(samples) // 5
    return Timing(
        median=median(samples), p20=samples[fifth], p80=samples[-fifth - 1], repeats=len(samples),
        rounds=tuple(median(one) for one in rounds),
    )  # fmt: skip


def measured(true: float, noise: tuple[float, float, float], seed: random.Random):
    quick, slow = (lambda _, one=seconds: timed(one, noise, seed) for seconds in (0.01, 0.01 * true))
    (found,) = speedups(bench(step("conv", 1.0, "cpu", time=slow), step("conv", 1.0, time=quick)))
    return found


@pytest.mark.parametrize("name", MACHINES)
def test_the_range_holds_the_truth(name):
    seed = random.Random(name)
    held = [
        one.low <= true <= one.high
        for true in TRUE
        for one in (measured(true, MACHINES[name], seed) for _ in range(RUNS))
    ]
    assert sum(held) / len(held) >= 0.9


@pytest.mark.parametrize("name", MACHINES)
def test_no_conclusion_is_wrong(name):
    seed = random.Random(name)
    for true in TRUE:
        told = [measured(true, MACHINES[name], seed) for _ in range(RUNS)]
        settled = [one for one in told if not one.noisy]
        wrong = [one for one in settled if (one.ratio >= WORTH_IT) != (true >= WORTH_IT)]
        assert len(wrong) <= RUNS / 100, true


@pytest.mark.parametrize("true", [0.25, 5.0, 10.0, 50.0])
def test_a_loaded_machine_concludes_what_an_idle_one_does(true):
    seed = random.Random(7)
    idle, loaded = ([measured(true, MACHINES[name], seed) for _ in range(RUNS)] for name in ("idle", "loaded"))
    assert not any(one.noisy for one in idle)
    assert sum(not one.noisy for one in loaded) / RUNS >= 0.85
