"""How a GPU hangs on the bus, from files of /sys as Linux writes them."""

import pytest

from gpudoctor.facts.gpus import Gpu, PcieLink
from gpudoctor.host.recorded import RecordedHost
from gpudoctor.probes.gpus.merge import merge
from gpudoctor.probes.gpus.pci import BUS, PciGpus, read_bus
from gpudoctor.probes.gpus.pci_path import redirects

ROOT = "/sys/devices/pci0000:00"


def config(*capabilities: tuple[int, int], control: int = 0) -> bytes:
    """A configuration space with extended capabilities (number, place); that of ACS holds `control`."""
    raw = bytearray(4096)
    for (number, place), follower in zip(capabilities, (*[place for _, place in capabilities[1:]], 0), strict=True):
        raw[place : place + 4] = (number | 1 << 16 | follower << 20).to_bytes(4, "little")
        if number == 0x0D:
            raw[place + 6 : place + 8] = control.to_bytes(2, "little")
    return bytes(raw)


def machine(count: int = 1, *, port: str = "4", raw: bytes = b"\0" * 64, domain: str | None = "DMA-FQ") -> RecordedHost:
    """NVIDIA GPUs, each below a root port of its own."""
    files: dict[str, str | bytes] = {}
    links: dict[str, str] = {}
    for number in range(1, count + 1):
        address, bridge = f"0000:0{number}:00.0", f"{ROOT}/0000:00:0{number}.0"
        real = f"{bridge}/{address}"
        links[f"{BUS}/{address}"] = real
        links[f"{real}/driver"] = "/sys/bus/pci/drivers/nvidia"
        files |= {f"{real}/{name}": word for name, word in GPU_FILES.items()}
        files |= {f"{bridge}/max_link_width": f"{port}\n", f"{bridge}/config": raw}
        if domain is not None:
            links[f"{real}/iommu_group"] = f"/sys/kernel/iommu_groups/{number}"
            files[f"/sys/kernel/iommu_groups/{number}/type"] = f"{domain}\n"
    return RecordedHost(files=files, links=links)


GPU_FILES = {
    "class": "0x030000\n",
    "vendor": "0x10de\n",
    "device": "0x2684\n",
    "power_state": "D0\n",
    "max_link_width": "16\n",
    "current_link_width": "4\n",
}


def first(host: RecordedHost) -> Gpu:
    seen = read_bus(host)
    assert isinstance(seen, PciGpus)
    return seen.gpus[0]


def test_the_link_and_what_both_ends_could_do() -> None:
    assert first(machine()).pcie == PcieLink(width=4, width_max=4, device_width_max=16, port_width_max=4)


def test_a_link_that_is_not_told_is_unknown() -> None:
    files = {f"{BUS}/0000:01:00.0/{name}": GPU_FILES[name] for name in ("class", "vendor", "device")}
    assert first(RecordedHost(files=files)).pcie is None


@pytest.mark.parametrize(
    ("domain", "iommu"),
    [("DMA", "translated"), ("DMA-FQ", "translated"), ("identity", "identity"), (None, "none"), ("blocked", None)],
)
def test_the_iommu(domain: str | None, iommu: str | None) -> None:
    assert first(machine(domain=domain)).iommu == iommu


@pytest.mark.parametrize(
    ("raw", "known"),
    [
        (config((0x01, 0x100), (0x0D, 0x220), control=0x1D), True),
        (config((0x0D, 0x100), control=0x01), False),
        (config((0x01, 0x100)), False),
        (b"\0" * 64, None),
        (b"\xff" * 4096, None),
    ],
    ids=["redirects", "does not", "cannot", "hidden from users", "gone"],
)
def test_what_a_bridge_does_with_traffic_between_gpus(raw: bytes, known: bool | None) -> None:
    assert redirects(lambda offset, size: raw[offset : offset + size]) is known
    assert first(machine(2, raw=raw)).acs_redirect is known


def test_for_one_gpu_no_bridge_is_asked() -> None:
    assert first(machine(1, raw=config((0x0D, 0x100), control=0x1D))).acs_redirect is None


def test_nvml_keeps_its_word_on_the_link_and_gains_what_the_bus_knows() -> None:
    told = Gpu(vendor="nvidia", index=0, pci_bus_id="0000:01:00.0", pcie=PcieLink(generation=1, width=16, width_max=16))
    merged = merge([told], [first(machine())])[0]
    assert merged.pcie == PcieLink(generation=1, width=16, width_max=16, device_width_max=16, port_width_max=4)
    assert merged.iommu == "translated"
