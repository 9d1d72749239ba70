"""What the system refuses (threads, processes, descriptors, room) is named, and the rest is judged."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

resource = pytest.importorskip("resource")

RUN = "import sys; sys.argv[0] = 'gpudoctor'; from gpudoctor.__main__ import run; run()"
#: Nobody else's processes count against it.
UID = 54_321


def limited(limit: int, value: int, *arguments: str, uid: int | None = None, **options):
    def before() -> None:
        resource.setrlimit(limit, (value, value))
        if uid is not None:
            os.setuid(uid)

    command = [sys.executable, "-c", RUN, *(arguments or ("check", "--static"))]
    return subprocess.run(command, preexec_fn=before, timeout=60, check=False, **{"capture_output": True, **options})


def inside_reach() -> bool:
    """Whether an unknown user could read this interpreter and our files."""
    return all(
        folder.stat().st_mode & 0o005 == 0o005 for path in (sys.executable, __file__) for folder in parents(path)
    )


def parents(path: str) -> list[Path]:
    return [*Path(path).absolute().parents, *Path(path).resolve().parents]


@pytest.mark.skipif(os.geteuid() != 0 or not inside_reach(), reason="needs root, and files that anybody may read")
@pytest.mark.parametrize("most", [0, 1, 2, 4])
def test_no_thread_and_no_process_to_be_had(most):
    done = limited(resource.RLIMIT_NPROC, most, uid=UID, cwd="/")
    assert done.returncode == 3, done.stderr
    assert b"a limit (ulimit -u" in b" ".join(done.stdout.split())


@pytest.mark.parametrize("most", [6, 8, 12, 24])
def test_few_open_files(most):
    assert limited(resource.RLIMIT_NOFILE, most).returncode in (0, 1, 3)


@pytest.mark.parametrize("most", [32, 64])
def test_an_inherited_descriptor_above_the_limit(most):
    with open(os.devnull) as null:
        high = os.dup2(null.fileno(), 237)
        try:
            done = limited(resource.RLIMIT_NOFILE, most, close_fds=False)
        finally:
            os.close(high)
    assert b"not seen" not in done.stdout.lower(), done.stdout


@pytest.mark.parametrize("arguments", [("--version",), ("rules",), ("check", "--static"), ("no-such",)])
def test_a_file_that_may_not_grow(arguments, tmp_path):
    with open(tmp_path / "out", "w") as out, open(tmp_path / "err", "w") as err:
        done = limited(resource.RLIMIT_FSIZE, 0, *arguments, stdout=out, stderr=err, capture_output=False)
    assert done.returncode == (2 if arguments[0] == "no-such" else 3)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [("--version",), ("rules",), ("check", "--static"), ("explain", "DRV001")])
def test_both_streams_are_full(arguments):
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-c", RUN, *arguments], stdout=full, stderr=full, check=False)
    assert done.returncode == 3


@pytest.mark.skipif(shutil.which("unshare") is None or os.geteuid() != 0, reason="needs root and unshare(1)")
def test_a_read_only_file_system_is_called_so(tmp_path):
    (tmp_path / "ro").mkdir()
    inner = f'mount -t tmpfs -o ro none {tmp_path}/ro && exec "$0" -c "$1" report --static -o {tmp_path}/ro/x'
    command = ["unshare", "-m", "sh", "-c", inner, sys.executable, RUN]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "mount:" in done.stderr or "unshare:" in done.stderr:
        pytest.skip("mounting is not permitted here")
    assert "read-only" in done.stderr and done.returncode in (2, 3), done.stderr
