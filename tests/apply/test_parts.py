"""The parts by themselves: exchange, relocation, copies, commands made to act elsewhere, the schema of events."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpudoctor.apply import journal, swap
from gpudoctor.apply.clone import SMALL, clone
from gpudoctor.apply.distributions import differences, installed
from gpudoctor.apply.events import events_schema
from gpudoctor.apply.installer import Done, environment_for, run, scrub
from gpudoctor.apply.journal import Distribution
from gpudoctor.apply.ownership import Ownership
from gpudoctor.apply.retarget import is_own, names_of, rebased
from gpudoctor.apply.rewrite_paths import rewrite_paths
from gpudoctor.apply.swap import exchange, identity, settle
from gpudoctor.facts.fix import Ask, Run, SetEnv, Write
from tests.apply.wheels import tree

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="POSIX paths and programs")


@pytest.fixture(params=["at once", "in three steps"])
def two(request, tmp_path, monkeypatch):
    if request.param == "in three steps":
        monkeypatch.setattr(swap, "_exchanged", lambda *_: False)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "name").write_text(name)
    return str(tmp_path / "a"), str(tmp_path / "b")


def test_two_folders_change_places(two):
    first, second = two
    was = identity(first)
    exchange(first, second)
    assert (Path(first, "name").read_text(), Path(second, "name").read_text()) == ("b", "a")
    assert identity(second) == was


@pytest.mark.parametrize("done", [1, 2])
def test_an_exchange_in_three_steps_that_is_cut_short_is_settled(tmp_path, monkeypatch, done):
    monkeypatch.setattr(swap, "_exchanged", lambda *_: False)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "name").write_text(name)
    first, second = str(tmp_path / "a"), str(tmp_path / "b")
    rename, left = os.rename, [None] * done

    def cut(source, target):
        if not left:
            raise KeyboardInterrupt
        left.pop()
        rename(source, target)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(os, "rename", cut)
        exchange(first, second)
    settle(first, second)
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]
    assert {Path(first, "name").read_text(), Path(second, "name").read_text()} == {"a", "b"}


def test_a_copy_is_equal_and_apart(tmp_path):
    env = tmp_path / "env"
    (env / "bin").mkdir(parents=True)
    (env / "pyvenv.cfg").write_text("home = /usr/bin\n")
    (env / "bin" / "tool").write_text("#!/bin/sh\n")
    (env / "bin" / "tool").chmod(0o755)
    (env / "large").write_bytes(b"x" * (SMALL + 1))
    (env / "link").symlink_to("bin")
    (env / "gone").symlink_to("nowhere")
    (env / "closed").mkdir(mode=0o500)
    sizes = []
    clone(str(env), str(tmp_path / "copy"), tick=sizes.append)
    assert sorted(sizes) == [len("#!/bin/sh\n"), len("home = /usr/bin\n"), SMALL + 1]
    assert tree(env) == tree(tmp_path / "copy")
    (tmp_path / "copy" / "bin" / "tool").write_text("changed")
    os.replace(tmp_path / "copy" / "pyvenv.cfg", tmp_path / "copy" / "large")
    assert (env / "bin" / "tool").read_text() == "#!/bin/sh\n"
    assert (env / "large").stat().st_size == SMALL + 1


def test_condas_history_is_no_other_environments(tmp_path):
    """It is written on, not replaced, and grows beyond the size up to which files are copied."""
    history = tmp_path / "env" / "conda-meta" / "history"
    history.parent.mkdir(parents=True)
    history.write_bytes(b"=" * (SMALL + 1))
    clone(str(tmp_path / "env"), str(tmp_path / "copy"))
    with history.open("ab") as stream:
        stream.write(b"==> later <==")
    assert (tmp_path / "copy" / "conda-meta" / "history").stat().st_size == SMALL + 1


PIECE = ".gpudoctor-20261121-101112-abcd/"


@pytest.mark.parametrize(
    "text",
    [
        "#!/home/me/{}env/bin/python\n",
        "#!/bin/sh\n'''exec' \"/home/me/a b/{}env/bin/python\" \"$0\" \"$@\"\n' '''\n",
        "VIRTUAL_ENV='/home/it'\"'\"'s/{}env'\n",
        "set VIRTUAL_ENV=/{}env and again /{}env\n",
    ],
)
def test_the_detour_is_taken_out_whatever_surrounds_it(tmp_path, text):
    (tmp_path / "bin").mkdir()
    script = tmp_path / "bin" / "tool"
    script.write_text(text.replace("{}", PIECE))
    script.chmod(0o755)
    before = script.stat().st_mtime_ns
    assert rewrite_paths(str(tmp_path), PIECE) == (str(script),)
    assert script.read_text() == text.replace("{}", "")
    assert script.stat().st_mode & 0o777 == 0o755
    assert script.stat().st_mtime_ns == before
    assert rewrite_paths(str(tmp_path), PIECE) == ()


def test_programs_and_other_files_are_left_alone(tmp_path):
    site = tmp_path / "lib" / "python3.11" / "site-packages"
    (site / "kit").mkdir(parents=True)
    (site / "kit" / "module.py").write_text(f"# {PIECE}\n")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    (site / "kit-1.dist-info").mkdir()
    with open(site / "kit-1.dist-info" / "RECORD", "w", newline="") as stream:
        csv.writer(stream).writerow(["../../../bin/tool", "sha256=x", "3"])
    before = tree(tmp_path)
    assert rewrite_paths(str(tmp_path), PIECE) == ()
    assert tree(tmp_path) == before


@POSIX
def test_commands_act_on_the_copy():
    names = names_of("/home/me/env", "env")
    assert names == ("/home/me/env",), "a bare word could be the name of a package"
    step = Run(
        argv=("/home/me/env/bin/python", "-m", "pip", "install", "env", "--python=/home/me/env/x", "/home/me/envy")
    )
    assert rebased(step, names, "/t").argv == (
        *("/t/bin/python", "-I", "-m", "pip", "install", "env", "--python=/t/x", "/home/me/envy"),
    )


@pytest.mark.parametrize(
    ("step", "own"),
    [
        (Run(argv=("/e/bin/python", "-m", "pip", "install", "torch")), True),
        (Run(argv=("/e/bin/python3.11", "-I", "-m", "pip", "install", "torch")), True),
        (Run(argv=("uv", "pip", "install", "torch")), True),
        (Run(argv=("conda", "install", "--yes", "pytorch")), True),
        (Write(path="/e/pip.conf", text=""), True),
        (Write(path="/etc/ld.so.conf.d/cuda.conf", text=""), False),
        (Run(argv=("rm", "-r", "/e/lib/python3.11/site-packages/~umpy")), True),
        (Run(argv=("rm", "-r", "/e/lib/python3.11/site-packages/numpy-2.4.6.dist-info")), True),
        (Run(argv=("rm", "-r", "/e/lib/python3.11/site-packages/numpy")), False),
        (Run(argv=("rm", "-r", "/e/lib/python3.11/site-packages/numpy-2.4.6.dist-info", "/home/me")), False),
        (Run(argv=("sudo", "apt", "install", "x")), False),
        (Run(argv=("apt", "install", "x")), False),
        (Run(argv=("/e/bin/python", "-c", "import os")), False),
        (Run(argv=("bash", "-c", "pip install x")), False),
        (Run(argv=("uv", "self", "update")), False),
        (SetEnv(name="LD_LIBRARY_PATH", value=None), False),
        (Ask(text="uv pip install x"), False),
    ],
)
def test_only_the_own_environment_is_ours(step, own):
    assert is_own(step, ("/e",)) is own


def test_a_distribution_whose_metadata_is_damaged_or_gone_is_still_counted(tmp_path):
    site = tmp_path / "lib" / "python3.12" / "site-packages"
    for name, raw in (
        ("Whole_One-1.0", b"Name: whole-one\nVersion: 1.0\n"),
        ("torch-2.6.0+cpu", b"\xff\x00"),
        ("x-3", b""),
    ):
        folder = site / f"{name}.dist-info"
        folder.mkdir(parents=True)
        (folder / "METADATA").write_bytes(raw)
        (folder / "RECORD").write_bytes(raw)
    (site / "gone-1.2.dist-info").mkdir()
    found = {one.name: one.version for one in installed(str(tmp_path))}
    assert found == {"whole-one": "1.0", "torch": "2.6.0+cpu", "x": "3", "gone": "1.2"}


def test_what_an_installer_says_is_shown_without_credentials_and_control():
    said = scrub("\x1b[31mLooking at https://me:hunter2hunter2@host/simple\x1b[0m\a")
    assert "hunter2" not in said
    assert "\x1b" not in said


@pytest.mark.parametrize("before", [0, 1_970, 1_990, 9_000, 47_950, 47_970, 60_000, 200_000])
@pytest.mark.parametrize("colour", ["", "\x1b[31m"])
def test_a_line_is_cut_when_its_credentials_are_out(before, colour):
    secret = "hunter2" * 4
    program = f"print({colour!r} * 9000 + 'x ' * {before // 2} + ' --password=' + {secret!r} + ' ' + 'y ' * 99999)"
    lines = []
    run((sys.executable, "-c", program), env=environment_for(os.environ), tell=lines.append)
    assert "hunter" not in "".join(lines) and len(lines) == 1


@POSIX
def test_an_installer_that_leaves_something_running_does_not_keep_us():
    lines = []
    done = run(("/bin/sh", "-c", "sleep 60 & echo done"), env=environment_for(os.environ), tell=lines.append)
    assert done.ok
    assert lines == ["done"]
    assert done.seconds < 55  # what was left running sleeps for 60


@POSIX
def test_an_installer_that_floods_is_kept_short():
    done = run((sys.executable, "-c", "print('x' * 5_000_000); print('last')"), env=os.environ, tell=lambda _: None)
    assert done.lines[-1] == "last"
    assert max(map(len, done.lines)) <= 2000


def test_there_is_no_such_installer():
    done = run(("no-such-installer", "x"), env=os.environ, tell=lambda _: None)
    assert done.code is None
    assert "no-such-installer" in done.why


def test_an_index_that_cannot_be_reached_is_said():
    pip = (sys.executable, "-m", "pip", "install", "--dry-run", "--index-url", "http://127.0.0.1:9/simple", "nothing")
    done = run(pip, env=environment_for({**os.environ, "PIP_RETRIES": "1"}), tell=lambda _: None)
    assert "index could not be reached at http://127.0.0.1:9/simple: " in done.why
    assert done.why.endswith("Connection refused")
    assert "object at 0x" not in done.why
    assert "\n" not in done.why


def test_a_try_that_was_not_the_last_is_no_reason():
    line = (
        "WARNING: Retrying (Retry(total=4, connect=None, read=None, redirect=None, status=None)) after connection "
        "broken by 'ReadTimeoutError(\"HTTPSConnectionPool(host='x', port=443): Read timed out. (read timeout=15)\")': "
        "/simple/a/"
    )
    assert Done(code=1, lines=(line, "ERROR: bad hash")).why == "ERROR: bad hash"
    last = Done(code=1, lines=(line.replace("total=4", "total=0"), "ERROR: No matching distribution found"))
    assert last.why.splitlines()[0] == (
        "The package index could not be reached at x/simple: Read timed out. (read timeout=15)"
    )


TRY = (
    "WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, status=None)) after connection "
    "broken by 'NewConnectionError('<pip._vendor.urllib3.connection.HTTPConnection object at 0x7f>: Failed to "
    "establish a new connection: [Errno 111] Connection refused')': {}"
)


@pytest.mark.parametrize(
    ("looks", "path", "where"),
    [
        ("https://a.example/simple, https://b.example/whl/cpu", "/simple/torch/", "https://a.example/simple"),
        ("https://a.example/simple, https://b.example/whl/cpu", "/whl/cpu/torch/", "https://b.example/whl/cpu"),
        ("https://me:****@a.example:8443/simple", "/simple/torch/", "https://a.example:8443/simple"),
        # One of two, and pip does not say which.
        ("https://a.example/simple, https://b.example/simple", "/simple/torch/", "/simple"),
        ("", "/packages/ab/torch-2.whl", "/packages/ab/torch-2.whl"),
    ],
)
def test_the_index_is_named_whole_where_pip_tells_only_the_path(looks, path, where):
    first = (f"Looking in indexes: {looks}",) if looks else ()
    why = Done(code=1, lines=(*first, *["x"] * 50, TRY.format(path))).why
    assert why.splitlines()[0].startswith(f"The package index could not be reached at {where}: Failed to establish")


NO_MATCH = (
    "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated the package "
    "versions, please update the hashes. Otherwise, examine the package contents carefully; someone may have tampered "
    "with them."
)


@pytest.mark.parametrize(
    ("before", "file", "named"),
    [
        (
            "",
            "    kit==2.0 from https://a.example/kit-2.0-py3-none-any.whl#sha256=aa (from -r r.txt (line 1)):",
            "kit==2.0",
        ),
        ("  Downloading https://a.example/kit-2.0-py3-none-any.whl (5 kB)", "    unknown package:", "kit-2.0-py3-none"),
        ("", "    unknown package:", "a file"),
    ],
)
def test_a_file_with_another_hash_is_named_and_what_may_be_the_cause(before, file, named):
    told = (before, NO_MATCH, file, "        Expected sha256 aa11", "             Got        bb22")
    why = Done(code=1, lines=told).why
    assert why.startswith(named)
    assert "has another hash" in why
    assert all(word in why for word in ("sha256 aa11", "bb22", "cut off"))
    assert "tampered" not in why
    assert Done(code=1, lines=(NO_MATCH,)).why == NO_MATCH


def test_many_indexes_and_packages_are_a_few_lines():
    tries = [TRY.format(f"/{index}/{name}/") for index in range(5) for name in ("torch", "jax")]
    follows = ("ERROR: Could not find a version that satisfies the requirement torch (from versions: none)",)
    lines = Done(code=1, lines=(*tries, *follows, "ERROR: No matching distribution found for torch")).why.splitlines()
    assert len(lines) == 3
    assert lines[-1] == "And 3 more."


UV_OFF = (
    "error: Request failed after 3 retries in 5.5s",
    "  cause: error sending request for url (https://a.example/whl/cpu/torch/)",
    "  cause: client error (Connect)",
    "  cause: dns error",
    "  cause: error resolving DNS",
)
UV_OLD = (
    "error: Failed to fetch: `https://a.example/simple/torch/`",
    "  Caused by: HTTP status client error (403 Forbidden) for url (https://a.example/simple/torch/)",
)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ((UV_OFF[0].replace("3 retries", "1 retry"), *UV_OFF[1:]), "The package index could not be reached at https:"),
        (UV_OFF, "The package index could not be reached at https://a.example/whl/cpu: error resolving DNS"),
        (UV_OLD, "The package index did not serve https://a.example/simple: HTTP status client error (403 Forbidden)"),
    ],
)
def test_what_uv_says_of_an_index_becomes_a_sentence(lines, words):
    why = Done(code=2, lines=lines).why
    assert why.startswith(words)
    assert "\n" not in why


def test_an_index_that_pip_ignores_is_said():
    lines = (
        "WARNING: The repository located at a.example is not a trusted or secure host and is being ignored. If ...",
        "ERROR: No matching distribution found for torch",
    )
    assert Done(code=1, lines=lines).why == "\n".join(lines)


def test_differences_in_words():
    def dist(name, version, record="a"):
        return Distribution(name=name, version=version, record=record)

    before = (dist("a", "1"), dist("b", "1"), dist("c", "1"), dist("d", "1"))
    after = (dist("a", "1"), dist("b", "2"), dist("c", "1", "b"), dist("e", "1"))
    assert differences(before, after) == ("b 1 -> 2", "c 1 written anew", "- d 1", "+ e 1")


def test_changes_of_one_second_keep_their_order(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    ids = [f"20261122-014319-{end}" for end in ("99c3", "49aa", "f000", "0000")]
    for change_id in ids:
        change = journal.Change(id=change_id, begun=journal.now(), kind="new", environment="/e")
        journal.write(change, state="undone")
    assert [change.id for change in journal.load_changes()] == ids


def test_the_schema_of_events_is_up_to_date():
    path = Path(__file__).parents[2] / "gpudoctor" / "apply" / "events.schema.json"
    assert json.loads(path.read_text()) == json.loads(json.dumps(events_schema())), "run scripts/write_events_schema.py"


@POSIX
def test_a_conda_environment_is_made_where_it_will_be(tmp_path, index):
    """With a stand-in for conda: conda itself cannot be had from a package index."""
    from gpudoctor.apply.carry_out import Work, carry_out
    from gpudoctor.apply.events import Proved
    from gpudoctor.apply.journal import load_changes
    from gpudoctor.apply.sizes import sizer
    from gpudoctor.apply.undo import undo
    from tests.apply.wheels import offline

    folder = tmp_path / "bin"
    folder.mkdir()
    conda = folder / "conda"
    conda.write_text(f'#!/bin/sh\n[ "$1" = create ] && exec {sys.executable} -m venv "$4"\nexit 1\n')
    conda.chmod(0o755)
    variables = {**offline(index), "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    path = str(tmp_path / "envs" / "gpu")
    for version, code in (("2.0", 0), ("9.9", 6)):
        work = Work(
            environment=path,
            kind="new",
            way="in-place",
            make=(Run(argv=("conda", "create", "--yes", "--prefix", path)),),
            steps=(Run(argv=(f"{path}/bin/python", "-m", "pip", "install", f"kit=={version}")),),
            variables=variables,
        )
        end = carry_out(work, lambda _: (Proved(framework="kit", outcome="passed"),), lambda _: None, sizer())
        assert end.exit_code == code, end.reason
        if code == 0:
            assert subprocess.run([f"{path}/bin/kit-says"], capture_output=True, check=True).stdout == b"kit 2.0\n"
            undo(load_changes(path)[-1])
        assert sorted(os.listdir(tmp_path)) == ["bin"]


@pytest.mark.parametrize(
    ("target", "link", "own"),
    [
        ("../../cusolver/lib/libcusolver.so.11", "/env/lib/nvidia/cublas/lib/libcusolver.so.11", True),
        ("/usr/lib/libcusolver.so.11", "/env/lib/nvidia/cublas/lib/libcusolver.so.11", False),
        ("../../cusolver/lib/libcusolver.so.11", "/usr/lib/libcusolver.so.11", False),
        ("passwd", "/env/../etc/passwd", False),
    ],
)
def test_a_link_is_ours_only_inside_the_environment(target, link, own):
    assert is_own(Run(argv=("ln", "-sf", target, link)), ("/env",)) is own


@pytest.mark.parametrize(
    ("name", "is_there"),
    [
        ("bin/activate" + "_a" * 100 + "!", False),  # took for ever
        *((f"bin/{name}", True) for name in ("activate", "activate.fish", "activate_this.py", "python3.12")),
        ("bin/activated", False),
    ],
)
def test_files_of_the_frame_of_a_virtual_environment(tmp_path, name, is_there):
    (tmp_path / "bin").mkdir()
    (tmp_path / "pyvenv.cfg").touch()
    (tmp_path / name).touch()
    assert (Ownership(str(tmp_path)).owner_of(name) is not None) == is_there
