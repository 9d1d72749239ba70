"""Which C library ready-made packages need. Source: platform tags of the wheels on the package index (PEP 600)."""

from gpudoctor.model.versions import LibraryVersion, package_version

#: From this release on, the wheels are tagged for this glibc. Newest first; older releases are not known.
FLOORS: dict[str, tuple[tuple[str, str], ...]] = {
    "torch": (("2.7", "2.28"),),
    "tensorflow": (("2.21", "2.27"), ("2.9", "2.17"), ("1.15", "2.12")),
    "jaxlib": (("0.7", "2.27"), ("0.4", "2.17")),
}


def glibc_floor(package: str, release: str) -> LibraryVersion | None:
    """The oldest glibc that the wheels of a release are made for; None is not known."""
    version = package_version(release)
    if version is None:
        return None
    floors = (glibc for since, glibc in FLOORS[package] if (first := package_version(since)) and version >= first)
    floor = next(floors, None)
    return LibraryVersion(floor) if floor else None
