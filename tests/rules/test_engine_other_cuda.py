"""LIB027 engine-other-cuda: when it fires, when it is quiet, and what it cannot judge."""

import pytest

from gpudoctor.facts.base import Gap
from gpudoctor.facts.live import Live, Symptom
from tests.rules.stacks import (
    RTX_4090,
    copy,
    framework,
    frameworks,
    libraries,
    packages,
    resolution,
    stack,
    toolkit,
    toolkits,
    torch,
)
from tests.rules.table import fires, quiet

RULE = "engine-other-cuda"


def said(*signatures: str) -> Live:
    return Live(symptoms=tuple(Symptom(signature=one, text=one, where="the text") for one in signatures))


def ticket(package: str, *cuda: str, message: str = "onnxruntime-provider", **sections):
    found = toolkits(*(toolkit(version) for version in cuda))
    given = {"packages": packages(package), "toolkits": found, "live": said(message), "frameworks": None}
    return stack(RTX_4090, **{**given, **sections})


BLAS_12 = copy("cublas", "libcublas.so.12", "/usr/lib/libcublas.so.12", cuda_major=12)


def unsaid(version: str, *cuda: str, beside=None, copies=(), walked=()):
    runtime = framework("onnxruntime", version, dist="onnxruntime-gpu", variant="cuda")
    return stack(
        RTX_4090,
        frameworks=frameworks(*filter(None, (runtime, beside))),
        toolkits=toolkits(*(toolkit(one) for one in cuda)),
        libraries=libraries(*walked, copies=copies),
        live=Live(),
    )


#: Machine: what the fix installs.
FIRES = {
    "1.18 is for CUDA 11": (ticket("onnxruntime-gpu==1.18.1", "12.4"), "onnxruntime-gpu>=1.19,<1.27"),
    "1.20 is for CUDA 12": (ticket("onnxruntime-gpu==1.20.1", "11.8"), "onnxruntime-gpu>=1.17,<1.19"),
    "1.30 is for CUDA 13": (ticket("onnxruntime-gpu==1.30.0", "12.8"), "onnxruntime-gpu>=1.19,<1.27"),
    "an old one": (ticket("onnxruntime-gpu==1.6.0", "11.2"), "onnxruntime-gpu>=1.17,<1.19"),
    "CTranslate2": (
        ticket("ctranslate2==3.24.0", "12.1", message="library-not-found-or-loaded"),
        "ctranslate2>=4.5",
    ),
}
#: Nobody says that it fails; all that could bring its CUDA was looked at.
UNSAID = {
    "a toolkit of CUDA 11": (unsaid("1.20.1", "11.8"), "onnxruntime-gpu>=1.17,<1.19"),
    "torch's CUDA 12": (unsaid("1.27.0", beside=torch("2.6.0+cu124")), "onnxruntime-gpu>=1.19,<1.27"),
}
QUIET = {
    "nothing of CUDA is here": unsaid("1.20.1"),
    "a build for CUDA 12 bears the same release": unsaid("1.18.1", "12.4"),
    "a copy of its cuBLAS": unsaid("1.20.1", "11.8", copies=(BLAS_12,)),
    "its own way was followed": unsaid(
        "1.20.1", "11.8", walked=(resolution("onnxruntime", "libcublas.so.12", "cublas"),)
    ),
    "no GPU": unsaid("1.20.1", "11.8") | {"gpus": None},
    "the same major": ticket("onnxruntime-gpu==1.18.1", "11.7"),
    "both are there": ticket("onnxruntime-gpu==1.18.1", "12.4", "11.8"),
    "no message of it": ticket("onnxruntime-gpu==1.18.1", "12.4", message="cuda-no-device"),
    "torch brings that CUDA": ticket("onnxruntime-gpu==1.20.1", "11.8", frameworks=frameworks(torch("2.6.0+cu124"))),
    "NVIDIA's packages do": ticket("onnxruntime-gpu==1.20.1", "11.8")
    | {"packages": packages("onnxruntime-gpu==1.20.1", "nvidia-cublas-cu12==12.4.5.8")},
    "a release that nobody knows": ticket("onnxruntime-gpu==0.5.0", "12.4"),
    "the CPU package": ticket("onnxruntime==1.18.1", "12.4"),
}
OPEN = {"no libraries": unsaid("1.20.1", "11.8") | {"libraries": Gap(reason="not seen")}}


@pytest.mark.parametrize(("machine", "wanted"), [*FIRES.values(), *UNSAID.values()], ids=[*FIRES, *UNSAID])
def test_it_fires(machine, wanted):
    found = fires(RULE, **machine)
    assert any(wanted in step.argv for step in found.fixes[0].steps)


@pytest.mark.parametrize("machine", QUIET.values(), ids=QUIET)
def test_it_is_quiet(machine):
    quiet(RULE, **machine)


@pytest.mark.parametrize("machine", OPEN.values(), ids=OPEN)
def test_it_says_nothing_of_what_was_not_seen(machine):
    quiet(RULE, **machine)
