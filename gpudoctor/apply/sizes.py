"""How large a file is that would be downloaded, asked of the index."""

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from gpudoctor.apply.archives import Sizer
from gpudoctor.index.settings import Settings, local_path

if TYPE_CHECKING:
    from requests import Session

#: Seconds for one answer.
PATIENCE = 10.0


def sizer(settings: Callable[[], Settings] | None = None) -> Sizer:
    """Tells the size of the file at an address; None where that is not said. May be asked from several threads.

    `settings` is asked for the certificates to trust, and only where a file is on the network. A host that does not
    answer is not asked again.
    """
    asked = _Asked(settings)

    def size_of(url: str) -> int | None:
        path = local_path(url)
        if path is not None:
            return os.path.getsize(path) if os.path.isfile(path) else None
        return asked.size_of(url)

    return size_of


class _Asked:
    """The network, with one session."""

    def __init__(self, settings: Callable[[], Settings] | None) -> None:
        self._settings = settings
        self._known = Settings()
        self._session: Session | None = None
        self._lock = threading.Lock()
        self._mute: set[str | None] = set()

    def size_of(self, url: str) -> int | None:
        # Imported here: an index in a folder does without.
        import requests

        host = urlsplit(url).hostname
        if host in self._mute:
            return None
        try:
            session, verify = self._open(urlsplit(url).netloc.rpartition("@")[2])
            answer = session.head(url, timeout=PATIENCE, allow_redirects=True, verify=verify)
            return int(answer.headers["Content-Length"]) if answer.ok else None
        except (requests.ConnectionError, requests.Timeout):
            self._mute.add(host)
        except (requests.RequestException, ValueError, KeyError):
            pass
        return None

    def _open(self, place: str) -> "tuple[Session, bool | str]":
        """The session, and how the certificate of a place (host, or host:port) is verified."""
        import requests

        with self._lock:
            if self._session is None:
                self._known = self._settings() if self._settings else Settings()
                self._session = requests.Session()
                self._session.cert = self._known.client_cert
                if proxy := self._known.proxy:
                    self._session.proxies = {"http": proxy, "https": proxy}
        trusted = {place, place.partition(":")[0]} & set(self._known.trusted_hosts)
        return self._session, False if trusted else self._known.cert or True
