"""Whole machines, all rules: a healthy one gets no finding but notes, and one fault leaves one root cause."""

from typing import Any

import pytest

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.finding import Diagnosis
from gpudoctor.facts.fix import Ask, Run
from gpudoctor.facts.libraries import Resolution
from gpudoctor.facts.python import Damage, Overlap, Packages, Unmet
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.versions import CudaVersion, DriverRelease
from gpudoctor.facts.wish import Wish
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.rules.load import load_rules
from tests.rules.situations import OK
from tests.rules.stacks import (
    GTX_1080_TI,
    H100,
    K80,
    RTX_3090,
    RTX_4090,
    RTX_5090,
    SITE,
    T4,
    V100,
    WINDOWS,
    card,
    copy,
    framework,
    frameworks,
    interpreter,
    jax,
    jax_plugin,
    libraries,
    packages,
    resolution,
    stack,
    tensorflow,
    toolkit,
    toolkits,
    torch,
    wish,
)

LIB = f"{SITE}/nvidia/cudnn/lib/libcudnn.so.9"
CUDNN_12, CUDNN_13 = "nvidia-cudnn-cu12", "nvidia-cudnn-cu13"
WINDOWS_DRIVER = Driver(release=DriverRelease("566.36"), cuda=CudaVersion("12.7"), nvml=OK, cuda_init=OK)
GB10 = card("NVIDIA GB10", "12.1")
B200 = card("NVIDIA B200", "10.0")
PAIR = (framework("torchvision", "0.21.0+cu124"), framework("torchaudio", "2.6.0+cu124"))


def judge(sections: dict[str, Any], asked: Wish | None = None) -> Diagnosis:
    diagnosis = diagnose(Snapshot(**sections), load_matrix(), load_rules(), asked)
    assert not diagnosis.crashed, diagnosis.crashed
    return diagnosis


def roots(sections: dict[str, Any], asked: Wish | None = None) -> list[str]:
    """The root causes, without notes."""
    return [one.name for one in judge(sections, asked).root_causes if one.severity != "info"]


def commands(sections: dict[str, Any]) -> str:
    """All commands for the first root cause, one a line."""
    fixes = judge(sections).root_causes[0].fixes
    return "\n".join(" ".join(step.argv) for fix in fixes for step in fix.steps if isinstance(step, Run))


HEALTHY = {
    "4090/535 + cu124": stack(RTX_4090, frameworks=frameworks(torch("2.6.0+cu124"))),
    "3090/535 + cu126": stack(RTX_3090, frameworks=frameworks(torch("2.8.0+cu126"))),
    "3090/525 + cu128": stack(RTX_3090, release="525.60.13", frameworks=frameworks(torch("2.8.0+cu128"))),
    "H100/550 + cu126": stack(H100, release="550.54.15", frameworks=frameworks(torch("2.8.0+cu126"))),
    "1080 Ti/580 + cu126": stack(GTX_1080_TI, release="580.65.06", frameworks=frameworks(torch("2.9.0+cu126"))),
    "5090/570 + cu128": stack(RTX_5090, release="570.86.10", frameworks=frameworks(torch("2.8.0+cu128"))),
    "GB10/580 + cu130": stack(
        card("NVIDIA GB10", "12.1"), release="580.65.06", frameworks=frameworks(torch("2.10.0+cu130"))
    ),
    "B200/610 + cu132": stack(
        card("NVIDIA B200", "10.0"), release="610.43.02", frameworks=frameworks(torch("2.15.0+cu132"))
    ),
    "T4/450 + cu118": stack(T4, release="450.80.02", frameworks=frameworks(torch("2.6.0+cu118"))),
    "K80/470 + cu118": stack(K80, release="470.256.02", frameworks=frameworks(torch("2.3.1+cu118"))),
    "3090/535 + TensorFlow": stack(RTX_3090, frameworks=frameworks(tensorflow("2.20.0"))),
    "3090/535 + JAX": stack(RTX_3090, frameworks=frameworks(jax("0.6.2", None), jax_plugin("0.6.2"))),
    "3090/535 + companions": stack(
        RTX_3090,
        frameworks=frameworks(
            torch(), framework("torchvision", "0.21.0+cu124"), framework("torchaudio", "2.6.0+cu124")
        ),
    ),
    "4090 + another toolkit": stack(
        RTX_4090, frameworks=frameworks(torch()), toolkits=toolkits(toolkit("13.0", is_default=True))
    ),
    "4090, nothing installed": stack(RTX_4090),
    "4090 on Python 3.14": stack(
        RTX_4090, release="580.65.06", on=interpreter("3.14.0"), frameworks=frameworks(torch("2.9.1+cu130"))
    ),
    "Windows": stack(RTX_4090, host=WINDOWS, driver=WINDOWS_DRIVER, frameworks=frameworks(torch())),
    "no GPU, CPU torch": stack(frameworks=frameworks(torch("2.6.0+cpu")), driver=None),
    "no GPU, CUDA torch": stack(frameworks=frameworks(torch("2.15.0+cu132")), driver=None),
    "no GPU, TensorFlow": stack(
        frameworks=frameworks(tensorflow()),
        driver=None,
        libraries=libraries(resolution("tensorflow", "libcudart.so.12", "cudart")),
    ),
}


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_machine(name: str) -> None:
    assert roots(HEALTHY[name]) == []


FAULTS = {
    "5090/570 + torch 2.6": (
        stack(RTX_5090, release="570.86.10", frameworks=frameworks(torch("2.6.0+cu124"))),
        "arch-too-new-for-build",
        "/whl/cu128",
    ),
    "1080 Ti/580 + cu130": (
        stack(GTX_1080_TI, release="580.65.06", frameworks=frameworks(torch("2.9.0+cu130"))),
        "arch-too-old-for-build",
        "torch==2.9.0+cu126 --index-url https://download.pytorch.org/whl/cu126",
    ),
    "1080 Ti/535 + cu130": (
        stack(GTX_1080_TI, frameworks=frameworks(torch("2.9.0+cu130"))),
        "arch-too-old-for-build",
        "/whl/cu126",
    ),
    "V100/580 + cu130": (
        stack(V100, release="580.65.06", frameworks=frameworks(torch("2.9.0+cu130"))),
        "arch-too-old-for-build",
        "torch==2.9.0",
    ),
    "T4/440 + torch 2": (
        stack(T4, release="440.100", frameworks=frameworks(torch("2.6.0+cu124"))),
        "driver-too-old",
        "",
    ),
    "T4/450 + cu124": (
        stack(T4, release="450.80.02", frameworks=frameworks(torch("2.6.0+cu124"))),
        "driver-too-old",
        "/whl/cu118",
    ),
    "CPU torch + driver": (
        stack(RTX_4090, frameworks=frameworks(torch("2.6.0+cpu"))),
        "torch-cpu-only",
        "torch==2.6.0+cu124 --index-url",
    ),
    "CPU torch, CUDA torchvision": (
        stack(RTX_4090, frameworks=frameworks(torch("2.6.0+cpu"), framework("torchvision", "0.21.0+cu124"))),
        "torch-cpu-only",
        "torchvision==0.21.0",
    ),
    "conda's CPU torch": (
        stack(
            RTX_4090,
            on=interpreter(environment="conda", prefix="/opt/conda/envs/ai"),
            frameworks=frameworks(torch("2.6.0", variant="cpu")),
            packages=packages("pytorch==2.6.0", installer="conda"),
        ),
        "torch-cpu-only-conda",
        "pytorch-gpu",
    ),
    "TensorFlow 2.21 and cuSOLVER": (
        stack(
            RTX_4090,
            frameworks=frameworks(tensorflow("2.21.0")),
            libraries=libraries(
                resolution("tensorflow", "libcusolver.so.11", "cusolver"),
                copies=(copy("cusolver", "libcusolver.so.11", f"{SITE}/nvidia/cusolver/lib/libcusolver.so.11"),),
            ),
        ),
        "tf-soname-missing",
        "tensorflow[and-cuda]==2.20.0",
    ),
    "TensorFlow without its libraries": (
        stack(
            RTX_4090,
            frameworks=frameworks(tensorflow("2.20.0")),
            libraries=libraries(
                resolution("tensorflow", "libcudart.so.12", "cudart"),
                resolution("tensorflow", "libcudnn.so.9", "cudnn"),
            ),
        ),
        "tf-soname-missing",
        "tensorflow[and-cuda]==2.20.0",
    ),
    "TensorFlow 2.16 beside its libraries": (
        stack(
            RTX_4090,
            frameworks=frameworks(tensorflow("2.16.1", "12.3")),
            libraries=libraries(
                resolution("tensorflow", "libcudart.so.12", "cudart"),
                resolution("tensorflow", "libcudnn.so.8", "cudnn"),
                copies=(
                    copy("cudart", "libcudart.so.12", f"{SITE}/nvidia/cuda_runtime/lib/libcudart.so.12"),
                    copy("cudnn", "libcudnn.so.8", f"{SITE}/nvidia/cudnn/lib/libcudnn.so.8"),
                ),
            ),
        ),
        "tf216-nvidia-libs-not-found",
        "tensorflow[and-cuda]",
    ),
    "a module's cuDNN first": (
        stack(
            RTX_4090,
            frameworks=frameworks(tensorflow("2.20.0", cudnn="9.3.0")),
            libraries=libraries(
                resolution(
                    "tensorflow",
                    "libcudnn.so.9",
                    "cudnn",
                    "/opt/cudnn/lib/libcudnn.so.9",
                    version="9.1.0",
                    via="LD_LIBRARY_PATH",
                    shadows=LIB,
                    shadows_version="9.10.2",
                ),
                search=("/opt/cudnn/lib",),
            ),
        ),
        "ld-path-shadows-cudnn",
        "",
    ),
    "TensorFlow on Windows": (
        stack(RTX_4090, host=WINDOWS, driver=WINDOWS_DRIVER, frameworks=frameworks(tensorflow("2.16.1", None))),
        "tf-windows-native",
        "wsl --install",
    ),
    "JAX alone": (stack(RTX_4090, frameworks=frameworks(jax())), "jax-cpu-only", "jax[cuda12]"),
    "tensorflow-cpu": (
        stack(RTX_4090, frameworks=frameworks(tensorflow("2.18.0", None, dist="tensorflow-cpu"))),
        "tf-cpu-only",
        "tensorflow[and-cuda]==2.20.0",
    ),
    "TensorFlow 1 on Ampere": (
        stack(
            RTX_3090,
            on=interpreter("3.7.9"),
            frameworks=frameworks(tensorflow("1.15.0", "10.0", archs=("sm_35", "sm_70", "compute_70"))),
            libraries=libraries(resolution("tensorflow", "libcudart.so.10.0", "cudart")),
        ),
        "tf1-on-new-gpu",
        "",
    ),
    "PTX newer than the driver": (
        stack(H100, release="525.125.06", frameworks=frameworks(tensorflow("2.16.1", "12.3"))),
        "driver-too-old",
        "",
    ),
    "uv removed the CUDA libraries": (
        stack(
            RTX_4090,
            frameworks=frameworks(torch()),
            packages=packages(
                "torch==2.6.0",
                unmet=(Unmet(package="torch", requirement=CUDNN_12, wanted="==9.1.0.70"),),
            ),
            libraries=libraries(resolution("torch", "libcudnn.so.9", "cudnn", how="linked")),
        ),
        "torch-nvidia-deps-missing",
        f"{CUDNN_12}==9.1.0.70",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_one_fault_has_one_root_cause(name: str) -> None:
    machine, cause, command = FAULTS[name]
    assert roots(machine) == [cause]
    assert command in commands(machine)


def clash(on_disk: str, damaged: tuple[Damage, ...] = ()) -> dict[str, Any]:
    """TensorFlow 2.20 and torch 2.15 as pip resolves them: both cuDNN packages own the same 28 files."""
    shared = Overlap(first=CUDNN_12, second=CUDNN_13, files=28, differing=28, example=LIB, on_disk=on_disk)
    has = packages("tensorflow==2.20.0", "torch==2.15.0", f"{CUDNN_12}==9.3.0.75", f"{CUDNN_13}==9.26.0.51")
    taken = "9.3.0" if on_disk == CUDNN_12 else "9.26.0"
    return stack(
        RTX_4090,
        release="595.45.04",
        frameworks=frameworks(tensorflow("2.20.0", cudnn="9.3.0"), torch("2.15.0+cu132", cudnn="9.26.0")),
        packages=Packages(installed=has.installed, overlaps=(shared,), damaged=damaged),
        libraries=libraries(
            resolution("torch", "libcudnn.so.9", "cudnn", LIB, version=taken, how="linked"),
            resolution("tensorflow", "libcudnn.so.9", "cudnn", LIB, version=taken),
        ),
    )


def test_overwritten_files_are_the_root_of_all_that_follows() -> None:
    machine = clash(CUDNN_12, (Damage(package=CUDNN_13, path=LIB, expected=2, found=1),))
    assert roots(machine) == ["files-overwritten"]
    names = {one.name for one in judge(machine).findings}
    assert {"files-damaged", "cudnn-too-old"} < names
    assert "gpu-env-tensorflow/bin/python -m pip install tensorflow[and-cuda]==2.20.0" in commands(machine)
    assert roots(clash(CUDNN_13)) == ["files-overwritten"]


def test_damage_elsewhere_stays_a_fault_of_its_own() -> None:
    elsewhere = Damage(package="nvidia-cublas", path=f"{SITE}/nvidia/cu13/lib/libcublas.so.13", expected=2)
    machine = clash(CUDNN_12, (elsewhere,))
    assert sorted(roots(machine)) == ["files-damaged", "files-overwritten"]


CUSOLVER = "libcusolver.so.11"
FILE = f"{SITE}/nvidia/cusolver/lib/{CUSOLVER}"


def lost(unusable: str | None = None) -> Resolution:
    return resolution("tensorflow", CUSOLVER, "cusolver", unusable=unusable)


@pytest.mark.parametrize(
    ("found", "missing", "expected"),
    {
        "it looks elsewhere, whatever lies there": (1, lost(), ["files-damaged", "tf-soname-missing"]),
        "what lies there is no library": (1, lost(FILE), ["files-damaged"]),
        "it is gone": (None, lost(), ["files-damaged"]),
    }.values(),
)
def test_a_library_is_missing_by_damage_only_where_its_file_is_no_library(
    found: int | None, missing: Resolution, expected: list[str]
) -> None:
    damage = Damage(package="nvidia-cusolver-cu12", path=FILE, expected=2, found=found)
    machine = stack(
        RTX_4090,
        frameworks=frameworks(tensorflow("2.21.0")),
        packages=packages("tensorflow==2.21.0", "nvidia-cusolver-cu12==11.7.1.2", damaged=(damage,)),
        libraries=libraries(missing, copies=(copy("cusolver", CUSOLVER, FILE),)),
    )
    assert sorted(roots(machine)) == expected


def test_an_overwritten_library_is_one_and_hides_no_missing_one() -> None:
    machine = clash(CUDNN_12)
    has = machine["libraries"]
    machine["libraries"] = libraries(*(has.resolutions or ()), lost(), copies=(copy("cusolver", CUSOLVER, FILE),))
    assert sorted(roots(machine)) == ["files-overwritten", "tf-soname-missing"]


def test_a_python_without_the_release_that_is_wanted() -> None:
    wanted = wish("tensorflow", ("==", "2.15"))
    machine = stack(RTX_4090, on=interpreter("3.13.0"))
    assert roots(machine, wanted) == ["python-unsupported-by-framework"]
    assert "package-required" in {one.name for one in judge(machine, wanted).findings}
    assert roots(stack(RTX_4090, on=interpreter("3.11.9")), wanted) == ["package-required"]


def test_a_release_newer_than_the_matrix_is_neither_broken_nor_fine() -> None:
    machine = stack(RTX_5090, release="620.10", frameworks=frameworks(torch("9.0.0+cu140")))
    diagnosis = judge(machine)
    assert [one.name for one in diagnosis.findings] == ["release-not-in-matrix"]


def test_where_nothing_fits_no_command_is_given() -> None:
    fermi = card("GeForce GTX 580", "2.0")
    machine = stack(fermi, release="390.157", frameworks=frameworks(torch("2.6.0+cu124")))
    finding = next(one for one in judge(machine).root_causes if one.name == "arch-too-old-for-build")
    steps = [step for fix in finding.fixes for step in fix.steps]
    assert all(isinstance(step, Ask) for step in steps)
