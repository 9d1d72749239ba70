"""The machines on which other doctors fail: each gets its true verdict, and its one root cause."""

import pytest

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.diagnosis.verdict import report_of
from gpudoctor.facts.codec import decode_snapshot, encode
from gpudoctor.facts.driver import Answer, DriverLibrary
from gpudoctor.facts.gpus import DeviceNode
from gpudoctor.facts.system import Environ
from gpudoctor.facts.versions import DriverRelease
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.rules.load import load_rules
from tests.whole import driver, framework, gpu, machine

RTX3090 = gpu("NVIDIA GeForce RTX 3090", "8.6")
RTX4090 = gpu("NVIDIA GeForce RTX 4090", "8.9")
RTX5090 = gpu("NVIDIA GeForce RTX 5090", "12.0", memory_total_mib=32607)
GTX1080TI = gpu("NVIDIA GeForce GTX 1080 Ti", "6.1", memory_total_mib=11264)
H100 = gpu("NVIDIA H100 80GB HBM3", "9.0", memory_total_mib=81559)
V100 = gpu("Tesla V100-SXM2-16GB", "7.0", memory_total_mib=16384)
K80 = gpu("Tesla K80", "3.7", memory_total_mib=11441)
T4 = gpu("Tesla T4", "7.5", memory_total_mib=15360)
B200 = gpu("NVIDIA B200", "10.0", memory_total_mib=183359)
GB10 = gpu("NVIDIA GB10", "12.1", memory_total_mib=None, memory_used_mib=None, unsupported=("memory_total_mib",))

MISMATCH = driver(
    "535.161.07",
    libraries=(
        DriverLibrary(
            name="libcuda.so.1",
            path="/usr/lib/x86_64-linux-gnu/libcuda.so.1",
            release=DriverRelease("535.171.04"),
            first=True,
        ),
    ),
    nvml=Answer(outcome="answered", code=18, name="NVML_ERROR_LIB_RM_VERSION_MISMATCH"),
    cuda_init=Answer(outcome="answered", code=803, name="CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
)
NOT_LOADED = driver(
    "535.161.07",
    release=None,
    module_release=None,
    modules_loaded=(),
    device_nodes=(),
    nvml=Answer(outcome="answered", code=9, name="NVML_ERROR_DRIVER_NOT_LOADED"),
    cuda_init=Answer(outcome="answered", code=100, name="CUDA_ERROR_NO_DEVICE"),
)
UNBOUND = {"bound_driver": "none", "uuid": None, "compute_mode": None, "pcie": None, "persistence": None}

#: name: (snapshot, verdict, names of the root causes)
CASES = {
    "3090/535 with torch cu121": (
        machine([RTX3090], driver("535.161.07"), [framework("torch", "2.5.1+cu121")]),
        "healthy",
        [],
    ),
    "4090/535 with torch cu124: minor-version compatibility": (
        machine([RTX4090], driver("535.161.07"), [framework("torch", "2.6.0+cu124")]),
        "healthy",
        [],
    ),
    "3090/525 with torch cu121": (
        machine([RTX3090], driver("525.147.05"), [framework("torch", "2.5.1+cu121")]),
        "healthy",
        [],
    ),
    "H100/550 with torch cu126": (
        machine([H100], driver("550.90.07"), [framework("torch", "2.9.0+cu126")]),
        "healthy",
        [],
    ),
    "5090/570 with torch 2.6 cu124": (
        machine([RTX5090], driver("570.86.16"), [framework("torch", "2.6.0+cu124")]),
        "findings",
        ["arch-too-new-for-build"],
    ),
    "5090/570 with torch 2.8 cu128": (
        machine([RTX5090], driver("570.86.16"), [framework("torch", "2.8.0+cu128")]),
        "healthy",
        [],
    ),
    "1080 Ti/580 with torch cu130": (
        machine([GTX1080TI], driver("580.65.06", module_flavour="proprietary"), [framework("torch", "2.9.0+cu130")]),
        "findings",
        ["arch-too-old-for-build"],
    ),
    "1080 Ti/580 with torch cu126": (
        machine([GTX1080TI], driver("580.65.06", module_flavour="proprietary"), [framework("torch", "2.9.0+cu126")]),
        "healthy",
        [],
    ),
    "V100/580 with torch cu130": (
        machine([V100], driver("580.65.06", module_flavour="proprietary"), [framework("torch", "2.9.0+cu130")]),
        "findings",
        ["arch-too-old-for-build"],
    ),
    "K80/470 with torch cu102": (
        machine([K80], driver("470.256.02"), [framework("torch", "1.12.1+cu102")]),
        "healthy",
        [],
    ),
    "T4/450 with torch cu113": (
        machine([T4], driver("450.248.02"), [framework("torch", "1.12.1+cu113")]),
        "healthy",
        [],
    ),
    "T4/440 with torch cu117": (
        machine([T4], driver("440.100"), [framework("torch", "2.0.1+cu117")]),
        "findings",
        ["driver-too-old"],
    ),
    "GB10 whose memory NVML does not tell": (
        machine([GB10], driver("580.95.05"), [framework("torch", "2.10.0+cu130")]),
        "healthy",
        [],
    ),
    "B200/610 with torch cu130": (
        machine([B200], driver("610.43.02"), [framework("torch", "2.11.0+cu130")]),
        "healthy",
        [],
    ),
    "library and module of two releases": (
        machine([RTX3090], MISMATCH, [framework("torch", "2.5.1+cu121")]),
        "findings",
        ["drv-lib-mismatch"],
    ),
    "driver not loaded": (
        machine([gpu("NVIDIA GeForce RTX 3090", "8.6", **UNBOUND)], NOT_LOADED, [framework("torch", "2.5.1+cu121")]),
        "findings",
        ["drv-not-loaded"],
    ),
    "a GPU and no driver": (
        machine([gpu("NVIDIA GeForce RTX 3090", "8.6", **UNBOUND)], None, [framework("torch", "2.5.1+cu121")]),
        "findings",
        ["drv-absent"],
    ),
    "driver that does not answer": (
        machine([RTX3090], driver("535.161.07", nvml=Answer(outcome="stuck", detail="nvidia_ioctl")), []),
        "findings",
        ["driver-not-answering"],
    ),
    "no permission for the device nodes": (
        machine(
            [RTX3090],
            driver(
                "535.161.07",
                device_nodes=(
                    DeviceNode(
                        path="/dev/nvidiactl", mode=0o660, owner="root", group="video", accessible=False, error="EACCES"
                    ),
                    DeviceNode(
                        path="/dev/nvidia0", mode=0o660, owner="root", group="video", accessible=False, error="EACCES"
                    ),
                ),
                nvml=Answer(outcome="answered", code=4, name="NVML_ERROR_NO_PERMISSION"),
                cuda_init=Answer(outcome="answered", code=100, name="CUDA_ERROR_NO_DEVICE"),
            ),
            [framework("torch", "2.5.1+cu121")],
        ),
        "findings",
        ["dev-permission"],
    ),
    "masked devices": (
        machine(
            [RTX3090],
            driver("535.161.07", cuda_init=Answer(outcome="answered", code=100, name="CUDA_ERROR_NO_DEVICE")),
            [framework("torch", "2.5.1+cu121")],
            environ=Environ(variables={"CUDA_VISIBLE_DEVICES": ""}),
        ),
        "findings",
        ["cvd-invalid"],
    ),
    "CPU torch beside a working driver": (
        machine([RTX4090], driver("535.161.07"), [framework("torch", "2.13.0+cpu")]),
        "findings",
        ["torch-cpu-only"],
    ),
    "Python 3.13 with torch 2.13": (
        machine([RTX4090], driver("580.65.06"), [framework("torch", "2.13.0+cu130")], python="3.13.1"),
        "healthy",
        [],
    ),
    "no GPU, CPU torch": (machine([], None, [framework("torch", "2.13.0+cpu")]), "no-gpu", []),
    "no GPU, CUDA torch": (machine([], None, [framework("torch", "2.6.0+cu124")]), "no-gpu", []),
    "a release newer than the matrix, judged by its own files": (
        machine(
            [RTX4090], driver("610.43.02"), [framework("torch", "9.9.0+cu133", archs=("sm_80", "sm_90", "sm_120"))]
        ),
        "healthy",
        [],
    ),
    "a release newer than the matrix that holds nothing for the card": (
        machine([RTX4090], driver("610.43.02"), [framework("torch", "9.9.0+cu133", archs=("sm_90", "sm_120"))]),
        "findings",
        ["arch-too-old-for-build"],
    ),
}


def examine(snapshot):
    matrix = load_matrix()
    diagnosis = diagnose(snapshot, matrix, load_rules())
    assert not diagnosis.crashed, diagnosis.crashed[0].traceback
    return report_of(snapshot, diagnosis, matrix=matrix)


@pytest.mark.parametrize("case", CASES)
def test_true_verdict(case):
    snapshot, verdict, causes = CASES[case]
    report = examine(snapshot)
    roots = [finding.name for finding in report.diagnosis.root_causes if finding.severity == "error"]
    assert (report.verdict, sorted(set(roots))) == (verdict, causes), (roots, report.unseen)


@pytest.mark.parametrize("case", CASES)
def test_a_saved_machine_gets_the_same_verdict(case):
    snapshot = CASES[case][0]
    assert examine(decode_snapshot(encode(snapshot))).diagnosis == examine(snapshot).diagnosis


@pytest.mark.parametrize("case", [case for case in CASES if CASES[case][1] == "findings"])
def test_every_root_cause_says_what_to_do(case):
    for finding in examine(CASES[case][0]).diagnosis.root_causes:
        if finding.severity == "error":
            assert finding.evidence and finding.fixes, finding.name
