"""Everything the configured indexes and folders offer of a package, combined as pip does."""

import os

from gpudoctor.index.fetch import Fetcher, IndexUnusable
from gpudoctor.index.files import Found, read_wheel, releases
from gpudoctor.index.pages import Link
from gpudoctor.index.settings import local_path, shown
from gpudoctor.sources.package_names import normalise


class Offers:
    """Asks for each package once."""

    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher
        self._links: dict[str, tuple[Link, ...] | None] = {}
        self._folders: tuple[Link, ...] | None = None

    def links(self, package: str) -> tuple[Link, ...] | None:
        """The files of a package; None where no index has it. Raises IndexUnusable."""
        if package not in self._links:
            self._links[package] = self._ask(package)
        return self._links[package]

    def releases(self, package: str) -> tuple[Found, ...] | None:
        """The releases of a package, newest first; None where no index has it. Raises IndexUnusable."""
        links = self.links(package)
        return None if links is None else releases(package, links)

    def _ask(self, package: str) -> tuple[Link, ...] | None:
        found: dict[str, Link] = {}
        known = False
        for index in self._fetcher.settings.indexes:
            folder = local_path(index)
            if folder is not None and not os.path.isdir(folder):
                raise IndexUnusable(f"{shown(index)} cannot be read: there is no such folder")
            links = self._fetcher.links(f"{index}{'' if index.endswith('/') else '/'}{package}/")
            if links is None:
                continue
            if links and not any(_belongs(link, package) for link in links):
                raise IndexUnusable(f"{shown(index)} answers with a page that lists no files of {package}")
            if not links and folder is None and index == self._fetcher.settings.indexes[0]:
                raise IndexUnusable(f"{shown(index)} answers with a page without any link for {package}")
            if not links:
                # A further index may answer so where it has none of them (PEP 503 allows an empty page).
                continue
            known = True
            # The first index that has a file of that name counts.
            found = {link.name: link for link in links} | found
        for link in self._find_links():
            if _belongs(link, package):
                known = True
                found.setdefault(link.name, link)
        return tuple(found.values()) if known else None

    def _find_links(self) -> tuple[Link, ...]:
        if self._folders is None:
            pages = [self._fetcher.links(address) for address in self._fetcher.settings.find_links]
            self._folders = tuple(link for page in pages for link in page or ())
        return self._folders


def _belongs(link: Link, package: str) -> bool:
    wheel = read_wheel(link)
    if wheel is not None:
        return wheel.package == package
    return normalise(link.name).startswith(f"{package}-")
