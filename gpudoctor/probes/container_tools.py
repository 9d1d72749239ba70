"""The container engines of a host, and NVIDIA's toolkit for them."""

import msgspec

from gpudoctor.host.port import Host
from gpudoctor.model.base import Gap
from gpudoctor.model.system import ContainerTools
from gpudoctor.probes.reading import exists

_ENGINES = ("docker", "podman", "nerdctl", "apptainer", "singularity", "enroot")
_TOOLKIT = ("nvidia-ctk", "nvidia-container-runtime", "nvidia-container-toolkit")
#: Snap confines docker: it reads its own configuration and cannot see the host's NVIDIA runtime.
_SNAP = "/snap/bin/docker"
_DAEMON = ("/etc/docker/daemon.json", "/var/snap/docker/current/config/daemon.json")


class _Daemon(msgspec.Struct):
    runtimes: dict[str, msgspec.Raw] = {}


def read_tools(host: Host) -> ContainerTools:
    """Which engines there are, and whether a GPU can be handed to their containers."""
    engines = {name: path for name in _ENGINES if (path := host.tool(name))}
    if "docker" not in engines and exists(host, _SNAP):
        engines["docker"] = _SNAP
    docker = engines.get("docker")
    snap = None if docker is None else docker == _SNAP or host.real(docker).startswith("/snap/")
    return ContainerTools(
        engines=engines,
        docker_is_snap=snap,
        nvidia_toolkit=any(host.tool(name) for name in _TOOLKIT),
        docker_runtimes=None if docker is None else _runtimes(host, _DAEMON[1] if snap else _DAEMON[0]),
    )


def _runtimes(host: Host, path: str) -> tuple[str, ...] | None:
    """The registered runtimes; without the file docker has its default alone."""
    raw = host.read(path)
    if isinstance(raw, Gap):
        return None
    return () if raw is None else parse_daemon(raw)


def parse_daemon(raw: bytes) -> tuple[str, ...] | None:
    """Names of the runtimes in daemon.json; None where it is no JSON object."""
    try:
        return tuple(sorted(msgspec.json.decode(raw, type=_Daemon).runtimes)) if raw.strip() else ()
    except (msgspec.DecodeError, RecursionError):
        return None
