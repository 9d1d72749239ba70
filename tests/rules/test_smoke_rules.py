"""Rules on what was run: who tells which failure, what it follows from, and that none is left untold."""

import msgspec
import pytest

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.diagnosis.verdict import report_of
from gpudoctor.facts.driver import Answer, Driver
from gpudoctor.facts.finding import SEVERITIES
from gpudoctor.facts.fix import Run
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.libraries import Libraries
from gpudoctor.facts.live import (
    AgentRun,
    DeviceList,
    ListedDevice,
    Live,
    SmokeRun,
    Stage,
    Symptom,
    Thrown,
    Trial,
)
from gpudoctor.facts.python import Framework, Frameworks, Package, Packages
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Container, System
from gpudoctor.knowledge.causes import all_causes
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.message import messages
from gpudoctor.knowledge.recognition import recognise
from gpudoctor.rules.declare import MANUAL_HEADINGS
from gpudoctor.rules.failures import OF_RUNS, failures
from gpudoctor.rules.load import load_rules
from tests.rules.situations import environ, gpu, gpus
from tests.rules.table import fires, quiet, texts_of

RULES = load_rules()
NAMES = {rule.name for rule in RULES}
SMOKE = tuple(rule for rule in RULES if rule.code.startswith("SMK"))
NO_KERNEL = "CUDA error: no kernel image is available for execution on the device"


def run(ending="finished", framework="torch", task="smoke", stage=None, **more):
    stages = (Stage(name=stage, outcome="unfinished"),) if stage else ()
    return AgentRun(framework=framework, task=task, ending=ending, stages=more.pop("stages", stages), **more)


def trial(**more):
    return Trial(**{"network": "dense", "device": "gpu:0", "outcome": "failed", **more})


def smoke(*trials, framework="torch", version="2.6.0", peers=None, **more):
    of = more.pop("of", None) or run(framework=framework, **more)
    return Live(smoke=(SmokeRun(framework=framework, version=version, run=of, trials=trials, peers=peers),))


def raised(text, kind="RuntimeError", traceback=None):
    return Thrown(type=kind, text=text, traceback=traceback)


def fails_with(text, kind="RuntimeError", **more):
    return smoke(trial(error=raised(text, kind), **more))


def fails_to_import(text, kind="ImportError", framework="torch"):
    stages = (Stage(name=f"import {framework}", outcome="failed", error=raised(text, kind)),)
    return smoke(of=run("failed", framework, stages=stages, error=raised(text, kind)), framework=framework)


def pasted(text):
    return Live(symptoms=recognise(text, where="pasted text, line 1"))


#: A run that failed, and the rule that tells it.
FAILED = [
    (smoke(ending="died", stage="import torch", signal="SIGSEGV"), "framework-import-crashed"),
    (smoke(ending="died", stage="import torch", signal="SIGILL"), "cpu-instruction-missing"),
    (smoke(ending="died", stage="train conv float32 on gpu:0", signal="SIGSEGV"), "framework-run-crashed"),
    (smoke(ending="timed-out", stage="import torch", seconds=180.0), "framework-import-hung"),
    (smoke(ending="abandoned", stage="import torch"), "framework-import-hung"),
    (smoke(ending="timed-out", stage="train conv float32 on gpu:0"), "framework-run-hung"),
    (smoke(ending="silent", stage="import torch", code=0), "framework-run-ended-silently"),
    (smoke(ending="flooded", stage="import torch"), "output-flooded"),
    (smoke(ending="out-of-memory", stage="train dense float32 on cpu"), "run-out-of-memory"),
    (smoke(ending="not-started", reason="no such program"), "smoke-failed"),
    (smoke(ending="failed", error=raised("who knows")), "smoke-failed"),
    (smoke(ending="failed"), "smoke-failed"),
    (smoke(ending="died", signal="SIGKILL"), "framework-run-crashed"),
    (fails_to_import("No module named 'typing_extensions'", "ModuleNotFoundError"), "framework-import-failed"),
    (fails_to_import("what nobody has seen"), "framework-import-failed"),
    (fails_to_import("Descriptors cannot be created directly.", "TypeError", "tensorflow"), "framework-import-failed"),
    (fails_to_import("libcudnn.so.9: cannot open shared object file: No such file or directory"), "library-not-loaded"),
    (fails_to_import("libcusparse.so.12: undefined symbol: __nvJitLinkComplete_12_4"), "library-not-loaded"),
    (fails_to_import("version `GLIBC_2.27' not found (required by x.so)"), "system-library-too-old"),
    (fails_to_import("numpy.dtype size changed, may indicate binary incompatibility", "ValueError"), "numpy-abi"),
    (fails_with(NO_KERNEL), "no-kernel-image"),
    (fails_with("CUDA error: an illegal memory access was encountered"), "cuda-program-error"),
    (fails_with("CUDA error: device-side assert triggered"), "cuda-program-error"),
    (fails_with("CUDA error: unspecified launch failure"), "cuda-program-error"),
    (fails_with("CUDA error: uncorrectable ECC error encountered"), "gpu-hardware-error"),
    (fails_with("CUDA error: system not yet initialized"), "cuda-start-failed"),
    (fails_with("CUDA error: operation not permitted"), "cuda-start-failed"),
    (fails_with("CUDA unknown error"), "cuda-start-failed"),
    (fails_with("CUDA error: of a new kind"), "cuda-start-failed"),
    (fails_with("cuDNN error: CUDNN_STATUS_NOT_INITIALIZED"), "cudnn-failed"),
    (fails_with("DNN library is not found.", "UnimplementedError"), "cudnn-failed"),
    (fails_with("CUBLAS_STATUS_NOT_INITIALIZED when calling cublasCreate(handle)"), "cuda-library-failed"),
    (fails_with("libdevice not found at ./libdevice.10.bc", "InternalError"), "compile-failed"),
    (fails_with("Failed to find C compiler. Please specify via CC", mode="compile"), "compile-failed"),
    (fails_with("CUDA out of memory. Tried to allocate 20 MiB.", "OutOfMemoryError"), "gpu-out-of-memory"),
    (fails_with("NCCL error: unhandled system error, NCCL version 2.21"), "nccl-failed"),
    (fails_with("Unable to initialize backend 'cuda': x", "RuntimeError"), "jax-plugin-init-failed"),
    (fails_with("Numpy is not available"), "numpy-abi"),
    (fails_with("nobody knows this"), "smoke-failed"),
    (smoke(trial(detail="the loss did not fall: 2.301 before, 2.310 after")), "loss-did-not-fall"),
    (smoke(trial(detail="the accuracy is 0.11, below 0.80")), "loss-did-not-fall"),
    (smoke(trial(detail="it did not run where it was asked to", placed_on="cpu")), "trained-on-wrong-device"),
    (smoke(trial(detail="the result differs from the CPU's by 0.3, more than 0.001")), "result-differs-from-cpu"),
    (smoke(trial(detail=None)), "smoke-failed"),
    (smoke(peers=((0, 1, True, False),)), "peer-copy-wrong"),
    (
        smoke(of=run(stages=(Stage(name="memory of gpu:0", outcome="failed", error=raised("kept", "MemoryError")),))),
        "memory-not-given-back",
    ),
    (
        smoke(of=run(stages=(Stage(name="torch.from_numpy", outcome="failed", error=raised("x", "TypeError")),))),
        "numpy-abi",
    ),
]  # fmt: skip

#: A pasted message, and the rule that tells it.
PASTED = [
    ("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.", "driver-reports-error"),
    ("NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.", "driver-reports-error"),
    ('docker: could not select device driver "" with capabilities: [[gpu]].', "driver-reports-error"),
    ("AssertionError: Torch not compiled with CUDA enabled", "framework-sees-no-gpu"),
    ("Cannot dlopen some GPU libraries.", "framework-sees-no-gpu"),
    ("Could not find the bitsandbytes CUDA binary at x.so", "extension-failed"),
    ("ERROR: No matching distribution found for torch==1.8.1", "install-failed"),
    ("CUDA kernels will be jit-compiled from PTX, which could take 30 minutes or longer.", "first-start-slow"),
    ("Illegal instruction (core dumped)", "cpu-instruction-missing"),
    ("Segmentation fault (core dumped)", "framework-run-crashed"),
    ("ncclSystemError: System call failed", "nccl-failed"),
    (NO_KERNEL, "no-kernel-image"),
    ("setup.py of flash_attn: No module named 'torch'", "ext-build-isolation"),
]


def judged(live, **more):
    diagnosis = diagnose(Snapshot(live=live, **more), load_matrix(), RULES)
    assert not diagnosis.crashed, diagnosis.crashed[0].traceback
    return diagnosis


@pytest.mark.parametrize(("live", "rule"), FAILED, ids=[f"{number}-{rule}" for number, (_, rule) in enumerate(FAILED)])
def test_a_failed_run_is_told_by_one_rule(live, rule):
    told = [one for one in judged(live).findings if one.code.startswith("SMK")]
    assert [one.name for one in told] == [rule]
    assert told[0].confidence == "certain"
    fires(rule, live=live)


@pytest.mark.parametrize(("text", "rule"), PASTED, ids=[rule for _, rule in PASTED])
def test_a_pasted_message_is_told_by_one_rule(text, rule):
    found = judged(pasted(text))
    # The message may name its cause, under which it is then told.
    told = [one for one in found.findings if one.name == rule]
    assert told
    fires(rule, live=pasted(text))
    assert {one.name for one in found.root_causes if not one.told} <= {rule}
    assert told[0].confidence == "likely"
    assert any("Check: " in step.text for fix in told[0].fixes for step in fix.steps if hasattr(step, "text"))


OF_MESSAGES = {message.reported_by for message in messages()}


@pytest.mark.parametrize("rule", SMOKE, ids=lambda rule: rule.name)
def test_a_rule_of_the_family(rule):
    lines = rule.manual.splitlines()
    headings = tuple(line[:-1] for line in lines if line.endswith(":") and line[:-1] in MANUAL_HEADINGS)
    assert headings == MANUAL_HEADINGS
    assert rule.summary.endswith(".")
    if rule.name != "framework-sees-fewer-gpus":
        assert rule.name in OF_RUNS | OF_MESSAGES
        assert rule.name in {name for _, name in (*FAILED, *PASTED)}, "no row of a table makes it fire"
    quiet(rule.name, **{"live": smoke(trial(outcome="passed")), **NOTHING})
    quiet(rule.name, **{"live": Live(), **NOTHING})


NOTHING = dict.fromkeys(("host", "container", "gpus", "driver", "interpreter", "packages", "environ", "frameworks"))


def test_what_reports_a_failure_is_a_rule():
    assert OF_RUNS | OF_MESSAGES <= NAMES


@pytest.mark.parametrize("row", messages(), ids=lambda row: row.id)
def test_every_known_message_is_told_or_harmless(row):
    live = Live(symptoms=(Symptom(signature=row.id, text="the line"),))
    found = judged(live).findings
    cause = row.causes[0].key
    record = all_causes().get(cause)
    no_failure = record is not None and (record.harmless or record.costs_speed)
    assert found or no_failure
    assert not found or cause not in ("harmless", "tensorrt-not-needed")
    assert not any(one.severity == "error" for one in found) or not no_failure
    for one in found:
        assert one.severity in SEVERITIES
        assert one.summary.endswith(".")
        assert one.evidence
        assert one.fixes
        assert "None" not in one.summary
        assert set(one.follows_from) <= NAMES


def test_whatever_fails_is_told():
    """Every way to end, in every kind of stage, with and without an error: a finding, and never healthy."""
    endings = msgspec.inspect.type_info(AgentRun).fields
    ways = next(field.type.values for field in endings if field.name == "ending")
    for ending in ways:
        for stage in (None, "import torch", "train dense float32 on gpu:0", "something else"):
            for error in (None, raised("a"), raised(NO_KERNEL), raised("", "")):
                live = smoke(ending=ending, stage=stage, error=error)
                found = judged(live).findings
                assert bool(found) == (ending not in ("finished", "interrupted")), (ending, stage)
                report = report_of(Snapshot(live=live), judged(live))
                assert report.verdict != "healthy"


def test_an_import_that_fails_is_told_once():
    error = raised("No module named 'sympy'", "ModuleNotFoundError")
    stages = (Stage(name="import torch", outcome="failed", error=error),)
    live = Live(
        devices=(DeviceList(framework="torch", version="2.6.0", run=run("failed", task="devices", stages=stages)),),
        smoke=(SmokeRun(framework="torch", version="2.6.0", run=run("failed", stages=stages)),),
    )
    assert len(failures(live)) == 1


def test_what_only_some_programs_need_is_a_warning():
    assert fires("no-kernel-image", live=fails_with(NO_KERNEL)).severity == "error"
    assert fires("no-kernel-image", live=fails_with(NO_KERNEL, precision="bfloat16")).severity == "warning"
    assert fires("compile-failed", live=fails_with("Failed to find C compiler", mode="compile")).severity == "warning"
    both = smoke(trial(error=raised(NO_KERNEL), precision="bfloat16"), trial(error=raised(NO_KERNEL)))
    assert fires("no-kernel-image", live=both).severity == "error"


def test_a_skipped_trial_is_no_failure():
    skipped = trial(outcome="skipped", detail="this GPU has no bfloat16")
    assert judged(smoke(trial(outcome="passed"), skipped)).findings == ()


def test_what_is_printed_by_a_run_that_succeeds_is_no_finding():
    live = smoke(trial(outcome="passed"))
    noise = (Symptom(signature="tf-could-not-find-cuda-drivers", text="x", framework="torch", where="smoke torch"),)
    assert judged(msgspec.structs.replace(live, symptoms=noise)).findings == ()


def test_each_framework_has_its_own_finding():
    one, other = smoke(trial(error=raised(NO_KERNEL))), smoke(trial(error=raised(NO_KERNEL)), framework="tensorflow")
    found = judged(Live(smoke=(*one.smoke, *other.smoke))).findings
    assert [(each.name, each.subject) for each in found] == [
        ("no-kernel-image", "tensorflow 2.6.0"),
        ("no-kernel-image", "torch 2.6.0"),
    ]


# What a framework lists.

TORCH = Frameworks(found=(Framework(name="torch", version="2.6.0+cu124", variant="cuda"),))
CPU_TORCH = Frameworks(found=(Framework(name="torch", version="2.6.0+cpu", variant="cpu"),))
CPU = ListedDevice(name="cpu", kind="cpu")
ONE = ListedDevice(name="cuda:0", kind="gpu", index=0)
TWO = gpus(gpu(index=0), gpu(index=1))


def listing(*devices, framework="torch", **more):
    return Live(devices=(DeviceList(framework=framework, version="2.6.0+cu124", devices=devices, **more),))


def seen(live, **more):
    sections = {"gpus": gpus(), "driver": None, "environ": environ(), "frameworks": TORCH}
    return {"live": live, **sections, **more}


def test_framework_sees_no_gpu():
    found = fires("framework-sees-no-gpu", **seen(listing(CPU)))
    assert found.severity == "error"
    assert found.subject == "torch 2.6.0+cu124"
    fires("framework-sees-no-gpu", **seen(listing(ONE, gpu_available=False)))
    fires("framework-sees-no-gpu", **seen(listing(CPU, built_with_cuda=True), frameworks=None))
    fires("framework-sees-no-gpu", **seen(listing(CPU), environ=environ(CUDA_VISIBLE_DEVICES="7")))


def test_a_framework_that_may_see_no_gpu():
    for live, more in (
        (listing(CPU, ONE), {}),
        (listing(CPU), {"gpus": None}),
        (listing(CPU), {"frameworks": CPU_TORCH}),
        (listing(CPU), {"environ": environ(CUDA_VISIBLE_DEVICES="-1")}),
        (listing(CPU), {"environ": environ(CUDA_VISIBLE_DEVICES="")}),
        (listing(CPU), {"frameworks": None}),
        (listing(CPU, framework="keras"), {}),
        (listing(CPU, built_with_rocm=True), {}),
        (Live(devices=(DeviceList(framework="torch"),)), {}),
        (listing(CPU), {"gpus": gpus(gpu(bound_driver="vfio-pci"))}),
    ):
        quiet("framework-sees-no-gpu", **seen(live, **more))


RADEON = Gpus(devices=(Gpu(vendor="amd", pci_bus_id="0000:03:00.0", bound_driver="amdgpu"),))
ROCM = listing(CPU, gpu_available=False, built_with_rocm=True)


@pytest.mark.parametrize(
    ("more", "advice"),
    [
        ({"host": System(os="linux", is_root=False, groups=("ada", "sudo"))}, "usermod -aG render,video"),
        ({"host": System(os="linux", is_root=False, groups=("ada", "render"))}, "rocminfo"),
        ({"host": System(os="linux", is_root=True, groups=("root",))}, "rocminfo"),
        ({"host": System(os="linux", groups=("ada",)), "container": Container(kind="docker")}, "--device /dev/kfd"),
        ({}, "rocminfo"),
    ],
)
def test_a_build_for_rocm_that_sees_no_gpu(more, advice):
    found = fires("framework-sees-no-gpu", **seen(ROCM, gpus=RADEON, frameworks=None, **more))
    assert "AMD GPU" in found.summary
    assert advice in " | ".join(texts_of(found))


def test_a_build_for_rocm_that_may_see_no_gpu():
    passed = Gpus(devices=(Gpu(vendor="amd", pci_bus_id="0000:03:00.0", bound_driver="vfio-pci"),))
    for live, more in (
        (listing(CPU, ONE, gpu_available=True, built_with_rocm=True), {}),
        (ROCM, {"gpus": passed}),
        (ROCM, {"gpus": None}),
        (ROCM, {"environ": environ(HIP_VISIBLE_DEVICES="-1")}),
        (ROCM, {"environ": environ(ROCR_VISIBLE_DEVICES="")}),
        (listing(CPU, gpu_available=False, built_with_cuda=True), {"frameworks": None}),
    ):
        quiet("framework-sees-no-gpu", **seen(live, **{"gpus": RADEON, "frameworks": None, **more}))


@pytest.mark.parametrize(
    ("live", "idle"),
    [
        (listing(CPU, ONE, gpu_available=True, built_with_rocm=True), False),
        (listing(CPU, ListedDevice(name="mps", kind="mps"), gpu_available=False), False),
        (ROCM, True),
        (None, True),
    ],
)
def test_nothing_is_said_to_run_on_the_processor_that_can_use_another_gpu(live, idle):
    found = fires("no-gpu", gpus=RADEON, driver=None, host=System(os="linux"), container=None, live=live)
    assert ("Frameworks run on the CPU" in found.summary) is idle


def test_framework_sees_fewer_gpus():
    assert "1 of 2" in fires("framework-sees-fewer-gpus", **seen(listing(CPU, ONE), gpus=TWO)).summary
    both = listing(CPU, ONE, ListedDevice(name="cuda:1", kind="gpu", index=1))
    quiet("framework-sees-fewer-gpus", **seen(both, gpus=TWO))
    quiet("framework-sees-fewer-gpus", **seen(listing(CPU), gpus=TWO))
    quiet("framework-sees-fewer-gpus", **seen(listing(CPU, ONE), gpus=TWO, environ=environ(CUDA_VISIBLE_DEVICES="1")))
    one = Driver(cuda_init=Answer(outcome="answered", code=0, device_count=1))
    quiet("framework-sees-fewer-gpus", **seen(listing(CPU, ONE), gpus=TWO, driver=one))
    mig = gpus(gpu(index=0, mig_enabled=True), gpu(index=1))
    quiet("framework-sees-fewer-gpus", **seen(listing(CPU, ONE), gpus=mig))


def test_no_gpu_is_seen_because_a_library_is_missing():
    """The finding of the run is folded under what was looked at."""
    from tests.rules.test_root_causes_framework import FAULTS

    machine, _, _ = (
        FAULTS["tf-soname-missing"]
        if "tf-soname-missing" in FAULTS
        else next(fault for fault in FAULTS.values() if isinstance(fault[0].get("libraries"), Libraries))
    )
    live = Live(devices=(DeviceList(framework="tensorflow", devices=(CPU,), built_with_cuda=True),))
    found = diagnose(Snapshot(**(machine | {"live": live})), load_matrix(), RULES).findings
    sees_none = next((one for one in found if one.name == "framework-sees-no-gpu"), None)
    assert sees_none is not None
    assert sees_none.because_of
    assert found[0].code in sees_none.because_of


def test_a_build_that_does_not_find_torch():
    """As pip prints it, over several lines."""
    log = """
    error: subprocess-exited-with-error
    x Getting requirements to build wheel did not run successfully.
      File "<string>", line 22, in <module>
      ModuleNotFoundError: No module named 'torch'
    note: This error originates from a subprocess, and is likely not a problem with pip.
    ERROR: Failed to build 'flash-attn'
    """
    roots = judged(pasted(log)).root_causes
    assert [one.name for one in roots] == ["ext-build-isolation"]


# Fixes.


def commands(finding):
    return [" ".join(step.argv) for fix in finding.fixes for step in fix.steps if isinstance(step, Run)]


def test_a_missing_module_is_installed_only_where_its_package_is_known():
    known = fires("framework-import-failed", live=fails_to_import("No module named 'absl.logging'"), **NOTHING)
    assert any(command.endswith("install absl-py") for command in commands(known))
    guessed = fires("framework-import-failed", live=fails_to_import("No module named 'never_heard_of'"), **NOTHING)
    assert not commands(guessed)


def test_numpy_goes_to_the_side_that_is_missing():
    packages = Packages(installed=(Package(name="numpy", version="2.1.0"),))
    more = {**NOTHING, "packages": packages}
    older = fires("numpy-abi", live=fails_to_import("compiled using NumPy 1.x cannot be run in NumPy 2.1"), **more)
    assert any("numpy<2" in command for command in commands(older))
    text = "module compiled against API version 0x10 but this version of numpy is 0xe"
    newer = fires("numpy-abi", live=fails_to_import(text), **more)
    assert any("--upgrade" in command for command in commands(newer))
    assert any("numpy>=1.23,<2" in command for command in commands(newer))
    # What runs with no NumPy 1 that is older than it wants is not told to install NumPy 1.
    old = {**NOTHING, "packages": Packages(installed=(Package(name="numpy", version="1.19.5"),))}
    changed = fires("numpy-abi", live=fails_to_import("numpy.dtype size changed", "ValueError"), **old)
    assert any("--upgrade numpy<2" in command for command in commands(changed))


@pytest.mark.parametrize(
    ("number", "wanted"),
    [("0xf", "numpy>=1.22,<2"), ("e", "numpy>=1.20,<2"), ("0x12", "numpy>=2.0"), ("0x99", "numpy")],
)
def test_the_release_is_the_one_that_the_printed_number_means(number, wanted):
    line = f"UserWarning: Failed to initialize NumPy: module compiled against API version {number} but this version of"
    printed = (f"{line} numpy is 0xd (Triggered internally at tensor_numpy.cpp:77.)",)
    stage = Stage(name="torch.from_numpy", outcome="failed", error=raised("Numpy is not available"))
    found = fires("numpy-abi", live=smoke(of=run(stages=(stage,), log=printed)), **NOTHING)
    assert commands(found)[0].split()[-1] == wanted
    assert any("newer NumPy than the installed one" in str(one.value) for one in found.evidence)
