"""What the wheels of a release require, read from their METADATA through the configured package index."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from packaging.requirements import Requirement
from packaging.version import Version

from gpudoctor.index.fetch import Fetcher
from gpudoctor.index.files import read_wheel
from gpudoctor.index.metadata import read_metadata
from gpudoctor.index.offers import Offers
from gpudoctor.index.pages import Link
from gpudoctor.index.requirement_text import parsed

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
        return None if metadata is None else tuple(parsed(metadata.requires))

    def _link(self, build: Build) -> Link | None:
        package, version, platform = build
        for link in self._offers.links(package) or ():
            wheel = read_wheel(link)
            if wheel is not None and wheel.version == version and {platform, "any"} & set(wheel.platforms):
                return link
        return None
