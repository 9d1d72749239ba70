"""From what an agent told to a measurement, however the agent ended."""

import json

from gpudoctor.probes.bench import assemble, parse_samples
from gpudoctor.probes.live.transcript import Told

TIME = {"median": 0.002, "p20": 0.0019, "p80": 0.0021, "repeats": 5, "rounds": [0.002]}
GEMM = {"n": 512, "device": "cpu", "precision": "float32", "with_copies": False}


def told(kind, **value):
    return Told(kind, value)


def test_a_later_round_takes_the_place_of_an_earlier_one():
    again = {**TIME, "repeats": 10, "rounds": [0.002, 0.0021]}
    found = assemble("torch", 30, (told("gemm", time=TIME, **GEMM), told("gemm", time=again, **GEMM)))
    (one,) = found.gemms
    assert one.time.repeats == 10
    assert not found.complete


def test_different_things_stay_apart():
    other = {**GEMM, "with_copies": True}
    assert len(assemble("torch", 30, (told("gemm", time=TIME, **GEMM), told("gemm", time=TIME, **other))).gemms) == 2


def test_an_agent_that_ended_early_leaves_what_it_told():
    found = assemble("torch", 30, (told("bench", framework="torch", version="2.13.0", seconds_asked=30.0),))
    assert (found.version, found.complete, found.measured) == ("2.13.0", False, ())
    assert assemble("torch", 30, ()).complete is False


def test_facts_that_are_none_are_left_out():
    found = assemble(
        "torch", 30, (told("gemm", time="soon", **GEMM), told("note", text=7), told("note", text="a note"))
    )
    assert found.gemms == ()
    assert found.notes == ("a note",)


def test_samples():
    value = {"device": "gpu:0", "at": 0.5, "temperature_c": 60, "throttle_bits": 0x4 | 0x40}
    lines = [
        json.dumps({"fact": "sample", "value": one}) for one in (value, {"device": "gpu:0"}, {**value, "at": "now"})
    ]
    found = parse_samples("".join(f"@gpudoctor {line}\n" for line in lines).encode() + b"@gpudoctor {torn")
    (one,) = found
    assert (one.at, one.temperature_c) == (0.5, 60)
    assert one.throttle_reasons == ("SwPowerCap", "HwThermalSlowdown")
    assert parse_samples(b"") == ()
