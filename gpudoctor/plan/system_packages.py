"""Names of distribution packages (apt, dnf, zypper …) by purpose, each with its source.

A distribution that is not listed has no command: a name that was not looked up is not guessed.
"""

from functools import lru_cache
from typing import Literal

from gpudoctor.facts.base import Fact, Gap
from gpudoctor.facts.fix import Run, run
from gpudoctor.facts.system import System
from gpudoctor.facts.typed_json import convert_to
from gpudoctor.tables import rows_of

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


class SystemNames(Fact, frozen=True, kw_only=True):
    """What serves a purpose with one tool. {kernel}, {version} and {variant} are those of the running kernel."""

    tool: Tool
    purpose: Purpose
    names: tuple[str, ...]
    source: str
    #: Only these distributions have it under that name; empty: the tool's whole family.
    only: tuple[str, ...] = ()


@lru_cache(maxsize=1)
def rows() -> tuple[SystemNames, ...]:
    """Every row of system_packages.tsv."""
    return tuple(
        convert_to(
            {"tool": tool, "purpose": purpose, "names": names.split(), "only": only.split(), "source": source},
            SystemNames,
        )
        for tool, purpose, names, only, source in rows_of("knowledge/system_packages")
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
    mine = (row for row in rows() if not row.only or host.distribution in row.only)
    row = next((one for one in mine if (one.tool, one.purpose) == (tool, purpose)), None)
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


def _base(name: str) -> str:
    """opensuse-leap and opensuse-tumbleweed are openSUSE; sles says that it is like suse."""
    return name.partition("-")[0]
