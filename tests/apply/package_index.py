"""A package index over HTTP, from a folder of wheels: hashes and metadata as PyPI has them, and faults on demand."""

import base64
import hashlib
import http.server
import os
import re
import threading
import zipfile
from contextlib import contextmanager, suppress


class PackageIndex(http.server.ThreadingHTTPServer):
    """Serves /simple/NAME/, as /whl/VARIANT/NAME/ too, and /files/WHEEL. `fault(path)` may name what goes wrong.

    cut: the connection ends in the middle of the file. hang: nothing is ever said. refuse: 503. damage: other bytes.
    """

    daemon_threads = True

    def __init__(self, folder, *, fault=lambda _: None, hashes=None, metadata=True, credentials=None):
        super().__init__(("127.0.0.1", 0), _Answer)
        self.folder = str(folder)
        self.fault = fault
        self.metadata = metadata
        self.expected = credentials and "Basic " + base64.b64encode(credentials.encode()).decode()
        self.asked = []
        self.closing = threading.Event()
        self._hashes = dict(hashes or {})
        self._metadata = {}

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/simple"

    def wheels(self, name=None):
        every = sorted(one for one in os.listdir(self.folder) if one.endswith(".whl"))
        return [one for one in every if name is None or canonical(one.split("-")[0]) == name]

    def content(self, wheel):
        with open(os.path.join(self.folder, wheel), "rb") as stream:
            return stream.read()

    def digest(self, wheel):
        if wheel not in self._hashes:
            self._hashes[wheel] = hashlib.sha256(self.content(wheel)).hexdigest()
        return self._hashes[wheel]

    def metadata_of(self, wheel):
        if wheel not in self._metadata:
            with zipfile.ZipFile(os.path.join(self.folder, wheel)) as archive:
                inside = next(one for one in archive.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", one))
                self._metadata[wheel] = archive.read(inside)
        return self._metadata[wheel]


def canonical(name):
    return re.sub(r"[-_.]+", "-", name).lower()


class _Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.answer(body=False)

    def do_GET(self):
        self.answer(body=True)

    def answer(self, *, body):
        index = self.server
        index.asked.append((self.command, self.path))
        fault = index.fault(self.path)
        if fault == "hang":
            index.closing.wait(600)
            self.close_connection = True
            return
        if index.expected and self.headers.get("Authorization") != index.expected:
            self.send(401, b"who are you?", {"WWW-Authenticate": "Basic realm=index"}, body=body)
        elif fault == "refuse":
            self.send(503, b"later", {}, body=body)
        else:
            raw = self.find()
            self.send(404 if raw is None else 200, raw or b"no such file", {}, body=body, fault=fault)

    def find(self):
        index = self.server
        kind, _, rest = re.sub("^/whl/[^/]+/", "/simple/", self.path).lstrip("/").partition("/")
        name = rest.strip("/").replace("%2B", "+")
        if kind == "simple":
            wheels = index.wheels(canonical(name))
            return self.page(wheels) if wheels else None
        wheel = name.removesuffix(".metadata")
        if kind != "files" or wheel not in index.wheels():
            return None
        return index.metadata_of(wheel) if name.endswith(".metadata") else index.content(wheel)

    def page(self, wheels):
        marked = ' data-core-metadata="true"' if self.server.metadata else ""
        anchors = (
            f'<a href="/files/{one.replace("+", "%2B")}#sha256={self.server.digest(one)}"{marked}>{one}</a>\n'
            for one in wheels
        )
        return f"<!DOCTYPE html><html><body>\n{''.join(anchors)}</body></html>".encode()

    def send(self, code, raw, headers, *, body, fault=None):
        if fault == "damage":
            raw = raw[: len(raw) // 2] + bytes(len(raw) - len(raw) // 2)
        tag = hashlib.sha256(raw).hexdigest()[:16] if len(raw) < 1 << 20 else str(len(raw))
        if code == 200 and self.headers.get("If-None-Match") == f'"{tag}"':
            code, raw = 304, b""
        self.send_response(code)
        kind = "text/html" if self.path.startswith(("/simple", "/whl")) else "application/octet-stream"
        cached = "max-age=600" if self.path.startswith(("/simple", "/whl")) else "max-age=31536000, immutable"
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(raw)),
            "ETag": f'"{tag}"',
            "Cache-Control": cached,
            **headers,
        }.items():
            self.send_header(name, value)
        self.end_headers()
        with suppress(OSError):  # whoever asked is gone
            if body and fault == "cut":
                self.wfile.write(raw[: len(raw) // 2])
                self.close_connection = True
            elif body:
                self.wfile.write(raw)


@contextmanager
def served(folder, **options):
    """A running index."""
    index = PackageIndex(folder, **options)
    thread = threading.Thread(target=index.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield index
    finally:
        index.closing.set()
        index.shutdown()
        index.server_close()
        thread.join()
