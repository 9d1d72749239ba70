"""The result of an installer's dry run: the wheels and source archives it would install, and their sizes."""

from collections.abc import Callable

from msgspec.structs import replace

from gpudoctor.facts.base import Fact

#: The size of the file at an address, where that can be told.
Sizer = Callable[[str], int | None]
#: Sizes that are asked for at once.
_AT_ONCE = 8


class Archive(Fact, frozen=True, kw_only=True):
    """A file that would be installed: a wheel, or a source archive."""

    name: str
    version: str
    url: str | None = None
    size: int | None = None
    sha256: str | None = None
    #: Named by its address or path, not found on an index.
    direct: bool = False


class Verification(Fact, frozen=True, kw_only=True):
    """What the dry run said. `refused` says why it would not install; None: it would."""

    by: str
    installs: tuple[str, ...] = ()
    #: None where the installer does not name them.
    archives: tuple[Archive, ...] | None = None
    #: How many of them are not in the installer's cache; None: it does not say.
    to_download: int | None = None
    refused: str | None = None
    #: It was refused because an index could not be reached.
    unreachable: bool = False
    #: An index that the command names did not answer, and all was found elsewhere.
    without_index: bool = False
    seconds: float = 0.0
    #: The release of the installer, where it says.
    release: str | None = None

    @property
    def says(self) -> bool:
        """Whether it said what it would install."""
        return bool(self.installs) or self.archives is not None

    @property
    def known_bytes(self) -> int:
        """Bytes of the archives whose size is known."""
        return sum(one.size or 0 for one in self.archives or ())

    @property
    def unknown_sizes(self) -> int:
        """How many archives have a size that is not known."""
        if self.archives is None:
            return len(self.installs)
        return sum(one.size is None for one in self.archives)

    @property
    def download_bytes(self) -> int | None:
        """Bytes to download, at most; None where the index does not say."""
        if self.to_download == 0:
            return 0
        return None if self.unknown_sizes else self.known_bytes


def measured(found: Verification, size_of: Sizer) -> Verification:
    """What was found, with the sizes that can be had of archives that have none yet."""
    asked = [one.url for one in found.archives or () if one.size is None and one.url is not None]
    if not asked or found.archives is None:
        return found
    # Imported here: uv names the sizes itself.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        sizes = dict(zip(asked, pool.map(size_of, asked), strict=True))
    known = (replace(one, size=one.size or sizes.get(one.url or "")) for one in found.archives)
    return replace(found, archives=tuple(known))


def sha256_of(archive_info: object) -> str | None:
    """The SHA-256 in `archive_info` of PEP 610; `hash` is what older pips write."""
    told = archive_info if isinstance(archive_info, dict) else {}
    hashes = told.get("hashes")
    found = hashes.get("sha256") if isinstance(hashes, dict) else None
    if found is None and str(told.get("hash", "")).startswith("sha256="):
        found = str(told["hash"]).removeprefix("sha256=")
    return str(found) if found else None
