"""The container engines of a host, and NVIDIA's toolkit for them."""

from typing import Literal

import msgspec

from gpudoctor.facts.base import Gap
from gpudoctor.facts.system import ContainerTools
from gpudoctor.facts.typed_json import decode_json
from gpudoctor.host.port import Host
from gpudoctor.probes.container.cdi import read_lists
from gpudoctor.probes.reading import exists
from gpudoctor.probes.system.spaces import is_remote

_ENGINES = ("docker", "podman", "nerdctl", "apptainer", "singularity", "enroot")
_TOOLKIT = ("nvidia-ctk", "nvidia-container-runtime", "nvidia-container-toolkit")
#: Snap confines docker: it reads its own configuration and cannot see the host's NVIDIA runtime.
_SNAP = "/snap/bin/docker"
_DAEMON = ("/etc/docker/daemon.json", "/var/snap/docker/current/config/daemon.json")


Context = Literal["default", "desktop", "other"]


class _Daemon(msgspec.Struct):
    runtimes: dict[str, msgspec.Raw] = {}


class _Client(msgspec.Struct, rename="camel"):
    current_context: str = "default"


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
        docker_context=None if docker is None else _context(host),
        cdi_lists=read_lists(host),
    )


def _context(host: Host) -> Context | None:
    """The Docker that the user's commands go to: named by the environment or by the user's settings."""
    home = host.env.get("HOME")
    if host.env.get("DOCKER_HOST"):
        return "desktop" if "/.docker/desktop/" in host.env["DOCKER_HOST"] else "other"
    if host.env.get("DOCKER_CONTEXT"):
        return _kind_of(host.env["DOCKER_CONTEXT"])
    if not home or is_remote(host, home):
        return None
    raw = host.read(f"{home}/.docker/config.json")
    if isinstance(raw, Gap):
        return None
    return "default" if raw is None else parse_client(raw)


def parse_client(raw: bytes) -> Context | None:
    """The context in docker's config.json; its logins are not looked at. None where it is no JSON object."""
    try:
        return _kind_of(decode_json(raw, type=_Client).current_context) if raw.strip() else "default"
    except (msgspec.DecodeError, RecursionError):
        return None


def _kind_of(name: str) -> Context:
    if name in ("", "default"):
        return "default"
    return "desktop" if name.startswith("desktop-") else "other"


def _runtimes(host: Host, path: str) -> tuple[str, ...] | None:
    """The registered runtimes; without the file docker has its default alone."""
    raw = host.read(path)
    if isinstance(raw, Gap):
        return None
    return () if raw is None else parse_daemon(raw)


def parse_daemon(raw: bytes) -> tuple[str, ...] | None:
    """Names of the runtimes in daemon.json; None where it is no JSON object."""
    try:
        return tuple(sorted(decode_json(raw, type=_Daemon).runtimes)) if raw.strip() else ()
    except (msgspec.DecodeError, RecursionError):
        return None
