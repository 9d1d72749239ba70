"""What users write into an environment's folder outlives every change, every way back, and every death of a run.

GPUDOCTOR_CAMPAIGN=whole makes the campaign as large as it is before a release; GPUDOCTOR_SEED draws other moments.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import time
from contextlib import suppress

import psutil
import pytest

from gpudoctor.apply import journal
from gpudoctor.apply.backups import CannotUndo, forget
from gpudoctor.apply.carry_out import Work, carry_out
from gpudoctor.apply.events import Carried, Finished, Proved, Removing, Switched
from gpudoctor.apply.sizes import sizer
from gpudoctor.apply.undo import undo
from gpudoctor.facts.fix import Run
from tests.apply.test_kill import patiently
from tests.apply.user import LARGE, SEED, SITE, User, ended, writing
from tests.apply.wheels import environment, offline, tree

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="folders of POSIX"),
    pytest.mark.skipif(shutil.which("uv") is None, reason="uv is not installed"),
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]
WHOLE = os.environ.get("GPUDOCTOR_CAMPAIGN") == "whole"
WAYS = ("beside", "in-place", "replaced")


def command(path, *words):
    return ("uv", "pip", "install", "-q", "--python", f"{path}/bin/python", *words)


@pytest.fixture(scope="module")
def kit(tmp_path_factory, index):
    """An environment with kit 1.0."""
    path = environment(tmp_path_factory.mktemp("kit") / "env", pip=False)
    subprocess.run(command(path, "kit==1.0"), check=True, env=offline(index), capture_output=True)
    return path


@pytest.fixture
def path(kit, tmp_path):
    return shutil.copytree(kit, tmp_path / "env", symlinks=True)


def change(path, index, *words, way="beside", meanwhile=lambda: None, outcome="passed"):
    """Change the environment; `meanwhile` is called when all is built and nothing switched to."""
    path = str(path)
    fields = {"kind": "changed", "way": way}
    if way == "replaced":
        make = Run(argv=(sys.executable, "-m", "venv", "--without-pip", path))
        fields = {"kind": "replaced", "make": (make,)}

    def prove(_):
        meanwhile()
        return (Proved(framework="kit", outcome=outcome, detail="no"),)

    work = Work(
        environment=path,
        steps=(Run(argv=command(path, *(words or ("kit==2.0",)))),),
        wanted=("kit",),
        variables=offline(index),
        verify=False,
        **fields,
    )
    events = []
    end = carry_out(work, prove, events.append, sizer())
    assert isinstance(end, Finished)
    return end, events


def last(path):
    return journal.load_changes(str(path))[-1]


def packages(path):
    """All that is not the user's: what RECORD lists, and the venv's own."""
    names = ("kit", "part", "kit-1.0", "kit-2.0", "part-1.5", "pyvenv", "activate")
    found = {name: value for name, value in tree(path).items() if any(one in name for one in names)}
    mine = ("own ", ".kept-")
    return {
        name: value
        for name, value in found.items()
        if not any(one in name for one in mine) and not name.startswith("share")
    }


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", range(20 if WHOLE else 1))
def test_nothing_is_lost_by_a_change_and_its_way_back(path, index, way, seed):
    user = User(path, random.Random(f"{way}{seed}"))
    user.act(20)
    before = packages(path)
    child = writing(path, "held.log")
    end, _ = change(path, index, way=way, meanwhile=lambda: user.act(20))
    assert end.outcome == "installed-and-proved", end.reason
    assert user.lost() == []
    user.act(20)
    undo(last(path))
    assert user.lost() == []
    assert packages(path) == before
    user.act(20)
    change(path, index, way=way)
    lines = ended(child)
    assert user.lost() == []
    forget(last(path))
    with open(path / "held.log") as stream:
        assert sum(1 for _ in stream) == lines, "who has a file open goes on writing to the right one"


@pytest.mark.parametrize("way", ["beside", "in-place"])
def test_a_change_that_fails_loses_nothing(path, index, way):
    user = User(path, random.Random(way))
    user.act(20)
    before = packages(path)
    end, _ = change(path, index, way=way, meanwhile=lambda: user.act(30), outcome="failed")
    assert end.outcome == "failed-and-rolled-back"
    assert user.lost() == []
    assert packages(path) == before


@pytest.mark.parametrize("way", WAYS)
def test_a_new_environment_that_is_undone_leaves_what_the_user_has_in_it(tmp_path, index, way):
    path = str(tmp_path / "env")
    make = Run(argv=(sys.executable, "-m", "venv", "--without-pip", path))
    work = Work(
        environment=path, kind="new", make=(make,), steps=(Run(argv=command(path, "kit==2.0")),),
        variables=offline(index), verify=False, way="in-place" if way == "in-place" else "beside",
    )  # fmt: skip
    assert carry_out(work, lambda _: (), lambda _: None, sizer()).outcome == "installed"
    user = User(path, random.Random(3))
    user.act(30)
    undo(last(path))
    assert user.lost() == []
    assert not os.path.exists(f"{path}/pyvenv.cfg")
    assert packages(path) == {}


def test_both_changed_it(path, index):
    """The user's is kept beside, under a name that is told."""
    mine = path / SITE / "kit" / "data" / "3.txt"
    _, events = change(path, index, meanwhile=lambda: mine.write_text("mine"))
    (kept,) = next(event for event in events if isinstance(event, Carried)).kept
    assert kept.path == f"{SITE}/kit/data/3.txt"
    assert (path / kept.beside).read_text() == "mine"
    assert mine.read_text().startswith("2.0")
    mine.write_text("mine again")
    told = []
    undo(last(path), tell=told.append)
    assert mine.read_text() == "mine"
    (again,) = next(event for event in told if isinstance(event, Carried)).kept
    assert (path / again.beside).read_text() == "mine again"
    assert not (path / kept.beside).exists(), "it is in its own place again"


def test_a_file_where_a_package_puts_its_own(path, index):
    tool = path / "bin" / "kit-says"
    shutil.rmtree(path / SITE / "kit-1.0.dist-info")
    tool.write_text("mine")
    _, events = change(path, index)
    (kept,) = [one for event in events if isinstance(event, Carried) for one in event.kept if "kit-says" in one.path]
    assert (path / kept.beside).read_text() == "mine"
    assert subprocess.run([tool], capture_output=True, check=True).stdout == b"kit 2.0\n"


@pytest.mark.parametrize(("wanted", "kept"), [("kit==1.0", False), ("kit==2.0", True)])
def test_a_package_over_its_own_files_without_a_record(path, index, wanted, kept):
    """What is the same is not kept beside; what was kept beside is not brought back beside itself."""
    shutil.rmtree(path / SITE / "kit-1.0.dist-info")
    before = tree(path)
    _, events = change(path, index, wanted)
    beside = [one.path for event in events if isinstance(event, Carried) for one in event.kept]
    assert any(one.startswith(SITE) for one in beside) is kept
    undo(last(path))
    assert tree(path) == before


def test_packages_that_are_installed_meanwhile_are_not_lost(path, index):
    def other():
        subprocess.run(command(path, "part"), check=True, env=offline(index), capture_output=True)

    end, _ = change(path, index, meanwhile=other)
    assert (end.outcome, end.exit_code) == ("refused", 6)
    assert "+ part 1.5" in end.reason
    names = os.listdir(path / SITE)
    assert {"part", "kit-1.0.dist-info"} <= set(names)
    assert [name for name in os.listdir(path.parent) if "gpudoctor" in name] == []


def test_the_users_own_changes_to_settings_and_packages_are_kept_where_nothing_else_changed_them(path, index):
    change(path, index, "kit==2.0")
    with (path / "bin" / "activate").open("a") as stream:
        stream.write("export MINE=1\n")
    change(
        path,
        index,
        "greedy",
        "kit==2.0",
        meanwhile=lambda: (path / SITE / "part" / "data" / "1.txt").write_text("mine"),
    )
    (path / SITE / "part" / "data" / "2.txt").write_text("mine")
    if last(path).state == "done":
        undo(last(path))
    assert (path / SITE / "part" / "data" / "2.txt").read_text() == "mine"
    assert "MINE" in (path / "bin" / "activate").read_text()


def test_a_large_file_that_is_written_in_place_is_the_users_in_both(path, index):
    large = path / "checkpoint.bin"
    large.write_bytes(b"a" * LARGE)
    change(path, index)
    with large.open("r+b") as stream:
        stream.write(b"two days of training")
    undo(last(path))
    assert large.read_bytes().startswith(b"two days of training")


@pytest.mark.parametrize("do", ["change", "undo"])
def test_a_killed_run_loses_nothing(path, index, tmp_path, do):
    """SIGKILL at random moments; the user goes on before, meanwhile and afterwards."""
    draws = random.Random(f"{do}{SEED}")
    kit, lasts, halves = tmp_path / "kit", None, 0
    os.rename(path, kit)
    for number in range(41 if WHOLE else 4):
        way = ("beside", "in-place")[number % 2]
        folder = tmp_path / str(number)
        folder.mkdir()
        path = shutil.copytree(kit, folder / "env", symlinks=True)
        user = User(path, draws)
        user.act(5)
        before = packages(path)
        if do == "undo":
            change(path, index, way=way)
        asked = {"environment": str(path), "index": str(index), "words": ["kit==2.0"], "way": way, "do": do, "at": None}
        begun = time.monotonic()
        victim = subprocess.Popen(
            [sys.executable, "-m", "tests.apply.victim", json.dumps(asked)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        if lasts is None:
            assert victim.wait(300) == 0
            lasts = time.monotonic() - begun
        else:
            until = begun + draws.uniform(0.3, 1) * lasts
            while time.monotonic() < until:
                user.number += 1
                place = draws.choice(("meanwhile", "bin", "lib", "include", "conda-meta", SITE, f"{SITE}/kit"))
                user.write(f"{place}/own {user.number}", str(user.number).encode())
                time.sleep(0.02)
            halves += killed(victim)
        changes = journal.load_changes(str(path))
        if changes and changes[-1].state in (*journal.UNFINISHED, "done"):
            patiently(lambda path=path: undo(last(path)))
        assert user.lost() == [], (number, way)
        user.follow()
        user.act(5)
        assert user.lost() == [], (number, way)
        assert packages(path) == before
        shutil.rmtree(folder)
    assert halves or do == "undo" or not WHOLE


def killed(victim):
    """Kill it and what it has started, as where memory or power ends; whether an installer was at work."""
    try:
        every = [psutil.Process(victim.pid), *psutil.Process(victim.pid).children(recursive=True)]
    except psutil.NoSuchProcess:
        every = []
    for one in every:
        with suppress(psutil.NoSuchProcess):
            one.kill()
    victim.wait(60)
    return len(every) > 1


#: Writes half of a package as pip and conda do, says so, and waits to be killed.
HALF = """
mkdir -p {env}/bin {env}/conda-meta {env}/{site}/kit {env}/{site}/half {env}/share/half
echo 2.0 > {env}/{site}/kit/__init__.py
echo half > {env}/{site}/half/__init__.py
echo half > {env}/bin/half
echo half > {env}/share/half/data
rm -rf {env}/{site}/kit-1.0.dist-info
touch {env}/../begun
exec sleep 60
"""


def test_what_an_installer_was_building_beside_when_it_was_killed_is_not_carried_over(path, tmp_path):
    was = tree(path)
    script = (
        f'cd "$(dirname {path})"/.gpudoctor-*/env && mkdir {SITE}/half && echo 1 > {SITE}/half/a && echo 1 > bin/half'
    )
    asked = {"environment": str(path), "index": "", "way": "beside", "do": "change", "at": None}
    argv = ["sh", "-c", f"{script} && touch {tmp_path}/begun && exec sleep 60"]
    victim = subprocess.Popen([sys.executable, "-m", "tests.apply.victim", json.dumps({**asked, "argv": argv})])
    until = time.monotonic() + 300
    while not (tmp_path / "begun").exists():
        assert time.monotonic() < until
        time.sleep(0.02)
    assert killed(victim)
    patiently(lambda: undo(last(path)))
    assert tree(path) == was


@pytest.mark.parametrize("kind", ["changed", "new"])
@pytest.mark.parametrize("seed", range(20 if WHOLE else 1))
def test_an_installer_that_is_killed_while_it_writes_where_the_environment_is(path, tmp_path, kind, seed):
    before = packages(path)
    if kind == "new":
        shutil.rmtree(path)
        before = {}
    script = HALF.format(env=path, site=SITE)
    asked = {"environment": str(path), "index": "", "way": "in-place", "do": "change", "at": None, "kind": kind}
    victim = subprocess.Popen(
        [sys.executable, "-m", "tests.apply.victim", json.dumps({**asked, "argv": ["sh", "-c", script]})]
    )
    until = time.monotonic() + 300
    while not (tmp_path / "begun").exists():
        assert time.monotonic() < until
        time.sleep(0.02)
    user = User(path, random.Random(seed), places=("lib", "include", "conda-meta", f"{SITE}/half", f"{SITE}/own"))
    user.act(30)
    assert killed(victim)
    user.act(5)
    told = []
    patiently(lambda: undo(last(path), tell=told.append))
    assert user.lost() == []
    assert packages(path) == before
    assert not (path / SITE / "half" / "__init__.py").exists()
    named = {event.unsorted for event in told if isinstance(event, Carried)} - {None}
    assert all(one.split(os.sep)[0] in named for one in user.beside() if one.startswith("unsorted"))
    assert {name.split("/")[0] for name in tree(path)} >= named


@pytest.mark.parametrize("way", ["beside", "in-place"])
def test_what_is_written_in_place_and_then_replaced_is_the_last_version(path, index, way):
    """The copy may be the same file by another name: the first writing reached it."""
    mine = path / "notes.txt"
    mine.write_text("first")

    def write():
        with mine.open("a") as stream:
            stream.write(" second")
        (path / "new").write_text("third, another")
        os.replace(path / "new", mine)

    change(path, index, way=way, meanwhile=write)
    assert mine.read_text() == "third, another"
    undo(last(path))
    assert mine.read_text() == "third, another"


def test_what_is_moved_and_then_written_in_place_is_not_there_twice(path, index):
    mine, moved = path / "notes.txt", path / "moved.txt"
    mine.write_text("first")

    def move():
        os.rename(mine, moved)
        with moved.open("a") as stream:
            stream.write(" second")

    change(path, index, meanwhile=move)
    assert (mine.exists(), moved.read_text()) == (False, "first second")


def test_undo_says_that_it_is_done_before_it_deletes(path, index):
    change(path, index)
    told = []

    def tell(event):
        if isinstance(event, Switched | Removing):
            told.append((type(event), (path / SITE / "kit-1.0.dist-info").exists()))

    undo(last(path), tell=tell)
    assert told == [(Switched, True), (Removing, True)]


def test_later_packages_still_keep_an_undo_from_being_done_unasked(path, index):
    change(path, index, "kit==1.0", "--reinstall")
    subprocess.run(command(path, "part"), check=True, env=offline(index), capture_output=True)
    with pytest.raises(CannotUndo, match=r"\+ part 1\.5"):
        undo(last(path))
