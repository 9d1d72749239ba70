"""Reads a signed repository of matrix updates (The Update Framework), over HTTP, in a folder or a zip archive.

Source: https://theupdateframework.github.io/specification/latest/
"""

import os
import time
import zipfile
import zlib
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

from tuf.api.exceptions import DownloadError, DownloadHTTPError
from tuf.ngclient.fetcher import FetcherInterface

from gpudoctor.host.safe_files import open_given

#: Seconds to connect, between two pieces, and for a whole file.
CONNECT, READ, WHOLE = 10.0, 30.0, 120.0
#: The address of what is in a folder or an archive.
LOCAL = "file:///"
_PIECE = 64 * 1024
#: Bytes of a file in a folder or an archive, of which more is never asked for.
LONGEST = 32 * 1024 * 1024


class Repository(FetcherInterface):
    """Reads a repository's files. How much of each is taken is for the client to say."""

    def __init__(self, where: str) -> None:
        """`where`: an address, a folder, or a zip archive. Raises DownloadError."""
        self.where = where
        self._archive: zipfile.ZipFile | None = None
        if is_address(where):
            self.base = where.rstrip("/") + "/"
            return
        self.base = LOCAL
        if os.path.isdir(where):
            return
        try:
            with open_given(where):  # no pipe and no device
                pass
            self._archive = zipfile.ZipFile(where)
        except FileNotFoundError:
            raise DownloadError(f"{where}: no such file or folder") from None
        except (OSError, zipfile.BadZipFile) as error:
            raise DownloadError(f"{where} is no zip archive of an update: {error}") from None

    def close(self) -> None:
        """Close the archive."""
        if self._archive is not None:
            self._archive.close()

    def _fetch(self, url: str) -> Iterator[bytes]:
        if url.startswith(LOCAL):
            return self._local(unquote(url.removeprefix(LOCAL)))
        return _download(url)

    def _local(self, name: str) -> Iterator[bytes]:
        """Read at once, and no more than any file may have: a longer one is refused for its length."""
        try:
            if self._archive is not None:
                with self._archive.open(name) as packed:
                    return iter((packed.read(LONGEST),))
            with open_given(os.path.join(self.where, *name.split("/"))) as given:
                return iter((given.read(LONGEST),))
        except (KeyError, FileNotFoundError):
            raise DownloadHTTPError(f"{name} is not there", 404) from None
        except (OSError, zipfile.BadZipFile, zlib.error) as error:
            raise DownloadError(f"{name} cannot be read: {error}") from None


def is_address(where: str) -> bool:
    """Whether it is of a server, and no path."""
    return urlsplit(where).scheme in ("http", "https")


def _download(url: str) -> Iterator[bytes]:
    # Imported here: an archive needs no connection.
    import requests

    started = time.monotonic()
    try:
        with requests.get(url, stream=True, timeout=(CONNECT, READ), headers={"Accept-Encoding": "identity"}) as answer:
            if answer.status_code != 200:
                raise DownloadHTTPError(f"{url} answers {answer.status_code}", answer.status_code)
            for piece in answer.iter_content(_PIECE):
                if time.monotonic() - started > WHOLE:
                    raise DownloadError(f"{url} takes longer than {WHOLE:.0f} s")
                yield piece
    except requests.exceptions.RequestException as error:
        raise DownloadError(f"{url} cannot be read ({type(error).__name__})") from None
