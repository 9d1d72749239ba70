"""Which C library ready-made packages need.

Sources: platform tags of the wheels on the package index (PEP 600); for torch 2.6 also pytorch.org/blog/pytorch2-6.
Older wheels claim more than is so; what their files ask for is in github.com/pytorch/pytorch/issues/14274 (torch from
0.4.1 on) and github.com/tensorflow/tensorflow/issues/28660 and 25593 (TensorFlow 1.13 and 1.14), accessed 2026-11-22.
"""

from functools import lru_cache

from gpudoctor.facts.versions import LibraryVersion, package_version

#: From this release on, the wheels are tagged for this glibc. Newest first; older releases are not known.
FLOORS: dict[str, tuple[tuple[str, str], ...]] = {
    "torch": (("2.7", "2.28"), ("0.4.1", "2.17")),
    "tensorflow": (("2.21", "2.27"), ("2.9", "2.17"), ("1.15", "2.12"), ("1.13", "2.23")),
    "jaxlib": (("0.7", "2.27"), ("0.4", "2.17")),
}


#: Builds of a line that moved first, by variant or platform. JAX 0.6 asks for cuDNN 9.8, whose wheels need glibc 2.27;
#: jaxlib itself moved with 0.7 (package index, 2026-11).
MOVED_FIRST = (
    ("torch", "2.6", ("cu126", "linux-aarch64"), "2.28"),
    ("jaxlib", "0.6", ("cuda12",), "2.27"),
)


@lru_cache(maxsize=4096)
def glibc_floor(package: str, release: str, *kinds: str | None) -> LibraryVersion | None:
    """The oldest glibc that the wheels of a release are made for (`kinds`: variant, platform); None is not known."""
    version = package_version(release)
    if version is None:
        return None
    for name, line, first, moved_to in MOVED_FIRST:
        if (package, f"{version.major}.{version.minor}") == (name, line) and set(kinds) & set(first):
            return LibraryVersion(moved_to)
    floors = (
        glibc for since, glibc in FLOORS.get(package, ()) if (known := package_version(since)) and version >= known
    )
    floor = next(floors, None)
    return LibraryVersion(floor) if floor else None
