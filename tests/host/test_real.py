"""The real host, on a tree of real files: every refusal is a Gap, absence is None, and nothing raises or waits."""

import errno
import os
import stat
import sys
import time
from pathlib import Path

import pytest

from gpudoctor.facts.base import Gap
from gpudoctor.facts.system import Space
from gpudoctor.host.port import Stat
from gpudoctor.host.real import RealHost

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="files of a POSIX system")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/os-release").write_text("ID=ubuntu\n")
    (tmp_path / "etc/latin").write_bytes(b"caf\xe9\x00")
    (tmp_path / "etc/big").write_bytes(bytes(range(256)) * 1024)
    (tmp_path / "usr/bin").mkdir(parents=True)
    (tmp_path / "usr/bin/nvidia-smi").write_text("#!/bin/sh\n")
    (tmp_path / "usr/bin/nvidia-smi").chmod(0o755)
    (tmp_path / "usr/bin/notes").write_text("")
    (tmp_path / "bin").symlink_to("/usr/bin")
    (tmp_path / "release").symlink_to("/etc/os-release")
    (tmp_path / "dangling").symlink_to("/nowhere")
    (tmp_path / "circle").symlink_to("circle")
    os.mkfifo(tmp_path / "fifo")
    return tmp_path


@pytest.fixture
def host(root: Path) -> RealHost:
    return RealHost(str(root), env={"PATH": "/none:/bin"})


@pytest.mark.parametrize("path", ["/none", "/etc/os-release/x", "/dangling", "/" + "x" * 300])
def test_what_is_not_there_is_none(host: RealHost, path: str) -> None:
    assert host.read(path) is None
    assert host.read_text(path) is None
    assert host.read_range(path, 0, 1) is None
    assert host.list(path) is None
    assert host.stat(path) is None
    assert host.space(path) is None
    assert host.openable(path) in ("ENOENT", "ENOTDIR", "ENAMETOOLONG")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/etc", "it is a directory"),
        ("/circle", "its symbolic links lead in a circle"),
        ("/a\0b", "no file can have this"),
    ],
)
def test_what_cannot_be_read_is_a_gap(host: RealHost, path: str, reason: str) -> None:
    for answer in (host.read(path), host.read_text(path), host.read_range(path, 5, 5)):
        assert isinstance(answer, Gap)
        assert answer.reason.startswith(reason)
        assert answer.tried[0].where == path


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_a_gap(host: RealHost, root: Path) -> None:
    (root / "etc/os-release").chmod(0)
    assert isinstance(answer := host.read("/etc/os-release"), Gap)
    assert answer.reason == "permission denied"
    assert host.openable("/etc/os-release") == "EACCES"


@pytest.mark.parametrize(
    ("number", "reason", "name"),
    [
        (errno.EACCES, "permission denied", "EACCES"),
        (errno.EPERM, "not permitted", "EPERM"),
        (errno.EIO, "input/output error", "EIO"),
        (errno.ENXIO, "no such device or address", "ENXIO"),
        (errno.EBUSY, "device or resource busy", "EBUSY"),
    ],
)
def test_a_refusal_of_the_system_is_told(number: int, reason: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "open", refuse)
    assert isinstance(answer := RealHost().read("/x"), Gap)
    assert answer.reason == reason
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert RealHost().openable("/dev/null") == name


def test_reading(host: RealHost) -> None:
    assert host.read("/etc/os-release") == b"ID=ubuntu\n"
    assert host.read("/release") == b"ID=ubuntu\n", "an absolute link stays inside the root"
    assert host.read("/etc/os-release", limit=2) == b"ID"
    assert host.read_text("/etc/latin") == "caf\ufffd\0"
    assert len(host.read("/etc/big") or b"") == 256 * 1024
    assert len(host.read("/etc/big", limit=100_000) or b"") == 100_000
    assert host.read_range("/etc/big", 1000, 3) == bytes([232, 233, 234])
    assert host.read_range("/etc/big", 256 * 1024 - 1, 10) == b"\xff"
    assert host.read_range("/etc/big", 10**9, 10) == b""


def test_a_pipe_without_a_writer_does_not_make_us_wait(host: RealHost) -> None:
    started = time.monotonic()
    assert host.read("/fifo") == b""
    assert host.openable("/fifo") is None
    assert time.monotonic() - started < 1


def test_listing(host: RealHost) -> None:
    assert host.list("/usr/bin") == ("notes", "nvidia-smi")
    assert host.list("/bin") == ("notes", "nvidia-smi")
    assert host.list("/etc/os-release") is None
    assert host.list("") is None


def test_stat(host: RealHost, root: Path) -> None:
    found = host.stat("/release")
    assert isinstance(found, Stat)
    assert (found.kind, found.size) == ("file", 10)
    assert found.modified == (root / "etc/os-release").stat().st_mtime
    directory, pipe = host.stat("/bin"), host.stat("/fifo")
    assert isinstance(directory, Stat)
    assert isinstance(pipe, Stat)
    assert (directory.kind, pipe.kind) == ("directory", "other")


def test_stat_of_a_device() -> None:
    found = RealHost().stat("/dev/null")
    assert isinstance(found, Stat)
    assert (found.kind, found.mode, found.owner) == ("character", 0o666, "root")


def test_links(host: RealHost) -> None:
    assert host.link("/bin") == "/usr/bin"
    assert host.link("/etc") is None
    assert host.link("/none") is None
    assert host.real("/bin/nvidia-smi") == "/usr/bin/nvidia-smi"
    assert host.real("/dangling/x") == "/nowhere/x"
    assert RealHost().real("/dev/../dev/null") == "/dev/null"


def test_programs(host: RealHost) -> None:
    assert host.which("nvidia-smi") == "/bin/nvidia-smi"
    assert host.which("notes") is None, "it may not be executed"
    assert host.tool("nvidia-smi") == "/usr/bin/nvidia-smi"
    assert RealHost(str(host._root), env={}, tool_dirs=("/etc",)).tool("nvidia-smi") is None


def test_a_program_put_first_on_path_is_no_tool(host: RealHost, root: Path) -> None:
    (root / "evil").mkdir()
    (root / "evil/nvidia-smi").write_text("#!/bin/sh\n")
    (root / "evil/nvidia-smi").chmod(0o755)
    host.env = {"PATH": "/evil"}
    assert host.which("nvidia-smi") == "/evil/nvidia-smi"
    assert host.tool("nvidia-smi") == "/usr/bin/nvidia-smi"
    host.env = {"PATH": "", "GPUDOCTOR_TOOL_PATH": "/evil"}
    assert host.tool("nvidia-smi") == "/evil/nvidia-smi"


def test_opening(host: RealHost, root: Path) -> None:
    assert host.openable("/etc/os-release") is None
    assert host.openable("/etc/os-release", write=True) is None
    assert host.openable("/etc", write=True) == "EISDIR"
    assert host.openable("/a\0b") == "ENOENT"
    assert RealHost().openable("/dev/null", write=True) is None


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root makes device nodes")
def test_a_device_without_a_driver_can_be_told(tmp_path: Path) -> None:
    node = tmp_path / "nvidia0"
    try:
        os.mknod(node, stat.S_IFCHR | 0o666, os.makedev(4000, 0))
    except PermissionError:
        pytest.skip("device nodes cannot be made here")
    found = RealHost().stat(str(node))
    assert isinstance(found, Stat)
    assert found.kind == "character"


def test_room(host: RealHost) -> None:
    room = host.space("/etc")
    assert isinstance(room, Space)
    assert room.path == "/etc"
    assert 0 < (room.free or 0) <= (room.total or 0)


def test_a_removed_working_directory_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    host = RealHost()
    assert host.cwd == ""
    assert host.list(host.cwd) is None


def test_running_uses_the_hosts_environment(host: RealHost) -> None:
    host.env = {"WHO": "patient"}
    assert host.run(("/bin/sh", "-c", "echo $WHO"), timeout=5).text == "patient\n"
    assert host.run(("/bin/sh", "-c", "echo $WHO"), timeout=5, env={"WHO": "other"}).text == "other\n"


@pytest.mark.skipif(sys.platform != "linux", reason="procfs")
def test_the_kernels_own_files() -> None:
    host = RealHost()
    assert (host.read_text("/proc/self/status") or "").startswith("Name:")
    assert "self" in (host.list("/proc") or ())
    assert host.read("/proc/4194305/status") is None


def test_of_the_library_path_only_what_is_there(root: Path) -> None:
    path = "/usr/bin:/gone:/etc;/usr/bin::$ORIGIN/lib:/etc/os-release"
    host = RealHost(str(root), env={"LD_LIBRARY_PATH": path})
    assert host.library_path == ("/usr/bin", "/etc", "$ORIGIN/lib")
    assert RealHost(str(root), env={}).library_path == ()


@pytest.mark.timed
def test_the_longest_library_path_costs_little() -> None:
    folders = ":".join(f"/opt/vendor/lib{number:05}/x86_64/cuda" for number in range(3_700))
    began = time.process_time()
    assert RealHost(env={"LD_LIBRARY_PATH": folders}).library_path == ()
    assert time.process_time() - began < 0.040  # a third of it on a machine that does nothing else
