"""Fetches pages and parts of files from a package index, over HTTP with limits and retries, or from a folder."""

import os
import time
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from gpudoctor.index.pages import Link, NotAnIndexPage, parse_html, parse_json
from gpudoctor.index.settings import Settings, local_path, shown

if TYPE_CHECKING:
    import requests

#: Seconds to connect, and between two pieces of an answer.
CONNECT, READ = 10.0, 30.0
#: Seconds and bytes for one whole answer.
WHOLE, BIGGEST = 120.0, 64 * 1024 * 1024
TRIES = 3
_BUSY = {429, 500, 502, 503, 504}
_ACCEPT = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"


class IndexUnusable(RuntimeError):
    """An index does not answer, or answers with something else; one line for the user, without credentials."""


class Fetcher:
    """Reads what the settings point at."""

    def __init__(self, settings: Settings, *, pause: float = 1.0) -> None:
        """`pause`: seconds to wait before a second try; twice that before a third."""
        self.settings = settings
        self._pause = pause
        self._session: requests.Session | None = None

    def close(self) -> None:
        """Close its connections."""
        if self._session is not None:
            self._session.close()

    def links(self, address: str) -> tuple[Link, ...] | None:
        """The links of a page, or of a folder; None where there is no such page. Raises IndexUnusable."""
        path = local_path(address)
        if path is not None:
            return _local_links(path, address)
        answer = self._get(address, {"Accept": _ACCEPT})
        if answer is None:
            return None
        raw, kind, landed = answer
        try:
            if kind.endswith("json"):
                return parse_json(raw, landed)
            if kind in {"text/html", "application/vnd.pypi.simple.v1+html", ""}:
                return parse_html(raw.decode("utf-8", "replace"), landed)
            raise NotAnIndexPage(f"the answer is of type {kind}")
        except NotAnIndexPage as error:
            raise IndexUnusable(f"{shown(address)} is no page of a package index: {error}") from None

    def read(self, address: str) -> bytes | None:
        """A whole small file; None where there is none. Raises IndexUnusable."""
        path = local_path(address)
        if path is None:
            answer = self._get(address, {})
            return None if answer is None else answer[0]
        return _local_bytes(path, 0, BIGGEST)

    def read_range(self, address: str, start: int, size: int) -> bytes | None:
        """`size` bytes from `start`, counted from the end where negative; None where parts are not served.

        Raises IndexUnusable.
        """
        path = local_path(address)
        if path is not None:
            return _local_bytes(path, start, size)
        asked = f"bytes={start}" if start < 0 else f"bytes={start}-{start + size - 1}"
        answer = self._get(address, {"Range": asked}, wanted=206)
        return None if answer is None else answer[0]

    def _get(self, address: str, headers: dict[str, str], wanted: int = 200) -> tuple[bytes, str, str] | None:
        """(body, content type, final address); None for "not found" and for a refused part of a file."""
        problem = ""
        for attempt in range(TRIES):
            if attempt:
                time.sleep(self._pause * attempt)
            answer = self._try(address, headers, wanted)
            if not isinstance(answer, str):
                return answer
            problem = answer
        raise IndexUnusable(f"{shown(address)} cannot be read: {problem}")

    def _try(self, address: str, headers: dict[str, str], wanted: int) -> tuple[bytes, str, str] | str | None:
        """One request; text is a problem that may pass."""
        # Imported here: it costs 50 ms, and an index in a folder does without.
        import requests

        try:
            with self._open().get(
                address, headers=headers, timeout=(CONNECT, READ), stream=True, verify=self._verify(address)
            ) as answer:
                if answer.status_code in {404, 410, 416} or (wanted == 206 and answer.status_code == 200):
                    return None
                if answer.status_code in _BUSY:
                    return f"it answers {answer.status_code} ({answer.reason})"
                if answer.status_code != wanted:
                    raise IndexUnusable(f"{shown(address)} cannot be read: {_refusal(answer)}")
                kind = answer.headers.get("Content-Type", "").partition(";")[0].strip().lower()
                return _body(answer, address), kind, answer.url
        except requests.exceptions.SSLError:
            raise IndexUnusable(
                f"{shown(address)} cannot be read: its certificate is not trusted (pip's setting `cert` names others)"
            ) from None
        except requests.exceptions.RequestException as error:
            return _trouble(error)
        except ValueError:
            raise IndexUnusable(f"{shown(address)} cannot be read: that is no address of an index") from None

    def _open(self) -> "requests.Session":
        if self._session is None:
            import requests

            self._session = requests.Session()
            self._session.max_redirects = 5
            self._session.cert = self.settings.client_cert
            if self.settings.proxy:
                self._session.proxies = {"http": self.settings.proxy, "https": self.settings.proxy}
        return self._session

    def _verify(self, address: str) -> bool | str:
        parts = urlsplit(address)
        trusted = {parts.hostname, f"{parts.hostname}:{parts.port}"} & set(self.settings.trusted_hosts)
        return False if trusted else self.settings.cert or True


def _body(answer: "requests.Response", address: str) -> bytes:
    started, pieces, size = time.monotonic(), [], 0
    for piece in answer.iter_content(256 * 1024):
        pieces.append(piece)
        size += len(piece)
        if size > BIGGEST:
            raise IndexUnusable(f"{shown(address)} cannot be read: the answer is larger than {BIGGEST >> 20} MiB")
        if time.monotonic() - started > WHOLE:
            raise IndexUnusable(f"{shown(address)} cannot be read: the answer took longer than {WHOLE:.0f} s")
    return b"".join(pieces)


def _refusal(answer: "requests.Response") -> str:
    if answer.status_code in {401, 403}:
        return f"it refuses access (HTTP {answer.status_code}); its credentials are missing or not accepted"
    return f"it answers HTTP {answer.status_code} ({answer.reason})"


def _trouble(error: Exception) -> str:
    """A failure of the connection in words; the error's own text may hold credentials."""
    import requests

    words = str(error)
    if isinstance(error, requests.exceptions.ProxyError):
        return "the proxy does not answer"
    if isinstance(error, requests.exceptions.Timeout):
        return "it does not answer in time"
    if isinstance(error, requests.exceptions.TooManyRedirects):
        return "it redirects without end"
    if isinstance(error, requests.exceptions.InvalidURL | requests.exceptions.InvalidSchema):
        return "that is no address of an index"
    if "NameResolution" in words or "getaddrinfo" in words or "resolve" in words:
        return "its name is not known (DNS)"
    if "refused" in words:
        return "the connection was refused"
    return "the connection broke"


def _local_links(path: str, address: str) -> tuple[Link, ...] | None:
    page = os.path.join(path, "index.html")
    if os.path.isfile(page) or (os.path.isfile(path) and path.endswith((".html", ".htm"))):
        page = page if os.path.isdir(path) else path
        raw = _local_bytes(page, 0, BIGGEST)
        try:
            text = "" if raw is None else raw.decode("utf-8", "replace")
            return parse_html(text, f"file://{os.path.abspath(page)}")
        except NotAnIndexPage as error:
            raise IndexUnusable(f"{shown(address)} is no page of a package index: {error}") from None
    try:
        names = sorted(os.listdir(path))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise IndexUnusable(f"{shown(address)} cannot be read: {error.strerror}") from None
    return tuple(Link(name=name, url=urljoin(f"file://{os.path.abspath(path)}/", name)) for name in names)


def _local_bytes(path: str, start: int, size: int) -> bytes | None:
    try:
        with open(path, "rb") as stream:
            stream.seek(start, os.SEEK_END if start < 0 else os.SEEK_SET)
            return stream.read(size)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise IndexUnusable(f"{path} cannot be read: {error.strerror}") from None
