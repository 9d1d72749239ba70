"""Asks the package index how large the files of an installation are."""

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from gpudoctor.apply.dry_run_result import Sizer
from gpudoctor.index.settings import Settings, local_path

if TYPE_CHECKING:
    from requests import Response, Session

#: Seconds for one answer.
REQUEST_TIMEOUT_S = 10.0


def sizer(settings: Callable[[], Settings] | None = None) -> Sizer:
    """Tells the size of the file at an address; None where that is not said. May be asked from several threads.

    `settings` tells how the network is reached (proxy, certificates). A host that does not answer is not asked again.
    """
    asked = _Asked(settings)

    def size_of(url: str) -> int | None:
        path = local_path(url)
        if path is not None:
            return os.path.getsize(path) if os.path.isfile(path) else None
        return asked.size_of(url)

    return size_of


class _Asked:
    """The network. How pip is set up to reach it is asked only where it is not reached without."""

    def __init__(self, settings: Callable[[], Settings] | None) -> None:
        self._settings = settings
        self._known: Settings | None = None
        self._session: Session | None = None
        self._lock = threading.Lock()
        self._mute: set[str | None] = set()

    def size_of(self, url: str) -> int | None:
        # Imported here: an index in a folder does without.
        import requests

        parts = urlsplit(url)
        for known in (self._known, None):
            if parts.hostname in self._mute:
                return None
            try:
                answer = self._head(url, parts.netloc.rpartition("@")[2])
                return int(answer.headers["Content-Length"]) if answer.ok else None
            except (requests.ConnectionError, requests.Timeout):
                if known is not None or not self._ask():
                    break
            except (requests.RequestException, ValueError, KeyError):
                return None
        self._mute.add(parts.hostname)
        return None

    def _ask(self) -> bool:
        """Whether there is something else to try: the settings."""
        with self._lock:
            if self._known is None and self._settings is not None:
                self._known = self._settings()
                self._session = None
        return self._known is not None

    def _head(self, url: str, place: str) -> "Response":
        import requests

        known = self._known or Settings()
        with self._lock:
            if self._session is None:
                self._session = requests.Session()
                self._session.cert = known.client_cert
                if known.proxy:
                    self._session.proxies = {"http": known.proxy, "https": known.proxy}
            session = self._session
        trusted = {place, place.partition(":")[0]} & set(known.trusted_hosts)
        verify = False if trusted else known.cert or True
        return session.head(url, timeout=REQUEST_TIMEOUT_S, allow_redirects=True, verify=verify)
