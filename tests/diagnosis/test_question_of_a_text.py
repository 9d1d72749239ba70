"""The next question of a text: what it states twice, what nothing explains, what its messages ask."""

import msgspec
import pytest

from gpudoctor.diagnosis.next_question import LIKELY, Asked, next_question
from gpudoctor.diagnosis.ranking import Candidate
from gpudoctor.facts.base import Gap
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.live import Live, Symptom
from gpudoctor.facts.python import Framework, Frameworks
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.knowledge.recognition import recognise

GAP = Gap(reason="the text does not state it")
PASTED = Snapshot(gpus=None, driver=None, frameworks=None, libraries=GAP, environ=GAP)
COLLECT, SMI = "python -m torch.utils.collect_env", "nvidia-smi"


def made_by(vendor):
    return Gpus(devices=(Gpu(vendor=vendor),))


def built(name, variant):
    return Frameworks(found=(Framework(name=name, version="2.6.0", variant=variant),))


LINUX, WINDOWS = Asked(system="linux"), Asked(system="windows")
WHOLE = "gpudoctor report --static"


@pytest.mark.parametrize(
    ("disputed", "asked", "ask"),
    [
        (("driver.release",), LINUX, SMI),
        (("driver.cuda",), LINUX, SMI),
        (("gpus.0.name",), WINDOWS, SMI),
        (("frameworks.torch.version",), LINUX, "pip list | grep -iE"),
        (("frameworks.torch.version",), WINDOWS, "pip list | findstr"),
        (("driver.release", "frameworks.torch.version"), LINUX, SMI),
        (("host.kernel",), LINUX, WHOLE),
    ],
)
def test_what_is_stated_twice_is_asked_first(disputed, asked, ask):
    question = next_question(PASTED, (), disputed, asked)
    assert question.ask.startswith(ask)
    assert ("The text states different" in question.why) is (ask != WHOLE)


RELEASE, OUTPUT = "the program's release, and how it was installed", "all that the program prints"


@pytest.mark.parametrize(
    ("asked", "sections", "parts"),
    [
        (Asked(system="linux", is_open=True, line="boom"), {}, [RELEASE, OUTPUT]),
        (Asked(system="linux", is_open=True, line="boom"), {"gpus": GAP}, [RELEASE, OUTPUT, SMI]),
        (Asked(system="linux", is_open=True), {}, [OUTPUT]),
        # A message says more than that, and so does the program.
        (Asked(system="linux", is_open=True, line="boom"), {"live": Live()}, [WHOLE]),
        (Asked(system="linux", line="boom"), {}, [WHOLE]),
        (Asked(system="linux", is_open=True, program="kubernetes"), {}, ["kubectl describe node"]),
        (Asked(system="linux", is_open=True, about=("ollama",)), {}, [SMI, "ollama ps"]),
        (Asked(system="linux", about=("ollama",)), {}, [WHOLE]),
    ],
)
def test_a_failure_that_nothing_explains(asked, sections, parts):
    question = next_question(msgspec.structs.replace(PASTED, **sections), (), asked=asked)
    found = question.ask.split("; ")
    assert all(one.startswith(part) for one, part in zip(found, parts, strict=False)), found
    assert len(found) >= len(parts)
    assert RELEASE in parts or RELEASE not in found


def may_be(key, weight=0.1):
    return (Candidate(key=key, words="x", weight=weight, state="open"),)


@pytest.mark.parametrize(
    ("causes", "sections", "ask"),
    [
        # The first tensor gives CUDA's own error.
        (may_be("framework-sees-no-gpu"), {"frameworks": built("torch", "cuda")}, "python -c"),
        (may_be("framework-sees-no-gpu"), {"frameworks": built("torch", "cpu")}, WHOLE),
        (may_be("torch-cpu-only"), {"frameworks": built("torch", "cuda")}, WHOLE),
        (may_be("framework-sees-no-gpu", LIKELY), {"frameworks": built("torch", "cuda")}, None),
        # Nothing points to anything, and nothing is left to look at.
        ((), {"libraries": None, "environ": None}, None),
        ((), {"environ": None}, WHOLE),
        ((), {"libraries": None}, WHOLE),
        (may_be("torch-cpu-only"), {"libraries": None, "environ": None}, WHOLE),
        ((), {"gpus": GAP, "driver": GAP}, SMI),
        ((), {"gpus": made_by("amd"), "driver": GAP, "environ": GAP}, "rocminfo"),
    ],
)
def test_where_nothing_stated_decides(causes, sections, ask):
    question = next_question(msgspec.structs.replace(PASTED, **sections), causes, asked=LINUX)
    assert question is None if ask is None else question.ask.startswith(ask)


@pytest.mark.parametrize(
    ("asked", "sections", "ask"),
    [
        (Asked(system="linux", around=("jetson",)), {"gpus": GAP, "driver": GAP}, "cat /etc/nv_tegra_release"),
        (WINDOWS, {"gpus": made_by("amd"), "driver": GAP}, WHOLE),
        (Asked(system="linux", given=(SMI,)), {"gpus": GAP, "frameworks": built("torch", None)}, COLLECT),
        (Asked(system="linux", given=(COLLECT,)), {"frameworks": built("torch", None)}, WHOLE),
        (LINUX, {"gpus": GAP, "frameworks": built("torch", None)}, SMI),
    ],
)
def test_what_can_be_typed_there_and_was_not_shown(asked, sections, ask):
    assert next_question(msgspec.structs.replace(PASTED, **sections), (), asked=asked).ask.startswith(ask)


NO_GPUS, OOM = "RuntimeError: No CUDA GPUs are available", "torch.OutOfMemoryError: CUDA out of memory. Tried to"
NO_CUDNN = "libcudnn.so.8: cannot open shared object file: No such file or directory"


def saying(*texts):
    known = ((next(iter(recognise(text))).signature, text) for text in texts)
    return {"live": Live(symptoms=tuple(Symptom(signature=name, text=text) for name, text in known))}


@pytest.mark.parametrize(
    ("texts", "causes", "asked", "ask", "why"),
    [
        ((NO_GPUS,), (), LINUX, 'nvidia-smi -L; echo "$CUDA_VISIBLE_DEVICES"', "more about this message"),
        ((NO_GPUS,), (), WINDOWS, "nvidia-smi -L; echo $env:CUDA_VISIBLE_DEVICES", "more about"),
        ((NO_GPUS,), may_be("cvd-invalid"), LINUX, "nvidia-smi -L", "whether this is the cause"),
        ((NO_GPUS,), may_be("cvd-invalid") + may_be("script-hides-gpus"), LINUX, "nvidia-smi -L", "decides between"),
        # Of two messages the one that points to what is likely.
        ((NO_GPUS, OOM), may_be("batch-too-large"), LINUX, "nvidia-smi, before and while", "whether this is"),
        ((OOM, NO_GPUS), may_be("cvd-invalid"), LINUX, "nvidia-smi -L", "whether this is"),
        ((NO_CUDNN,), (), WINDOWS, 'pip list | findstr /i "cudnn"', "more about"),
        ((NO_CUDNN,), (), Asked(system="linux", given=("pip list",)), "find / -name", "more about"),
    ],
)
def test_the_question_of_a_message(texts, causes, asked, ask, why):
    question = next_question(msgspec.structs.replace(PASTED, **saying(*texts)), causes, asked=asked)
    assert question.ask.startswith(ask)
    assert why in question.why
