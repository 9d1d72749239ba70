"""LIB027 engine-other-cuda: when it fires, when it is quiet, and what it cannot judge."""

import pytest

from gpudoctor.facts.base import Gap
from gpudoctor.facts.live import Live, Symptom
from tests.rules.stacks import RTX_4090, frameworks, packages, stack, toolkit, toolkits, torch
from tests.rules.table import fires, quiet, skips

RULE = "engine-other-cuda"


def said(*signatures: str) -> Live:
    return Live(symptoms=tuple(Symptom(signature=one, text=one, where="the text") for one in signatures))


def ticket(package: str, *cuda: str, message: str = "onnxruntime-provider", **sections):
    found = toolkits(*(toolkit(version) for version in cuda))
    given = {"packages": packages(package), "toolkits": found, "live": said(message), "frameworks": None}
    return stack(RTX_4090, **{**given, **sections})


#: Machine: what the fix installs.
FIRES = {
    "1.18 is for CUDA 11": (ticket("onnxruntime-gpu==1.18.1", "12.4"), "onnxruntime-gpu>=1.19,<1.27"),
    "1.20 is for CUDA 12": (ticket("onnxruntime-gpu==1.20.1", "11.8"), "onnxruntime-gpu>=1.13,<1.19"),
    "1.30 is for CUDA 13": (ticket("onnxruntime-gpu==1.30.0", "12.8"), "onnxruntime-gpu>=1.19,<1.27"),
    "an old one": (ticket("onnxruntime-gpu==1.6.0", "11.2"), "onnxruntime-gpu>=1.13,<1.19"),
    "CTranslate2": (
        ticket("ctranslate2==3.24.0", "12.1", message="library-not-found-or-loaded"),
        "ctranslate2>=4.5",
    ),
}
QUIET = {
    "the same major": ticket("onnxruntime-gpu==1.18.1", "11.7"),
    "both are there": ticket("onnxruntime-gpu==1.18.1", "12.4", "11.8"),
    "no message of it": ticket("onnxruntime-gpu==1.18.1", "12.4", message="cuda-no-device"),
    "torch brings that CUDA": ticket("onnxruntime-gpu==1.20.1", "11.8", frameworks=frameworks(torch("2.6.0+cu124"))),
    "NVIDIA's packages do": ticket("onnxruntime-gpu==1.20.1", "11.8")
    | {"packages": packages("onnxruntime-gpu==1.20.1", "nvidia-cublas-cu12==12.4.5.8")},
    "a release that nobody knows": ticket("onnxruntime-gpu==0.5.0", "12.4"),
    "the CPU package": ticket("onnxruntime==1.18.1", "12.4"),
}
OPEN = {"no messages": ticket("onnxruntime-gpu==1.18.1", "12.4") | {"live": Gap(reason="not seen")}}


@pytest.mark.parametrize(("machine", "wanted"), FIRES.values(), ids=FIRES)
def test_it_fires(machine, wanted):
    found = fires(RULE, **machine)
    assert any(wanted in step.argv for step in found.fixes[0].steps)


@pytest.mark.parametrize("machine", QUIET.values(), ids=QUIET)
def test_it_is_quiet(machine):
    quiet(RULE, **machine)


@pytest.mark.parametrize("machine", OPEN.values(), ids=OPEN)
def test_it_leaves_open_what_was_not_seen(machine):
    assert skips(RULE, **machine)
