"""Installed MATLABs on the GPUs of a machine."""

import pytest

from gpudoctor.facts.base import Gap
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.matlab import Matlab, Matlabs
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import System
from gpudoctor.facts.versions import CudaVersion, DriverRelease
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.matlab import judge_matlabs
from gpudoctor.report.matlab_here import here_sheets, reasons_in_words

MATRIX = load_matrix()
K40, RTX_3090, RTX_5090 = "Tesla K40m", "NVIDIA GeForce RTX 3090", "NVIDIA GeForce RTX 5090"


def machine(*gpus, driver="580.65.06", os="linux"):
    found = tuple(Gpu(index=number, vendor="nvidia", name=name) for number, name in enumerate(gpus))
    release = Driver(release=DriverRelease(driver)) if isinstance(driver, str) else driver
    return Snapshot(host=System(os=os, arch="x86_64"), gpus=Gpus(devices=found), driver=release)


def matlab(release, *, toolbox=True, cuda=None):
    return Matlab(root=f"/opt/MATLAB/{release}", release=release, has_toolbox=toolbox, cuda=cuda)


@pytest.mark.parametrize(
    ("installed", "snapshot", "outcome", "reasons"),
    [
        (matlab("R2024a"), machine(RTX_3090), "yes", ()),
        (matlab("R2021a"), machine(RTX_3090), "yes", ()),
        (matlab("R2020a"), machine(RTX_3090), "compiles", ()),
        (matlab("R2020b"), machine(RTX_3090), "enable", ()),
        (matlab("R2023b"), machine(RTX_5090), "enable", ()),
        (matlab("R2024a"), machine(K40, driver="470.256.02"), "no", ("gpu-too-old",)),
        (matlab("R2022b"), machine(K40, driver="470.256.02"), "yes", ()),
        (matlab("R2024a"), machine(RTX_3090, driver="470.82.01"), "no", ("driver-too-old",)),
        (matlab("R2024a"), machine(RTX_3090, driver="530.30.02"), "not known", ("driver-older-than-its-cuda",)),
        (matlab("R2020a"), machine(RTX_3090, driver="410.48"), "no", ("driver-too-old",)),
        (matlab("R2024a", toolbox=False), machine(RTX_3090), "no", ("no-toolbox",)),
        (matlab("R2024a", toolbox=None), machine(RTX_3090), "not known", ("toolbox-not-seen",)),
        (matlab("R2024a"), machine(), "no", ("no-gpu",)),
        (matlab("R2024a"), Snapshot(gpus=Gap(reason="not seen")), "not known", ("gpus-not-seen",)),
        (matlab("R2024a"), machine(RTX_3090, driver=None), "no", ("no-driver",)),
        (matlab("R2024a"), machine(RTX_3090, driver=Gap(reason="x")), "not known", ("driver-not-known",)),
        (matlab("R2024a"), machine("NVIDIA Unheard Of"), "not known", ("gpu-not-known",)),
        # Releases that the table lacks: the CUDA in the folder says what is newer, and no more.
        (matlab("R2027a"), machine(RTX_3090), "not known", ("release-not-known",)),
        (matlab("R2027a", cuda=CudaVersion("12.8")), machine(RTX_3090), "not known", ("release-not-known",)),
        (matlab("R2027a", cuda=CudaVersion("12.2")), machine(RTX_5090), "enable", ()),
        (matlab(None), machine(RTX_3090), "not known", ("release-not-known",)),
        # What lies in the folder counts more than the table.
        (matlab("R2023b", cuda=CudaVersion("12.8")), machine(RTX_3090, driver="525.60.13"), "not known",
         ("driver-older-than-its-cuda",)),
    ],
)  # fmt: skip
def test_judged(installed, snapshot, outcome, reasons) -> None:
    (one,) = judge_matlabs((installed,), snapshot, MATRIX)
    assert (one.outcome, one.reasons) == (outcome, reasons)


def test_what_would_do() -> None:
    (old,) = judge_matlabs((matlab("R2024a"),), machine(K40, driver="470.256.02"), MATRIX)
    assert old.instead == "R2022b"
    assert old.driver is None
    (late,) = judge_matlabs((matlab("R2024a"),), machine(RTX_3090, driver="470.82.01"), MATRIX)
    assert late.driver == MATRIX.toolkit_floor(CudaVersion("12.2"), "linux").release
    assert "R2022b" in reasons_in_words(old)[0]
    assert str(late.driver) in reasons_in_words(late)[0]


def test_on_windows_by_the_drivers_of_windows() -> None:
    (one,) = judge_matlabs((matlab("R2024a"),), machine(RTX_3090, driver="528.33", os="windows"), MATRIX)
    assert one.driver == MATRIX.toolkit_floor(CudaVersion("12.2"), "windows").release


def test_each_kind_of_gpu_once() -> None:
    judged = judge_matlabs((matlab("R2024a"), matlab("R2023b")), machine(RTX_3090, RTX_3090, RTX_5090), MATRIX)
    assert [(one.matlab.release, one.gpu) for one in judged] == [
        (release, gpu) for release in ("R2024a", "R2023b") for gpu in (RTX_3090, RTX_5090)
    ]


@pytest.mark.parametrize(("gpu", "offered"), [(RTX_5090, True), (RTX_3090, False)])
def test_forward_compatibility_is_typed_where_it_helps(gpu, offered) -> None:
    installed = matlab("R2023b")
    judged = judge_matlabs((installed,), machine(gpu), MATRIX)
    here, *_, typed = here_sheets(Matlabs(found=(installed,)), judged, MATRIX)
    assert here.lines[0].row.source == next(r.source for r in MATRIX.table("matlab") if r.release == "R2023b")
    lines = [line.cells[1] for line in typed.lines]
    assert "gpuDeviceTable" in lines
    assert ("parallel.gpu.enableCUDAForwardCompatibility(true)" in lines) is offered


def test_none_is_said_with_the_places() -> None:
    (sheet,) = here_sheets(Matlabs(places=("/opt/MATLAB",)), (), MATRIX)
    assert ("/opt/MATLAB",) in [line.cells for line in sheet.lines]
