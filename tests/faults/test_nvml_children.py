"""Drivers that fail, hang and die, asked in real children: each outcome is named, what was learned before is kept."""

import os
import stat
import sys
import time
from pathlib import Path

import pytest

from gpudoctor.facts.base import Gap
from gpudoctor.facts.gpus import Fabric, Gpus
from gpudoctor.facts.versions import Capability
from gpudoctor.host.port import Host
from gpudoctor.probes.gpus import probe as gpus
from gpudoctor.probes.nvidia.children import CudaFacts, NvmlFacts, begin_cuda, begin_nvml, binding_folder
from tests.fake_driver import FakeDriver, FakeMachine, compiled_driver, machine, on_bus  # noqa: F401 - fixture

BUDGET = 0.6
#: As for every child: its budget and two seconds.
PROMISE = 2.0


def host_with(driver: FakeDriver, scenario, *, kind: str = "both", **more) -> FakeMachine:
    return FakeMachine.with_driver(driver.environment(scenario, kind), **more)


def ask_nvml(host: Host) -> NvmlFacts:
    return begin_nvml(host)()


def ask_cuda(host: Host) -> CudaFacts:
    return begin_cuda(host)()


# Healthy -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 8])
def test_healthy_gpus_are_all_told(count: int, fake_driver: FakeDriver) -> None:
    host = host_with(fake_driver, machine("H100", count), **on_bus(count, device=0x2330))
    seen, nvml, cuda = gpus.probe(host)
    assert isinstance(seen, Gpus) and [gpu.index for gpu in seen.devices] == list(range(count))
    gpu = seen.devices[-1]
    assert (gpu.name, gpu.capability, gpu.architecture) == ("NVIDIA H100 80GB HBM3", Capability("9.0"), "Hopper")
    assert (gpu.memory_total_mib, gpu.memory_used_mib, gpu.pci_id) == (81559, 12, "10de:2330")
    assert gpu.power and (gpu.power.draw, gpu.power.limit, gpu.power.minimum) == (70.0, 700.0, 100.0)
    assert gpu.pcie and (gpu.pcie.generation, gpu.pcie.generation_max, gpu.pcie.width) == (1, 5, 16)
    assert gpu.ecc_enabled is True and gpu.ecc_uncorrected_volatile == 0 and gpu.row_remaps is not None
    assert gpu.processes is not None and [(each.pid, each.used_mib) for each in gpu.processes] == [(4242, 1024)]
    assert gpu.nvlinks is not None and len(gpu.nvlinks) == 18 and gpu.nvlinks[17].version == 4
    assert (gpu.throttle_reasons, gpu.compute_mode, gpu.mig_enabled) == (("GpuIdle",), "default", False)
    assert (gpu.bound_driver, gpu.pci_class, gpu.pci_power_state) == ("nvidia", "0300", "D0")
    assert not gpu.refusals and set(gpu.unsupported) == {"retired_pages", "retired_pages_pending"}
    assert len(seen.peer_links or ()) == count * (count - 1) // 2
    assert nvml.nvml.ok and cuda.cuda_init.ok and nvml.nvml.device_count == cuda.cuda_init.device_count == count
    assert (str(nvml.release), str(nvml.cuda), str(cuda.cuda)) == ("580.65.06", "13.0", "13.0")
    assert [device.uuid for device in cuda.devices] == [gpu.uuid for gpu in seen.devices]
    assert [device.pci_bus_id for device in cuda.devices] == [gpu.pci_bus_id for gpu in seen.devices]
    assert (nvml.nvml.library or "").endswith("both/libnvidia-ml.so.1")


def test_memory_that_is_not_supported_is_unknown(fake_driver: FakeDriver) -> None:
    gpu = ask_nvml(host_with(fake_driver, machine("GB10"))).gpus[0]
    assert (gpu.memory_total_mib, gpu.memory_used_mib, gpu.clock_memory_mhz) == (None, None, None)
    assert {"memory_total_mib", "memory_used_mib", "clock_memory_mhz"} <= set(gpu.unsupported)
    assert gpu.capability == Capability("12.1") and not gpu.refusals


def test_an_older_driver_answers_through_its_older_calls(fake_driver: FakeDriver) -> None:
    scenario = machine("T4", driver="470.256.02", cuda=11040, **{"gpu.*.compute": "99:512"})
    facts = ask_nvml(host_with(fake_driver, scenario, kind="old"))
    gpu = facts.gpus[0]
    assert (gpu.memory_total_mib, gpu.throttle_reasons, str(facts.cuda)) == (15360, ("GpuIdle",), "11.4")
    assert gpu.processes is not None and gpu.processes[0].pid == 99
    assert gpu.unsupported[0] == "architecture" and not gpu.refusals and not facts.nvml.refusals


def test_a_gpu_cut_up_with_mig(fake_driver: FakeDriver) -> None:
    cut = {"gpu.*.mig_mode": "1,1", "gpu.*.mig_most": 7, "gpu.*.mig_count": 2, "gpu.*.mig.memory": 9856}
    gpu = ask_nvml(host_with(fake_driver, machine("H100", **cut))).gpus[0]
    assert gpu.mig_enabled is True and not gpu.refusals
    assert [(each.uuid, each.memory_total_mib) for each in gpu.mig_instances or ()] == [
        ("MIG-0-0", 9856),
        ("MIG-0-1", 9856),
    ]


def test_processes_without_a_size_are_not_of_size_zero(fake_driver: FakeDriver) -> None:
    gpu = ask_nvml(host_with(fake_driver, machine("RTX 3090", **{"gpu.*.compute": "7,8:0"}))).gpus[0]
    assert [(each.pid, each.used_mib) for each in gpu.processes or ()] == [(7, None), (8, 0)]


# Refusals ------------------------------------------------------------------------------------------------------------

INIT = [
    (9, "NVML_ERROR_DRIVER_NOT_LOADED"),
    (18, "NVML_ERROR_LIB_RM_VERSION_MISMATCH"),
    (4, "NVML_ERROR_NO_PERMISSION"),
    (15, "NVML_ERROR_GPU_IS_LOST"),
    (999, "NVML_ERROR_UNKNOWN"),
    (12345, "NVML error 12345"),
]


@pytest.mark.parametrize(("code", "name"), INIT)
def test_a_refused_start_keeps_the_gpu_of_the_bus(code: int, name: str, fake_driver: FakeDriver) -> None:
    host = host_with(fake_driver, machine("RTX 4090", **{"err.nvmlInitWithFlags": code}), **on_bus())
    seen, nvml, _ = gpus.probe(host)
    assert (nvml.nvml.outcome, nvml.nvml.code, nvml.nvml.name) == ("answered", code, name)
    assert isinstance(seen, Gpus) and [gpu.pci_id for gpu in seen.devices] == ["10de:2684"]


CUDA_INIT = [
    (3, "CUDA_ERROR_NOT_INITIALIZED"),
    (100, "CUDA_ERROR_NO_DEVICE"),
    (802, "CUDA_ERROR_SYSTEM_NOT_READY"),
    (803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
    (804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"),
    (999, "CUDA_ERROR_UNKNOWN"),
]


@pytest.mark.parametrize(("code", "name"), CUDA_INIT)
def test_a_cuda_driver_that_does_not_start_tells_its_version(code: int, name: str, fake_driver: FakeDriver) -> None:
    facts = ask_cuda(host_with(fake_driver, machine("RTX 4090", cuda=12020, **{"err.cuInit": code})))
    assert (facts.cuda_init.outcome, facts.cuda_init.code, facts.cuda_init.name) == ("answered", code, name)
    assert str(facts.cuda) == "12.2" and facts.devices == ()


def test_a_lost_gpu_is_found_on_the_bus(fake_driver: FakeDriver) -> None:
    scenario = machine("RTX 4090", 3, **{"err.1.nvmlDeviceGetHandleByIndex_v2": 15})
    seen, _, _ = gpus.probe(host_with(fake_driver, scenario, **on_bus(3)))
    assert isinstance(seen, Gpus) and [gpu.pci_bus_id for gpu in seen.devices] == [f"0000:0{n}:00.0" for n in (1, 2, 3)]
    lost = seen.devices[1]
    assert (lost.index, lost.name, lost.refusals[0].name) == (1, None, "NVML_ERROR_GPU_IS_LOST")


@pytest.mark.parametrize(
    ("told", "fabric"),
    [("3,0", Fabric(state="completed", status=0)), ("2,0", Fabric(state="in-progress", status=0)), ("9,0", None)],
)
def test_how_far_a_gpu_has_joined_the_fabric(told: str, fabric: Fabric | None, fake_driver: FakeDriver) -> None:
    facts = ask_nvml(host_with(fake_driver, machine("H100", **{"gpu.*.fabric": told})))
    assert facts.gpus[0].fabric == fabric


@pytest.mark.parametrize(("mode", "state", "licensed"), [(2, 0, False), (2, 1, True), (0, 0, None)])
def test_only_a_vgpu_has_a_licence(mode: int, state: int, licensed: bool | None, fake_driver: FakeDriver) -> None:
    scenario = machine("T4", **{"gpu.*.virtualization": mode, "gpu.*.licensed": state})
    assert ask_nvml(host_with(fake_driver, scenario)).gpus[0].vgpu_licensed is licensed


def test_a_refused_pair_is_not_a_link(fake_driver: FakeDriver) -> None:
    facts = ask_nvml(host_with(fake_driver, machine("RTX 3090", 2, **{"err.nvmlDeviceGetP2PStatus": 999})))
    assert facts.peer_links is None and [refusal.code for refusal in facts.nvml.refusals] == [999]


def test_a_senseless_number_of_gpus_is_no_answer(fake_driver: FakeDriver) -> None:
    host = host_with(fake_driver, machine("RTX 3090", count=1) | {"count": 4000000000})
    facts = ask_nvml(host)
    assert (facts.nvml.outcome, facts.nvml.ok, facts.gpus) == ("garbage", False, ())


# No library ----------------------------------------------------------------------------------------------------------


def test_without_a_library_no_child_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    host = FakeMachine(env={})
    monkeypatch.setattr(host, "run", lambda *_, **__: pytest.fail("a child was started"))
    assert (ask_nvml(host).nvml.outcome, ask_cuda(host).cuda_init.outcome) == ("no-library", "no-library")


@pytest.mark.parametrize(("content", "words"), [(b"", "file too short"), (b"not a library" * 99, "invalid ELF header")])
def test_a_broken_library_is_named(content: bytes, words: str, tmp_path: Path) -> None:
    for name in ("libnvidia-ml.so.1", "libcuda.so.1"):
        (tmp_path / name).write_bytes(content)
    host = FakeMachine.with_driver({"LD_LIBRARY_PATH": str(tmp_path)})
    for answer in (ask_nvml(host).nvml, ask_cuda(host).cuda_init):
        assert answer.outcome == "no-library" and words in (answer.detail or "")


def test_the_binding_of_the_working_directory_is_not_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ours = binding_folder()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "theirs"))
    for folder in (tmp_path, tmp_path / "theirs"):
        folder.mkdir(exist_ok=True)
        (folder / "pynvml.py").write_text("raise SystemExit('run by mistake')")
    monkeypatch.setattr(sys, "path", [str(tmp_path), "", str(tmp_path / "theirs"), *sys.path])
    assert binding_folder() == ours is not None


# Crashes and hangs ---------------------------------------------------------------------------------------------------

CALLS = ("nvmlInitWithFlags", "nvmlSystemGetDriverVersion", "nvmlDeviceGetPowerUsage")
DEATHS = [("segv", "SIGSEGV"), ("abort", "SIGABRT"), ("kill", "SIGKILL"), ("exit", "exit code 3")]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(("death", "detail"), DEATHS)
def test_a_driver_that_kills_its_child(death: str, detail: str, call: str, fake_driver: FakeDriver) -> None:
    scenario = machine("RTX 3090", 2, **{f"do.{call}": death})
    seen, nvml, cuda = gpus.probe(host_with(fake_driver, scenario, **on_bus(2)))
    assert nvml.nvml.outcome == "crashed" and (nvml.nvml.detail or "").startswith(detail)
    assert call.removesuffix("WithFlags") in (nvml.nvml.detail or "")
    assert isinstance(seen, Gpus) and len(seen.devices) == 2
    assert cuda.cuda_init.ok, "the other child is not touched by it"
    assert {gpu.name for gpu in seen.devices} == {"NVIDIA GeForce RTX 3090"}, "the CUDA driver knows it still"
    assert seen.devices[0].index == (0 if call == "nvmlDeviceGetPowerUsage" else None)


@pytest.mark.parametrize("call", CALLS)
def test_a_hang_ends_in_time_and_keeps_what_was_learned(call: str, fake_driver: FakeDriver) -> None:
    host = host_with(fake_driver, machine("RTX 3090", 2, **{f"do.{call}": "hang"}), **on_bus(2))
    started = time.monotonic()
    seen, nvml, _ = gpus.probe(host, BUDGET)
    assert time.monotonic() - started < BUDGET + PROMISE
    assert (nvml.nvml.outcome, nvml.nvml.ok) == ("timed-out", False)
    assert nvml.nvml.detail == call.removesuffix("WithFlags")
    assert isinstance(seen, Gpus) and len(seen.devices) == 2
    if call == "nvmlDeviceGetPowerUsage":
        assert seen.devices[1].capability == Capability("8.6"), "who the GPUs are was asked before how they are"
        assert [refusal.name for refusal in seen.devices[0].refusals] == ["no answer"]
        assert seen.devices[0].power is None


def test_both_libraries_may_hang_at_once(fake_driver: FakeDriver) -> None:
    scenario = machine("RTX 3090", **{"do.nvmlInitWithFlags": "hang", "do.cuInit": "hang"})
    started = time.monotonic()
    _, nvml, cuda = gpus.probe(host_with(fake_driver, scenario), BUDGET)
    assert time.monotonic() - started < BUDGET + PROMISE
    assert (nvml.nvml.outcome, cuda.cuda_init.outcome, cuda.cuda_init.detail) == ("timed-out", "timed-out", "cuInit")
    assert str(cuda.cuda) == "13.0"


@pytest.mark.parametrize("call", CALLS)
def test_what_a_driver_prints_is_not_taken_for_an_answer(call: str, fake_driver: FakeDriver) -> None:
    well = ask_nvml(host_with(fake_driver, machine("RTX 3090")))
    loud = ask_nvml(host_with(fake_driver, machine("RTX 3090", **{f"do.{call}": "print"})))
    assert loud == well and well.nvml.ok


# nvidia-smi ----------------------------------------------------------------------------------------------------------


def tool(folder: Path, script: str) -> dict[str, str]:
    path = folder / "nvidia-smi"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return {"GPUDOCTOR_TOOL_PATH": str(folder), "PATH": os.environ["PATH"]}


def test_a_hung_nvidia_smi_ends_in_time(tmp_path: Path) -> None:
    variables = tool(tmp_path, "trap '' TERM; while :; do sleep 9; done")
    bus = on_bus()
    host = FakeMachine({**bus["files"], str(tmp_path / "nvidia-smi"): ""}, links=bus["links"], env=variables)
    assert host.tool("nvidia-smi") == str(tmp_path / "nvidia-smi")
    started = time.monotonic()
    seen, nvml, _ = gpus.probe(host, BUDGET)
    assert BUDGET < time.monotonic() - started < BUDGET + PROMISE
    assert isinstance(seen, Gpus) and seen.devices[0].pci_id == "10de:2684"
    assert (nvml.nvml.outcome, nvml.release) == ("timed-out", None)


def test_nvidia_smi_that_fails_on_an_empty_bus_is_no_gpu(tmp_path: Path) -> None:
    variables = tool(tmp_path, "echo 'NVIDIA-SMI has failed'; exit 9")
    empty = {"/sys/bus/pci/devices": ()}
    host = FakeMachine({str(tmp_path / "nvidia-smi"): ""}, directories=empty, env=variables)
    assert gpus.probe(host)[0] is None


def test_nvidia_smi_that_hangs_on_an_empty_bus_is_not_no_gpu(tmp_path: Path) -> None:
    empty = {"/sys/bus/pci/devices": ()}
    host = FakeMachine({str(tmp_path / "nvidia-smi"): ""}, directories=empty, env=tool(tmp_path, "sleep 60"))
    assert isinstance(gpus.probe(host, BUDGET)[0], Gap)


def test_a_bus_that_cannot_be_read_is_not_an_empty_one() -> None:
    for host in (FakeMachine(env={}), FakeMachine(env={}, gaps={"/sys/bus/pci/devices": "permission denied"})):
        assert isinstance(gpus.probe(host)[0], Gap)
