"""Detects container engines and the NVIDIA Container Toolkit on a host."""

import re
from typing import Literal

import msgspec

from gpudoctor.facts.base import Gap
from gpudoctor.facts.system import CdiList, ContainerTools
from gpudoctor.facts.typed_json import decode_json
from gpudoctor.facts.versions import DriverRelease
from gpudoctor.host.port import Host
from gpudoctor.probes.host_files import exists, names_in, text_of
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


#: Where engines look; a device of a later folder outranks the same one of an earlier (Go package cdi, Spec Priorities).
FOLDERS = ("/etc/cdi", "/var/run/cdi")
#: Other kinds (k8s.device-plugin.nvidia.com/gpu) are written anew by what uses them.
_KIND = r"""\bkind"?\s*:\s*["']?nvidia\.com/gpu\b"""
_LIBRARY = r"""\bhostPath"?\s*:\s*["']?(/[^\s"',}]*/lib(?:cuda|nvidia-ml)\.so\.(\d{3}(?:\.\d+)+))(?=[\s"',}]|$)"""


def read_lists(host: Host) -> tuple[CdiList, ...] | None:
    """The lists of NVIDIA GPUs on this machine; None where one may not be read."""
    paths = [
        f"{folder}/{name}"
        for folder in FOLDERS
        for name in names_in(host, folder) or ()
        if name.endswith((".yaml", ".json"))
    ]
    found = []
    for path in paths:
        text = text_of(host, path)
        if text is None:
            return None
        if (named := parse_list(text)) is not None:
            found.append(_list(host, path, named))
    return tuple(found)


def parse_list(text: str) -> dict[str, str] | None:
    """The driver's libraries that a list names, each with its release; None where it is no list of NVIDIA GPUs."""
    if re.search(_KIND, text) is None:
        return None
    return {match[1]: match[2] for match in re.finditer(_LIBRARY, text)}


def _list(host: Host, path: str, named: dict[str, str]) -> CdiList:
    releases = set(named.values())
    return CdiList(
        path=path,
        release=DriverRelease.parse(releases.pop()) if len(releases) == 1 else None,
        absent=tuple(one for one in named if not isinstance(stat := host.stat(one), Gap) and stat is None),
    )
