"""A package index of our own on the loopback address, and the file names that a release has on it."""

import html
import json
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.glibc import glibc_floor

PLATFORM_TAGS = {
    "linux-x86_64": "manylinux_2_17_x86_64.manylinux2014_x86_64",
    "linux-aarch64": "manylinux2014_aarch64",
    "windows-x86_64": "win_amd64",
    "macos-arm64": "macosx_12_0_arm64",
    "macos-x86_64": "macosx_10_9_x86_64",
    "any": "any",
}


@dataclass
class Answer:
    """What the server sends for a path. With `parts`, Range is honoured."""

    body: bytes
    kind: str = "text/html"
    status: int = 200
    parts: bool = False
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Server:
    """`answers` by path; `otherwise` for all other paths. `asked` keeps the paths and headers of requests."""

    port: int
    answers: dict[str, Answer]
    otherwise: Answer
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def url(self, path: str = "/simple") -> str:
        return f"http://127.0.0.1:{self.port}{path}"


@contextmanager
def serving(answers: dict[str, Answer], otherwise: Answer | None = None) -> Iterator[Server]:
    """A server for the time of a test."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            server.asked.append((self.path, dict(self.headers)))
            answer = server.answers.get(self.path, server.otherwise)
            body, status = answer.body, answer.status
            wanted = self.headers.get("Range", "")
            if answer.parts and wanted:
                first, _, last = wanted.removeprefix("bytes=").partition("-")
                body = body[int(first) : int(last) + 1] if first else body[-int(last) :]
                status = 206
            self.send_response(status)
            self.send_header("Content-Type", answer.kind)
            self.send_header("Content-Length", str(len(body)))
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server = Server(listening.server_port, answers, otherwise or Answer(b"no", status=404))
    thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        listening.shutdown()
        thread.join()
        listening.server_close()


def page(names: Iterable[str], yanked: Iterable[str] = (), requires: dict[str, str] | None = None) -> bytes:
    """A project's page in HTML."""
    withdrawn, wanted = set(yanked), requires or {}
    lines = []
    for name in names:
        more = ' data-yanked=""' if name in withdrawn else ""
        if name in wanted:
            more += f' data-requires-python="{html.escape(wanted[name])}"'
        lines.append(f'<a href="../../files/{name}#sha256=00"{more}>{name}</a><br/>')
    return ("<!DOCTYPE html><html><body>\n" + "\n".join(lines) + "\n</body></html>").encode()


def json_page(names: Iterable[str], version: str = "1.1") -> bytes:
    """A project's page in JSON."""
    files = [{"filename": name, "url": f"../../files/{name}", "hashes": {}, "yanked": False} for name in names]
    return json.dumps({"meta": {"api-version": version}, "name": "x", "files": files}).encode()


def file_names(
    package: str, version: str, wheels: dict[str, Iterable[str]], macos: dict[str, str] | None = None
) -> list[str]:
    """The files of a release: wheels, or a source archive where it has none; `macos` as in the table `releases`.

    Those for Linux on x86_64 are tagged for the C library that the table `glibc` says.
    """
    name, glibc = package.replace("-", "_"), glibc_floor(package, version, load_matrix())
    linux = f"manylinux_{str(glibc).replace('.', '_')}_x86_64" if glibc else PLATFORM_TAGS["linux-x86_64"]
    found = [
        f"{name}-{version}-{_tag(python)}-{_place(platform, python, macos or {}, linux)}.whl"
        for platform, pythons in wheels.items()
        for python in pythons
    ]
    return found or [f"{name}-{version}.tar.gz"]


def _place(platform: str, python: str, macos: dict[str, str], linux: str) -> str:
    if platform == "linux-x86_64":
        return linux
    release = macos.get(platform) or macos.get(f"{platform} {python}")
    if release is None:
        return PLATFORM_TAGS[platform]
    return f"macosx_{release.replace('.', '_')}_{platform.partition('-')[2]}"


def _tag(python: str) -> str:
    plain = python.strip(">=t").replace(".", "")
    if len(plain) == 1:
        return f"py{plain}-none"
    if python.startswith(">="):
        return f"cp{plain}-abi3"
    return f"cp{plain}-cp{plain}" + {"27": "mu", "36": "m", "37": "m"}.get(plain, "t" * python.endswith("t"))
