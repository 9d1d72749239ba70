"""Which Pythons and platforms a release has wheels for, from file names on an index."""

import re
from collections.abc import Iterable

from packaging.utils import InvalidSdistFilename, InvalidWheelFilename, parse_sdist_filename, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from gpudoctor.facts.base import Fact
from gpudoctor.index.pages import Link
from gpudoctor.sources.package_names import normalise

_PROCESSORS = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "arm64"}
_MACS = {
    "arm64": ("macos-arm64",),
    "x86_64": ("macos-x86_64",),
    "intel": ("macos-x86_64",),
    "universal2": ("macos-arm64", "macos-x86_64"),
}


#: The first macOS for Apple's own processors.
FIRST_ARM = Version("11.0")


class Wheel(Fact, frozen=True, kw_only=True):
    """A wheel: the Pythons and platforms that its tags name, in the matrix's words."""

    link: Link
    package: str
    version: str
    pythons: tuple[str, ...]
    platforms: tuple[str, ...]
    #: By platform of macOS: the oldest release that the tags name.
    macos: dict[str, str] = {}
    #: The oldest C library that the tags for Linux on x86_64 name.
    glibc: str | None = None


class Found(Fact, frozen=True, kw_only=True):
    """A release as an index offers it. `wheels`: Pythons by platform; "any" where a wheel serves every platform."""

    version: str
    wheels: dict[str, tuple[str, ...]] = {}
    #: The oldest macOS that they are tagged for, by platform; where Pythons differ, by both: "macos-arm64 3.14".
    macos: dict[str, str] = {}
    requires_python: str | None = None
    #: All of its files are.
    yanked: bool = False
    #: The ISO date of its first file; None where the index does not say.
    released: str | None = None
    #: The C library that its wheels for Linux on x86_64 are tagged for; None where they differ, or there is none.
    glibc: str | None = None


def read_wheel(link: Link) -> Wheel | None:
    """The wheel behind a link; None where it is none, or its name breaks the rules."""
    try:
        package, version, _, tags = parse_wheel_filename(link.name)
    except (InvalidWheelFilename, InvalidVersion):
        return None
    pythons = {python for tag in tags if (python := python_of(tag.interpreter, tag.abi)) is not None}
    platforms = {platform for tag in tags for platform in platforms_of(tag.platform)}
    macos = [(platform, release) for tag in tags for platform, release in _macos_of(tag.platform)]
    return Wheel(
        link=link,
        package=str(package),
        version=str(version),
        pythons=ordered(pythons),
        platforms=tuple(sorted(platforms)),
        macos={platform: str(release) for platform, release in sorted(macos, key=lambda pair: pair[1], reverse=True)},
        glibc=min(filter(None, (_glibc_of(tag.platform) for tag in tags)), key=Version, default=None),
    )


def python_of(interpreter: str, abi: str) -> str | None:
    """The Python of a wheel's tag: "3.10"; "3.13t" (free-threaded); ">=3.10" where later ones can use it, too."""
    match = re.fullmatch(r"(cp|py)(\d)(\d*)", interpreter)
    if match is None:
        return None
    number = f"{match[2]}.{match[3]}" if match[3] else match[2]
    if match[1] == "py" and match[2] == "2":
        return "2"
    if match[1] == "py" or abi in {"abi3", "abi3t"}:
        return f">={number}" + "t" * abi.endswith("t")
    return number + "t" if abi.endswith("t") and match[2] == "3" else number


def platforms_of(tag: str) -> tuple[str, ...]:
    """The platforms of a wheel's tag: "linux-x86_64" …; none for those the matrix does not cover."""
    if tag == "any":
        return ("any",)
    if (match := re.fullmatch(r"(?:many)?linux(?:\d+|_\d+_\d+)?_(x86_64|aarch64)", tag)) is not None:
        return (f"linux-{_PROCESSORS[match[1]]}",)
    if (match := re.fullmatch(r"macosx_\d+_\d+_(\w+)", tag)) is not None:
        return _MACS.get(match[1], ())
    return ("windows-x86_64",) if tag == "win_amd64" else ()


#: What the older names of tags stand for: PEP 513, 571 and 599.
_MANYLINUX = {"1": "2.5", "2010": "2.12", "2014": "2.17"}


def _glibc_of(tag: str) -> str | None:
    """The glibc of a wheel's tag for Linux on x86_64; None for others."""
    match = re.fullmatch(r"manylinux(?:(1|2010|2014)|_(\d+)_(\d+))_x86_64", tag)
    if match is None:
        return None
    return _MANYLINUX[match[1]] if match[1] else f"{match[2]}.{match[3]}"


def _macos_of(tag: str) -> tuple[tuple[str, Version], ...]:
    """The platforms of a tag for macOS, each with the oldest release that takes it; arm64 began with 11."""
    match = re.fullmatch(r"macosx_(\d+)_(\d+)_(\w+)", tag)
    if match is None:
        return ()
    release = Version(f"{match[1]}.{match[2]}")
    first = {"macos-arm64": max(release, FIRST_ARM)}
    return tuple((platform, first.get(platform, release)) for platform in _MACS.get(match[3], ()))


def ordered(pythons: Iterable[str]) -> tuple[str, ...]:
    """Oldest first."""
    return tuple(sorted(pythons, key=lambda text: (Version(text.strip(">=t")), text)))


def releases(package: str, links: Iterable[Link]) -> tuple[Found, ...]:
    """The releases among the files of a package, newest first."""
    files: dict[Version, list[tuple[Link, Wheel | None]]] = {}
    for link in links:
        wheel = read_wheel(link)
        version = _version_of(package, link, wheel)
        if version is not None:
            files.setdefault(version, []).append((link, wheel))
    return tuple(_found(version, files[version]) for version in sorted(files, reverse=True))


def _version_of(package: str, link: Link, wheel: Wheel | None) -> Version | None:
    if wheel is not None:
        return Version(wheel.version) if wheel.package == package else None
    try:
        name, version = parse_sdist_filename(link.name)
    except (InvalidSdistFilename, InvalidVersion):
        return None
    return version if normalise(name) == package else None


def _found(version: Version, files: list[tuple[Link, Wheel | None]]) -> Found:
    yanked = all(link.yanked for link, _ in files)
    kept = [(link, wheel) for link, wheel in files if yanked or not link.yanked]
    pythons: dict[str, set[str]] = {}
    for _, wheel in kept:
        for platform in wheel.platforms if wheel is not None else ():
            pythons.setdefault(platform, set()).update(wheel.pythons if wheel is not None else ())
    required = {link.requires_python for link, _ in kept}
    macos = _oldest_macos([wheel for _, wheel in kept if wheel is not None])
    glibcs = {wheel.glibc for _, wheel in kept if wheel is not None and wheel.glibc}
    return Found(
        version=str(version),
        wheels={platform: ordered(pythons[platform]) for platform in sorted(pythons)},
        macos=macos,
        requires_python=required.pop() if len(required) == 1 else None,
        yanked=yanked,
        released=min((link.uploaded for link, _ in files if link.uploaded), default=None),
        glibc=glibcs.pop() if len(glibcs) == 1 else None,
    )


def _oldest_macos(wheels: Iterable[Wheel]) -> dict[str, str]:
    """See `Found.macos`; what serves every macOS by another wheel, too, is not told apart. Free-threaded left out."""
    found: dict[str, dict[str, Version]] = {}
    for wheel in wheels:
        for platform, text in wheel.macos.items():
            known, release = found.setdefault(platform, {}), Version(text)
            known.update({one: min(release, known.get(one, release)) for one in wheel.pythons if not one.endswith("t")})
    told: dict[str, str] = {}
    for platform, known in sorted(found.items()):
        same = len(set(known.values())) == 1
        names = (
            {platform: next(iter(known.values()))}
            if same
            else {f"{platform} {one}": known[one] for one in ordered(known)}
        )
        told |= {name: str(release) for name, release in names.items()}
    return told
