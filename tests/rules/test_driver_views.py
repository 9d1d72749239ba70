"""NVML and the CUDA driver contradict each other, or refuse what they are asked: a finding or no verdict."""

import msgspec
import pytest

from gpudoctor.diagnosis.missing_facts import unseen_facts
from gpudoctor.facts.base import Gap
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Container, System
from tests.rules.situations import OK, UBUNTU, answer, driver, environ, gpu, gpus, refusal
from tests.rules.table import fires, judge, quiet


def counting(nvml: int, cuda: int):
    return driver(
        nvml=msgspec.structs.replace(OK, device_count=nvml), cuda_init=msgspec.structs.replace(OK, device_count=cuda)
    )


def listed(count: int, **fields):
    return gpus(*(gpu(index, **fields) for index in range(count))) if count else None


@pytest.mark.parametrize(
    ("nvml", "cuda", "mask"), [(2, 1, None), (8, 7, None), (4, 1, "0,1"), (2, 1, "GPU-0111,GPU-1111"), (3, 1, "1,2")]
)
def test_a_gpu_that_cuda_does_not_give_out(nvml, cuda, mask):
    variables = environ() if mask is None else environ(CUDA_VISIBLE_DEVICES=mask)
    found = fires("cuda-lists-fewer-gpus", gpus=listed(nvml), driver=counting(nvml, cuda), environ=variables)
    assert str(nvml) in found.summary and str(cuda) in found.summary and found.severity == "error"


@pytest.mark.parametrize(
    ("nvml", "cuda", "variables", "fields"),
    [
        (2, 2, {}, {}),
        (2, 1, {"CUDA_VISIBLE_DEVICES": "1"}, {}),
        (2, 1, {"CUDA_VISIBLE_DEVICES": "0,7,1"}, {}),
        (2, 1, {"CUDA_MPS_PIPE_DIRECTORY": "/tmp/mps"}, {}),
        (2, 1, {}, {"mig_enabled": True}),
        (1, 2, {}, {}),
        (2, 0, {}, {}),
    ],
)
def test_where_something_hides_it_or_none_is_missing(nvml, cuda, variables, fields):
    given = {"gpus": listed(nvml, **fields), "driver": counting(nvml, cuda), "environ": environ(**variables)}
    quiet("cuda-lists-fewer-gpus", **given)


@pytest.mark.parametrize(
    ("nvml", "cuda", "variables", "certain"),
    [
        (0, 2, {}, False),
        (1, 2, {}, False),
        (2, 1, {"CUDA_MPS_PIPE_DIRECTORY": "/tmp/mps"}, False),
        (2, 1, Gap(reason="x"), False),
        (2, 1, {"CUDA_VISIBLE_DEVICES": "1"}, True),
        (2, 2, {}, True),
        (2, 2, {"CUDA_VISIBLE_DEVICES": "1"}, True),
        (2, 3, {"CUDA_VISIBLE_DEVICES": "1"}, False),
    ],
)
def test_counts_that_no_rule_explains_leave_no_verdict(nvml, cuda, variables, certain):
    given = variables if isinstance(variables, Gap) else environ(**variables)
    snapshot = Snapshot(gpus=listed(nvml), driver=counting(nvml, cuda), environ=given, host=UBUNTU)
    assert certain is not any("NVML counts" in text for text in unseen_facts(snapshot))


def test_nvml_of_a_jetson_may_count_none():
    jetson = System(os="linux", arch="aarch64", tegra="Orin")
    snapshot = Snapshot(gpus=listed(1), driver=counting(0, 1), environ=environ(), host=jetson)
    assert not any("NVML counts" in text for text in unseen_facts(snapshot))


@pytest.mark.parametrize("code", [2, 46, 101, 102, 802, 801, 919, 999, 12345])
def test_cuda_that_does_not_give_out_a_gpu(code):
    refusing = msgspec.structs.replace(OK, refusals=(refusal(code, "cuDeviceGet(1)", "CUDA_ERROR"),))
    found = fires("driver-refuses", driver=driver(cuda_init=refusing))
    assert (found.severity, found.subject) == ("error", "The CUDA driver") and str(code) in found.summary


@pytest.mark.parametrize(
    ("call", "code", "severity"),
    [
        ("nvmlDeviceGetP2PStatus", 15, "error"),
        ("nvmlDeviceGetP2PStatus", 16, "error"),
        ("nvmlDeviceGetP2PStatus", 999, "warning"),
        ("nvmlSystemGetDriverVersion", 999, "error"),
    ],
)
def test_nvml_that_refuses_what_is_of_no_single_gpu(call, code, severity):
    refusing = msgspec.structs.replace(OK, refusals=(refusal(code, call),))
    assert fires("driver-refuses", driver=driver(nvml=refusing)).severity == severity


def test_a_driver_that_did_not_start_is_judged_by_that():
    refusing = msgspec.structs.replace(answer(999), refusals=(refusal(999, "cuDriverGetVersion"),))
    assert judge("driver-refuses", driver=driver(cuda_init=refusing)) == ()
    quiet("driver-refuses", driver=driver())


def test_a_mismatch_is_found_where_no_gpu_could_be_seen():
    given = {"driver": driver(nvml=answer(18), cuda_init=None), "host": UBUNTU, "container": Container(kind="none")}
    fires("drv-lib-mismatch", gpus=Gap(reason="not seen"), **given)
    quiet("drv-lib-mismatch", gpus=None, **given)
