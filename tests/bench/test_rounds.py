"""The timing of the agents, with things to time that are known: sleeps instead of products."""

import contextlib
import importlib
import os
import time

import pytest

import gpudoctor

AGENT = os.path.join(os.path.dirname(gpudoctor.__file__), "agent")


@pytest.fixture
def agent(monkeypatch):
    """Imports a module of the agents, which only the agents' own folder holds."""
    monkeypatch.syspath_prepend(AGENT)
    return importlib.import_module


class Channel:
    def __init__(self):
        self.stages, self.facts = [], []

    @contextlib.contextmanager
    def stage(self, name):
        self.stages.append(name)
        yield {}

    def fact(self, kind, **value):
        self.facts.append((kind, value))


class Subject:
    """Sleeps `n` microseconds for a product of n; `memory` bytes are free."""

    def __init__(self, failing=(), memory=1 << 40):
        self.failing, self._memory = failing, memory

    def memory(self, _device):
        return self._memory

    def runners(self, case):
        if case.fields["n"] in self.failing:
            raise RuntimeError("CUDA error: out of memory")
        return {"time": lambda count: time.sleep(count * case.fields["n"] * 1e-6)}


def measured(agent, sizes, seconds, **subject):
    cases, rounds = agent("bench_cases"), agent("bench_rounds")
    channel, told = Channel(), []
    found = [cases.gemm("cpu", n) for n in sizes]
    work = rounds.Rounds(channel, Subject(**subject), lambda case, result: told.append((case.fields["n"], result)))
    began = time.perf_counter()
    work.measure(found, rounds.Budget(began + seconds))
    took = time.perf_counter() - began
    notes = [value["text"] for kind, value in channel.facts if kind == "note"]
    return {n: result.timing() for n, result in told}, notes, channel.stages, took


def test_three_rounds_with_time_between_them(agent):
    timings, notes, stages, _ = measured(agent, (1000, 2000), 2.0)
    assert not notes
    assert [len(one["rounds"]) for one in timings.values()] == [3, 3]
    assert stages == [f"product {n} float32 on cpu{again}" for again in ("", " (2)", " (3)") for n in (1000, 2000)]
    for n, one in timings.items():
        assert n * 1e-6 <= one["p20"] <= one["median"] <= one["p80"]
        assert one["repeats"] >= 6


def test_the_budget_is_kept_and_the_first_cases_come_first(agent):
    timings, notes, _, took = measured(agent, range(3000, 3100), 1.5)
    assert took < 1.5 + 0.5
    assert next(iter(timings)) == 3000
    assert len(timings) < 100
    assert any("no time was left" in note for note in notes)


def test_what_takes_too_long_is_left_out(agent):
    """Not even begun: the larger one is foreseen from the smaller."""
    timings, notes, stages, took = measured(agent, (1000, 1001, 8000), 1.0)
    assert set(timings) == {1000, 1001}
    assert notes == ["left out (too slow for the time there is): product 8000 float32 on cpu"]
    assert not any("8000" in stage for stage in stages)
    assert took < 1.5


def test_one_that_fails_does_not_stop_the_rest(agent):
    timings, notes, _, _ = measured(agent, (1000, 1001, 1002), 1.0, failing=(1001,))
    assert set(timings) == {1000, 1002}
    assert notes == ["left out (RuntimeError: CUDA error: out of memory): product 1001 float32 on cpu"]


def test_a_device_that_is_gone_stops_it(agent):
    timings, notes, stages, _ = measured(agent, range(1000, 1010), 2.0, failing=range(1001, 1010))
    assert set(timings) == {1000}
    assert "stopped after 3 failures in a row" in notes[0]
    assert not any("1005" in stage for stage in stages)


def test_what_needs_too_much_memory_is_left_out(agent):
    timings, notes, _, _ = measured(agent, (1000, 1001), 1.0, memory=3 * 1000 * 1000 * 4)
    assert set(timings) == {1000}
    assert "too large for the memory" in notes[0]


@pytest.mark.parametrize(
    ("share", "value"), [(0.0, 1.0), (0.5, 3.0), (1.0, 5.0), (0.2, 1.8), (0.8, 4.2)], ids=["0", "50", "100", "20", "80"]
)
def test_quantiles(agent, share, value):
    assert agent("bench_rounds").quantile([1.0, 2.0, 3.0, 4.0, 5.0], share) == pytest.approx(value)


def test_most_telling_first(agent):
    found = agent("bench_cases").cases(["float32"], [("gpu:0", ["float32", "tf32", "bfloat16"])], True)
    names = [case.name for case in found]
    assert len(set(names)) == len(names)
    assert names[:2] == [f"dense batch 64 input 28 float32 on {device}" for device in ("cpu", "gpu:0")]
    # Every step on a GPU in float32 has its partner on the CPU.
    steps = [case.fields for case in found if case.kind == "step" and case.fields["precision"] == "float32"]
    on = {
        device: {(one["network"], one["batch"], one["input_size"]) for one in steps if one["device"] == device}
        for device in ("cpu", "gpu:0")
    }
    assert on["cpu"] == on["gpu:0"]
    # Both crossings need the same sizes on all three curves.
    products = [case.fields for case in found if case.kind == "gemm" and case.fields["precision"] == "float32"]
    curves = {(one["device"], one["with_copies"]) for one in products}
    assert curves == {("cpu", False), ("gpu:0", False), ("gpu:0", True)}
    sizes = {curve: {one["n"] for one in products if (one["device"], one["with_copies"]) == curve} for curve in curves}
    assert len(set(map(frozenset, sizes.values()))) == 1


def test_without_a_gpu_nothing_of_one(agent):
    found = agent("bench_cases").cases(["float32"], [], True)
    assert {case.device for case in found} == {"cpu"}


def test_cores_and_memory(agent):
    cores = agent("bench_cores")
    assert 1 <= cores.cores() <= len(os.sched_getaffinity(0))
    assert 0 < cores.memory() <= cores.MOST_MEMORY
    assert cores.running_now() >= 1
