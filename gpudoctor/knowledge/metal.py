"""The oldest macOS on which a release of PyTorch uses a Mac's GPU; its wheels may install on older ones."""

from gpudoctor.facts.versions import LibraryVersion, package_version
from gpudoctor.knowledge.milestones import milestones, numbers_of

#: The releases with which the floor rises, by the milestones that state it.
_RISES = {
    numbers_of("torch-apple-gpus"): "torch-apple-gpus",
    numbers_of("torch-metal-without-macos-12"): "torch-metal-without-macos-12",
    numbers_of("torch-metal-without-macos-13"): "torch-metal-without-macos-13",
}
#: Before it no release uses the GPU, so that none is better than another.
LOWEST = LibraryVersion(milestones()["torch-apple-gpus"].macos)


def metal_floor(version: str) -> LibraryVersion | None:
    """The floor of a torch release, 2.9.1 or 2.10.0.dev20251008; None: it uses no such GPU, or is not understood."""
    parsed = package_version(version)
    reached = [name for first, name in _RISES.items() if parsed is not None and parsed.release[:2] >= first]
    return LibraryVersion(milestones()[reached[-1]].macos) if reached else None


def floor_missed(version: str, macos: LibraryVersion | None) -> LibraryVersion | None:
    """The floor that this macOS is below; None: it is not, or one of both is not known."""
    floor = metal_floor(version)
    return floor if floor is not None and macos is not None and macos < floor else None
