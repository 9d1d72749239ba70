"""GPUs not readable on PCI: NVIDIA's integrated ones (Jetson), display adapters of Windows and macOS."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Gap, Source
from gpudoctor.facts.gpus import Gpu
from gpudoctor.host.port import Host
from gpudoctor.probes.host_files import exists, text_of, word_of

_TREE = "/proc/device-tree"
_PNPUTIL = ("/enum-devices", "/connected", "/class", "Display")
_VENDORS = {"10DE": "nvidia", "1002": "amd", "8086": "intel"}
_INSTANCE = re.compile(r"PCI\\VEN_([0-9A-F]{4})&DEV_([0-9A-F]{4})", re.IGNORECASE)


def read_tegra(host: Host) -> Gpu | None:
    """The GPU inside a Tegra chip (Jetson), which is on no PCI bus. Source: the device tree."""
    compatible = text_of(host, f"{_TREE}/compatible", limit=4096) or ""
    if "nvidia,tegra" not in compatible:
        return None
    driver = next((name for name in ("nvgpu", "nvidia") if exists(host, f"/sys/module/{name}")), "none")
    return Gpu(
        vendor="nvidia",
        name=word_of(host, f"{_TREE}/model"),
        bound_driver=driver,
        source=Source(kind="file", where=f"{_TREE}/compatible"),
    )


def read_macos(host: Host) -> tuple[Gpu, ...] | Gap:
    """The GPU of an Apple chip; of an Intel Mac nothing is read."""
    tool = host.tool("sysctl")
    source = Source(kind="command", where="sysctl -n machdep.cpu.brand_string")
    ran = host.run((tool, "-n", "machdep.cpu.brand_string"), timeout=2) if tool else None
    chip = ran.text.strip() if ran is not None and ran.ok else ""
    if chip.startswith("Apple"):
        return (Gpu(vendor="apple", name=chip, source=source),)
    return Gap(reason="the GPUs of an Intel Mac are not read", tried=(source,))


def read_windows(host: Host) -> tuple[Gpu, ...] | Gap:
    """The display adapters that are plugged in, by their PCI numbers."""
    tool = host.tool("pnputil")
    source = Source(kind="command", where=f"pnputil {' '.join(_PNPUTIL)}")
    ran = host.run((tool, *_PNPUTIL), timeout=5) if tool else None
    if ran is None or not ran.ok:
        how = "there is no pnputil" if ran is None else f"pnputil {ran.describe()}"
        return Gap(reason=f"the display adapters could not be listed: {how}", tried=(source,))
    return parse_pnputil(ran.text, source)


def parse_pnputil(text: str, source: Source) -> tuple[Gpu, ...]:
    """The adapters of `pnputil /enum-devices`: its labels are translated, the instance IDs are not."""
    gpus = []
    for vendor, device in _INSTANCE.findall(text):
        known = _VENDORS.get(vendor.upper())
        if known is not None:
            gpus.append(Gpu(vendor=known, pci_id=f"{vendor}:{device}".lower(), source=source))  # type: ignore[arg-type]
    return tuple(gpus)
