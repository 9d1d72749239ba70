"""GPUs on the PCI bus, whether or not a driver serves them. Source: Linux sysfs (ABI/testing/sysfs-bus-pci)."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

import msgspec

from gpudoctor.facts.base import Gap, Source
from gpudoctor.facts.gpus import Gpu
from gpudoctor.host.port import Host
from gpudoctor.probes.host_files import text_of, word_of

BUS = "/sys/bus/pci/devices"
SOURCE = Source(kind="file", where=BUS)

_VENDORS: dict[str, Literal["nvidia", "amd", "intel"]] = {"10de": "nvidia", "1002": "amd", "8086": "intel"}
_POWER_STATES = ("D0", "D1", "D2", "D3hot", "D3cold")
_NAME_LISTS = ("/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids")


class PciGpus(NamedTuple):
    """What the bus holds: GPUs in the order of their addresses, and the number of NVSwitch bridges."""

    gpus: tuple[Gpu, ...]
    nvswitches: int


def read_bus(host: Host, *, ask_driver: bool = True) -> PciGpus | Gap:
    """The GPUs of the bus; a Gap where it cannot be read.

    `ask_driver` is False where the driver hangs: then nothing is read that it would have to answer.
    """
    names = host.list(BUS)
    if isinstance(names, Gap):
        return names
    if names is None:
        # Without a PCI bus there is no such directory, but then the other buses are there.
        buses = host.list("/sys/bus")
        if isinstance(buses, tuple) and buses:
            return PciGpus((), 0)
        return Gap(reason="/sys/bus is not there: this sandbox does not show the machine's devices", tried=(SOURCE,))
    found: list[Gpu] = []
    nvswitches = 0
    for name in names:
        kind = _hex(word_of(host, f"{BUS}/{name}/class"))[:4]
        if kind[:2] in ("03", "12"):
            found += _gpu(host, name, kind, ask_driver=ask_driver)
        elif kind == "0680" and _hex(word_of(host, f"{BUS}/{name}/vendor")) == "10de":
            nvswitches += 1
    gpus = [_with_redirect(host, gpu, found) for gpu in found]
    if any(gpu.vendor == "amd" for gpu in gpus):
        from gpudoctor.probes.gpus.kfd import architectures

        models = architectures(host)
        gpus = [msgspec.structs.replace(gpu, architecture=models.get(gpu.pci_bus_id or "")) for gpu in gpus]
    return PciGpus(tuple(_named(host, gpus)), nvswitches)


def _with_redirect(host: Host, gpu: Gpu, all_gpus: list[Gpu]) -> Gpu:
    """The GPU with what the bridges above it do; that matters only between several GPUs of one vendor."""
    alone = sum(other.vendor == gpu.vendor for other in all_gpus) < 2
    if alone or gpu.pci_power_state == "D3cold":
        return gpu
    from gpudoctor.probes.gpus.pci_path import reads_redirect

    return msgspec.structs.replace(gpu, acs_redirect=reads_redirect(host, f"{BUS}/{gpu.pci_bus_id}"))


def _gpu(host: Host, name: str, kind: str, *, ask_driver: bool) -> list[Gpu]:
    folder = f"{BUS}/{name}"
    number = _hex(word_of(host, f"{folder}/vendor"))
    vendor = _VENDORS.get(number)
    # Class 12, "processing accelerators", is what AMD's newer Instinct cards say; other vendors' are not GPUs.
    if vendor is None or (kind.startswith("12") and vendor != "amd"):
        return []
    # Imported here: many machines have none.
    from gpudoctor.probes.gpus.pci_path import read_iommu, read_link

    driver = host.link(f"{folder}/driver")
    power = word_of(host, f"{folder}/power_state")
    information = text_of(host, f"/proc/driver/nvidia/gpus/{name.lower()}/information") if ask_driver else None
    model, uuid = parse_information(information or "")
    return [
        Gpu(
            vendor=vendor,
            name=model,
            uuid=uuid,
            pci_bus_id=name.lower(),
            pci_id=f"{number}:{_hex(word_of(host, f'{folder}/device'))}",
            pci_class=kind,
            bound_driver=driver.rstrip("/").rpartition("/")[2] if driver else "none",
            pci_power_state=power if power in _POWER_STATES else None,
            iommu=read_iommu(host, folder),
            pcie=read_link(host, folder) if power != "D3cold" else None,
            source=SOURCE,
        )
    ]


def parse_information(text: str) -> tuple[str | None, str | None]:
    """Model and UUID from the file `information` that the NVIDIA kernel module has for each GPU it serves."""
    lines = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    model, uuid = (lines.get(key, "").strip() for key in ("Model", "GPU UUID"))
    # A GPU that was not opened since the module was loaded has question marks for its UUID.
    return (model if model and model != "Unknown" else None), (uuid if uuid and "?" not in uuid else None)


def _named(host: Host, gpus: list[Gpu]) -> Iterable[Gpu]:
    """The GPUs, those without a name called as in the system's list of PCI devices."""
    if all(gpu.name for gpu in gpus):
        return gpus
    lists = (text_of(host, path) for path in _NAME_LISTS)
    text = next((text for text in lists if text), "")
    return [_replace_name(gpu, name_in_list(text, gpu.pci_id or "")) for gpu in gpus]


def _replace_name(gpu: Gpu, name: str | None) -> Gpu:
    return gpu if gpu.name or not name else msgspec.structs.replace(gpu, name=name)


def name_in_list(text: str, pci_id: str) -> str | None:
    """The device's name in the format of pci.ids: the vendor at the margin, its devices below, one tab in."""
    vendor, _, device = pci_id.partition(":")
    start = text.find(f"\n{vendor}  ")
    if start < 0 or not device:
        return None
    for line in text[start + 1 :].split("\n")[1:]:
        if line and not line.startswith(("\t", "#")):
            return None
        if line.startswith(f"\t{device}  "):
            return line[len(device) + 3 :].strip() or None
    return None


def _hex(word: str | None) -> str:
    """The digits of "0x10de"."""
    return (word or "").lower().removeprefix("0x")
