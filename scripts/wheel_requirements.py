"""What the wheels of a release require, read from their METADATA through the configured package index."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from packaging.markers import Marker
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from gpudoctor.index.fetch import Fetcher
from gpudoctor.index.files import read_wheel
from gpudoctor.index.metadata import read_metadata
from gpudoctor.index.offers import Offers
from gpudoctor.index.pages import Link, canonical

#: What markers ask, by platform.
ENVIRONMENTS = {
    "linux-x86_64": ("Linux", "linux", "x86_64", "posix"),
    "linux-aarch64": ("Linux", "linux", "aarch64", "posix"),
    "windows-x86_64": ("Windows", "win32", "AMD64", "nt"),
    "macos-arm64": ("Darwin", "darwin", "arm64", "posix"),
    "macos-x86_64": ("Darwin", "darwin", "x86_64", "posix"),
}
#: Metadata is read by so many threads: most of the time is spent waiting.
THREADS = 4
#: (package, version, platform)
Build = tuple[str, str, str]


class Wheels:
    """Reads each build's requirements once."""

    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher
        self._offers = Offers(fetcher)
        self._read: dict[Build, tuple[Requirement, ...] | None] = {}

    def prepare(self, builds: Iterable[Build]) -> None:
        """Read several builds at once."""
        fresh = [build for build in dict.fromkeys(builds) if build not in self._read]
        for package in dict.fromkeys(build[0] for build in fresh):
            self._offers.links(package)
        with ThreadPoolExecutor(THREADS) as pool:
            self._read.update(zip(fresh, pool.map(self._fetch, fresh), strict=True))

    def requirements(self, build: Build) -> tuple[Requirement, ...] | None:
        """The requirements of a build; None where there is no such wheel, or the index serves no parts of files."""
        self.prepare([build])
        return self._read[build]

    def releases(self, package: str, platform: str) -> tuple[str, ...]:
        """The final releases with a wheel for a platform, oldest first."""
        wheels = filter(None, map(read_wheel, self._offers.links(package) or ()))
        found = {wheel.version for wheel in wheels if {platform, "any"} & set(wheel.platforms)}
        return tuple(sorted((one for one in found if not Version(one).is_prerelease), key=Version))

    def _fetch(self, build: Build) -> tuple[Requirement, ...] | None:
        link = self._link(build)
        metadata = None if link is None else read_metadata(self._fetcher, link)
        return None if metadata is None else tuple(_requirements(metadata.requires))

    def _link(self, build: Build) -> Link | None:
        package, version, platform = build
        for link in self._offers.links(package) or ():
            wheel = read_wheel(link)
            if wheel is not None and wheel.version == version and {platform, "any"} & set(wheel.platforms):
                return link
        return None


def _requirements(texts: Iterable[str]) -> Iterable[Requirement]:
    for text in texts:
        with suppress(InvalidRequirement):
            yield Requirement(text)


def named(requirements: Iterable[Requirement], name: str, extra: str = "") -> tuple[Requirement, ...]:
    """The requirements of one name that hold for an extra ("" for none)."""
    return tuple(
        one for one in requirements if canonical(one.name) == name and ("extra" in str(one.marker)) == bool(extra)
    )


def holds(requirement: Requirement, platform: str, python: str, extra: str = "") -> bool:
    """Whether a requirement counts on a platform, for a Python."""
    if requirement.marker is None:
        return True
    system, sys_platform, machine, os_name = ENVIRONMENTS[platform]
    environment = {
        "platform_system": system,
        "sys_platform": sys_platform,
        "platform_machine": machine,
        "os_name": os_name,
        "python_version": python,
        "python_full_version": f"{python}.0",
        "extra": extra,
    }
    return requirement.marker.evaluate(environment)


def as_text(requirements: Iterable[Requirement], platform: str, pythons: Iterable[str]) -> str | None:
    """What they ask, as the tables write it: one specifier, or `specifier; marker` for each, joined by ` | `."""
    counting = [one for one in requirements if any(holds(one, platform, python) for python in pythons)]
    specifiers = list(dict.fromkeys(str(one.specifier) for one in counting))
    everywhere = all(any(holds(one, platform, python) for one in counting) for python in pythons)
    if not specifiers:
        return None
    if len(specifiers) == 1 and everywhere:
        return specifiers[0]
    return " | ".join(f"{one.specifier}; {one.marker}" if one.marker else str(one.specifier) for one in counting)


def says_the_same(one: str | None, other: str | None, platform: str, pythons: Iterable[str]) -> bool:
    """Whether two such texts ask the same of every Python."""
    return all(_asked(one, platform, python) == _asked(other, platform, python) for python in pythons)


def _asked(text: str | None, platform: str, python: str) -> SpecifierSet | None:
    parts = [part.partition(";") for part in (text or "").split("|") if part.strip()]
    counting = [
        specifier
        for specifier, _, marker in parts
        if not marker.strip() or holds(Requirement(f"x; {Marker(marker.strip())}"), platform, python)
    ]
    return SpecifierSet(",".join(part.strip() for part in counting)) if counting else None
