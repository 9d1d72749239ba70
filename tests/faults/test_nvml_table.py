"""Every NVML call, times every return code, times kinds of GPU: what is refused is unknown, never another value.

All of it goes through the real script, the real binding and compiled libraries, in one child a kind of GPU; a sample
with a child of its own for each is in test_nvml_children.
"""

import os
import re
import subprocess
import sys

import pytest

from gpudoctor.facts.base import Gap
from gpudoctor.facts.gpus import Gpu, Gpus, PcieLink, Power
from gpudoctor.host.port import Ran
from gpudoctor.host.recorded import RecordedHost
from gpudoctor.probes.gpus import probe as gpus
from gpudoctor.probes.nvidia.children import _AGENT, NvmlFacts, binding_folder
from gpudoctor.probes.nvidia.replies import parse_nvml
from gpudoctor.sources.nvidia_codes import nvml_code
from tests.fake_driver import SOURCES, FakeDriver, compiled_driver, machine, on_bus  # noqa: F401 - fixture
from tests.fake_driver.profiles import PROFILES, as_text

CODES = [*range(1, 31), 999]
CALLS = sorted(set(re.findall(r"\bnvml(?:Init|System|Device)\w+", (SOURCES / "nvml.c").read_text())))
DECIDING = ("nvmlInitWithFlags", "nvmlDeviceGetCount_v2")
NOT_OF_A_GPU = (*DECIDING, "nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetP2PStatus")
UNSUPPORTED = (3, 13)


@pytest.fixture(scope="module")
def ask(fake_driver: FakeDriver):
    binding = binding_folder()
    assert binding is not None

    def answers(scenarios: list[dict]) -> list[bytes]:
        ran = subprocess.run(
            [
                sys.executable,
                str(SOURCES / "batch.py"),
                _AGENT,
                binding,
                str(fake_driver.folder / "both/libnvidia-ml.so.1"),
            ],
            input=b"\0".join(as_text(scenario).encode() for scenario in scenarios),
            stdout=subprocess.PIPE,
            check=True,
            env={**os.environ, "FAKE_DRIVER": ""},
        )
        return ran.stdout.split(b"\0")

    return answers


def ran_with(transcript: bytes) -> Ran:
    return Ran(argv=(), outcome="exited", code=0, stdout=transcript)


def test_the_table_is_of_real_calls() -> None:
    assert len(CALLS) >= 50
    assert {"nvmlDeviceGetMemoryInfo_v2", "nvmlDeviceGetPowerUsage", *NOT_OF_A_GPU} <= set(CALLS)
    assert all(nvml_code(code).meaning for code in CODES)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_refused_fact_is_unknown_and_nothing_else(profile: str, ask) -> None:
    table = [(call, code) for call in CALLS for code in CODES]
    healthy = machine(profile)
    first, *rest = ask([healthy, *({**healthy, f"err.{call}": code} for call, code in table)])
    well = parse_nvml(ran_with(first))
    assert well.nvml.ok and well.gpus[0].name == PROFILES[profile]["name"] and not well.gpus[0].refusals
    for (call, code), transcript in zip(table, rest, strict=True):
        check(well, parse_nvml(ran_with(transcript)), call, code)


def check(well: NvmlFacts, ill: NvmlFacts, call: str, code: int) -> None:
    where = f"{call} = {code}"
    if call in DECIDING:
        assert (ill.nvml.ok, ill.nvml.code, ill.gpus) == (False, code, ()), where
        return
    assert ill.nvml.ok and ill.nvml.device_count == len(ill.gpus) == 1, where
    assert ill.release in (well.release, None) and ill.cuda in (well.cuda, None), where
    lost = differences(well.gpus[0], ill.gpus[0], where)
    if ill.release is None or ill.cuda is None:
        assert code in UNSUPPORTED or [refusal.code for refusal in ill.nvml.refusals] == [code], where
    if call == "nvmlDeviceGetHandleByIndex_v2":
        assert [refusal.code for refusal in ill.gpus[0].refusals] == [code], where
    elif lost and code not in UNSUPPORTED and (call, code) != ("nvmlDeviceGetNvLinkState", 2):
        assert {refusal.code for refusal in ill.gpus[0].refusals} == {code}, where
    elif lost:
        assert not ill.gpus[0].refusals and lost <= {*ill.gpus[0].unsupported, "nvlinks.version"}, where


def differences(well: Gpu, ill: Gpu, where: str) -> set[str]:
    """The fields that are no longer known; fails for a field that has another value."""
    lost = set()
    for name, value in fields(well).items():
        now = fields(ill)[name]
        if now != value:
            assert now is None, f"{where}: {name} was {value}, is {now}"
            lost.add(name)
    return lost


def fields(gpu: Gpu) -> dict[str, object]:
    flat = {name: getattr(gpu, name) for name in gpu.__struct_fields__ if name not in ("refusals", "unsupported")}
    for group, kind in (("pcie", PcieLink), ("power", Power)):
        inner = flat.pop(group)
        flat |= {f"{group}.{name}": getattr(inner, name, None) for name in kind.__struct_fields__}
    links = flat.pop("nvlinks")
    states, versions = ([getattr(link, name) for link in links or ()] for name in ("active", "version"))
    return {**flat, "nvlinks": states or None, "nvlinks.version": versions if any(versions) else None}


def test_of_each_call_something_depends(ask) -> None:
    """The table would prove nothing of a call that no scenario leads to."""
    rich = machine(
        "H100",
        2,
        **{
            "gpu.*.mig_mode": "1,1",
            "gpu.*.mig_most": 7,
            "gpu.*.mig_count": 1,
            "gpu.*.retired.0": 0,
            "gpu.*.virtualization": 2,
            "gpu.*.licensed": 1,
        },
    )
    asked = ask([rich, {**rich, **{f"err.{call}": 13 for call in CALLS if call.endswith(("_v3", "MemoryInfo_v2"))}}])
    asked += ask(
        [{**rich, "err.nvmlDeviceGetCurrentClocksEventReasons": 13, "err.nvmlDeviceGetPowerManagementLimit": 3}]
    )
    asked += ask([{**rich, "err.nvmlSystemGetCudaDriverVersion_v2": 13}])
    text = b"".join(asked).decode()
    assert not [call for call in CALLS if re.sub(r"(WithFlags|(?<!Processes)_v\d)$", "", call) not in text]


@pytest.mark.parametrize("code", CODES)
def test_a_lost_gpu_leaves_the_others(code: int, ask) -> None:
    well, ill, mute = (
        parse_nvml(ran_with(transcript)).gpus
        for transcript in ask(
            [
                machine("RTX 3090", 3),
                machine("RTX 3090", 3, **{"err.1.*": code}),
                machine("RTX 3090", 3, **{"err.1.nvmlDeviceGetHandleByIndex_v2": code}),
            ]
        )
    )
    for gpus_seen in (ill, mute):
        assert (gpus_seen[0], gpus_seen[2]) == (well[0], well[2])
        assert (gpus_seen[1].name, gpus_seen[1].memory_total_mib, gpus_seen[1].processes) == (None, None, None)
        assert {refusal.code for refusal in gpus_seen[1].refusals} == {code}


@pytest.mark.parametrize(
    "call", [*DECIDING, "nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetName", "nvmlDeviceGetPciInfo_v3"]
)
@pytest.mark.parametrize("bus", ["shown", "unreadable", "empty"])
def test_missing_data_is_never_no_gpu(call: str, bus: str, ask) -> None:
    transcripts = ask([machine("RTX 4090", 1, **{f"err.{call}": code}) for code in CODES])
    for code, transcript in zip(CODES, transcripts, strict=True):
        seen, _, _ = gpus.probe(recorded(transcript, bus))
        where = f"{call} = {code}"
        if bus == "shown" or call not in DECIDING:
            assert isinstance(seen, Gpus) and len(seen.devices) == 1, where
        elif bus == "empty" and code in (6, 9, 28):
            assert seen is None, where
        else:
            assert isinstance(seen, Gap), where


def recorded(transcript: bytes, bus: str) -> RecordedHost:
    library = {"/usr/lib/libnvidia-ml.so.1": ""}
    commands = {("python", "-I", "-S", "-B", "ask_nvml.py"): transcript}
    if bus == "shown":
        sysfs = on_bus(1)
        return RecordedHost({**library, **sysfs["files"]}, links=sysfs["links"], commands=commands)
    if bus == "unreadable":
        return RecordedHost(library, gaps={"/sys/bus/pci/devices": "permission denied"}, commands=commands)
    return RecordedHost(library, directories={"/sys/bus/pci/devices": ()}, commands=commands)
