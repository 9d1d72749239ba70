"""Machines to look at: each with where it comes from and what must be seen on it."""

from gpudoctor.host.recorded import RecordedHost
from tests.machines import containers, desktops, foreign, servers
from tests.machines.recorded import Recorded

MACHINES: dict[str, Recorded] = {
    "ubuntu-3090-healthy": desktops.HEALTHY,
    "ubuntu-3090-mismatch": desktops.MISMATCH,
    "ubuntu-3060-not-loaded": desktops.NOT_LOADED,
    "debian-970-nouveau": desktops.NOUVEAU,
    "ubuntu-3090-secure-boot": desktops.SECURE_BOOT,
    "ubuntu-3090-no-nodes": desktops.NO_NODES,
    "ubuntu-3090-no-permission": desktops.NO_PERMISSION,
    "rocky-a100-slurm-without-gpu": servers.SLURM_WITHOUT_GPU,
    "ubuntu-h100-fabric-manager-down": servers.H100_WITHOUT_FABRIC_MANAGER,
    "debian-cloud-without-gpu": servers.CLOUD_WITHOUT_GPU,
    "fedora-radeon": servers.AMD_DESKTOP,
    "arch-hybrid-laptop": servers.HYBRID_LAPTOP,
    "jetson-orin": servers.JETSON_ORIN,
    "docker-without-gpu": containers.DOCKER_WITHOUT_GPU,
    "docker-with-gpu": containers.DOCKER_WITH_GPU,
    "kubernetes-device-lost": containers.KUBERNETES_POD,
    "wsl2-4090-healthy": foreign.WSL2_HEALTHY,
    "wsl2-linux-driver": foreign.WSL2_WITH_LINUX_DRIVER,
    "wsl1": foreign.WSL1,
    "windows11-4090": foreign.WINDOWS_11,
    "macos-m2": foreign.MACOS_M2,
}


def host_of(name: str) -> RecordedHost:
    """The machine of that name as a host."""
    return RecordedHost.of(MACHINES[name].machine)
