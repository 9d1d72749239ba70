"""Services that the driver needs beside it: fabric manager, persistence daemon, sleep and resume."""

import re

from gpudoctor.facts.base import Gap
from gpudoctor.facts.driver import FabricManager, KernelLine, SystemPackage
from gpudoctor.facts.gpus import DeviceNode
from gpudoctor.facts.versions import DriverRelease
from gpudoctor.host.port import Host
from gpudoctor.probes.reading import exists, names_in, word_of
from gpudoctor.sources.kernel_log import says_resumed

_FABRIC_MANAGER = "/usr/bin/nv-fabricmanager"
#: The kernel cuts a process's name at 15 characters.
_FABRIC_COMM = "nv-fabricmanager"[:15]
_UNITS = "/etc/systemd/system"


def read_fabric_manager(
    host: Host, nodes: tuple[DeviceNode, ...] | None, packages: tuple[SystemPackage, ...] | None
) -> FabricManager:
    """Fabric Manager: installed, its package's version, and running (looked for only where there is an NVSwitch)."""
    switches = any("nvswitch" in node.path for node in nodes or ())
    version = parse_fabric_version(packages or ())
    installed = exists(host, _FABRIC_MANAGER) or version is not None
    return FabricManager(installed=installed, version=version, running=_is_running(host) if switches else None)


def parse_fabric_version(packages: tuple[SystemPackage, ...]) -> DriverRelease | None:
    """The version in the package's: 535.161.07-1 or 1:535.161.07-0ubuntu1."""
    for package in packages:
        if re.fullmatch(r"nvidia-fabricmanager(-\d+)?|nvidia-fabric-manager", package.name):
            return DriverRelease.parse(package.version.rpartition(":")[2].partition("-")[0])
    return None


def _is_running(host: Host) -> bool | None:
    """Whether the process is there. In a container other processes cannot be seen: then not found is not known."""
    pids = [name for name in names_in(host, "/proc") or () if name.isdecimal()]
    if any(word_of(host, f"/proc/{pid}/comm") == _FABRIC_COMM for pid in pids):
        return True
    return False if word_of(host, "/proc/1/comm") in ("systemd", "init") else None


def read_persistence_daemon(host: Host) -> bool | None:
    """Whether nvidia-persistenced has its socket open; None where /run cannot be seen."""
    if names_in(host, "/run") is None:
        return None
    return exists(host, "/run/nvidia-persistenced/socket")


def read_suspend_services(host: Host) -> bool | None:
    """Whether nvidia-suspend.service is enabled; None without systemd's folder."""
    units = names_in(host, _UNITS)
    if units is None:
        return None
    folders = (f"{_UNITS}/systemd-suspend.service.{kind}" for kind in ("requires", "wants"))
    return any("nvidia-suspend.service" in (names_in(host, folder) or ()) for folder in folders)


def read_resumed(host: Host, log: tuple[KernelLine, ...] | Gap) -> bool | None:
    """Whether the machine slept since it started: the kernel's count, else its log; None where neither can be seen."""
    count = word_of(host, "/sys/power/suspend_stats/success")
    if count is not None and count.isdecimal():
        return count != "0"
    if isinstance(log, Gap):
        return None
    return True if says_resumed(log) else None
