"""Causes of a whole snapshot: none that its own rule saw not to be one, and in the order in which `check` has them."""

import pytest
from msgspec import structs

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.diagnosis.ranking import rank, ruled_out, shown_causes
from gpudoctor.facts.base import Gap
from gpudoctor.facts.driver import Answer
from gpudoctor.facts.libraries import Toolkit, Toolkits
from gpudoctor.facts.live import Live, Symptom
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.rules.load import load_rules
from gpudoctor.tickets.read import ingest
from tests.whole import driver, framework, gpu, machine

CPU_BUILDS = (framework("tensorflow", "2.16.1", variant="cpu"), framework("torch", "2.6.0+cpu", variant="cpu"))


def causes(snapshot):
    rules = load_rules()
    made = rank(snapshot, diagnose(snapshot, load_matrix(), rules).findings, rules)
    return [one.key for one in made if one.weight >= 0.3]


def test_builds_for_the_processor_are_no_cause_where_there_is_no_gpu():
    assert causes(machine(frameworks=CPU_BUILDS)) == []


def test_another_toolkit_is_no_cause_where_there_is_no_gpu():
    old = framework("tensorflow", "2.4.4", variant="cuda", cuda=CudaVersion("11.0"))
    other = Toolkits(found=(Toolkit(root="/usr/local/cuda", version=CudaVersion("13.0")),))
    assert causes(machine(frameworks=(old,), toolkits=other)) == []


def test_causes_that_are_equally_sure_are_in_the_order_of_the_findings():
    snapshot = machine((gpu("NVIDIA GeForce RTX 4090", "8.9"),), driver("580.95.05"), CPU_BUILDS)
    found = [one.name for one in diagnose(snapshot, load_matrix(), load_rules()).findings]
    told = causes(snapshot)
    assert {"torch-cpu-only", "tf-cpu-only"} <= set(told)
    assert told == sorted(told, key=found.index)


def test_what_the_driver_waits_for_leads_before_that_it_failed():
    refused = structs.replace(driver("570.169"), cuda_init=Answer(outcome="answered", code=802))
    snapshot = machine((gpu("NVIDIA H100 80GB HBM3", "9.0"),), refused)
    made = rank(snapshot, diagnose(snapshot, load_matrix(), load_rules()).findings, load_rules())
    assert shown_causes(made)[0].key == "fabric-manager-down"


def first_cause(text):
    rules = load_rules()
    snapshot = ingest(text.encode(), load_matrix()).snapshot
    made = shown_causes(rank(snapshot, diagnose(snapshot, load_matrix(), rules).findings, rules))
    return next((one.key for one in made if not one.is_effect), None)


SM = "with CUDA capability {} is not compatible with the current PyTorch installation.\nThe current PyTorch install"


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (f"NVIDIA GB10 {SM.format('sm_121')} supports CUDA capabilities sm_80 sm_90 sm_120.", "arch-ok-warning-only"),
        (f"NVIDIA GB10 {SM.format('sm_121')} supports CUDA capabilities sm_80 sm_90.", "arch-too-new-for-build"),
        ("RuntimeError: No HIP GPUs are available\ntorch 2.3.1+rocm6.0\nGPU: RTX 4070\n", "torch-backend-gpu-vendor"),
        ("my GTX 1080: CUDA error: no kernel image is available for execution on the device", "arch-too-old-for-build"),
        ("my RTX 5080: CUDA error: no kernel image is available for execution on the device", "arch-too-new-for-build"),
    ],
)
def test_what_a_ticket_states_decides_between_causes(text, cause):
    assert first_cause(text) == cause


def test_what_a_fact_rules_out_is_said():
    text = "nvidia-smi works\nCUDA driver version is insufficient for CUDA runtime version\nmacOS 14.2, Apple M2\n"
    snapshot = ingest(text.encode(), load_matrix()).snapshot
    out = {one.key: one.because for one in ruled_out(snapshot, (), load_rules())}
    assert out == {"driver-too-old": "this is macOS"}


@pytest.mark.parametrize(
    ("unseen", "missing"),
    [((), ()), (("gpus",), ("gpus",)), (("driver", "frameworks"), ("driver", "frameworks")), (("packages",), ())],
)
def test_an_open_cause_says_which_facts_its_rule_waits_for(unseen, missing):
    """Without a missing one, the rule ran and did not find it; a fact that a rule can do without is not missing."""
    message = Symptom(signature="cuda-insufficient-driver", text="CUDA driver version is insufficient")
    snapshot = machine((gpu("NVIDIA GeForce RTX 3090", "8.6"),), driver("580.95.05"), live=Live(symptoms=(message,)))
    snapshot = structs.replace(snapshot, **dict.fromkeys(unseen, Gap(reason="not seen")))
    rules = load_rules()
    rows = {one.key: one for one in rank(snapshot, diagnose(snapshot, load_matrix(), rules).findings, rules)}
    assert rows["driver-too-old"].state == "open"
    assert set(missing) == set(rows["driver-too-old"].missing)
