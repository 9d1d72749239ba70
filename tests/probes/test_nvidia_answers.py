"""Transcripts of children that asked a driver, however they ended and whatever stands in them."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpudoctor.facts.gpus import Gpu, GpuProcess
from gpudoctor.host.port import Ran
from gpudoctor.host.recorded import RecordedHost
from gpudoctor.probes.gpus.processes import name_processes
from gpudoctor.probes.nvidia.replies import parse_cuda, parse_nvml
from gpudoctor.sources.nvidia_codes import cuda_code, nvml_code
from gpudoctor.sources.pci import bus_id

LIBRARY = ["system", "library", "dlopen", 0, None]
INIT = ["system", "init", "nvmlInit", 0, None]
COUNT = ["system", "count", "nvmlDeviceGetCount", 0, 1]


def output(*answers: list[object], finished: bool = True, pending: list[object] | None = None) -> bytes:
    lines = [
        "@gpudoctor " + json.dumps(line)
        for *question, code, value in answers
        for line in (["?", *question], ["=", code, value])
    ]
    lines += ["@gpudoctor " + json.dumps(["?", *pending])] if pending else []
    return "\n".join(["", *lines, '@gpudoctor ["."]' if finished else "", ""]).encode()


def ran(stdout: bytes = b"", **more) -> Ran:
    return Ran(argv=("python",), **{"outcome": "exited", "code": 0, "stdout": stdout, **more})


#: How the child ended, and outcome, code and detail of the answer.
ENDINGS = [
    (ran(output(LIBRARY, INIT, COUNT)), "answered", 0, None),
    (ran(output(LIBRARY, ["system", "init", "nvmlInit", 9, None])), "answered", 9, "nvmlInit"),
    (
        ran(output(LIBRARY, INIT, ["system", "count", "nvmlDeviceGetCount", 999, None])),
        "answered",
        999,
        "nvmlDeviceGetCount",
    ),
    (
        ran(output(LIBRARY, INIT, ["system", "count", "nvmlDeviceGetCount", 0, 4000000000])),
        "garbage",
        0,
        "a number of GPUs of 4000000000",
    ),
    (ran(output(["system", "library", "dlopen", -1, "OSError: not there"])), "no-library", None, "OSError: not there"),
    (
        ran(output(LIBRARY, ["system", "binding", "import pynvml", -1, "ImportError: x"])),
        "not-asked",
        None,
        "nvidia-ml-py cannot be used: ImportError: x",
    ),
    (ran(output(LIBRARY, ["system", "init", "nvmlInit", -1, "KeyError: x"])), "garbage", None, "KeyError: x"),
    (ran(b"Segmentation fault? No: a banner.\n"), "garbage", None, "34 bytes that are no answer"),
    (ran(output(LIBRARY), truncated=True, outcome="signalled", signal="SIGKILL", code=None), "answered", None, None),
    (
        ran(output(LIBRARY, finished=False), truncated=True, outcome="signalled", signal="SIGKILL"),
        "garbage",
        None,
        None,
    ),
    (ran(code=1, stderr=b"Traceback"), "crashed", None, "exit code 1"),
    (ran(outcome="signalled", signal="SIGILL", code=None), "crashed", None, "SIGILL"),
    (
        ran(
            output(LIBRARY, finished=False, pending=["system", "init", "nvmlInit"]),
            outcome="signalled",
            signal="SIGBUS",
        ),
        "crashed",
        None,
        "SIGBUS in nvmlInit",
    ),
    (
        ran(output(LIBRARY, INIT, finished=False, pending=["gpu 0", "name", "nvmlDeviceGetName"]), outcome="timed-out"),
        "timed-out",
        0,
        "nvmlDeviceGetName",
    ),
    (ran(outcome="abandoned", state="D", wchan="rm_ioctl"), "stuck", None, "rm_ioctl"),
    (ran(outcome="not-started", reason="too many processes"), "not-asked", None, "too many processes"),
]


@pytest.mark.parametrize(("child", "outcome", "code", "detail"), ENDINGS)
def test_how_a_child_ended(child: Ran, outcome: str, code: int | None, detail: str | None) -> None:
    answer = parse_nvml(child).nvml
    if (outcome, code) == ("answered", None):
        outcome = "garbage"  # it said that all was asked, but not how the start went
    assert (answer.outcome, answer.code) == (outcome, code)
    assert answer.detail == detail or detail is None
    assert answer.ok == (outcome == "answered" and code == 0)


def test_gpus_that_were_not_reached_are_there_and_unknown() -> None:
    count = ["system", "count", "nvmlDeviceGetCount", 0, 3]
    name = ["gpu 0", "name", "nvmlDeviceGetName", 0, "Tesla T4"]
    handle = ["gpu 0", "handle", "nvmlDeviceGetHandleByIndex", 0, None]
    pending: list[object] = ["gpu 1", "handle", "nvmlDeviceGetHandleByIndex"]
    child = ran(output(LIBRARY, INIT, count, handle, name, finished=False, pending=pending), outcome="timed-out")
    gpus = parse_nvml(child).gpus
    assert [(gpu.name, *(refusal.name for refusal in gpu.refusals)) for gpu in gpus] == [
        ("Tesla T4",),
        (None, "no answer"),
        (None, "not asked"),
    ]


def gpu_that_says(fact: str, value: object) -> Gpu:
    handle = ["gpu 0", "handle", "nvmlDeviceGetHandleByIndex", 0, None]
    return parse_nvml(ran(output(LIBRARY, INIT, COUNT, handle, ["gpu 0", fact, "call", 0, value]))).gpus[0]


#: An answer, the field, and what it must be. Numbers of nvml.h.
VALUES = [
    ("memory", {"total": 0, "used": 0}, "memory_total_mib", None),
    ("memory", {"total": 0, "used": 0}, "memory_used_mib", None),
    ("memory", {"total": 8 << 30, "used": 2**64 - 1}, "memory_used_mib", None),
    ("memory", {"total": 8 << 30, "used": 0}, "memory_used_mib", 0),
    ("performance_state", 32, "performance_state", None),
    ("performance_state", 0, "performance_state", 0),
    ("throttle_reasons", 0, "throttle_reasons", ()),
    ("throttle_reasons", 0x4 | 0x40 | 1 << 40, "throttle_reasons", ("SwPowerCap", "HwThermalSlowdown", "bit 40")),
    ("architecture", 0xFFFFFFFF, "architecture", None),
    ("temperature", 0xFFFFFFFF, "temperature_c", None),
    ("compute_mode", 3, "compute_mode", "exclusive-process"),
    ("compute_mode", 77, "compute_mode", None),
    ("persistence", 2, "persistence", None),
    ("pci", {"busId": "0000000F:01:00.0", "pciDeviceId": 0x2E1210DE}, "pci_bus_id", "000f:01:00.0"),
    ("pci", {"busId": "", "pciDeviceId": 0x2E1210DE}, "pci_bus_id", None),
    ("name", "", "name", None),
    ("power.draw", 0, "power", None),
]


@pytest.mark.parametrize(("fact", "value", "field", "expected"), VALUES)
def test_values_that_mean_something_else(fact: str, value: object, field: str, expected: object) -> None:
    assert getattr(gpu_that_says(fact, value), field) == expected


@pytest.mark.parametrize("value", [None, "text", [], {}, -1.5, True])
@pytest.mark.parametrize("fact", ["memory", "pci", "capability", "row_remaps", "utilization", "ecc_mode", "power.draw"])
def test_an_answer_of_another_kind_is_unknown(fact: str, value: object) -> None:
    gpu = gpu_that_says(fact, value)
    assert gpu.memory_total_mib is gpu.pci_id is gpu.capability is gpu.row_remaps is gpu.ecc_enabled is None


LINE = st.lists(
    st.one_of(st.integers(), st.text(max_size=9), st.none(), st.sampled_from(["?", "=", "gpu 0", "link 0 0"])),
    max_size=5,
)
NOISE = st.one_of(st.binary(max_size=40), LINE.map(lambda line: b"@gpudoctor " + json.dumps(line).encode()))


@settings(max_examples=300)
@given(st.lists(NOISE, max_size=8), st.sampled_from(["exited", "signalled", "timed-out", "abandoned"]), st.data())
def test_nothing_in_a_transcript_makes_the_parser_fail(noise: list[bytes], outcome: str, data: st.DataObject) -> None:
    whole = output(LIBRARY, INIT, COUNT, ["gpu 0", "name", "nvmlDeviceGetName", 0, "Tesla T4"]).split(b"\n")
    for line in noise:
        whole.insert(data.draw(st.integers(0, len(whole))), line)
    child = ran(b"\n".join(whole), outcome=outcome)
    assert len(parse_nvml(child).gpus) <= 128
    assert len(parse_cuda(child).devices) <= 128


CODES = [
    (nvml_code, 18, "NVML_ERROR_LIB_RM_VERSION_MISMATCH"),
    (nvml_code, 31337, "NVML error 31337"),
    (cuda_code, 804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"),
    (cuda_code, 31337, "CUDA error 31337"),
]


@pytest.mark.parametrize(("name_of", "code", "name"), CODES)
def test_names_of_codes(name_of, code: int, name: str) -> None:
    assert name_of(code).name == name
    assert (name_of(code).meaning is None) == (code == 31337)


ADDRESSES = [
    ("00000000:01:00.0", "0000:01:00.0"),
    ("0000:0A:00.0", "0000:0a:00.0"),
    ("00010000:C1:00.0", "10000:c1:00.0"),
    ("", None),
    ("x:01:00.0", None),
    ("01:00.0", None),
]


@pytest.mark.parametrize(("text", "expected"), ADDRESSES)
def test_addresses(text: str, expected: str | None) -> None:
    assert bus_id(text) == expected


@pytest.mark.parametrize(("namespace", "name"), [("pid:[4026531836]", "python3"), ("pid:[4026532201]", None)])
def test_processes_are_named_in_our_own_namespace_only(namespace: str, name: str | None) -> None:
    gpu = Gpu(processes=(GpuProcess(pid=41), GpuProcess(pid=42)))
    host = RecordedHost({"/proc/41/comm": "python3\n"}, links={"/proc/self/ns/pid": namespace})
    assert [process.name for process in name_processes(host, gpu).processes or ()] == [name, None]


def test_processes_that_are_gone() -> None:
    gpu = Gpu(processes=tuple(GpuProcess(pid=pid) for pid in (41, 42, 43)))
    own = {"/proc/self/ns/pid": "pid:[4026531836]"}
    files = {
        "/proc/41/comm": "python3\n",
        "/proc/41/status": "Name:\tpython3\nState:\tS (sleeping)\n",
        "/proc/42/comm": "python3\n",
        "/proc/42/status": "Name:\tpython3\nState:\tZ (zombie)\n",
    }
    shown = RecordedHost(files | {"/proc/1/comm": "systemd\n"}, links=own)
    assert [one.gone for one in name_processes(shown, gpu).processes or ()] == [False, True, True]
    # Where others' processes are hidden, one that is not shown may be there.
    assert [one.gone for one in name_processes(RecordedHost(files, links=own), gpu).processes or ()] == [
        False,
        True,
        None,
    ]
