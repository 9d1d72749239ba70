"""Reads the architecture of AMD GPUs from the kernel. Source: amdkfd's topology in sysfs."""

from gpudoctor.host.port import Host
from gpudoctor.probes.host_files import text_of

NODES = "/sys/class/kfd/kfd/topology/nodes"


def architectures(host: Host) -> dict[str, str]:
    """gfx1100, by address on the PCI bus. Nodes without a GPU are processors."""
    names = host.list(NODES)
    found = {}
    for name in names if isinstance(names, tuple) else ():
        lines = (line.split() for line in (text_of(host, f"{NODES}/{name}/properties") or "").splitlines())
        told = {words[0]: int(words[1]) for words in lines if len(words) == 2 and words[1].isdecimal()}
        target, place = told.get("gfx_target_version", 0), told.get("location_id", 0)
        if target:
            major, minor, step = target // 10000, target // 100 % 100, target % 100
            bus, slot, function = place >> 8 & 0xFF, place >> 3 & 0x1F, place & 7
            address = f"{told.get('domain', 0):04x}:{bus:02x}:{slot:02x}.{function}"
            found[address] = f"gfx{major}{minor:x}{step:x}"
    return found
