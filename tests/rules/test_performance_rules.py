"""Tables of the rules on speed and precision."""

import pytest

from gpudoctor.facts.base import Gap
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.live import DeviceList, Live, Symptom
from gpudoctor.facts.python import Framework, Frameworks, Package, Packages
from gpudoctor.facts.versions import Capability
from tests.bench.timings import bench, step
from tests.rules.situations import environ, gpu, gpus
from tests.rules.table import fires, quiet


def torch(version, variant="cuda"):
    return Frameworks(found=(Framework(name="torch", version=version, variant=variant),))


@pytest.mark.parametrize(
    ("version", "capability", "speaks"),
    [
        ("1.7.0+cu110", "8.6", True),
        ("1.11.0+cu113", "8.0", True),
        ("1.12.0+cu116", "8.6", False),
        ("1.6.0", "8.6", False),
        ("1.10.0+cu113", "7.5", False),
        ("2.6.0+cu124", "9.0", False),
        ("a nightly", "8.6", False),
    ],
)
def test_tf32_default(version, capability, speaks):
    cards = gpus(gpu(name="a card", pci_id=None, capability=Capability(capability)))
    say = fires if speaks else quiet
    found = say("tf32-default", gpus=cards, frameworks=torch(version), environ=environ())
    assert found is None or found.severity == "info"


def test_tf32_that_is_off_or_not_there():
    quiet("tf32-default", gpus=gpus(), frameworks=torch("1.10.0", "cpu"), environ=environ())
    quiet("tf32-default", gpus=gpus(), frameworks=torch("1.10.0"), environ=environ(NVIDIA_TF32_OVERRIDE="0"))
    quiet("tf32-default", gpus=None, frameworks=torch("1.10.0"), environ=environ())
    # Not seen is not unset.
    quiet("tf32-default", gpus=gpus(), frameworks=torch("1.10.0"), environ=Gap(reason="not seen"))
    fires("tf32-default", gpus=gpus(), frameworks=torch("1.10.0"), environ=environ(NVIDIA_TF32_OVERRIDE="1"))
    older = gpu(name="a card", pci_id=None, capability=Capability("7.5"))
    capable = gpu(index=1)
    found = fires("tf32-default", gpus=gpus(older, capable), frameworks=torch("1.10.0"), environ=environ())
    assert found.subject == capable.label


def test_perf_amp_no_gain():
    apex = Packages(installed=(Package(name="apex", version="0.1"),))
    old = gpus(gpu(name="a card", pci_id=None, capability=Capability("6.1")))
    assert "no units" in fires("perf-amp-no-gain", gpus=old, packages=apex, frameworks=torch("1.0.0")).summary
    fires("perf-amp-no-gain", gpus=gpus(), packages=apex, frameworks=torch("2.6.0"))
    for version, say in (("1.4.0", quiet), ("1.5.1", quiet), ("1.6.0", fires), ("2.0.0", fires)):
        say("perf-amp-no-gain", gpus=gpus(), packages=apex, frameworks=torch(version))
    for capability, words in (("6.1", "no units"), ("7.0", "taken its place")):
        cards = gpus(gpu(name="a card", pci_id=None, capability=Capability(capability)), old.devices[0])
        assert words in fires("perf-amp-no-gain", gpus=cards, packages=apex, frameworks=torch("2.6.0")).summary
    unknown = gpus(gpu(name="a card", pci_id=None, capability=None))
    quiet("perf-amp-no-gain", gpus=unknown, packages=apex, frameworks=torch("2.6.0"))
    quiet("perf-amp-no-gain", gpus=gpus(), packages=Packages(), frameworks=torch("2.6.0"))
    quiet("perf-amp-no-gain", gpus=gpus(), packages=apex, frameworks=None)


def test_tf32_off():
    off = environ(NVIDIA_TF32_OVERRIDE="0")
    assert fires("tf32-off", gpus=gpus(), frameworks=torch("2.6.0"), environ=off).severity == "info"
    for of in (torch("2.6.0"), Frameworks(found=(Framework(name="tensorflow", version="2.20.0", variant="cuda"),))):
        fires("tf32-off", gpus=gpus(gpu(), gpu(index=1)), frameworks=of, environ=off)
    other = Frameworks(found=(Framework(name="torchvision", version="0.21.0", variant="cuda"),))
    quiet("tf32-off", gpus=gpus(), frameworks=other, environ=off)
    older = gpus(gpu(name="a card", pci_id=None, capability=Capability("7.5")))
    quiet("tf32-off", gpus=older, frameworks=torch("2.6.0"), environ=off)
    quiet("tf32-off", gpus=gpus(), frameworks=torch("2.6.0", "cpu"), environ=off)
    for value in ("1", ""):
        quiet("tf32-off", gpus=gpus(), frameworks=torch("2.6.0"), environ=environ(NVIDIA_TF32_OVERRIDE=value))
    quiet("tf32-off", gpus=gpus(), frameworks=torch("2.6.0"), environ=environ())


def said(*signatures, **fields):
    found = tuple(Symptom(signature=one, text=f"so it is: {one}") for one in signatures)
    return Live(symptoms=found, **fields)


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("perf-workload-too-small", "gpu-no-faster-than-cpu"),
        ("perf-workload-too-small", "gpu-little-used"),
        ("perf-input-bound", "gpu-waits-for-data"),
    ],
)
def test_a_complaint_of_speed(name, complaint):
    found = fires(name, gpus=gpus(), live=said(complaint))
    assert (found.severity, found.confidence) == ("info", "possible")
    assert any(one.value == f"so it is: {complaint}" for one in found.evidence)
    fires(name, gpus=Gap(reason="not looked"), live=said("another", complaint))
    quiet(name, gpus=gpus(), live=said("another"))
    quiet(name, gpus=None, live=said(complaint))
    quiet(name, gpus=Gpus(devices=(Gpu(vendor="amd", name="a card"),)), live=said(complaint))
    unused = DeviceList(framework="torch", gpu_available=False)
    quiet(name, gpus=gpus(), live=said(complaint, devices=(unused,)))
    used = DeviceList(framework="torch", gpu_available=True)
    fires(name, gpus=gpus(), live=said(complaint, devices=(used,)))


def test_a_complaint_and_a_measurement():
    def live(*steps):
        return said("gpu-no-faster-than-cpu", bench=bench(*steps))

    small = (step("dense", 0.001, "cpu", 8), step("dense", 0.002, batch=8))
    large = (step("conv", 0.1, "cpu", 64), step("conv", 0.01, batch=64))
    found = fires("perf-workload-too-small", gpus=gpus(), live=live(*small, *large))
    told = {one.fact: one.value for one in found.evidence}
    assert found.confidence == "likely"
    assert told["faster on the CPU"].startswith("dense, batch 8")
    assert told["quicker here"].startswith("conv, batch 64")
    assert fires("perf-workload-too-small", gpus=gpus(), live=live(*large)).confidence == "possible"
    quiet("perf-workload-too-small", gpus=gpus(), live=live(*small))
    quiet("perf-workload-too-small", gpus=gpus(), live=live(large[0], step("conv", 0.1, batch=64)))
    unlike = (step("conv", 0.1, "cpu", 32), step("conv", 0.01, batch=64))
    quiet("perf-workload-too-small", gpus=gpus(), live=live(*unlike))
    quiet("perf-input-bound", gpus=gpus(), live=live(*small, *large))
