"""Installed distribution packages with an NVIDIA driver or container toolkit."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Gap
from gpudoctor.facts.driver import SystemPackage
from gpudoctor.host.port import Host
from gpudoctor.probes.host_files import names_in

#: A desktop's database has some 5 MB.
_DATABASE_LIMIT = 64 * 1024 * 1024

#: nvidia-cuda-toolkit and nvidia-cudnn are the distribution's toolkit, no driver.
_NAME = (
    r"(?:lib)?nvidia-(?!cuda-(?:dev|toolkit|gdb)|cudnn)[\w.+-]+|libcuda1|libcudadebugger1|cuda-drivers[\w.-]*|cuda-compat[\w.-]*"
    r"|linux-(?:modules|objects|signatures)-nvidia[\w.+-]*|xserver-xorg-video-(?:nvidia|nouveau)[\w.-]*|bumblebee(?:-nvidia)?"
)
#: A literal start lets the search skip what is not a package's name at memory speed.
_DEBIAN = re.compile(rf"\nPackage: ({_NAME})\n".encode())
_INSTALLED = re.compile(rb"^Status: (?:install|hold) ok installed$", re.MULTILINE)
_VERSION = re.compile(rb"^Version: (\S+)$", re.MULTILINE)
_ARCH = re.compile(
    r"(?:lib32-)?nvidia(?!-cuda|-container-toolkit-test)[\w.+-]*|opencl-nvidia[\w.-]*|linux[\w.-]*-nvidia[\w.-]*|cuda-compat"
)
#: What a container's image must not hold: the user-space driver comes from the host.
_USER_SPACE = re.compile(
    r"libnvidia-(?:compute|ml|gl|decode|encode|extra|cfg)[\w.-]*|libcuda1|nvidia-(?:utils|driver|smi|compute-utils|headless|dkms|kernel)"
    r"[\w.-]*|cuda-drivers[\w.-]*"
)


def read_packages(host: Host) -> tuple[SystemPackage, ...] | None:
    """The driver's packages; None where the package database is of a kind that cannot be read as text (rpm)."""
    status = host.read("/var/lib/dpkg/status", limit=_DATABASE_LIMIT)
    if status is not None and not isinstance(status, Gap):
        return parse_dpkg(status)
    local = names_in(host, "/var/lib/pacman/local")
    return None if local is None else parse_pacman(local)


def parse_dpkg(status: bytes) -> tuple[SystemPackage, ...]:
    """The installed driver packages of dpkg's status file."""
    found = []
    raw = b"\n" + status
    for match in _DEBIAN.finditer(raw):
        end = raw.find(b"\n\n", match.end())
        paragraph = raw[match.end() : end if end >= 0 else len(raw)]
        version = _VERSION.search(paragraph)
        if version and _INSTALLED.search(paragraph):
            found.append(
                SystemPackage(name=match.group(1).decode(), version=version.group(1).decode("utf-8", "replace"))
            )
    return tuple(found)


def parse_pacman(names: tuple[str, ...]) -> tuple[SystemPackage, ...]:
    """The driver packages among the folders of pacman's local database, name-version-release."""
    split = (name.rsplit("-", 2) for name in names)
    parts = (part for part in split if len(part) == 3 and _ARCH.fullmatch(part[0]))
    return tuple(SystemPackage(name=name, version=f"{version}-{release}") for name, version, release in parts)


def user_space_packages(packages: tuple[SystemPackage, ...]) -> tuple[str, ...]:
    """Names of those that install the driver's user-space part (cuda-compat, meant for containers, is none)."""
    return tuple(package.name for package in packages if _USER_SPACE.fullmatch(package.name))
