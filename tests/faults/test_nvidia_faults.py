"""A sample of all faults through the real scripts, the real binding and compiled libraries, up to the verdict.

GPUDOCTOR_FAULTS=N takes N of them, 0 all (some 7,000; an hour on two cores); GPUDOCTOR_FAULTS_SEED another sample;
GPUDOCTOR_FAULTS_PART=2/12 the second of twelve parts of them, so that a long run can be cut off.
"""

import os
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import pytest
from msgspec import structs

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.diagnosis.verdict import report_of
from gpudoctor.facts.codec import decode, encode
from gpudoctor.facts.gpus import Gpus, Refusal
from gpudoctor.facts.report import Report
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.probes.gpus import probe as gpus
from gpudoctor.probes.take import _guarded
from gpudoctor.rules._refused_calls import is_grave
from gpudoctor.rules.load import load_rules
from gpudoctor.sources.nvidia_codes import CUDA_UNSUPPORTED, NVML_UNSUPPORTED
from tests import whole
from tests.fake_driver import FakeDriver, FakeMachine, compiled_driver, machine, on_bus  # noqa: F401 - fixture
from tests.faults.nvidia_faults import Fault, every_fault, some_faults

NUMBER = int(os.environ.get("GPUDOCTOR_FAULTS", "140"))
SEED = int(os.environ.get("GPUDOCTOR_FAULTS_SEED", "0"))
PART, PARTS = map(int, os.environ.get("GPUDOCTOR_FAULTS_PART", "1/1").split("/"))
BUDGET = 2.0
#: As for every child: its budget and two seconds; and as much for others that use the machine meanwhile.
PROMISE, LOAD = 2.0, 2.0
#: So many of the sample are timed: one by one, since beside other tests their seconds say nothing.
TIMED = 30
AT_ONCE = 3
#: Without these no GPU is judged, whatever code they are refused with.
DECIDING = ("nvmlInitWithFlags", "nvmlDeviceGetCount_v2", "nvmlDeviceGetHandleByIndex_v2", "cuInit", "cuDeviceGetCount")


class Look(NamedTuple):
    """What came of a fault. `told` is what the libraries told, without how they were asked."""

    report: Report
    told: bytes
    seconds: float


def look(fault: Fault, variables: dict[str, str]) -> Look:
    host = host_for(fault, variables)
    crashes: list[str] = []
    began = time.monotonic()
    found = _guarded(crashes, lambda: gpus.probe(host, BUDGET))
    seconds = time.monotonic() - began
    assert not crashes, f"{fault.name}: {crashes}"
    seen, nvml, cuda = found
    state = whole.driver("580.65.06", nvml=nvml.nvml, cuda_init=cuda.cuda_init)
    snapshot = whole.machine(driver=state, frameworks=(whole.framework("torch", "2.6.0+cu124"),))
    snapshot = structs.replace(snapshot, gpus=seen)
    assert decode(encode(snapshot), Snapshot) == snapshot, fault.name
    report = report_of(snapshot, diagnose(snapshot, load_matrix(), load_rules()), matrix=load_matrix())
    assert not report.diagnosis.crashed, f"{fault.name}: {report.diagnosis.crashed}"
    return Look(report, encode(structs.replace(snapshot, taken_at=None)), seconds)


def host_for(fault: Fault, variables: dict[str, str]) -> FakeMachine:
    bus = on_bus(2, device=0x2204)
    if fault.script is None:
        return FakeMachine.with_driver(variables, **bus)
    return FakeMachine({**bus["files"], variables["SMI"]: ""}, links=bus["links"], env=variables)


@pytest.fixture(scope="module")
def looks(fake_driver: FakeDriver, tmp_path_factory) -> list[tuple[Fault, Look]]:
    faults = [Fault("code", "nothing", "0", machine("RTX 3090", 2)), *some_faults(NUMBER, SEED)[PART - 1 :: PARTS]]
    prepared = [(fault, prepare(fake_driver, fault, tmp_path_factory)) for fault in faults]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        asked = [(fault, pool.submit(look, fault, variables)) for fault, variables in prepared]
        return [(fault, future.result()) for fault, future in asked]


def prepare(driver: FakeDriver, fault: Fault, folders) -> dict[str, str]:
    if fault.script is None:
        return driver.environment(fault.lines)
    tool = folders.mktemp("smi") / "nvidia-smi"
    tool.write_text(f"#!/bin/sh\n{fault.script}\n")
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    return {"GPUDOCTOR_TOOL_PATH": str(tool.parent), "PATH": os.environ["PATH"], "SMI": str(tool)}


@pytest.mark.timed
def test_each_ends_in_time(fake_driver: FakeDriver, tmp_path_factory) -> None:
    """Those that hang or die first: the others end by themselves."""
    sample = sorted(some_faults(NUMBER, SEED), key=lambda fault: fault.kind not in ("hang", "death"))[:TIMED]
    taken = {fault.name: look(fault, prepare(fake_driver, fault, tmp_path_factory)).seconds for fault in sample}
    assert {name: seconds for name, seconds in taken.items() if seconds > BUDGET + PROMISE + LOAD} == {}


def test_none_is_healthy_on_what_was_not_told(looks) -> None:
    (_, well), *rest = looks
    assert well.report.verdict == "healthy", well.report.unseen
    false = [
        fault.name for fault, seen in rest if seen.report.verdict in ("healthy", "no-gpu") and ill(fault, seen, well)
    ]
    assert false == []


def ill(fault: Fault, seen: Look, well: Look) -> bool:
    """Whether what was told leaves a doubt. A function that is not asked, or has no such fact, leaves none."""
    if seen.told == well.told or fault.call.removeprefix("1.") in DECIDING:
        return seen.told != well.told
    snapshot = seen.report.snapshot
    answers = (snapshot.driver.nvml, snapshot.driver.cuda_init)
    if not all(answer.ok and answer.device_count == 2 for answer in answers):
        return True
    if fault.kind == "contradiction":
        return True
    if fault.kind == "code" and int(fault.how) in (*NVML_UNSUPPORTED, *CUDA_UNSUPPORTED):
        return False
    return any(is_grave(refusal) for refusal in refusals(snapshot))


def refusals(snapshot: Snapshot) -> tuple[Refusal, ...]:
    assert isinstance(snapshot.gpus, Gpus)
    of_gpus = (refusal for gpu in snapshot.gpus.devices for refusal in gpu.refusals)
    return (*of_gpus, *snapshot.driver.nvml.refusals, *snapshot.driver.cuda_init.refusals)


def test_whatever_is_refused_is_said(looks) -> None:
    """A code that speaks of an error is in a finding, if only a warning, or in what was not seen."""
    for fault, seen in looks[1:]:
        said = [one for one in seen.report.diagnosis.findings if one.severity != "info"] or seen.report.unseen
        snapshot = seen.report.snapshot
        if isinstance(snapshot.gpus, Gpus) and refusals(snapshot):
            assert said, fault.name


def test_how_it_ended_is_named(looks) -> None:
    """A death is a death, a hang a hang: whoever of the two was asked."""
    expected = {"death": ("crashed", "garbage"), "hang": ("timed-out", "stuck")}
    wrong = [
        (fault.name, outcomes)
        for fault, seen in looks[1:]
        if fault.kind in expected and seen.told != looks[0][1].told
        for outcomes in [(seen.report.snapshot.driver.nvml.outcome, seen.report.snapshot.driver.cuda_init.outcome)]
        if not set(outcomes) & set(expected[fault.kind])
    ]
    assert wrong == []


def test_there_are_enough_of_them() -> None:
    kinds = [fault.kind for fault in every_fault()]
    assert kinds.count("hang") >= 300 and kinds.count("death") >= 1400 and len(kinds) >= 4200
    assert len({fault.name for fault in every_fault()}) >= 4200
