"""Tables of the GPU rules."""

import pytest

from gpudoctor.facts.base import Gap, Source
from gpudoctor.facts.fix import Ask, SetEnv
from gpudoctor.facts.gpus import Gpu, GpuProcess, Gpus, MigInstance, NvLink, PcieLink, Power, RowRemaps
from gpudoctor.facts.live import Live, Symptom
from gpudoctor.facts.system import Container, ContainerTools, Cpu, System, Wsl
from gpudoctor.facts.versions import Capability
from gpudoctor.facts.wish import Requirement, Wish
from tests.rules.situations import (
    BARE,
    DOCKER,
    NO_LIBRARY,
    UBUNTU,
    WSL2,
    answer,
    driver,
    environ,
    gpu,
    gpus,
    line,
    refusal,
    slurm,
    unlisted,
)
from tests.rules.table import fires, judge, quiet, skips

NOTHING = {"gpus": None, "driver": None, "host": UBUNTU}


def words(finding):
    return " ".join(step.text for fix in finding.fixes for step in fix.steps if isinstance(step, Ask))


def test_no_gpu_says_what_works_without():
    found = fires("no-gpu", container=BARE, **NOTHING)
    assert found.severity == "info"
    for idea in ("core", "transfer learning", "quantised", "notebook"):
        assert idea in words(found)
    quiet("no-gpu", gpus=gpus(), driver=driver(), host=UBUNTU, container=BARE)
    quiet("no-gpu", gpus=gpus(unlisted()), driver=None, host=UBUNTU, container=BARE)
    assert skips("no-gpu", gpus=Gap(reason="no /sys"), driver=None, host=UBUNTU, container=BARE) == "no /sys"


def test_no_gpu_knows_where_it_is():
    assert "docker run --gpus all" in words(fires("no-gpu", container=DOCKER, **NOTHING))
    assert "srun" in words(fires("no-gpu", container=slurm(in_job=False), **NOTHING))
    assert "Colab" in words(fires("no-gpu", container=Container(kind="none", notebook="colab"), **NOTHING))
    in_wsl = Container(kind="none", wsl=Wsl(version=2, driver_library=False))
    assert "Windows" in words(fires("no-gpu", container=in_wsl, **NOTHING))
    cores = System(os="linux", cpu=Cpu(cores=16))
    assert "16 CPU cores" in words(fires("no-gpu", gpus=None, driver=None, host=cores, container=BARE))


def test_no_gpu_is_not_said_where_signs_of_one_are():
    quiet("no-gpu", gpus=None, driver=driver(), host=UBUNTU, container=DOCKER)
    quiet("no-gpu", gpus=None, driver=driver(device_nodes=()), host=UBUNTU, container=WSL2)


def test_other_makers():
    amd = Gpus(devices=(Gpu(vendor="amd", pci_bus_id="0000:03:00.0"),))
    assert "ROCm" in words(fires("no-gpu", gpus=amd, driver=None, host=UBUNTU, container=BARE))


def holder(mib, pid=4711, kind="compute"):
    return GpuProcess(pid=pid, used_mib=mib, kind=kind)


def used(mib, *processes, **fields):
    return gpus(gpu(memory_total_mib=24564, memory_used_mib=mib, processes=processes, **fields))


def test_gpu_mem_orphan():
    given = {"host": UBUNTU, "container": BARE}
    found = fires("gpu-mem-orphan", gpus=used(20000), **given)
    assert "20000 MiB" in found.summary
    fires("gpu-mem-orphan", gpus=used(20000, holder(2000)), **given)
    quiet("gpu-mem-orphan", gpus=used(20000, holder(19600)), **given)
    quiet("gpu-mem-orphan", gpus=used(20000, holder(None)), **given)
    ended = GpuProcess(pid=31794, used_mib=19600, kind="compute")
    desktop = GpuProcess(pid=1276, used_mib=300, kind="graphics", name="Xorg")
    told = fires("gpu-mem-orphan", gpus=used(20000, ended, desktop), **given).evidence[1].value
    assert "31794 (unknown)" in told
    every = GpuProcess(pid=31795, used_mib=19600, kind="compute", gone=True)
    assert "31795 (ended)" in fires("gpu-mem-orphan", gpus=used(20000, every), **given).evidence[1].value
    zombie = GpuProcess(pid=31796, used_mib=19600, kind="compute", name="python", gone=True)
    fires("gpu-mem-orphan", gpus=used(20000, zombie), **given)
    quiet("gpu-mem-orphan", gpus=used(20000, GpuProcess(pid=31797, used_mib=19600, kind="compute")), **given)
    quiet("gpu-mem-orphan", gpus=used(700), **given)
    quiet("gpu-mem-orphan", gpus=used(20000, mig_enabled=True), **given)
    quiet("gpu-mem-orphan", gpus=used(20000, virtualization="vgpu"), **given)
    quiet("gpu-mem-orphan", gpus=gpus(gpu(memory_used_mib=20000, memory_total_mib=24564)), **given)
    for around in (DOCKER, WSL2, slurm(), Container()):
        quiet("gpu-mem-orphan", gpus=used(20000), host=UBUNTU, container=around)
    quiet("gpu-mem-orphan", gpus=used(20000), host=System(os="windows"), container=BARE)


def logged(number, place="0000:02:00", rest="pid=1"):
    return line(f"NVRM: Xid (PCI:{place}): {number}, {rest}", number, place)


RECOVERED = "GPU recovery action changed from 0x1 (GPU Reset Required) to 0x0 (None)"


@pytest.mark.parametrize(
    ("number", "severity", "asks"),
    [
        (62, "error", "--gpu-reset"),
        (109, "error", "--gpu-reset"),
        (143, "error", "--gpu-reset"),
        (54, "error", "power plug"),
        (142, "warning", "Update the driver"),
    ],
)
def test_xid_error(number, severity, asks):
    two = gpus(gpu(0), gpu(1))
    found = fires("xid-error", gpus=two, driver=driver(kernel_log=(logged(number),)))
    assert found.subject == "GPU 1 (NVIDIA GeForce RTX 4090)"
    assert found.severity == severity
    assert asks in words(found) + " ".join(" ".join(getattr(s, "argv", ())) for f in found.fixes for s in f.steps)


def test_xid_error_is_quiet():
    two = gpus(gpu(0), gpu(1))
    # A program failed; what another rule judges; what NVIDIA says to ignore; what no table knows; a GPU that recovered.
    for number in (13, 31, 43, 45, 79, 119, 48, 74, 63, 154, 9999):
        quiet("xid-error", gpus=two, driver=driver(kernel_log=(logged(number),)))
    quiet("xid-error", gpus=two, driver=driver(kernel_log=(logged(109), logged(154, rest=RECOVERED))))
    fires("xid-error", gpus=two, driver=driver(kernel_log=(logged(154, rest=RECOVERED), logged(109))))
    fires("xid-error", gpus=two, driver=driver(kernel_log=(logged(109), logged(154, "0000:01:00", RECOVERED))))
    quiet("xid-error", gpus=two, driver=driver())
    quiet("xid-error", gpus=two, driver=driver(kernel_log=Gap(reason="not root")))


def linked(active, of=4, index=0, **counters):
    return gpu(index, nvlinks=tuple(NvLink(link=n, active=n < active, **counters) for n in range(of)))


def test_nvlink_fault():
    for number in (74, 136, 145, 149, 155):
        log = driver(kernel_log=(logged(number),))
        assert fires("nvlink-fault", gpus=gpus(gpu(0), gpu(1)), driver=log).severity == "error"
    board = Gpus(devices=(linked(4), linked(3, index=1)), nvswitches=4)
    assert "3 of" in fires("nvlink-fault", gpus=board, driver=None).summary
    # Bridges join two cards with some of their links; counters that stand still are no fault.
    quiet("nvlink-fault", gpus=Gpus(devices=(linked(4), linked(3, index=1))), driver=None)
    quiet("nvlink-fault", gpus=Gpus(devices=(linked(4), linked(4, index=1)), nvswitches=4), driver=None)
    quiet("nvlink-fault", gpus=gpus(linked(4, replays=0, recoveries=0)), driver=driver())
    shaken = fires("nvlink-fault", gpus=gpus(linked(4, replays=0, recoveries=3)), driver=driver())
    assert shaken.severity == "warning"
    assert "3 recoveries" in shaken.evidence[0].value
    quiet("nvlink-fault", gpus=gpus(linked(4)), driver=driver(kernel_log=(logged(31),)))


def test_xid_79():
    log = (line("NVRM: Xid (PCI:0000:02:00): 79, pid=1, GPU has fallen off the bus.", 79, "0000:02:00"),)
    two = gpus(gpu(0), gpu(1))
    found = fires("xid-79", gpus=two, driver=driver(kernel_log=log))
    assert found.subject == "GPU 1 (NVIDIA GeForce RTX 4090)"
    lost = gpus(gpu(0), gpu(1, refusals=(refusal(15),)))
    assert fires("xid-79", gpus=lost, driver=None).confidence == "certain"
    text = (line("NVRM: GPU at PCI:0000:02:00: GPU has fallen off the bus", None, "0000:02:00"),)
    fires("xid-79", gpus=two, driver=driver(kernel_log=text))
    gone = gpus(gpu(0, pci_bus_id="0000:01:00.0"))
    assert "0000:02:00" in fires("xid-79", gpus=gone, driver=driver(kernel_log=log)).subject
    fires("xid-79", gpus=gpus(unlisted()), driver=driver(nvml=answer(15)))
    no_handle = gpus(gpu(0), gpu(1, refusals=(refusal(999, "nvmlDeviceGetHandleByIndex"),)))
    assert fires("xid-79", gpus=no_handle, driver=None).confidence == "likely"
    quiet("xid-79", gpus=no_handle, driver=None, container=WSL2)
    quiet("xid-79", gpus=gpus(gpu(0, refusals=(refusal(999),))), driver=None)
    vanished = fires("xid-79", gpus=None, driver=driver(kernel_log=log))
    assert "no-gpu" in vanished.explains
    quiet("xid-79", gpus=None, driver=driver(nvml=answer(15)))
    quiet("xid-79", gpus=two, driver=driver())
    quiet("xid-79", gpus=two, driver=driver(kernel_log=Gap(reason="not root")))
    quiet("xid-79", gpus=two, driver=driver(kernel_log=(line("NVRM: Xid (PCI:0000:02:00): 31", 31, "0000:02:00"),)))
    assert len(judge("xid-79", gpus=two, driver=driver(kernel_log=log * 3))) == 1


@pytest.mark.parametrize(
    ("call", "code", "severity"),
    [
        ("nvmlDeviceGetMemoryInfo", 999, "error"),
        ("nvmlDeviceGetHandleByIndex_v2", 4, "error"),
        ("processes", 4, "warning"),
        ("MIG devices", 999, "error"),
        ("nvmlDeviceGetUUID", 16, "error"),
        ("nvmlDeviceGetPowerUsage", 999, "warning"),
        ("nvmlDeviceGetTemperature", 15, "error"),
        ("nvmlDeviceGetPowerUsage", 16, "error"),
        ("nvmlDeviceGetPowerUsage", 4, "warning"),
        ("nvmlDeviceGetCudaComputeCapability", 1, "error"),
    ],
)
def test_gpu_unreadable(call, code, severity):
    found = fires("gpu-unreadable", gpus=gpus(gpu(refusals=(refusal(code, call),))))
    assert found.severity == severity
    assert str(code) in found.summary


def test_a_call_without_an_answer_has_no_code():
    found = fires("gpu-unreadable", gpus=gpus(gpu(refusals=(refusal(-1, name="no answer"),))))
    assert found.summary.endswith("about this GPU: no answer.")


def test_gpu_that_tells_everything():
    quiet("gpu-unreadable", gpus=gpus())
    quiet("gpu-unreadable", gpus=gpus(gpu(unsupported=("memory_total_mib",))))
    quiet("gpu-unreadable", gpus=None)


def test_ecc_uncorrectable():
    fires("ecc-uncorrectable", gpus=gpus(gpu(ecc_uncorrected_volatile=3)), driver=None)
    log = (line("NVRM: Xid (PCI:0000:01:00): 48, Double Bit ECC Error", 48, "0000:01:00"),)
    found = fires("ecc-uncorrectable", gpus=gpus(), driver=driver(kernel_log=log))
    assert "Leave ECC on" in words(found)
    contained = (line("NVRM: Xid (PCI:0000:01:00): 94", 94, "0000:01:00"),)
    quiet("ecc-uncorrectable", gpus=gpus(), driver=driver(kernel_log=contained))
    quiet("ecc-uncorrectable", gpus=gpus(gpu(ecc_uncorrected_volatile=0, ecc_uncorrected_aggregate=7)), driver=None)
    quiet("ecc-uncorrectable", gpus=gpus(), driver=None)
    refused = driver(cuda_init=answer(214, "CUDA_ERROR_ECC_UNCORRECTABLE"))
    assert fires("ecc-uncorrectable", gpus=gpus(), driver=refused).subject == "GPU 0 (NVIDIA GeForce RTX 4090)"
    named = gpus(gpu(0), gpu(1, ecc_uncorrected_volatile=1))
    assert fires("ecc-uncorrectable", gpus=named, driver=refused).subject == "GPU 1 (NVIDIA GeForce RTX 4090)"
    quiet("ecc-uncorrectable", gpus=gpus(), driver=driver(cuda_init=answer(999)))
    unread = (line("NVRM: Xid (PCI:0000:01:00): 48, pid=7, DBE", None, None),)
    fires("ecc-uncorrectable", gpus=gpus(), driver=driver(kernel_log=unread))


def test_row_remap_failure():
    fires("row-remap-failure", gpus=gpus(gpu(row_remaps=RowRemaps(failed=True, uncorrectable=8))))
    pending = fires("row-remap-failure", gpus=gpus(gpu(row_remaps=RowRemaps(failed=False, pending=True))))
    assert pending.severity == "warning"
    fires("row-remap-failure", gpus=gpus(gpu(retired_pages_pending=True)))
    quiet("row-remap-failure", gpus=gpus(gpu(row_remaps=RowRemaps(correctable=2, uncorrectable=1, pending=False))))
    quiet("row-remap-failure", gpus=gpus())


def test_compute_mode_exclusive():
    fires("compute-mode-exclusive", gpus=gpus(gpu(compute_mode="exclusive-process", processes=(holder(74),))))
    fires("compute-mode-exclusive", gpus=gpus(gpu(compute_mode="prohibited")))
    quiet("compute-mode-exclusive", gpus=gpus(gpu(compute_mode="exclusive-process", processes=())))
    screen = holder(74, kind="graphics")
    quiet("compute-mode-exclusive", gpus=gpus(gpu(compute_mode="exclusive-process", processes=(screen,))))
    quiet("compute-mode-exclusive", gpus=gpus(gpu(compute_mode="default", processes=(holder(74),))))
    quiet("compute-mode-exclusive", gpus=gpus(gpu(compute_mode=None, processes=(holder(74),))))
    unseen = gpus(gpu(compute_mode="exclusive-thread", processes=None))
    quiet("compute-mode-exclusive", gpus=unseen, driver=driver())
    quiet("compute-mode-exclusive", gpus=unseen, driver=driver(cuda_init=answer(999)))
    busy = driver(cuda_init=answer(46, "CUDA_ERROR_DEVICE_UNAVAILABLE"))
    fires("compute-mode-exclusive", gpus=unseen, driver=busy)
    fires("compute-mode-exclusive", gpus=unseen, driver=driver(cuda_init=answer(216)))
    quiet("compute-mode-exclusive", gpus=gpus(gpu(compute_mode="default", processes=None)), driver=busy)
    told = Live(symptoms=(Symptom(signature="cuda-devices-unavailable", text="busy or unavailable"),))
    fires("compute-mode-exclusive", gpus=unseen, driver=driver(), live=told)
    mps = GpuProcess(pid=7, used_mib=30, kind="compute", name="nvidia-cuda-mps")
    quiet("compute-mode-exclusive", gpus=gpus(gpu(compute_mode="exclusive-process", processes=(mps, holder(74)))))
    fires("compute-mode-exclusive", gpus=gpus(gpu(compute_mode="prohibited", processes=(mps,))))


def test_mig():
    parts = tuple(MigInstance(uuid=f"MIG-{number}") for number in range(2))
    none = fires("mig-single-instance", gpus=gpus(gpu(mig_enabled=True, mig_instances=())), environ=environ())
    assert none.severity == "error"
    several = gpus(gpu(mig_enabled=True, mig_instances=parts))
    found = fires("mig-single-instance", gpus=several, environ=environ())
    assert found.severity == "info"
    assert SetEnv(name="CUDA_VISIBLE_DEVICES", value="MIG-0") in found.fixes[0].steps
    quiet("mig-single-instance", gpus=several, environ=environ(CUDA_VISIBLE_DEVICES="MIG-1"))
    fires("mig-single-instance", gpus=several, environ=environ(CUDA_VISIBLE_DEVICES="MIG-0,MIG-1"))
    two = gpus(*(gpu(index=number, mig_enabled=True, mig_instances=parts[number:][:1]) for number in range(2)))
    assert "of all GPUs" in fires("mig-single-instance", gpus=two, environ=environ()).summary
    quiet("mig-single-instance", gpus=two, environ=environ(CUDA_VISIBLE_DEVICES="MIG-1"))
    quiet("mig-single-instance", gpus=gpus(gpu(mig_enabled=True, mig_instances=parts[:1])), environ=environ())
    quiet("mig-single-instance", gpus=gpus(gpu(mig_enabled=True, mig_instances=None)), environ=environ())
    quiet("mig-single-instance", gpus=gpus(gpu(mig_enabled=False, mig_instances=())), environ=environ())


def test_pcie_link():
    fires("pcie-link-downgraded", gpus=gpus(gpu(pcie=PcieLink(width=4, width_max=16))))
    quiet("pcie-link-downgraded", gpus=gpus(gpu(pcie=PcieLink(generation=1, generation_max=4, width=16, width_max=16))))
    slow = PcieLink(generation=2, generation_max=4, width=16, width_max=16)
    found = fires("pcie-link-downgraded", gpus=gpus(gpu(pcie=slow, utilization_percent=50, performance_state=2)))
    assert (found.confidence, "2.0" in found.summary) == ("likely", True)
    fires("pcie-link-downgraded", gpus=gpus(gpu(pcie=slow, utilization_percent=98)))
    quiet("pcie-link-downgraded", gpus=gpus(gpu(pcie=slow, utilization_percent=49, performance_state=2)))
    quiet("pcie-link-downgraded", gpus=gpus(gpu(pcie=slow, utilization_percent=98, performance_state=8)))
    full = PcieLink(generation=4, generation_max=4, width=16, width_max=16)
    quiet("pcie-link-downgraded", gpus=gpus(gpu(pcie=full, utilization_percent=98, performance_state=2)))
    quiet("pcie-link-downgraded", gpus=gpus(gpu(pcie=PcieLink(width=None, width_max=16))))
    quiet("pcie-link-downgraded", gpus=gpus(gpu(pcie=PcieLink(width=8, width_max=16), virtualization="passthrough")))


def test_power():
    three = gpus(*(gpu(n, power=Power(limit=watts)) for n, watts in enumerate((300.0, 300.0, 200.0))))
    assert fires("gpu-power-capped", gpus=three).subject == three.devices[2].label
    quiet("gpu-power-capped", gpus=gpus(gpu(0, power=Power(limit=300.0)), gpu(1, power=Power(limit=299.0))))
    quiet(
        "gpu-power-capped",
        gpus=gpus(gpu(0, power=Power(limit=300.0)), gpu(1, name="Tesla T4", power=Power(limit=70.0))),
    )
    quiet("gpu-power-capped", gpus=gpus(gpu(power=Power())))
    held = {"power": Power(limit=300.0, draw=149.6), "throttle_reasons": ("SwPowerCap",), "utilization_percent": 100}
    assert "150 W" in fires("gpu-power-capped", gpus=gpus(gpu(**held))).summary
    for change in (
        {"power": Power(limit=300.0, draw=289.0)},
        {"throttle_reasons": ("GpuIdle",)},
        {"throttle_reasons": None},
        {"utilization_percent": 12},
        {"utilization_percent": None},
        {"power": Power(draw=149.6)},
        {"power": Power(limit=300.0)},
        {"power": None},
    ):
        quiet("gpu-power-capped", gpus=gpus(gpu(**{**held, **change})))
    fires("gpu-power-limit-lowered", gpus=gpus(gpu(power=Power(limit=315.0, default_limit=350.0))))
    quiet("gpu-power-limit-lowered", gpus=gpus(gpu(power=Power(limit=350.0, default_limit=350.0))))
    quiet("gpu-power-limit-lowered", gpus=gpus(gpu(power=Power(limit=350.0))))


def test_throttling():
    fires("gpu-thermal-throttle", gpus=gpus(gpu(throttle_reasons=("SwThermalSlowdown",), temperature_c=93)))
    quiet("gpu-thermal-throttle", gpus=gpus(gpu(throttle_reasons=("SwPowerCap", "GpuIdle"))))
    fires("gpu-throttle-reasons", gpus=gpus(gpu(throttle_reasons=("HwPowerBrakeSlowdown",))))
    quiet("gpu-throttle-reasons", gpus=gpus(gpu(throttle_reasons=("SwPowerCap",))))
    quiet("gpu-throttle-reasons", gpus=gpus(gpu(throttle_reasons=("HwSlowdown", "HwThermalSlowdown"))))
    fires("gpu-thermal-limit-low", gpus=gpus(gpu(temperature_max_operating_c=57, temperature_slowdown_c=97)))
    quiet("gpu-thermal-limit-low", gpus=gpus(gpu(temperature_max_operating_c=84, temperature_slowdown_c=97)))
    quiet("gpu-thermal-limit-low", gpus=gpus(gpu(temperature_max_operating_c=57)))


def test_xid_119_gsp():
    log = (line("NVRM: Xid (PCI:0000:01:00): 119, Timeout waiting for RPC from GSP!", 119, "0000:01:00"),)
    found = fires("xid-119-gsp", gpus=gpus(), driver=driver("525.60.13", kernel_log=log))
    assert "525.105.17" in words(found)
    # From the release that mended it, and in other branches, any newer one.
    for release, told in (("525.105.17", False), ("525.99.01", True), ("530.30.02", False), ("515.65.01", False)):
        one = fires("xid-119-gsp", gpus=gpus(), driver=driver(release, kernel_log=log))
        assert ("525.105.17 or newer" in words(one)) == told
        update = next(fix for fix in one.fixes if fix.title == "Update the driver")
        assert (update.needs_root, update.needs_reboot) == (True, True)
    opened = fires("xid-119-gsp", gpus=gpus(), driver=driver(kernel_log=log, module_flavour="open"))
    assert not any("GSP off" in fix.title for fix in opened.fixes)
    quiet("xid-119-gsp", gpus=gpus(), driver=driver())


def test_persistence_off():
    headless = gpus(gpu(persistence=False, display_active=False))
    given = {"host": UBUNTU, "container": BARE}
    assert fires("persistence-off", gpus=headless, driver=driver(), **given).severity == "info"
    tools = Container(kind="none", tools=ContainerTools(engines={"docker": "/usr/bin/docker"}, nvidia_toolkit=True))
    two = gpus(*(gpu(n, persistence=False, display_active=False) for n in range(2)))
    assert fires("persistence-off", gpus=two, driver=driver(), host=UBUNTU, container=tools).severity == "warning"
    untold = gpus(gpu(persistence=False))
    assert fires("persistence-off", gpus=untold, driver=driver(), **given).confidence == "possible"
    quiet("persistence-off", gpus=headless, driver=driver(persistence_daemon=True), **given)
    quiet("persistence-off", gpus=gpus(gpu(persistence=False, display_active=True)), driver=driver(), **given)
    quiet("persistence-off", gpus=gpus(gpu(persistence=None, display_active=False)), driver=driver(), **given)
    quiet("persistence-off", gpus=headless, driver=driver(), host=UBUNTU, container=DOCKER)
    hybrid = Gpus(devices=(*headless.devices, Gpu(vendor="intel", pci_bus_id="0000:00:02.0")))
    quiet("persistence-off", gpus=hybrid, driver=driver(), **given)


def test_gpu_passed_through():
    both = gpus(gpu(0), unlisted(bound_driver="vfio-pci"))
    assert fires("gpu-passed-through", gpus=both).severity == "info"
    quiet("gpu-passed-through", gpus=gpus())


def wish(subject, *comparisons):
    return Wish(requirements=(Requirement(subject=subject, comparisons=comparisons, text=subject),))


def test_gpu_required():
    fires("gpu-required", wish=wish("gpu"), gpus=None, driver=None)
    fires("gpu-required", wish=wish("gpu"), gpus=gpus(unlisted()), driver=None)
    fires("gpu-required", wish=wish("gpu", (">=", "2")), gpus=gpus(), driver=driver())
    quiet("gpu-required", wish=wish("gpu"), gpus=gpus(), driver=driver())
    quiet("gpu-required", wish=wish("gpu"), gpus=gpus(unlisted()), driver=driver())
    by_cuda = gpus(unlisted(source=Source(kind="library", where="libcuda")))
    quiet("gpu-required", wish=wish("gpu"), gpus=by_cuda, driver=driver(nvml=NO_LIBRARY, cuda_init=None))
    quiet("gpu-required", wish=wish("gpu", (">=", "1"), ("<", "2")), gpus=gpus(), driver=driver())
    quiet("gpu-required", gpus=None, driver=None)


def test_capability_required():
    demand = wish("compute-capability", (">=", "8.0"))
    fires("capability-required", wish=demand, gpus=None)
    mixed = gpus(gpu(0), gpu(1, name="Tesla T4", capability=Capability("7.5")))
    assert "T4" in fires("capability-required", wish=demand, gpus=mixed).summary
    unknown = gpus(gpu(name="NVIDIA Something", pci_id="10de:ffff", capability=None))
    assert "not known" in fires("capability-required", wish=demand, gpus=unknown).summary
    quiet("capability-required", wish=demand, gpus=gpus())
    quiet("capability-required", wish=wish("compute-capability", ("<", "12.0")), gpus=gpus())
    quiet("capability-required", gpus=None)
