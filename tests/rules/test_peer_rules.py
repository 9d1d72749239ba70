"""Tables of the rules on the PCIe path of GPUs, on several of them, and on parts of GPUs handed to virtual machines."""

import msgspec
import pytest

from gpudoctor.facts.gpus import Fabric, Gpu, Gpus, NvLink, PcieLink, PeerLink
from gpudoctor.facts.live import Live, Symptom
from gpudoctor.facts.system import System
from tests.rules.situations import BARE, DOCKER, UBUNTU, answer, driver, environ, gpu, gpus, unlisted
from tests.rules.table import fires, quiet

METAL = msgspec.structs.replace(UBUNTU, virtualization="none", kernel_options=("quiet",))
PLAIN = environ()


def link(port, device=16):
    return gpus(gpu(pcie=PcieLink(width=port, width_max=port, device_width_max=device, port_width_max=port)))


def test_pcie_width_low():
    found = fires("pcie-width-low", gpus=link(4), host=METAL)
    assert found.severity == "warning"
    assert "16" in found.summary
    fires("pcie-width-low", gpus=link(1), host=METAL)
    quiet("pcie-width-low", gpus=link(8), host=METAL)
    quiet("pcie-width-low", gpus=link(4, device=4), host=METAL)
    quiet("pcie-width-low", gpus=link(4), host=msgspec.structs.replace(METAL, virtualization="kvm"))
    quiet("pcie-width-low", gpus=link(4), host=UBUNTU)
    quiet("pcie-width-low", gpus=gpus(gpu(pcie=PcieLink(width=4, width_max=4))), host=METAL)


def test_every_slot_is_looked_at():
    wide, narrow = link(16).devices[0], gpu(1, pcie=link(1).devices[0].pcie)
    for cards in ((wide, gpu(2), narrow), (narrow, wide)):
        found = fires("pcie-width-low", gpus=gpus(*cards), host=METAL)
        assert found.subject == narrow.label
        assert found.fixes[0].needs_reboot


@pytest.mark.parametrize("vendor", ["intel", "amd"])
def test_in_a_laptop_nobody_can_change_the_slot(vendor):
    hybrid = Gpus(devices=(*link(4).devices, Gpu(vendor=vendor, pci_bus_id="0000:00:02.0")))
    assert fires("pcie-width-low", gpus=hybrid, host=METAL).severity == "info"


def test_pcie_links_of_every_vendor_are_judged():
    radeon = Gpu(vendor="amd", pci_bus_id="0000:03:00.0", pcie=PcieLink(width=1, width_max=16))
    fires("pcie-link-downgraded", gpus=Gpus(devices=(radeon,)))
    fires("pcie-link-downgraded", gpus=Gpus(devices=(gpu(), *link(16).devices, radeon)))


def peers(*, status="OK", count=2, name="Tesla T4", **fields):
    cards = tuple(gpu(index, name=name, **fields) for index in range(count))
    links = tuple(PeerLink(a=a, b=b, status=status) for a in range(count) for b in range(a + 1, count))
    return gpus(*cards, peer_links=links)


@pytest.mark.parametrize(
    ("fields", "options", "confidence"),
    [
        ({"acs_redirect": True}, (), "certain"),
        ({"iommu": "translated"}, (), "likely"),
        ({}, ("intel_iommu=on",), "possible"),
        ({}, ("amd_iommu=force_enable",), "possible"),
        ({"acs_redirect": True, "iommu": "identity"}, ("iommu=pt",), "certain"),
    ],
)
def test_pcie_acs_p2p(fields, options, confidence):
    host = msgspec.structs.replace(METAL, kernel_options=options)
    found = fires("pcie-acs-p2p", gpus=peers(**fields), host=host, environ=PLAIN)
    assert (found.severity, found.confidence) == ("warning", confidence)
    assert [(fix.needs_root, fix.needs_reboot) for fix in found.fixes][-1] == (True, True)
    assert ("ACS" in found.fixes[0].title) == ("acs_redirect" in fields)
    assert all(fix.needs_reboot for fix in found.fixes)


@pytest.mark.parametrize(
    ("given", "options"),
    [
        (peers(), ("quiet",)),
        (peers(), ("intel_iommu=on", "iommu=pt")),
        (peers(iommu="identity"), ("intel_iommu=on",)),
        (peers(iommu="none"), ("intel_iommu=on",)),
        (peers(iommu="translated", status="CHIPSET_NOT_SUPPORTED"), ()),
        (peers(iommu="translated", count=1), ()),
        (peers(iommu="translated", nvlinks=(NvLink(link=0, active=True),)), ()),
        (peers(acs_redirect=False), ()),
        (gpus(gpu(0, acs_redirect=True), gpu(1, acs_redirect=True)), ()),
    ],
)
def test_pcie_acs_p2p_is_quiet(given, options):
    host = msgspec.structs.replace(METAL, kernel_options=options)
    quiet("pcie-acs-p2p", gpus=given, host=host, environ=PLAIN)


def test_pcie_acs_p2p_elsewhere():
    translated = peers(iommu="translated")
    for changes in ({"virtualization": "kvm"}, {"arch": "aarch64"}):
        host = msgspec.structs.replace(METAL, **changes)
        quiet("pcie-acs-p2p", gpus=translated, host=host, environ=PLAIN)
    avoided = environ(NCCL_P2P_DISABLE="1")
    found = fires("pcie-acs-p2p", gpus=translated, host=METAL, environ=avoided)
    assert any(one.fact == "NCCL_P2P_DISABLE" for one in found.evidence)
    assert found.severity == "error"
    kept = fires("pcie-acs-p2p", gpus=translated, host=METAL, environ=environ(NCCL_P2P_DISABLE="0"))
    assert kept.severity == "warning"


def said(*signatures):
    return Live(symptoms=tuple(Symptom(signature=one, text="as somebody reports") for one in signatures))


def test_peers_that_nobody_asked_the_driver_for():
    """Cards of servers reach one another; of GeForce cards it takes a sign that copies between them are used."""
    host = msgspec.structs.replace(METAL, kernel_options=())
    sections = {"host": host, "environ": PLAIN}
    tesla = gpus(*(gpu(index, name="Tesla V100-PCIE-32GB", acs_redirect=True) for index in range(2)))
    cards = gpus(*(gpu(index, iommu="translated") for index in range(2)))
    fires("pcie-acs-p2p", gpus=tesla, **sections)
    quiet("pcie-acs-p2p", gpus=gpus(tesla.devices[0]), **sections)
    quiet("pcie-acs-p2p", gpus=cards, **sections)
    assert fires("pcie-acs-p2p", gpus=cards, live=said("nccl-hangs"), **sections)
    quiet("pcie-acs-p2p", gpus=cards, live=said("nccl-shared-memory"), **sections)
    fires("pcie-acs-p2p", gpus=cards, host=host, environ=environ(NCCL_P2P_DISABLE="1"))
    unasked = {"driver": driver("525.60.11"), "host": METAL, "container": BARE, "environ": PLAIN}
    fires("nccl-p2p-geforce", gpus=cards, live=said("p2p-off-helps"), **unasked)
    quiet("nccl-p2p-geforce", gpus=cards, live=said("nccl-shared-memory"), **unasked)
    quiet("nccl-p2p-geforce", gpus=cards, **unasked)


def test_nccl_p2p_geforce():
    sections = {"driver": driver("525.60.11"), "host": METAL, "container": BARE}
    cards = peers(name="NVIDIA GeForce RTX 4090")
    fires("nccl-p2p-geforce", gpus=cards, environ=PLAIN, **sections)
    fires("nccl-p2p-geforce", gpus=peers(name="NVIDIA GeForce RTX 5090"), environ=PLAIN, **sections)
    quiet("nccl-p2p-geforce", gpus=cards, environ=environ(NCCL_P2P_DISABLE="1"), **sections)
    quiet("nccl-p2p-geforce", gpus=peers(name="NVIDIA GeForce RTX 3090"), environ=PLAIN, **sections)
    quiet("nccl-p2p-geforce", gpus=peers(name="NVIDIA L40S"), environ=PLAIN, **sections)
    refused = peers(name="NVIDIA GeForce RTX 4090", status="NOT_SUPPORTED")
    quiet("nccl-p2p-geforce", gpus=refused, environ=PLAIN, **sections)
    quiet("nccl-p2p-geforce", gpus=gpus(), environ=PLAIN, **sections)


def test_vgpu():
    fires("vgpu-unlicensed", gpus=gpus(gpu(virtualization="vgpu", vgpu_licensed=False)))
    quiet("vgpu-unlicensed", gpus=gpus(gpu(virtualization="vgpu", vgpu_licensed=True)))
    quiet("vgpu-unlicensed", gpus=gpus(gpu(virtualization="vgpu")))
    quiet("vgpu-unlicensed", gpus=gpus(gpu(virtualization="none", vgpu_licensed=False)))
    assert fires("vgpu-feature-limit", gpus=gpus(gpu(virtualization="vgpu"))).severity == "info"
    quiet("vgpu-feature-limit", gpus=gpus(gpu(virtualization="passthrough")))
    refused = {"live": said("cuda-not-supported")}
    found = fires("vgpu-feature-limit", gpus=gpus(gpu(virtualization="vgpu")), **refused)
    assert (found.confidence, found.evidence[-1].value) == ("likely", "as somebody reports")
    quiet("vgpu-feature-limit", gpus=gpus(gpu(virtualization="none")), **refused)


def test_collector_field_unsupported():
    assert (
        "8.9" in fires("collector-field-unsupported", gpus=gpus(), driver=driver("470.223.02")).fixes[0].steps[0].text
    )
    # Nothing is seen to ask for it: other notes come first.
    assert fires("collector-field-unsupported", gpus=gpus(), driver=driver("470.223.02")).confidence == "possible"
    quiet("collector-field-unsupported", gpus=gpus(), driver=driver("510.108.03"))
    quiet("collector-field-unsupported", gpus=gpus(unlisted()), driver=driver("470.223.02"))
    quiet("collector-field-unsupported", gpus=None, driver=driver("470.223.02"))


@pytest.mark.parametrize(
    ("fabric", "speaks"),
    [
        (Fabric(state="in-progress"), True),
        (Fabric(state="not-started", status=0), True),
        (Fabric(state="completed", status=999), True),
        (Fabric(state="completed", status=0), False),
        (Fabric(state="not-supported"), False),
        (None, False),
    ],
)
def test_fabric_state_incomplete(fabric, speaks):
    sections = {"gpus": gpus(gpu(fabric=fabric)), "driver": driver(cuda_init=answer(802)), "container": BARE}
    if not speaks:
        quiet("fabric-state-incomplete", **sections)
        return
    found = fires("fabric-state-incomplete", **sections)
    assert found.severity == "error"
    assert "cuda-init-failed" in found.explains
    works = fires("fabric-state-incomplete", **{**sections, "driver": driver()})
    assert works.severity == "warning"
    inside = fires("fabric-state-incomplete", **{**sections, "container": DOCKER})
    assert "On the host" in inside.fixes[0].steps[0].text
    guest = fires("fabric-state-incomplete", **{**sections, "host": System(os="linux", virtualization="kvm")})
    assert "hypervisor" in guest.fixes[0].steps[0].text
    whole = {**sections, "gpus": gpus(gpu(fabric=fabric), nvswitches=4)}
    own = fires("fabric-state-incomplete", **{**whole, "host": System(os="linux", virtualization="kvm")})
    assert "hypervisor" not in str(own.fixes)


def test_a_host_that_is_not_known_says_nothing():
    quiet("pcie-acs-p2p", gpus=peers(), host=System(), environ=PLAIN)
