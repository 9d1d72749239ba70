"""What can go wrong from outside: full disks, Ctrl-C, two at once, no network, no permission, odd names."""

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time

import pytest

from gpudoctor.apply import building, disk_space
from gpudoctor.apply.carry_out import Work, carry_out
from gpudoctor.apply.distributions import differences
from gpudoctor.apply.dry_run_result import Archive
from gpudoctor.apply.events import Proved, Room
from gpudoctor.apply.journal import load_changes
from gpudoctor.apply.lock import Busy, Lock
from gpudoctor.apply.preconditions import Refused, check_folder, check_new, check_target
from gpudoctor.apply.sizes import sizer
from gpudoctor.apply.undo import undo
from gpudoctor.facts.fix import Run
from gpudoctor.facts.python import Interpreter
from tests.apply.wheels import copied, offline, tree, wheel

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and modes of POSIX")

SETUP = """
import time
open({began!r}, "w").close()
time.sleep(60)
from setuptools import setup
setup(name="slow", version="1.0")
"""


def pip(path, *words, index, **fields):
    return Work(
        environment=path,
        kind="changed",
        steps=(Run(argv=(f"{path}/bin/python", "-m", "pip", "install", *words)),),
        variables={**offline(index), **fields.pop("variables", {})},
        **fields,
    )


def do(work):
    events = []
    end = carry_out(work, lambda _: (Proved(framework="kit", outcome="passed"),), events.append, sizer())
    return end, events


def left_beside(path):
    return [name for name in os.listdir(os.path.dirname(path)) if "gpudoctor" in name]


@pytest.fixture
def slow(tmp_path):
    """A folder with a source distribution that takes a minute to build, and the file that tells that it began."""
    began = tmp_path / "began"
    text = SETUP.format(began=str(began)).encode()
    folder = tmp_path / "index"
    folder.mkdir()
    with tarfile.open(folder / "slow-1.0.tar.gz", "w:gz") as archive:
        for name, content in (("slow-1.0/setup.py", text), ("slow-1.0/PKG-INFO", b"Name: slow\nVersion: 1.0\n")):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return folder, began


@pytest.mark.parametrize("way", ["beside", "in-place"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_asked_to_end_in_the_middle(slow, bare, tmp_path, number, way):
    folder, began = slow
    path = copied(bare, tmp_path / "env")
    before = tree(path)
    argv = (f"{path}/bin/python", "-m", "pip", "install", "--no-build-isolation", "slow")
    asked = {"environment": path, "index": str(folder), "argv": argv, "way": way, "do": "change", "at": None}
    victim = subprocess.Popen(
        [sys.executable, "-m", "tests.apply.victim", json.dumps(asked)],
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    until = time.monotonic() + 60
    while not began.exists():
        assert time.monotonic() < until
        assert victim.poll() is None
        time.sleep(0.05)
    os.killpg(victim.pid, number)
    # A second one, impatient, while everything is put back.
    time.sleep(0.1)
    os.killpg(victim.pid, number)
    _, error = victim.communicate(timeout=120)
    # The second one may come when all is put back and nothing listens any more.
    assert victim.returncode in (130, -number), error
    assert tree(path) == before
    assert left_beside(path) == []
    assert load_changes(path)[-1].state == "failed"


@pytest.mark.parametrize("way", ["beside", "in-place"])
def test_asked_to_end_when_all_is_done(index, bare, tmp_path, monkeypatch, way):
    """It stays done and can be undone: a taking back would find nothing to take back, and remove the way back."""
    path = copied(bare, tmp_path / "env")
    before = tree(path)

    def late(*arguments):
        if load_changes(path)[-1].state == "done":
            os.kill(os.getpid(), signal.SIGTERM)
        return differences(*arguments)

    monkeypatch.setattr("gpudoctor.apply.carry_out.differences", late)
    end, _ = do(pip(path, "kit", index=index, way=way, verify=False))
    monkeypatch.undo()
    assert end.outcome == "installed-and-proved"
    assert load_changes(path)[-1].state == "done"
    undo(load_changes(path)[-1])
    assert tree(path) == before


def test_too_little_room_is_said_before_anything_is_downloaded(index, bare, tmp_path, monkeypatch):
    path = copied(bare, tmp_path / "env")
    before = tree(path)
    monkeypatch.setattr(building, "rooms", lambda *_, **__: (Room(path="/full", free=10**6, needed=10**9),))
    end, events = do(pip(path, "kit", index=index))
    assert (end.outcome, end.exit_code) == ("refused", 6)
    assert "/full has 0.00 GB free, and 1.0" in end.reason
    assert any(isinstance(event, Room) for event in events)
    assert tree(path) == before
    assert left_beside(path) == []


def test_the_room_that_is_needed_is_that_of_what_is_downloaded(index, bare, tmp_path):
    path = copied(bare, tmp_path / "env")
    _, events = do(pip(path, "kit==2.0", index=index))
    size = sum(os.path.getsize(index / name) for name in ("kit-2.0-py3-none-any.whl", "part-1.5-py3-none-any.whl"))
    needed = sum(event.needed for event in events if isinstance(event, Room))
    devices = len([event for event in events if isinstance(event, Room)])
    # Files that are here are not downloaded.
    assert needed == pytest.approx(size * disk_space.UNPACKED + devices * disk_space.SPARE, abs=4)


GB = 10**9
#: Sizes of wheels, GB: torch 2.15.0 for CUDA 13 and what it brings, 3.0 GB to download and 5.3 GB on disk.
TORCH = (
    ("torch", 0.65),
    ("nvidia-cudnn-cu13", 0.75),
    ("nvidia-cublas", 0.6),
    ("nvidia-nccl-cu13", 0.8),
    ("sympy", 0.2),
)


@pytest.mark.parametrize(
    ("by", "download", "truth"),
    [
        # pip keeps all in the temporary folder until it has installed, and a copy in its cache (measured, pip 23.2).
        ("pip", True, 2 * 3.0 + 5.3),
        ("pip", False, 5.3),
        ("uv", True, 5.3),
        ("conda", True, 3.0 + 5.3),
    ],
)
def test_the_room_that_an_installation_for_a_gpu_takes(tmp_path, by, download, truth):
    archives = [Archive(name=name, version="1", url="https://e.org/a", size=int(size * GB)) for name, size in TORCH]
    names = {"TMPDIR": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    found = disk_space.rooms(str(tmp_path), archives, by=by, download=download, variables=names)
    assert truth * GB <= sum(one.needed for one in found) <= 1.3 * truth * GB


def mounted(folder, size):
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip("a small file system cannot be mounted here")


def test_a_disk_that_fills_up(bare, index, tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    mounted(small, "48m")
    try:
        path = copied(bare, small / "env")
        wheel(tmp_path, "large", "1.0", files={"large/weights": "0123456789" * 4_000_000})
        before = tree(path)
        end, _ = do(pip(path, "large", index=tmp_path, verify=False))
        assert end.outcome == "failed-and-rolled-back", end.reason
        assert "No space left" in end.reason
        assert tree(path) == before
        assert left_beside(path) == []
        undone = load_changes(path)[-1]
        assert undone.state == "failed"
    finally:
        subprocess.run(["umount", small], check=True)


def test_a_disk_that_is_full_already(bare, index, tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    mounted(small, "32m")
    try:
        path = copied(bare, small / "env")
        before = tree(path)
        ballast = os.open(small / "ballast", os.O_WRONLY | os.O_CREAT)
        with pytest.raises(OSError, match="No space"):
            while os.write(ballast, b"\0" * 4096):
                pass
        os.close(ballast)
        end, _ = do(pip(path, "kit", index=index))
        assert end.exit_code in (6, 7)
        assert "No space left" in end.reason
        assert tree(path) == before
    finally:
        subprocess.run(["umount", small], check=True)


@pytest.mark.parametrize("manager", ["pip", "uv"])
def test_no_network(bare, tmp_path, manager):
    if shutil.which("uv") is None:
        pytest.skip("uv is not installed")
    path = copied(bare, tmp_path / "env")
    before = tree(path)
    nowhere = "http://127.0.0.1:9/simple"
    variables = {name: value for name, value in offline(tmp_path).items() if not name.startswith(("PIP_", "UV_"))}
    start = ("uv", "pip", "install", "--python") if manager == "uv" else ()
    argv = (*start, f"{path}/bin/python", *(() if start else ("-m", "pip", "install")), "kit", "--index-url", nowhere)
    work = Work(
        environment=path,
        kind="changed",
        steps=(Run(argv=argv),),
        variables={**variables, "PIP_RETRIES": "0", "PIP_CONFIG_FILE": os.devnull, "UV_HTTP_RETRIES": "0"},
    )
    end, _ = do(work)
    assert (end.outcome, end.exit_code) == ("refused", 6)
    assert "127.0.0.1" in end.reason or "kit" in end.reason
    assert tree(path) == before


def test_two_at_once(index, bare, tmp_path):
    path = copied(bare, tmp_path / "env")
    before = tree(path)
    with Lock(path):
        end, _ = do(pip(path, "kit", index=index))
        assert (end.outcome, end.exit_code) == ("refused", 6)
        assert f"process {os.getpid()}" in end.reason
        with pytest.raises(Busy):
            Lock(path).__enter__()
    assert tree(path) == before
    assert do(pip(path, "kit", index=index))[0].outcome == "installed-and-proved"


def test_environments_side_by_side_do_not_wait_for_each_other(bare, tmp_path):
    with Lock(str(tmp_path / "one")), Lock(str(tmp_path / "two")):
        pass
    assert os.listdir(tmp_path) == []


def test_a_folder_that_cannot_be_written(tmp_path):
    """Seen by a user who is not root."""
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o555)
    child = os.fork()
    if child == 0:
        try:
            if os.getuid() == 0:
                os.chroot(folder.parent)
                os.setuid(65534)
            else:
                os.chdir("/")
            check_folder("/closed/env" if os.geteuid() == 65534 else str(folder / "env"), exists=False)
        except Refused as error:
            os._exit(0 if "cannot be written by this user" in str(error) else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize(
    "name", ["my env", "it's", 'a"b', "$(touch canary)", "ä ö", "-rf", "a;b", "100%", "a&b", "[x]", "~", "#"]
)
def test_odd_names(index, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    path = str(tmp_path / name)
    work = Work(
        environment=path,
        kind="new",
        make=(Run(argv=("uv", "venv", "-q", "--python", sys.executable, path)),),
        steps=(Run(argv=("uv", "pip", "install", "--python", f"{path}/bin/python", "kit==1.0")),),
        variables=offline(index),
    )
    end, _ = do(work)
    assert end.outcome == "installed-and-proved", end.reason
    said = subprocess.run([f"{path}/bin/kit-says"], capture_output=True, text=True, check=True)
    assert said.stdout == "kit 1.0\n"
    undo(load_changes(path)[-1])
    assert os.listdir(tmp_path) == []


def test_where_nothing_is_installed(tmp_path, monkeypatch):
    system = Interpreter(executable="/usr/bin/python3", chosen_by="PATH", environment="system", prefix="/usr")
    managed = Interpreter(
        executable="/usr/bin/python3", chosen_by="PATH", environment="system", prefix="/usr", externally_managed=True
    )
    base = Interpreter(executable="/c/bin/python", chosen_by="PATH", environment="conda-base", prefix="/c")
    own = Interpreter(executable="/o/bin/python", chosen_by="PATH", environment="standalone", prefix="/o")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    for target, words in (
        (system, "this is root"),
        (managed, "EXTERNALLY-MANAGED"),
        (base, "conda's base environment"),
        (own, "shared by everything"),
    ):
        with pytest.raises(Refused, match=words):
            check_target(target)
    assert check_target(base, conda_base=True) == "/c"
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("mine")
    with pytest.raises(Refused, match="is no virtual environment"):
        check_new(str(tmp_path / "notes"), replace=True)
    with pytest.raises(Refused, match="is a file"):
        check_folder(str(tmp_path / "notes" / "mine.txt" / "env"), exists=False)


@pytest.mark.parametrize("name", ["a\nb", "a:b", "b\udcb0\udce9"])
def test_a_path_that_no_environment_can_have(tmp_path, name):
    with pytest.raises(Refused):
        check_folder(str(tmp_path / name), exists=False)
