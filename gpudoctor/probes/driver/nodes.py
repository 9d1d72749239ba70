"""The device files through which programs reach the driver (/dev/nvidia0, /dev/nvidia-uvm …)."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Gap
from gpudoctor.facts.gpus import DeviceNode
from gpudoctor.host.port import Host
from gpudoctor.probes.host_files import names_in

#: Nodes that programs open. Those of nvidia-caps are meant for root or for MIG, and closed to others by design.
_NODE = re.compile(
    r"nvidia\d+|nvidiactl|nvidia-uvm(?:-tools)?|nvidia-modeset|nvidia-nvswitch(?:ctl|\d+)|nvidia-nvlink|dxg|nvmap"
)
_CAPS = "/dev/nvidia-caps"


def read_nodes(host: Host, *, ask: bool = True) -> tuple[DeviceNode, ...] | None:
    """The nodes with their permissions, and whether they let us in; None where /dev cannot be listed.

    `ask` is False where the driver hangs: then no node is touched, and only their names are told.
    """
    names = names_in(host, "/dev")
    if names is None:
        return None
    if not ask:
        return tuple(DeviceNode(path=f"/dev/{name}") for name in names if _NODE.fullmatch(name))
    nodes = [read_node(host, f"/dev/{name}") for name in names if _NODE.fullmatch(name)]
    caps = names_in(host, _CAPS) or () if "nvidia-caps" in names else ()
    return (*nodes, *(read_node(host, f"{_CAPS}/{name}", ask=False) for name in caps))


def read_node(host: Host, path: str, *, ask: bool = True) -> DeviceNode:
    """A device file: its permissions, and whether it lets us in."""
    stat = host.stat(path)
    known = None if isinstance(stat, Gap) else stat
    error = host.openable(path, write=True) if ask else None
    return DeviceNode(
        path=path,
        mode=known.mode & 0o7777 if known else None,
        owner=known.owner if known else None,
        group=known.group if known else None,
        accessible=error is None if ask else None,
        error=error,
    )
