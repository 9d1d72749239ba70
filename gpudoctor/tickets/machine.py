"""uname, os-release, lsb_release, Windows' banner and lspci, as pasted: the system, and the GPUs on its bus."""

from msgspec import structs

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.system import System
from gpudoctor.sources.pci import bus_id
from gpudoctor.sources.system import parse_os_release
from gpudoctor.tickets.fragment import REPORT, Fragment, fragment, source
from gpudoctor.tickets.machine_words import of_os
from gpudoctor.tickets.os_from_paths import parse_paths
from gpudoctor.tickets.pasted import Pasted

_UNAME = re.compile(r"^.*?\bLinux \S+ (\d+\.\d+\S*) (#\S.*?)\b(x86_64|aarch64|ppc64le|armv7l)\b")
_KERNEL = re.compile(
    r"^\s*(\d\.\d{1,2}\.\d{1,3}[-.]\S*(?:generic|azure|aws|gcp|WSL2|arch\S*|amd64|el\d\S*|fc\d+\S*|tegra|lts"
    r"|zen\S*))\s*$"
)
_ASSIGNMENT = re.compile(r'^\s*(NAME|ID|ID_LIKE|VERSION_ID|PRETTY_NAME|VERSION|VERSION_CODENAME)="?([^"]*)"?\s*$')
_LSB = re.compile(r"^\s*(Description|Distributor ID|Release):\s+(\S.*)$")
_WINDOWS = re.compile(r"^\s*(Microsoft Windows \[Version (\d+\.\d+\.\d+)[^\]]*\])")
_LSPCI = re.compile(
    r"^\s*((?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) (?:(?:VGA compatible|3D|Display) controller"
    r"(?: \[(03[08][0-9])\])?"
    r"|[\w ]*controller): (.+?)(?: \[([0-9a-f]{4}:[0-9a-f]{4})\])?(?: \(rev \w+\))?(?: \(prog.*)?$"
)
_DEVICE = re.compile(r"^\s*((?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) ")
_IN_USE = re.compile(r"^\s+Kernel driver in use: (\S+)")
_VENDORS = (("NVIDIA", "nvidia"), ("Advanced Micro", "amd"), ("AMD", "amd"), ("Intel", "intel"))


def parse_machine(text: Pasted) -> tuple[Fragment, ...]:
    """All of it."""
    return (*_uname(text), *_os_release(text), *_lsb(text), *_windows(text), *_lspci(text), *parse_paths(text))


def _uname(text: Pasted) -> tuple[Fragment, ...]:
    for number, match in text.matches(_UNAME):
        return fragment("uname", (number,), host=System(os="linux", kernel=match[1], arch=match[3]))
    for number, match in text.matches(_KERNEL):
        return fragment("uname", (number,), REPORT, host=System(os="linux", kernel=match[1]))
    return ()


def _os_release(text: Pasted) -> tuple[Fragment, ...]:
    rows = list(text.matches(_ASSIGNMENT))
    said = parse_os_release("\n".join(text.lines[number - 1].strip() for number, _ in rows))
    if "ID" not in said and "PRETTY_NAME" not in said:
        return ()
    named = of_os(said.get("PRETTY_NAME", ""))
    host = System(
        os="linux",
        distribution=said.get("ID") or (named.distribution if named else None),
        distribution_like=tuple(said.get("ID_LIKE", "").split()),
        distribution_version=said.get("VERSION_ID") or (named.distribution_version if named else None),
        pretty_name=said.get("PRETTY_NAME"),
    )
    return fragment("os-release", (number for number, _ in rows), host=host)


def _lsb(text: Pasted) -> tuple[Fragment, ...]:
    said = {match[1]: (number, match[2]) for number, match in text.matches(_LSB)}
    if "Description" not in said or not ({"Distributor ID", "Release"} & set(said)):
        return ()
    return fragment("lsb_release", (number for number, _ in said.values()), host=of_os(said["Description"][1]))


def _windows(text: Pasted) -> tuple[Fragment, ...]:
    for number, match in text.matches(_WINDOWS):
        host = System(os="windows", kernel=match[2], pretty_name=match[1])
        return fragment("Windows' command prompt", (number,), REPORT, host=host)
    return ()


def _lspci(text: Pasted) -> tuple[Fragment, ...]:
    gpus: dict[str, Gpu] = {}
    lines = []
    current = None
    for number, line in text.filled:
        match = _LSPCI.match(line) if "controller" in line else None
        vendor = next((name for word, name in _VENDORS if match and word in match[3]), None)
        if match and ("VGA" in line or "3D controller" in line or "Display controller" in line):
            current = match[1]
            address = current if current.count(":") == 2 else f"0000:{current}"
            words = re.findall(r"\[([^\[\]]+)\]", match[3])
            gpus[current] = Gpu(
                vendor=vendor or "other",  # type: ignore[arg-type]
                name=_product(vendor, words[-1] if words else None),
                pci_bus_id=bus_id(address),
                pci_id=match[4],
                pci_class=match[2] or ("0302" if "3D controller" in line else "0300"),
                source=source("lspci", number),
            )
            lines.append(number)
        elif _DEVICE.match(line):
            current = None
        elif current and (used := _IN_USE.match(line)):
            lines.append(number)
            gpus[current] = structs.replace(gpus[current], bound_driver=used[1])
    return fragment("lspci", lines, gpus=Gpus(devices=tuple(gpus.values()))) if gpus else ()


def _product(vendor: str | None, words: str | None) -> str | None:
    if words is None or re.fullmatch(r"[0-9a-f]{4}:[0-9a-f]{4}", words):
        return None
    return f"NVIDIA {words}" if vendor == "nvidia" else words
