"""Which device is hidden from whom, and why: one table."""

import pytest
from msgspec import structs

from gpudoctor.diagnosis.cross_view import cross_view
from gpudoctor.facts.driver import Answer
from gpudoctor.facts.finding import Finding
from gpudoctor.facts.gpus import Gpu, MigInstance
from gpudoctor.facts.libraries import Libraries, Resolution
from gpudoctor.facts.live import AgentRun, DeviceList, ListedDevice, Live, Stage, Thrown
from gpudoctor.facts.system import Container, Environ
from gpudoctor.facts.versions import Capability
from tests.whole import driver, framework, gpu, machine

A, B = (gpu("NVIDIA GeForce RTX 4090", "8.9", index=index) for index in (0, 1))
TWO = Answer(outcome="answered", code=0, device_count=2)
DRIVER = driver("580.65.06", nvml=TWO, cuda_init=TWO)
CPU = ListedDevice(name="cpu", kind="cpu")
TORCH = framework("torch", "2.8.0+cu128")
CPU_TORCH = framework("torch", "2.8.0+cpu")


def cuda(index, **known):
    return ListedDevice(name=f"cuda:{index}", kind="gpu", index=index, **known)


def torch(*devices, ending="finished", **more):
    facts = {"built_with_cuda": True, **more}
    run = facts.pop("run", AgentRun(framework="torch", task="devices", ending=ending))
    return DeviceList(framework="torch", run=run, devices=devices or None, **facts)


def seen(listed, gpus=(A, B), findings=(), **changes):
    """(what torch sees of each GPU by name, the reasons)."""
    facts = {"driver": DRIVER, "frameworks": [TORCH], "live": Live(devices=(listed,)), **changes}
    view = cross_view(machine(gpus, **facts), findings)
    rows = [row for row in view.rows if row.kind == "gpu"]
    sights = [next(sight for sight in row.sights if sight.viewer == "torch") for row in rows if row.sights]
    return [sight.name or sight.state for sight in sights], [sight.why for sight in sights if sight.why]


def test_everything_sees_everything():
    view = cross_view(
        machine([A, B], driver=DRIVER, frameworks=[TORCH], live=Live(devices=(torch(CPU, cuda(0), cuda(1)),)))
    )
    assert view.viewers == ("NVML", "CUDA", "torch")
    assert [[sight.name for sight in row.sights] for row in view.rows] == [
        ["0", "0", "cuda:0"],
        ["1", "1", "cuda:1"],
        ["cpu"],
    ]


def test_a_device_is_known_by_uuid_before_its_place():
    swapped = torch(CPU, cuda(0, uuid=B.uuid), cuda(1, uuid=A.uuid.upper()))
    assert seen(swapped)[0] == ["cuda:1", "cuda:0"]


def test_a_device_is_known_by_its_address():
    assert seen(torch(CPU, cuda(0, pci_bus_id=B.pci_bus_id)))[0] == ["hidden", "cuda:0"]


def test_the_mask_gives_the_order():
    masked = {"environ": Environ(variables={"CUDA_VISIBLE_DEVICES": "1"})}
    assert seen(torch(CPU, cuda(0)), **masked) == (["hidden", "cuda:0"], ["CUDA_VISIBLE_DEVICES leaves it out"])
    turned = {"environ": Environ(variables={"CUDA_VISIBLE_DEVICES": f"{B.uuid},{A.uuid}"})}
    assert seen(torch(CPU, cuda(0), cuda(1)), **turned)[0] == ["cuda:1", "cuda:0"]


def test_a_mask_hides_from_the_cuda_driver_too():
    view = cross_view(
        machine(
            [A, B],
            driver=structs.replace(DRIVER, cuda_init=Answer(outcome="answered", code=0, device_count=1)),
            environ=Environ(variables={"CUDA_VISIBLE_DEVICES": "1"}),
            live=Live(),
        )
    )
    cuda_sights = [sight for row in view.rows for sight in row.sights if sight.viewer == "CUDA"]
    assert [(sight.state, sight.name) for sight in cuda_sights] == [("hidden", None), ("seen", "0")]


MISMATCH = Answer(outcome="answered", code=803, name="CUDA_ERROR_SYSTEM_DRIVER_MISMATCH")
REFUSED = structs.replace(DRIVER, cuda_init=MISMATCH)
NOT_FOUND = Resolution(framework="torch", soname="libcudnn.so.9", wanted_by="libtorch_cuda.so", how="linked")
MISSING = Libraries(resolutions=(NOT_FOUND,))
TWO_MISSING = Libraries(resolutions=(NOT_FOUND, structs.replace(NOT_FOUND, soname="libnccl.so.2")))
OF_TENSORFLOW = Libraries(resolutions=(structs.replace(NOT_FOUND, framework="tensorflow"),))
TOO_NEW = Finding(code="FRM002", name="arch-too-new-for-build", severity="error", summary="torch 2.8.0 has no code")
OF_JAX = structs.replace(TOO_NEW, summary="jax 0.6.0 has no code")
CPU_ONLY = Finding(code="FRM001", name="torch-cpu-only", severity="error", summary="torch is a CPU build")
OTHER = Finding(code="LIB006", name="files-damaged", severity="error", summary="a file is damaged")
LATE = Finding(code="SMK001", name="framework-sees-no-gpu", severity="error", summary="it sees none")
FAILED = AgentRun(
    framework="torch",
    task="devices",
    ending="finished",
    stages=(Stage(name="init", outcome="failed", error=Thrown(type="RuntimeError", text="CUDA error 36\nmore")),),
)
DIED = AgentRun(
    framework="torch",
    task="devices",
    ending="died",
    signal="SIGSEGV",
    stages=(Stage(name="import torch", outcome="unfinished"),),
)

#: name: (the list, what changes, the findings, words of the reason)
REASONS = {
    "CPU build": (torch(CPU, built_with_cuda=False), {"frameworks": [CPU_TORCH]}, (CPU_ONLY,), "CPU only (FRM001)"),
    "another maker's build": (torch(CPU, built_with_cuda=False, built_with_rocm=True), {}, (), "built for GPUs of AMD"),
    "no driver": (torch(CPU), {"driver": None}, (), "there is no NVIDIA driver"),
    "the driver refuses": (torch(CPU), {"driver": REFUSED}, (), "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
    "a missing library": (torch(CPU), {"libraries": MISSING}, (), "does not find libcudnn.so.9"),
    "two missing libraries": (torch(CPU), {"libraries": TWO_MISSING}, (), "does not find libcudnn.so.9 and 1 more"),
    "a missing library of another": (torch(CPU), {"libraries": OF_TENSORFLOW}, (OTHER,), "LIB006 files-damaged"),
    "no code of another's": (torch(CPU), {}, (OF_JAX,), "cause is FRM002 arch-too-new-for-build"),
    "no code for it": (torch(CPU), {}, (TOO_NEW,), "no code for compute capability 8.9 (FRM002)"),
    "a finding": (torch(CPU), {}, (LATE, OTHER), "the likely cause is LIB006 files-damaged"),
    "its own words": (torch(CPU, run=FAILED), {}, (LATE,), "says: RuntimeError: CUDA error 36"),
    "nothing known": (torch(CPU), {}, (), "why is not known"),
    "it died": (torch(run=DIED), {}, (), "could not tell: it was killed by SIGSEGV in the stage import torch"),
}  # fmt: skip


@pytest.mark.parametrize("how", REASONS)
def test_the_reason(how):
    listed, changes, findings, words = REASONS[how]
    names, reasons = seen(listed, gpus=(A,), findings=findings, **changes)
    assert names == ["unknown" if how == "it died" else "hidden"]
    assert words in reasons[0]
    assert ("more" in reasons[0]) is ("more" in words)


@pytest.mark.parametrize(
    ("changed", "changes", "words"),
    [
        ({"mig_enabled": True, "mig_instances": (MigInstance(uuid="MIG-1"),)}, {}, "MIG): only its 1 parts"),
        ({"mig_enabled": True, "mig_instances": ()}, {}, "MIG): it has no part yet"),
        ({"mig_enabled": True}, {}, "why is not known"),
        ({"mig_enabled": False, "mig_instances": ()}, {}, "why is not known"),
        ({"index": None}, {"container": Container(kind="docker")}, "not given to this container"),
        ({"bound_driver": "vfio-pci"}, {}, "virtual machine"),
        ({"vendor": "amd"}, {}, "built for GPUs of NVIDIA"),
    ],
)
def test_the_reason_of_a_gpu(changed, changes, words):
    names, reasons = seen(torch(CPU, cuda(0, uuid=A.uuid)), gpus=(A, structs.replace(B, **changed)), **changes)
    assert names == ["cuda:0", "hidden"]
    assert words in reasons[0]


def test_devices_of_no_driver_have_rows_of_their_own():
    listed = torch(CPU, ListedDevice(name="mps", kind="mps"), built_with_cuda=False)
    view = cross_view(machine(frameworks=[TORCH], live=Live(devices=(listed,))))
    assert [(row.device, row.sights[0].name) for row in view.rows] == [("CPU", "cpu"), ("Apple GPU (Metal)", "mps")]
    assert view.viewers == ("torch",)


def test_a_gpu_nobody_told_of_is_still_shown():
    view = cross_view(machine(frameworks=[TORCH], live=Live(devices=(torch(CPU, cuda(0, uuid="GPU-9")),))))
    assert "GPU not seen otherwise" in [row.device for row in view.rows]


def test_equal_cards_are_not_mixed_up():
    twin = Gpu(vendor="nvidia", index=1, name=A.name, capability=Capability("8.9"))
    assert seen(torch(CPU, cuda(0), cuda(1)), gpus=(structs.replace(twin, index=0), twin))[0] == ["cuda:0", "cuda:1"]


def test_each_framework_has_its_own_finding():
    findings = tuple(
        Finding(code=code, name=name, severity="error", summary=f"{what} is built for the processor only")
        for code, name, what in (("FRM001", "torch-cpu-only", "torch"), ("FRM015", "tf-cpu-only", "tensorflow"))
    )
    lists = tuple(
        DeviceList(framework=name, run=FAILED, devices=(CPU,), built_with_cuda=False, backend=backend)
        for name, backend in (("torch", None), ("tensorflow", None), ("keras", "tensorflow"))
    )
    view = cross_view(machine([A], driver=DRIVER, live=Live(devices=lists)), findings)
    reasons = [sight.why for sight in view.rows[0].sights if sight.why]
    assert reasons == [
        "the installed torch is built for the CPU only (FRM001)",
        "the installed tensorflow is built for the CPU only (FRM015)",
        "the installed tensorflow is built for the CPU only (FRM015)",
    ]
