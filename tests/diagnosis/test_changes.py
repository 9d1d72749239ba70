"""What counts as a change between two snapshots: what both know and what differs."""

import pytest

from gpudoctor.diagnosis.changes import changes
from gpudoctor.facts.base import Gap
from gpudoctor.facts.driver import Answer
from gpudoctor.facts.gpus import PcieLink, Power
from gpudoctor.facts.libraries import Libraries, Toolkit, Toolkits
from gpudoctor.facts.live import DeviceList, Live
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Environ
from gpudoctor.facts.versions import CudaVersion
from tests.rules.situations import driver, gpu, gpus
from tests.rules.stacks import frameworks, interpreter, packages, resolution, torch

CARD = gpu(name="RTX 4090")
LABEL = CARD.label


def wide(width):
    return {"gpus": gpus(gpu(name="RTX 4090", pcie=width and PcieLink(width=width)))}


def limited(watts):
    return {"gpus": gpus(gpu(name="RTX 4090", power=watts and Power(limit=watts)))}


def has_toolkit(version, excerpt=False):
    found = (Toolkit(root="/usr/local/cuda", version=version and CudaVersion(version)),) if version != "-" else ()
    return {"toolkits": Toolkits(found=found, excerpt=excerpt)}


def has_set(excerpt=False, **variables):
    return {"environ": Environ(variables=variables, excerpt=excerpt)}


def built(version, **fields):
    return {"frameworks": frameworks(torch(version, **fields))}


def installed(*names, **fields):
    return {"packages": packages(*names, **fields)}


def loads(path):
    return {"libraries": Libraries(resolutions=(resolution("torch", "libcudnn.so.9", "cudnn", path),))}


def lists(available):
    return {"live": Live(devices=(DeviceList(framework="torch", gpu_available=available),))}


def answers(cuda):
    return {"driver": driver(cuda_init=cuda)}


OK, TWO = (Answer(outcome="answered", code=0, device_count=count) for count in (None, 2))
FAILED = Answer(outcome="answered", code=999, name="CUDA_ERROR_UNKNOWN")
CUDNN = "libcudnn.so.9 that torch gets"
#: Before, after, and what changed with its two values.
ROWS = {
    "a section came": ({"driver": None}, {"driver": driver()}, {"NVIDIA driver": ("none", "present")}),
    "a section went": (
        {"gpus": gpus(CARD)},
        {"gpus": None},
        {"GPUs": ("present", "none"), LABEL: ("there", "not there")},
    ),
    "an interpreter was not found": (
        {"interpreter": interpreter()},
        {"interpreter": None},
        {"interpreter": ("present", "none")},
    ),
    "a section that neither has": ({"driver": None, "toolkits": None}, {"driver": None, "toolkits": None}, {}),
    "a section that was not seen": ({"driver": Gap(reason="not seen")}, {"driver": driver()}, {}),
    "a narrower slot": (wide(16), wide(4), {f"PCIe width of {LABEL}": ("16", "4")}),
    "a slot of which one knows": (wide(16), wide(None), {}),
    "a lower limit": (limited(450.0), limited(300.0), {f"power limit of {LABEL}, W": ("450.0", "300.0")}),
    "a limit of which one knows": (limited(None), limited(300.0), {}),
    "a new toolkit": (
        has_toolkit("-"),
        has_toolkit("12.4"),
        {"CUDA toolkit in /usr/local/cuda": ("not there", "12.4")},
    ),
    "a toolkit of unknown version": (
        has_toolkit(None),
        has_toolkit("-"),
        {"CUDA toolkit in /usr/local/cuda": ("there", "not there")},
    ),
    "a toolkit that an excerpt leaves out": (has_toolkit("12.4"), has_toolkit("-", excerpt=True), {}),
    "a toolkit that an excerpt left out": (has_toolkit("-", excerpt=True), has_toolkit("12.4"), {}),
    "another toolkit in its place": (
        has_toolkit("12.4"),
        has_toolkit("12.6", excerpt=True),
        {"CUDA toolkit in /usr/local/cuda": ("12.4", "12.6")},
    ),
    "a variable": (has_set(), has_set(XLA_FLAGS="-x"), {"XLA_FLAGS": ("not set", "-x")}),
    "a variable that an excerpt leaves out": (has_set(XLA_FLAGS="-x"), has_set(excerpt=True), {}),
    "a variable that an excerpt left out": (has_set(excerpt=True), has_set(XLA_FLAGS="-x"), {}),
    "a variable in two excerpts": (has_set(True, A="1"), has_set(True, A="2"), {"A": ("1", "2")}),
    "another build of one release": (
        built("2.6.0", variant="cpu"),
        built("2.6.0", variant="cuda", cuda=CudaVersion("12.4")),
        {"build of torch": ("cpu", "cuda")},
    ),
    "a build that its version names": (
        built("2.6.0+cpu"),
        built("2.6.0+cu124"),
        {"torch": ("2.6.0+cpu", "2.6.0+cu124")},
    ),
    "code of which one knows": (built("2.6.0", archs=("sm_90",)), built("2.6.0"), {}),
    "a package": (installed("numpy==1.26.4"), installed("numpy==2.2.6"), {"numpy": ("1.26.4", "2.2.6")}),
    "a package that came": (installed(), installed("numpy==2.2.6"), {"numpy": ("not installed", "2.2.6")}),
    "a package that an excerpt left out": (installed(excerpt=True), installed("numpy==2.2.6"), {}),
    "another copy": (
        loads("/a/libcudnn.so.9"),
        loads("/b/libcudnn.so.9"),
        {CUDNN: ("/a/libcudnn.so.9", "/b/libcudnn.so.9")},
    ),
    "a copy that went": (loads("/a/libcudnn.so.9"), loads(None), {CUDNN: ("/a/libcudnn.so.9", "not found")}),
    "a library of which one knows": (loads("/a/libcudnn.so.9"), {"libraries": Libraries()}, {}),
    "an answer": (answers(OK), answers(FAILED), {"answer of CUDA": ("well", "CUDA_ERROR_UNKNOWN")}),
    "a count": (answers(OK), answers(TWO), {"answer of CUDA": ("well", "well, 2 GPUs")}),
    "an answer of which one knows": (answers(None), answers(FAILED), {}),
    "a GPU that can be used": (lists(False), lists(True), {"torch can use a GPU:": ("no", "yes")}),
    "a list that does not tell": (lists(None), lists(True), {}),
}


@pytest.mark.parametrize(("before", "after", "expected"), ROWS.values(), ids=ROWS)
def test_changes(before, after, expected):
    found = changes(Snapshot(**before), Snapshot(**after))
    assert {one.what: (one.before, one.after) for one in found} == expected


def test_a_search_path_tells_what_it_gained_and_lost():
    (change,) = changes(Snapshot(**has_set(PATH="/a:/b")), Snapshot(**has_set(PATH="/b:/c")))
    assert (change.gained, change.lost) == (("/c",), ("/a",))
    (change,) = changes(Snapshot(**has_set(PATH="C:/a;C:/b")), Snapshot(**has_set(PATH="C:/a")))
    assert (change.gained, change.lost) == ((), ("C:/b",))
