"""Packages of distributions, by what they are for. Every row says where its names were read.

A distribution that is not listed has no command: a name that was not looked up is not guessed.
"""

from typing import Literal

from gpudoctor.facts.base import Fact, Gap
from gpudoctor.facts.fix import Run, run
from gpudoctor.facts.system import System

Tool = Literal["apt", "dnf", "zypper", "pacman"]
Purpose = Literal["compiler", "python-headers", "kernel-headers", "venv", "driver"]

#: The tool of a family: os-release's ID, or one of ID_LIKE.
TOOLS: dict[str, Tool] = {
    "debian": "apt",
    "ubuntu": "apt",
    "fedora": "dnf",
    "rhel": "dnf",
    "centos": "dnf",
    "suse": "zypper",
    "opensuse": "zypper",
    "arch": "pacman",
}
VERBS: dict[Tool, tuple[str, ...]] = {
    "apt": ("apt", "install"),
    "dnf": ("dnf", "install"),
    "zypper": ("zypper", "install"),
    "pacman": ("pacman", "-S"),
}
DEBIAN = "packages of Debian 12 (apt-cache policy), 2026-11-21; packages.debian.org"
#: Read in several public repositories, for the same distributions alike, 2026-11-21.
PROJECTS = "installation pages of projects with compiled parts (gcc gcc-c++ python3-devel; base-devel python)"
NVIDIA_GUIDE = "docs.nvidia.com/datacenter/tesla/driver-installation-guide, Verify the System has the Correct Kernel"


class SystemNames(Fact, frozen=True, kw_only=True):
    """What serves a purpose with one tool. {kernel}, {version} and {variant} are those of the running kernel."""

    tool: Tool
    purpose: Purpose
    names: tuple[str, ...]
    source: str
    #: Only these distributions have it under that name; empty: the tool's whole family.
    only: tuple[str, ...] = ()


ROWS: tuple[SystemNames, ...] = (
    SystemNames(tool="apt", purpose="compiler", names=("build-essential",), source=DEBIAN),
    SystemNames(tool="apt", purpose="python-headers", names=("python3-dev",), source=DEBIAN),
    SystemNames(tool="apt", purpose="venv", names=("python3-venv",), source=DEBIAN),
    SystemNames(tool="apt", purpose="kernel-headers", names=("linux-headers-{kernel}",), source=NVIDIA_GUIDE),
    SystemNames(
        tool="apt",
        purpose="driver",
        names=("linux-headers-{kernel}", "nvidia-driver"),
        only=("debian",),
        source="wiki.debian.org/NvidiaGraphicsDrivers; packages.debian.org/bookworm/nvidia-driver",
    ),
    SystemNames(tool="dnf", purpose="compiler", names=("gcc", "gcc-c++"), source=PROJECTS),
    SystemNames(
        tool="dnf",
        purpose="python-headers",
        names=("python3-devel",),
        source=f"docs.scipy.org/doc/scipy/building, Fedora; {PROJECTS}",
    ),
    SystemNames(tool="dnf", purpose="kernel-headers", names=("kernel-devel-{kernel}",), source=NVIDIA_GUIDE),
    SystemNames(
        tool="dnf",
        purpose="driver",
        names=("akmod-nvidia", "xorg-x11-drv-nvidia-cuda"),
        only=("fedora",),
        source="rpmfusion.org/Howto/NVIDIA",
    ),
    SystemNames(
        tool="zypper",
        purpose="kernel-headers",
        names=("kernel-{variant}-devel={version}",),
        source=f"{NVIDIA_GUIDE}, SUSE",
    ),
    SystemNames(tool="zypper", purpose="compiler", names=("gcc", "gcc-c++"), source=PROJECTS),
    SystemNames(tool="zypper", purpose="python-headers", names=("python3-devel",), source=PROJECTS),
    SystemNames(tool="pacman", purpose="compiler", names=("base-devel",), source=PROJECTS),
    SystemNames(
        tool="pacman",
        purpose="python-headers",
        names=("python",),
        source=f"{PROJECTS}; the headers are in the package itself",
    ),
)


def tool_of(host: System | Gap | None) -> Tool | None:
    """The package manager of the machine's distribution."""
    if not isinstance(host, System):
        return None
    family = (host.distribution or "", *host.distribution_like)
    return next((TOOLS[name] for name in (_base(one) for one in family) if name in TOOLS), None)


def names_for(host: System | Gap | None, purpose: Purpose) -> tuple[str, ...]:
    """The packages for a purpose on this machine; empty: not known, or not needed."""
    tool = tool_of(host)
    if not isinstance(host, System) or tool is None:
        return ()
    row = next((one for one in ROWS if (one.tool, one.purpose) == (tool, purpose) and _is_for(one, host)), None)
    if row is None or (host.kernel is None and any("{" in name for name in row.names)):
        return ()
    version, _, variant = (host.kernel or "").rpartition("-")
    return tuple(name.format(kernel=host.kernel, version=version, variant=variant) for name in row.names)


def install_command(host: System | Gap | None, *purposes: Purpose) -> Run | None:
    """The command, as root, that installs what serves all purposes; None where a name is not known."""
    tool = tool_of(host)
    found = [names_for(host, purpose) for purpose in purposes]
    if tool is None or not all(found):
        return None
    return run(*VERBS[tool], *dict.fromkeys(name for names in found for name in names))


def _is_for(row: SystemNames, host: System) -> bool:
    return not row.only or host.distribution in row.only


def _base(name: str) -> str:
    """opensuse-leap and opensuse-tumbleweed are openSUSE; sles says that it is like suse."""
    return name.partition("-")[0]
