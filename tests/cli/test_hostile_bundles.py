"""Archives made to harm: nothing is written, little memory is taken, and one sentence says what is wrong."""

import io
import os
import stat
import struct
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable

import pytest

from gpudoctor.facts.codec import encode
from tests.cases.load import cases

SNAPSHOT = encode(cases()[0].snapshot())
#: MiB. The command itself takes about 45.
MOST = 64


def _archive(*members: tuple[str | zipfile.ZipInfo, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, raw in members:
            archive.writestr(name, raw)
    return stream.getvalue()


def _link() -> bytes:
    info = zipfile.ZipInfo("report.json")
    info.create_system = 3
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return _archive((info, b"/etc/passwd"))


def _bomb() -> bytes:
    return _archive(("report.json", b"[" + b"0," * (20 * 1024 * 1024)))


def _many(count: int) -> bytes:
    """An archive of so many empty members, made by hand: zipfile would take minutes."""
    names = [b"%07d" % number for number in range(count)]
    local = b"".join(
        b"PK\x03\x04" + struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 33, 0, 0, 0, 7, 0) + name for name in names
    )
    central = b"".join(
        b"PK\x01\x02"
        + struct.pack("<HHHHHHIIIHHHHHII", 20, 20, 0, 0, 0, 33, 0, 0, 0, 7, 0, 0, 0, 0, 0, 37 * number)
        + name
        for number, name in enumerate(names)
    )
    end = b"PK\x05\x06" + struct.pack(
        "<HHHHIIH", 0, 0, min(count, 0xFFFF), min(count, 0xFFFF), len(central), len(local), 0
    )
    return local + central + end


def _with_count(raw: bytes, count: int) -> bytes:
    """The archive with a lie about how many members it has."""
    end = raw.rfind(b"PK\x05\x06")
    return raw[: end + 8] + struct.pack("<HH", count, count) + raw[end + 12 :]


def _duplicates() -> bytes:
    with pytest.warns(UserWarning, match="Duplicate name"):
        return _archive(("report.json", b"{}"), ("report.json", b"[]"))


def _encrypted() -> bytes:
    raw = bytearray(_archive(("report.json", SNAPSHOT), compression=zipfile.ZIP_STORED))
    raw[6] |= 1
    raw[raw.rfind(b"PK\x01\x02") + 8] |= 1
    return bytes(raw)


HOSTILE: dict[str, Callable[[], bytes]] = {
    "traversal": lambda: _archive(("../../../tmp/gpudoctor-owned", b"x"), ("/etc/gpudoctor-owned", b"x")),
    "traversal beside a report": lambda: _archive(("../owned", b"x"), ("report.json", b"{}")),
    "link": _link,
    "bomb": _bomb,
    "duplicates": _duplicates,
    "many members": lambda: _many(60_000),
    "a million members": lambda: _many(1_000_000),
    "a lie about the members": lambda: _with_count(_many(200_000), 3),
    "1e400": lambda: _archive(
        ("snapshot.json", b'{"schema": 1, "gpus": {"section": "gpus", "devices": [{"index": 1e400}]}}')
    ),
    "deep": lambda: _archive(("snapshot.json", b'{"schema": 1, "a": ' + b"[" * 100_000)),
    "truncated": lambda: _archive(("snapshot.json", SNAPSHOT))[:-300],
    "encrypted": _encrypted,
    "nested": lambda: _archive(("report.json", _archive(("report.json", b"{}")))),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_it_does_no_harm(kind: str, tmp_path) -> None:
    path = tmp_path / "report.zip"
    path.write_bytes(HOSTILE[kind]())
    before = sorted(os.listdir(tmp_path))
    began = time.monotonic()
    # A process between, so that the memory of only this child is counted.
    measure = (
        "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:]); "
        "print('KIB', resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr); "
        "sys.exit(done.returncode)"
    )
    done = subprocess.run(
        [sys.executable, "-c", measure, sys.executable, "-m", "gpudoctor", "triage", str(path)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    said, _, kib = done.stderr.rpartition("KIB ")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "cannot be judged" in done.stdout
    assert "Traceback" not in done.stdout + said
    assert sorted(os.listdir(tmp_path)) == before
    assert not os.path.exists("/tmp/gpudoctor-owned")
    assert int(kib) / 1024 <= MOST, f"{int(kib) / 1024:.0f} MiB"
    assert time.monotonic() - began < 20
