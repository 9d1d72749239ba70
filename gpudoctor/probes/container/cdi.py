"""Lists of GPUs that container engines read (Container Device Interface), as nvidia-ctk writes them."""

import re

from gpudoctor.facts.base import Gap
from gpudoctor.facts.system import CdiList
from gpudoctor.facts.versions import DriverRelease
from gpudoctor.host.port import Host
from gpudoctor.probes.reading import names_in, text_of

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
