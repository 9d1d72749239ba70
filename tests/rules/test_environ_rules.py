"""How CUDA_VISIBLE_DEVICES is read, and what the rules about it say."""

import pytest

from gpudoctor.facts.fix import SetEnv
from gpudoctor.facts.gpus import MigInstance
from gpudoctor.facts.system import Environ, LoginSetting
from tests.rules.situations import BARE, answer, driver, environ, gpu, gpus, slurm, unlisted
from tests.rules.table import fires, quiet

FIRST, SECOND = "GPU-01111111-2222-3333-4444-555555555555", "GPU-11111111-2222-3333-4444-555555555555"
TWO = gpus(gpu(0, uuid=FIRST), gpu(1, uuid=SECOND))


def visible(value, machine=TWO, container=BARE):
    return {"gpus": machine, "environ": environ(CUDA_VISIBLE_DEVICES=value), "container": container}


@pytest.mark.parametrize(
    ("value", "shown", "reason"),
    [
        ("", "none", "empty value"),
        ("  ", "none", "empty value"),
        ("-1", "none", "-1 stands for no GPU"),
        ("2", "none", "there is no GPU 2"),
        ("0,2", "0", "there is no GPU 2"),
        ("0,-1,1", "0", "-1 stands for no GPU"),
        ("7,0", "none", "there is no GPU 7"),
        ("0,0", "none", "twice"),
        ("1,0,1", "none", "twice"),
        ("0,,1", "0", "an empty entry"),
        ("0,", "0", "an empty entry"),
        ("NoDevFiles", "none", "neither the number nor the UUID"),
        ("cuda:0", "none", "neither the number nor the UUID"),
        ("all", "none", "neither the number nor the UUID"),
        ("GPU-ffff", "none", "no GPU has a UUID that begins with GPU-ffff"),
        ("GPU-", "none", "fits 2 GPUs"),
        (f"{FIRST},{FIRST[:10]}", "none", "twice"),
        (f"{FIRST},GPU-ffff", FIRST, "no GPU has a UUID"),
    ],
)
def test_cvd_invalid(value, shown, reason):
    found = fires("cvd-invalid", **visible(value))
    assert reason in found.summary
    assert next(one.value for one in found.evidence if one.fact == "entries that count") == shown
    assert SetEnv(name="CUDA_VISIBLE_DEVICES", value=None) in found.fixes[0].steps


@pytest.mark.parametrize(
    "value",
    ["0", "1", "0,1", "1,0", " 0 , 1 ", "0,1 ", "+1", "1gpu", FIRST, SECOND[:8], SECOND.lower().replace("gpu", "GPU")],
)
def test_cvd_valid(value):
    quiet("cvd-invalid", **visible(value))


def test_cvd_unset_or_no_gpu():
    quiet("cvd-invalid", gpus=TWO, environ=environ(), container=BARE)
    quiet("cvd-invalid", **visible("5", None))


def test_cvd_is_not_judged_by_what_is_not_known():
    quiet("cvd-invalid", **visible("5", gpus(unlisted())))
    quiet("cvd-invalid", **visible("GPU-ffff", gpus(gpu(uuid=None))))
    quiet("cvd-invalid", **visible("3", gpus(gpu(mig_enabled=True))))
    quiet("cvd-invalid", **visible("MIG-1", gpus(gpu(mig_enabled=None))))
    quiet("cvd-invalid", **visible("MIG-GPU-0111/7/0", gpus(gpu(mig_enabled=True, mig_instances=()))))


def test_cvd_of_a_job_that_has_the_cards_it_lists_under_other_numbers():
    job = slurm(in_job=True)
    renumbered = fires("cvd-invalid", **visible("2,3", container=job))
    assert SetEnv(name="CUDA_VISIBLE_DEVICES", value=None) in renumbered.fixes[0].steps
    assert "ConstrainDevices" in renumbered.fixes[1].steps[0].text
    for value in ("2,3,4", "", "NoDevFiles"):
        assert [fix.safety for fix in fires("cvd-invalid", **visible(value, container=job)).fixes] == ["manual"]


def test_cuda_itself_counts_more_than_our_reading():
    quiet("cvd-invalid", driver=driver(), **visible("GPU-ffff", gpus(gpu())))
    for value in ("", "-1", "NoDevFiles", "7"):
        fires("cvd-invalid", driver=driver(), **visible(value, gpus(gpu())))
    hidden = driver(cuda_init=answer(100))
    assert fires("cvd-invalid", driver=hidden, **visible("7", gpus(gpu()))).explains


def test_cvd_mig():
    parts = gpus(gpu(mig_enabled=True, mig_instances=(MigInstance(uuid="MIG-aa11"), MigInstance(uuid="MIG-bb22"))))
    quiet("cvd-invalid", **visible("MIG-aa", parts))
    assert "no MIG device" in fires("cvd-invalid", **visible("MIG-cc", parts)).summary
    assert "fits 2 MIG" in fires("cvd-invalid", **visible("MIG-", parts)).summary


def test_cvd_of_a_scheduler_is_left_alone():
    found = fires("cvd-invalid", **visible("5", container=slurm(job_gpus="5")))
    assert not any(isinstance(step, SetEnv) for fix in found.fixes for step in fix.steps)


def test_cvd_device_order():
    mixed = gpus(gpu(0), gpu(1, name="Tesla T4"))
    assert fires("cvd-device-order", gpus=mixed, environ=environ()).confidence == "possible"
    found = fires("cvd-device-order", gpus=mixed, environ=environ(CUDA_VISIBLE_DEVICES="1"))
    assert found.confidence == "likely"
    assert found.severity == "info"
    quiet("cvd-device-order", gpus=mixed, environ=environ(CUDA_DEVICE_ORDER="PCI_BUS_ID"))
    quiet("cvd-device-order", gpus=mixed, environ=environ(CUDA_VISIBLE_DEVICES=FIRST))
    quiet("cvd-device-order", gpus=TWO, environ=environ(CUDA_VISIBLE_DEVICES="1"))


def test_the_file_that_sets_the_variable_is_named():
    setting = LoginSetting(name="CUDA_VISIBLE_DEVICES", value="5", file="/home/me/.bashrc")
    given = Environ(variables={"CUDA_VISIBLE_DEVICES": "5"}, login=(setting,))
    found = fires("cvd-invalid", gpus=TWO, environ=given, container=BARE, driver=None)
    assert "/home/me/.bashrc" in found.fixes[1].steps[0].text
    other = Environ(variables={"CUDA_VISIBLE_DEVICES": "6"}, login=(setting,))
    found = fires("cvd-invalid", gpus=TWO, environ=other, container=BARE, driver=None)
    assert not any(one.fact == "set in" for one in found.evidence)
