"""What the rules on a run say of it: who, where, how long, what it printed, and what that points to."""

import pytest

from gpudoctor.diagnosis.diagnose import likely_causes
from gpudoctor.facts.base import Gap
from gpudoctor.facts.driver import Answer, Driver
from gpudoctor.facts.live import DeviceList, ListedDevice, Live, SmokeRun, Stage, Symptom
from gpudoctor.facts.python import Framework, Frameworks, Interpreter, Package, Packages, Unmet
from gpudoctor.facts.system import System
from gpudoctor.knowledge.message import messages
from gpudoctor.report.commands import step_lines
from gpudoctor.rules._expected_gpus import expected, gpus_listed, lists_to_judge, symptoms_of
from gpudoctor.rules.failures import Failure, failures
from gpudoctor.rules.live_problem import Failed, problems
from tests.rules.situations import answer, environ, gpu, gpus
from tests.rules.table import fires, rule_of
from tests.rules.test_smoke_rules import (
    NO_KERNEL,
    NOTHING,
    fails_to_import,
    fails_with,
    pasted,
    raised,
    run,
    smoke,
    trial,
)

TRAINS = "train dense float32 on gpu:0"
#: A run, the rule that tells it, and what it must say beside the framework's name.
SAYS = [
    (smoke(ending="died", stage="import torch", signal="SIGSEGV"), "framework-import-crashed", "Python (SIGSEGV)."),
    (smoke(ending="died", stage="import torch"), "framework-import-crashed", "crashes Python."),
    (smoke(ending="died", stage=TRAINS, signal="SIGBUS"), "framework-run-crashed", f'step "{TRAINS}" (SIGBUS).'),
    (smoke(ending="died", stage=TRAINS), "framework-run-crashed", f'in the step "{TRAINS}".'),
    (smoke(ending="timed-out", stage="import torch", seconds=180.4), "framework-import-hung", "finish within 180 s."),
    (smoke(ending="abandoned", stage="import torch"), "framework-import-hung", "did not finish within its time."),
    (smoke(ending="timed-out", stage=TRAINS, seconds=60.0), "framework-run-hung", f'"{TRAINS}" within 60 s.'),
    (smoke(ending="abandoned", stage=TRAINS), "framework-run-hung", "within its time."),
    (smoke(ending="silent", stage=TRAINS, code=0), "framework-run-ended-silently", f'"{TRAINS}" (exit code 0).'),
    (smoke(ending="silent", stage=TRAINS), "framework-run-ended-silently", f'in the step "{TRAINS}".'),
    (smoke(ending="out-of-memory", stage=TRAINS), "run-out-of-memory", f'more memory in the step "{TRAINS}"'),
    (smoke(ending="flooded", stage=TRAINS), "output-flooded", f'in the step "{TRAINS}"'),
    (smoke(trial(detail="did not run where it was asked to", placed_on="cpu")), "trained-on-wrong-device", "on cpu."),
    (smoke(trial(detail="it did not run where it was asked to")), "trained-on-wrong-device", "on another one."),
    (fails_with("CUDA out of memory."), "gpu-out-of-memory", "on gpu:0: torch 2.6.0 could not train even a small"),
    (smoke(trial(detail="the loss did not fall")), "loss-did-not-fall", "trained on gpu:0, but the network did not"),
    (fails_with("CUDA error: an illegal memory access was encountered"), "cuda-program-error", "torch 2.6.0 failed on"),
    (smoke(peers=((0, 1, True, True), (1, 2, True, False))), "peer-copy-wrong", "(gpu:1+gpu:2)"),
    (fails_to_import("libcudnn.so.9: cannot open shared object file"), "library-not-loaded", "Torch 2.6.0 cannot"),
    (fails_to_import("numpy.dtype size changed", "ValueError"), "numpy-abi", "Torch 2.6.0 was compiled"),
    (smoke(ending="died", stage="import torch", signal="SIGILL"), "cpu-instruction-missing", "Torch 2.6.0 uses"),
    # Of a pasted message nobody knows who said it.
    (pasted("libcudnn.so.9: cannot open shared object file"), "library-not-loaded", "A compiled part cannot load"),
    (pasted("numpy.dtype size changed, may indicate"), "numpy-abi", "A compiled part was compiled for a different"),
    (pasted("Illegal instruction (core dumped)"), "cpu-instruction-missing", "A compiled part uses an instruction"),
    (pasted("Segmentation fault (core dumped)"), "framework-run-crashed", "Compiled code in the program crashed."),
    (pasted("RuntimeError: CUDA out of memory. Tried to"), "gpu-out-of-memory", "full: the program asked for more"),
]  # fmt: skip


@pytest.mark.parametrize(("live", "rule", "words"), SAYS, ids=[f"{rule}: {words}" for _, rule, words in SAYS])
def test_what_is_said(live, rule, words):
    found = fires(rule, live=live, **NOTHING)
    assert words in found.summary
    assert found.severity == rule_of(rule).severity
    told = [found.summary, *(one.value for one in found.evidence), *(fix.title for fix in found.fixes)]
    assert "None" not in " ".join((*told, *(getattr(step, "text", "") for fix in found.fixes for step in fix.steps)))


def values(found):
    return [(one.fact, one.value) for one in found.evidence]


def test_what_did_not_start_did_not_fail_in_the_step():
    error = raised(NO_KERNEL)
    for ending, owner in (
        ("failed", "no-kernel-image"),
        ("not-started", "smoke-failed"),
        ("silent", "framework-run-ended-silently"),
    ):
        assert [one.owner for one in failures(smoke(ending=ending, error=error))] == [owner]
    assert [one.owner for one in failures(smoke(ending="failed", stage="import torch"))] == ["smoke-failed"]


# Evidence: the failures, what was printed, what it means.


def test_four_failures_are_shown_and_the_others_counted():
    def of(count):
        trials = (trial(error=raised("x"), device=f"gpu:{number}") for number in range(count))
        return values(fires("smoke-failed", live=smoke(*trials)))

    assert [fact for fact, _ in of(4)] == [f"train dense float32 on gpu:{number}" for number in range(4)]
    assert of(5)[4] == ("and", "1 more like these")
    assert len(of(6)) == 5
    assert of(6)[4] == ("and", "2 more like these")


def test_every_device_is_named_once():
    trials = [trial(error=raised(NO_KERNEL), device=name) for name in ("gpu:0", "gpu:1")]
    again = trial(error=raised(NO_KERNEL), network="conv")
    assert "the GPU on gpu:0, gpu:1, so" in fires("no-kernel-image", live=smoke(*trials, again), **NOTHING).summary


def test_the_last_lines_that_were_printed_are_evidence():
    log = ("one", "two", "three", "four")
    found = fires("framework-run-crashed", live=smoke(ending="died", stage=TRAINS, signal="SIGSEGV", log=log))
    assert values(found)[1:] == [("torch printed", word) for word in log[1:]]
    # What is evidence as the failure itself is not repeated.
    told = fires("smoke-failed", live=smoke(ending="failed", error=raised("x"), log=("RuntimeError: x",)))
    assert values(told) == [("start torch", "RuntimeError: x")]
    # What a whole run printed says nothing of one training of many.
    one = fires("smoke-failed", live=smoke(trial(error=raised("who knows")), log=log))
    assert len(one.evidence) == 1


def test_the_first_line_of_an_error_stands_for_it():
    found = fires("smoke-failed", live=fails_with("\n  the first line  \nthe second line"))
    assert values(found) == [(TRAINS, "RuntimeError: the first line")]
    assert values(fires("smoke-failed", live=fails_with("")))[0] == (TRAINS, "RuntimeError")
    assert len(values(fires("smoke-failed", live=fails_with("x" * 1000)))[0][1]) == 400


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"ending": "silent", "code": 3}, "it ended without any message (exit code 3)"),
        ({"ending": "silent"}, "it ended without any message (exit code not known)"),
        ({"ending": "died"}, "the system killed it with a signal"),
        ({"ending": "died", "signal": "SIGABRT"}, "the system killed it with SIGABRT"),
        ({"ending": "timed-out", "seconds": 61.2}, "it had not finished after 61 s and was stopped"),
        ({"ending": "abandoned", "reason": "in nvidia_ioctl"}, "it hangs and cannot be stopped: in nvidia_ioctl"),
    ],
)
def test_how_a_run_ended(how, words):
    assert [one.text for one in failures(smoke(**how))] == [words]


def test_a_run_ended_in_the_stage_that_was_not_finished():
    def where(*stages):
        return failures(smoke(of=run("failed", stages=tuple(Stage(name=name, outcome=how) for name, how in stages))))

    assert where(("import torch", "passed"), ("a", "unfinished"))[0].doing == "a"
    assert where(("a", "unfinished"), ("b", "failed"))[0].doing == "a"
    assert where(("a", "failed"), ("b", "failed"), ("c", "passed"))[0].doing == "b"
    assert where(("a", "passed"), ("b", "skipped"))[0].doing == "start torch"


def test_a_message_points_to_its_likely_causes_and_names_three():
    found = fires("no-kernel-image", live=fails_with(NO_KERNEL), **NOTHING)
    said = dict(values(found))
    assert said["meaning"] in {message.meaning for message in messages()}
    assert said["usual causes"].count("; ") == 2
    assert "arch-too-old-for-build" in found.follows_from
    (pointing,) = problems(fails_with(NO_KERNEL), "no-kernel-image", lambda _: ("x", ()))
    assert likely_causes(pointing.symptoms)[:2] == ("arch-too-new-for-build", "arch-too-old-for-build")
    unknown = fires("smoke-failed", live=fails_with("nobody knows this"))
    assert [one.fact for one in unknown.evidence] == [TRAINS]
    assert not any(fix.title.startswith("Find out which cause") for fix in unknown.fixes)


def test_memory_that_was_not_given_back_is_the_gpus():
    """The count raises MemoryError, which elsewhere says that the machine's memory is full."""
    stage = Stage(name="memory of gpu:1", outcome="failed", error=raised("120 MiB were not given back", "MemoryError"))
    found = fires("memory-not-given-back", live=smoke(of=run(stages=(stage,))))
    assert values(found) == [("memory of gpu:1", "MemoryError: 120 MiB were not given back")]
    assert "memory on gpu:1: " in found.summary
    assert not any(fix.title.startswith("Find out which cause") for fix in found.fixes)


def test_a_stage_that_proves_something_and_did_not_fail_is_no_failure():
    for stage in (
        Stage(name="memory of gpu:0", outcome="passed"),
        Stage(name="memory of gpu:0", outcome="skipped"),
        Stage(name="warm up", outcome="failed", error=raised("x")),
    ):
        assert failures(smoke(of=run(stages=(stage,)))) == ()
    both = (Stage(name="warm up", outcome="passed"), Stage(name="memory of gpu:0", outcome="failed"))
    assert [one.owner for one in failures(smoke(of=run(stages=both)))] == ["memory-not-given-back"]
    broken = Stage(name="torch.from_numpy", outcome="failed", error=raised(NO_KERNEL))
    assert [one.owner for one in failures(smoke(of=run(stages=(broken,))))] == ["no-kernel-image"]


def test_what_a_run_said_itself_counts_for_it_and_not_for_another():
    def owner(**where):
        line = Symptom(signature="no-kernel-image", text=NO_KERNEL, **where)
        live = Live(smoke=smoke(ending="failed", error=raised("who knows")).smoke, symptoms=(line,))
        return [one.owner for one in failures(live)]

    assert owner(framework="torch", where="smoke torch") == ["no-kernel-image"]
    assert owner(framework="torch", where="devices torch") == ["smoke-failed"]
    assert owner(framework="jax", where="smoke torch") == ["smoke-failed"]


def test_half_precision_and_compilers_are_not_for_everyone():
    def severity(**of):
        return fires("no-kernel-image", live=fails_with(NO_KERNEL, **of), **NOTHING).severity

    assert severity(mode="eager") == "error"
    assert severity(mode="xla") == "warning"
    assert severity(precision="float16") == "warning"


# Fixes.


def titles(found):
    return [fix.title for fix in found.fixes]


def test_the_words_of_the_system_at_hand():
    live = fails_to_import("libcudnn.so.9: cannot open shared object file")
    for system, word in (("windows", "findstr"), ("linux", "grep")):
        fix = fires("library-not-loaded", live=live, **{**NOTHING, "host": System(os=system, arch="x86_64")}).fixes[0]
        assert word in fix.steps[0].text


def test_without_numpy_there_is_no_way_back_to_it():
    live = fails_to_import("numpy.dtype size changed", "ValueError")
    assert fires("numpy-abi", live=live, **NOTHING).fixes[0].undo is None
    packages = Packages(installed=(Package(name="numpy", version="2.1.0"),))
    assert fires("numpy-abi", live=live, **{**NOTHING, "packages": packages}).fixes[0].undo == "install numpy==2.1.0"


def test_numpy_as_another_package_asks_for_it():
    live = fails_to_import("numpy.dtype size changed", "ValueError")
    wanted = Unmet(package="scipy", requirement="numpy", wanted=">=1.26,<2.3", found="2.4.0")
    packages = Packages(installed=(Package(name="numpy", version="2.4.0"),), unmet=(wanted,))
    fix = fires("numpy-abi", live=live, **{**NOTHING, "packages": packages}).fixes[0]
    assert fix.title == "Install what scipy needs"
    assert fix.steps[0].argv[-1] == "numpy>=1.26,<2.3"


@pytest.mark.parametrize(
    ("framework", "name", "version", "who"),
    [
        ("torch 2.6.0", "torch", "2.6.0", "torch 2.6.0"),
        ("torch", "torch", None, "torch"),
        (None, None, None, "the program"),
    ],
)
def test_whose_failure_it_is(framework, name, version, who):
    failed = Failed(failures=(Failure(owner="smoke-failed", framework=framework, doing="start", text="x"),))
    assert (failed.name, failed.version, failed.who) == (name, version, who)


def test_a_program_of_nobody_knows_what_is_told_where_builds_are():
    assert titles(fires("no-kernel-image", live=pasted(NO_KERNEL), **NOTHING))[0] == "Install a build for this GPU"
    torch = titles(fires("no-kernel-image", live=fails_with(NO_KERNEL), **NOTHING))
    assert "Install a build for this GPU" not in torch


# What a framework lists.

CPU = ListedDevice(name="cpu", kind="cpu")
ONE = ListedDevice(name="cuda:0", kind="gpu", index=0)
OTHER = ListedDevice(name="cuda:1", kind="gpu", index=1)
TORCH = Frameworks(found=(Framework(name="torch", version="2.6.0+cu124", variant="cuda"),))
PAIR = gpus(gpu(index=0), gpu(index=1))
PASSED_ON = gpu(index=1, bound_driver="vfio-pci")


@pytest.mark.parametrize(
    ("devices", "driver", "mask", "count"),
    [
        (gpus(), None, None, 1),
        (PAIR, None, None, 2),
        (gpus(gpu(index=0), PASSED_ON), None, None, 1),
        (gpus(PASSED_ON), None, None, 0),
        (None, None, None, 0),
        (Gap(reason="not seen"), None, None, 0),
        (PAIR, None, "1", 1),
        (PAIR, None, "0,1", 2),
        (PAIR, None, " -1 ", 0),
        (PAIR, None, "", 0),
        # A mask that shows nothing by mistake: one GPU at least was meant.
        (PAIR, None, "7", 1),
        (gpus(PASSED_ON), None, "7", 0),
        # What CUDA itself counts outranks what the bus shows; where it failed or counted none, the bus is asked.
        (PAIR, Driver(cuda_init=Answer(outcome="answered", code=0, device_count=1)), None, 1),
        (None, Driver(cuda_init=Answer(outcome="answered", code=0, device_count=3)), None, 3),
        (PAIR, Driver(cuda_init=Answer(outcome="answered", code=0, device_count=0)), None, 2),
        (PAIR, Driver(cuda_init=answer(100)), None, 2),
        (PAIR, Driver(cuda_init=Answer(outcome="crashed", device_count=1)), None, 2),
    ],
)
def test_how_many_gpus_a_program_should_see(devices, driver, mask, count):
    assert expected(devices, driver, environ() if mask is None else environ(CUDA_VISIBLE_DEVICES=mask)) == count
    if mask is None:
        assert expected(devices, driver, None) == expected(devices, driver, Gap(reason="not seen")) == count


@pytest.mark.parametrize(
    ("listed", "frameworks", "judged"),
    [
        ({}, TORCH, True),
        ({"devices": None}, TORCH, False),
        ({"framework": "keras"}, TORCH, False),
        ({"framework": "keras", "built_with_cuda": True}, TORCH, False),
        ({"built_with_rocm": True}, TORCH, False),
        ({"built_with_cuda": False}, TORCH, True),
        ({"built_with_cuda": True}, None, True),
        ({"built_with_cuda": True}, Gap(reason="not seen"), True),
        ({"built_with_cuda": True}, Frameworks(found=(Framework(name="torch", version="2", variant="cpu"),)), False),
        ({"built_with_cuda": True}, Frameworks(found=(Framework(name="torch", version="2"),)), True),
        ({"built_with_cuda": False}, None, False),
        ({}, None, False),
    ],
)
def test_which_lists_are_judged(listed, frameworks, judged):
    one = DeviceList(**{"framework": "torch", "devices": (CPU,), **listed})
    assert bool(lists_to_judge(Live(devices=(one,)), frameworks)) == judged


def test_a_framework_that_cannot_use_a_gpu_has_none():
    assert gpus_listed(DeviceList(framework="torch", devices=(CPU, ONE, OTHER))) == 2
    assert gpus_listed(DeviceList(framework="torch", devices=(CPU, ONE), gpu_available=True)) == 1
    assert gpus_listed(DeviceList(framework="torch", devices=(CPU, ONE), gpu_available=False)) == 0


def test_messages_of_the_listing_come_before_others():
    def line(signature, where, framework="torch"):
        return Symptom(signature=signature, text=f"{signature} in {where}", framework=framework, where=where)

    listing, training = line("a", "devices torch"), line("b", "smoke torch")
    assert symptoms_of(Live(symptoms=(training, listing, line("c", "devices jax", "jax"))), "torch") == (listing,)
    assert symptoms_of(Live(symptoms=(training,)), "torch") == (training,)
    assert symptoms_of(Live(symptoms=(Symptom(signature="a", text="x", framework="torch"),)), "torch") != ()


def listing(*devices, version="2.6.0+cu124", symptoms=(), **more):
    listed = DeviceList(framework="torch", version=version, devices=devices, **more)
    return Live(devices=(listed,), symptoms=symptoms)


def seen(live, devices=PAIR):
    return {"live": live, "gpus": devices, "driver": None, "environ": environ(), "frameworks": TORCH}


def test_what_is_said_of_a_list_without_gpus():
    found = fires("framework-sees-no-gpu", **seen(listing(CPU, gpu_available=False)))
    assert found.summary == "torch 2.6.0+cu124 lists no GPU, although there are 2."
    assert values(found) == [
        ("NVIDIA GPUs that a program should see", "2"),
        ("torch lists", "cpu"),
        ("torch says that it can use a GPU", "no"),
    ]
    lone = fires("framework-sees-no-gpu", **seen(listing(version=None), gpus()))
    assert lone.summary == "torch lists no GPU, although there is one."
    assert values(lone)[1:] == [("torch lists", "nothing")]
    claims = fires("framework-sees-no-gpu", **seen(listing(CPU, gpu_available=True)))
    assert values(claims)[-1] == ("torch says that it can use a GPU", "yes")


def test_three_messages_are_shown_and_point_to_their_causes():
    names = ("cuda-unknown", "cuda-no-device", "no-nvidia-driver", "cuda-insufficient-driver")
    lines = tuple(Symptom(signature=name, text=name, framework="torch", where="devices torch") for name in names)
    for rule, devices in (("framework-sees-no-gpu", (CPU,)), ("framework-sees-fewer-gpus", (CPU, ONE))):
        found = fires(rule, **seen(listing(*devices, symptoms=lines)))
        assert [value for fact, value in values(found) if fact == "torch said"] == list(names[:3])
        assert len(set(found.follows_from)) == len(found.follows_from)
    fewer = fires("framework-sees-fewer-gpus", **seen(listing(CPU, ONE)))
    assert fewer.summary == "torch 2.6.0+cu124 lists 1 of 2 GPUs."
    assert values(fewer) == [("NVIDIA GPUs that a program should see", "2"), ("torch lists", "cpu, cuda:0")]
    assert fires("framework-sees-fewer-gpus", **seen(listing(ONE, version=None))).subject == "torch"


def test_each_framework_is_judged():
    """One that lists all of them hides none of the next that does not."""
    good, bad = listing(CPU, ONE, OTHER).devices[0], listing(CPU, ONE, version="2.7.0").devices[0]
    assert fires("framework-sees-fewer-gpus", **seen(Live(devices=(good, bad)))).subject == "torch 2.7.0"


def test_a_stage_beside_one_that_says_nothing_is_still_read():
    stages = (
        Stage(name="import torch", outcome="passed"),
        Stage(name="memory of gpu:0", outcome="passed"),
        Stage(name="memory of gpu:1", outcome="failed"),
    )
    live = Live(smoke=(SmokeRun(framework="torch", version=None, run=run(stages=stages)),))
    assert [(one.device, one.text, one.framework) for one in failures(live)] == [("gpu:1", "it failed", "torch")]


# What somebody pasted.


def test_a_module_of_numpy_1_is_a_warning_until_something_stops():
    text = "A module that was compiled using NumPy 1.x cannot be run in NumPy 2.1.0 as it may crash."
    assert fires("numpy-abi", live=pasted(text), **NOTHING).severity == "warning"
    assert fires("numpy-abi", live=fails_to_import(text), **NOTHING).severity == "error"
    assert fires("numpy-abi", live=pasted("numpy.dtype size changed, may indicate"), **NOTHING).severity == "error"


def test_what_else_a_build_without_torch_printed_is_told_apart():
    log = "ModuleNotFoundError: No module named 'torch'\nRuntimeError: CUDA out of memory. Tried to allocate"
    assert [one.owner for one in failures(pasted(log))] == ["framework-import-failed", "gpu-out-of-memory"]
    build = "Getting requirements to build wheel did not run successfully."
    assert "ext-build-isolation" in [one.owner for one in failures(pasted(f"{log}\n{build}"))]
    other = log.replace("'torch'", "'numpy'")
    assert "ext-build-isolation" not in [one.owner for one in failures(pasted(f"{other}\n{build}"))]


def test_where_an_import_hangs_is_looked_at_with_the_examined_python():
    own = Interpreter(executable="/home/me/my env/bin/python", chosen_by="PATH")
    live = smoke(ending="timed-out", stage="import torch", seconds=180.0)
    (look,) = fires("framework-import-hung", live=live, interpreter=own).fixes
    (line,) = step_lines(look.steps[0])
    assert line.startswith("'/home/me/my env/bin/python' -X faulthandler -c 'import faulthandler;")
    assert line.endswith("import torch'")
