"""A GPU's PCIe link, the port above it, the IOMMU, and how bridges route its traffic.

Sources: Linux ABI/testing/sysfs-bus-pci and sysfs-kernel-iommu_groups; PCI Express base specification, 7.7.11 (Access
Control Services); the registers' names are those of linux/pci_regs.h.
"""

from collections.abc import Callable
from typing import Literal

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.gpus import PcieLink
from gpudoctor.host.port import Host
from gpudoctor.probes.host_files import word_of

_WIDTHS = ("1", "2", "4", "8", "12", "16", "32")
_ADDRESS = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]", re.IGNORECASE)
#: The extended capabilities begin here; only root is shown them.
_EXTENDED = 0x100
_ACS_CAPABILITY, _ACS_CONTROL = 0x0D, 6
_REQUEST_REDIRECT, _COMPLETION_REDIRECT = 0x04, 0x08


def read_link(host: Host, folder: str) -> PcieLink | None:
    """The widths, in lanes; None where the bus tells none."""
    bridges = _bridges(host, folder)
    own, now = _width(host, folder, "max_link_width"), _width(host, folder, "current_link_width")
    port = _width(host, bridges[-1], "max_link_width") if bridges else None
    if own is None and now is None:
        return None
    most = min(own, port) if own and port else own
    return PcieLink(width=now, width_max=most, device_width_max=own, port_width_max=port)


def read_iommu(host: Host, folder: str) -> Literal["none", "identity", "translated"] | None:
    """The domain of the device's group. DMA and DMA-FQ translate its addresses, identity leaves them as they are."""
    if host.link(f"{folder}/iommu_group") is None:
        return "none" if host.list("/sys/kernel/iommu_groups") in ((), None) else None
    kind = word_of(host, f"{folder}/iommu_group/type")
    if kind is None or kind == "blocked":
        return None
    return "identity" if kind == "identity" else "translated"


def reads_redirect(host: Host, folder: str) -> bool | None:
    """Whether a bridge above sends traffic between devices up to the processor; None where it cannot be seen."""
    seen = [_of_bridge(host, bridge) for bridge in _bridges(host, folder)]
    if True in seen:
        return True
    return False if seen and None not in seen else None


def _of_bridge(host: Host, bridge: str) -> bool | None:
    # A bridge that sleeps would be woken by the question.
    if word_of(host, f"{bridge}/power_state") == "D3cold":
        return None

    def read(offset: int, size: int) -> bytes:
        raw = host.read_range(f"{bridge}/config", offset, size)
        return raw if isinstance(raw, bytes) else b""

    return redirects(read)


def redirects(read: Callable[[int, int], bytes]) -> bool | None:
    """What the ACS control register in a bridge's configuration space says; None where that space is not shown.

    `read(offset, size)` gives fewer bytes past the end of what may be read. A bridge without the register redirects
    nothing.
    """
    place, visited = _EXTENDED, set[int]()
    while place >= _EXTENDED and place not in visited:
        visited.add(place)
        capability = read(place, 8)
        if len(capability) < 8:
            return None
        header = int.from_bytes(capability[:4], "little")
        if header & 0xFFFF == _ACS_CAPABILITY:
            control = int.from_bytes(capability[_ACS_CONTROL:], "little")
            return bool(control & (_REQUEST_REDIRECT | _COMPLETION_REDIRECT))
        place = header >> 20
    return False


def _bridges(host: Host, folder: str) -> tuple[str, ...]:
    """The folders of the bridges above, the root port first: a device's real path goes through them."""
    parts = host.real(folder).split("/")[:-1]
    return tuple("/".join(parts[: place + 1]) for place, part in enumerate(parts) if _ADDRESS.fullmatch(part))


def _width(host: Host, folder: str, name: str) -> int | None:
    word = word_of(host, f"{folder}/{name}")
    return int(word) if word in _WIDTHS else None
