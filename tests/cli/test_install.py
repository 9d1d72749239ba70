"""`install`, `fix --apply`, `undo` and `history` as a user runs them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from gpudoctor.apply.events import AnyEvent, Finished
from gpudoctor.install.applying import distributions_of
from gpudoctor.install.reporters import ending
from tests.apply.wheels import environment, tree
from tests.e2e.command import gpudoctor

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="paths of a POSIX environment")


@pytest.fixture
def home(tmp_path):
    """Variables with a list of changes of their own."""
    return {"XDG_STATE_HOME": str(tmp_path / "state")}


@POSIX
def test_from_nothing_to_a_proved_jax_broken_mended_and_taken_back(tmp_path, home):
    """One real install from the package index that this machine is set up for."""
    path = tmp_path / "env"
    tried = gpudoctor("install", "jax", "--cpu", "--venv", str(path), "--dry-run", env=home, timeout=300)
    assert (tried.returncode, "verified by" in tried.err) == (0, True), tried.err
    assert not path.exists()
    done = gpudoctor("install", "jax", "--cpu", "--venv", str(path), "--yes", "--json", env=home, timeout=580)
    assert done.returncode == 0, done.err
    events = [msgspec.json.decode(line, type=AnyEvent) for line in done.out.splitlines()]
    kinds = [json.loads(line)["event"] for line in done.out.splitlines()]
    # uv needs no dry run where nothing is.
    by_pip = "verified" in kinds
    assert [kind for kind in kinds if kind not in ("output", "progress", "room")] == [
        *("planned", "started", "stepped", *(("asked", "verified") if by_pip else ()), "stepped"),
        *("proving", "proved", "switched", "finished"),
    ]
    assert not by_pip or next(one for one in events if type(one).__name__ == "Verified").download_bytes > 50e6
    end = json.loads(done.out.splitlines()[-1])
    assert (end["outcome"], end["exit_code"]) == ("installed-and-proved", 0)
    assert any(change.startswith("+ jaxlib ") for change in end["changes"])
    python = path / "bin" / "python"
    said = subprocess.run([python, "-c", "import jax; print(jax.numpy.ones(3).sum())"], capture_output=True, check=True)
    assert said.stdout == b"3.0\n"
    assert os.listdir(tmp_path) == ["env", "state"] or sorted(os.listdir(tmp_path)) == ["env", "state"]

    whole = tree(path)
    broken = next(Path(path).glob("lib/python3*/site-packages/jaxlib/_jax*.so"))
    broken.unlink()
    mended = gpudoctor("fix", "--python", str(path), "--apply", "--yes", env=home, timeout=580)
    assert mended.returncode == 0, mended.err
    assert "Cured: LIB006" in mended.out
    # The reinstall may write another date into the metadata, nothing else.
    now = tree(path)
    assert {name for name in whole if whole[name] != now.get(name)} <= {name for name in whole if "dist-info" in name}

    assert gpudoctor("undo", "--venv", str(path), "--yes", env=home).returncode == 0
    assert not broken.exists()
    assert gpudoctor("undo", "--venv", str(path), "--yes", env=home).returncode == 0
    assert not path.exists()
    history = gpudoctor("history", env=home)
    assert history.out.count("(undone)") == 2
    nothing = gpudoctor("undo", "--yes", env=home)
    assert nothing.returncode == 2
    assert "no change" in nothing.err


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    return environment(tmp_path_factory.mktemp("bare") / "env", pip=False)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("jax", "--venv", "new"), 2, "Add --yes"),
        # What is wrong with the wish is said first, to those who can and those who cannot be asked.
        (("torhc", "--venv", "new"), 2, "Did you mean torch"),
        (("jax", "--venv", "new", "-r", "nofile"), 2, "nofile could not be read"),
        (("torch", "--venv", "new", "--cuda", "99"), 6, "CUDA 99 is asked"),
        (("tensorflow==2.3.0", "--cpu", "--venv", "new"), 6, "Nothing was changed"),
        (("jax", "--cpu", "--venv", "file/below"), 6, "is a file"),
        (("jax", "--venv", "new", "--json"), 2, "Add --yes"),
        (("jax", "--venv", "new", "--yes", "--cpu", "--cuda", "12.6"), 2, "--cpu"),
        (("jax", "--venv", "new", "--yes", "--conda", "x"), 2, "--conda"),
        (("jax", "--venv", "", "--yes"), 2, "empty"),
        (("jax", "--conda=-x", "--yes"), 2, "begins with a dash"),
        (
            ("jax", "--cpu", "--index-url", "notaurl", "--venv", "new", "--yes"),
            2,
            "'notaurl' is no address of an index",
        ),
        (("torch", "--torch-index", "ftp://x/whl", "--venv", "new", "--yes"), 2, "is no address of an index"),
        (("jax", "--cpu", "--python", "3.99", "--venv", "new", "--yes"), 2, "there is no python3.99 on PATH"),
        (("torhc", "--cpu", "--cuda", "cpu", "--venv", "new", "--yes"), 2, "Did you mean torch"),
        (("jax", "--cpu", "--python", "{bare}", "--yes"), 6, "has no pip. Install it: "),
        (("jax", "--python", "{bare}", "--yes", "--replace"), 2, "--replace"),
        (("jax", "--yes", "--manager", "conda"), 2, "--conda NAME"),
        (("jax", "--yes", "--conda", "x"), 2, "no conda"),
        (("torhc", "--venv", "new", "--yes"), 2, "torch"),
        (("torch==1.0,==2.0", "--venv", "new", "--yes"), 2, "No version can be"),
        (("jax", "--python", "/no/such/python", "--yes"), 2, "does not exist"),
        (("tensorflow==2.3.0", "--cpu", "--venv", "new", "--yes"), 6, "Nothing was changed"),
        (("jax", "--cpu", "--venv", "{bare}", "--yes"), 6, "--replace"),
        (("jax", "--cpu", "--venv", "full", "--yes"), 6, "no virtual environment"),
        (("jax", "--cpu", "--venv", "file/below", "--yes"), 6, "is a file"),
        (("jax", "--cpu", "--venv", "/proc/x", "--yes"), 6, "/proc/x cannot be made: /proc "),
        (("jax", "--cpu", "--python", "/usr/bin/python3", "--yes"), 6, "--venv DIR. Nothing was changed."),
        ((), 2, "nothing is asked for"),
        (("--dry-run",), 2, "nothing is asked for"),
        (("--venv", "new", "--yes"), 2, "nothing is asked for"),
        (("--requirements", "missing.txt", "--venv", "new", "--yes"), 2, "missing.txt"),
        (("jax", "--from-pyproject", "--venv", "new", "--yes"), 2, "pyproject.toml could not be read"),
    ],
)
@POSIX
def test_what_is_refused(tmp_path, home, bare, arguments, code, words):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("mine")
    (tmp_path / "file").write_text("mine")
    before = tree(tmp_path), tree(bare)
    path = os.pathsep.join(["/usr/bin", "/bin"])
    given = [argument.format(bare=bare) for argument in arguments]
    done = gpudoctor("install", *given, env={**home, "PATH": path}, cwd=tmp_path)
    assert (done.returncode, words in done.err + done.out) == (code, True), done.err + done.out
    assert "Traceback" not in done.err
    after = {name: value for name, value in tree(tmp_path).items() if not name.startswith("state")}
    assert (after, tree(bare)) == before


def last(done):
    """The one closing event of a run that came to no environment, held against the schema that is shipped."""
    events = [msgspec.json.decode(line, type=AnyEvent) for line in done.out.splitlines()]
    assert [type(one) for one in events].count(Finished) == 1
    return events[-1]


@pytest.mark.parametrize(
    ("arguments", "outcome", "code", "reason"),
    [
        (("tensorflow==2.3.0", "--cpu", "--venv", "new", "--yes"), "refused", 6, "No CPU build of TensorFlow fits."),
        (("torhc", "--venv", "new", "--yes"), "refused", 2, "Did you mean torch"),
        (("jax", "--venv", "new"), "refused", 2, "nobody can be asked here."),
        (("jax", "--venv", "new", "--cpu", "--cuda", "12"), "refused", 2, "--cpu asks for builds without a GPU"),
        (("jax", "--python", "/no/such", "--yes"), "refused", 2, "/no/such does not exist"),
        (("jax", "--python", "{text}", "--yes"), "refused", 3, "the interpreter could not be examined"),
        (("jax", "--cpu", "--venv", "new", "--dry-run", "--no-verify"), "dry-run", 0, None),
        (("jax", "--cpu", "--venv", "new", "--dry-run", "--index-url", "http://127.0.0.1:9"), "refused", 6, "reached"),
    ],
)  # fmt: skip
@POSIX
def test_every_end_is_one_event(tmp_path, home, arguments, outcome, code, reason):
    (tmp_path / "python").write_text("no interpreter")
    given = [argument.format(text=tmp_path / "python") for argument in arguments]
    quick = {**home, "PIP_RETRIES": "0", "UV_HTTP_RETRIES": "0"}
    done = gpudoctor("install", *given, "--json", env=quick, cwd=tmp_path)
    end = last(done)
    assert (end.outcome, end.exit_code, done.returncode) == (outcome, code, code), done.err
    assert end.reason is None if reason is None else reason in end.reason
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("arguments", "outcome", "code"),
    [
        (("--python", "/no/such", "--yes"), "refused", 2),
        (("--python", "{bare}", "--only", "NOPE", "--yes"), "refused", 2),
        (("--python", "{bare}", "--require", "driver>=1", "--yes"), "nothing-to-do", 1),
        (("--python", "{bare}/pyvenv.cfg", "--yes"), "nothing-to-do", 3),
    ],
)
@POSIX
def test_every_end_of_fix_is_one_event(tmp_path, home, bare, arguments, outcome, code):
    given = [argument.format(bare=bare) for argument in arguments]
    done = gpudoctor("fix", *given, "--apply", "--format", "json", env=home, cwd=tmp_path)
    end = last(done)
    assert (end.outcome, end.exit_code, done.returncode) == (outcome, code, code), done.err
    assert (code == 3) is end.reason.startswith("Not seen: ")


@POSIX
def test_an_index_that_does_not_answer(tmp_path, home):
    quick = {**home, "PIP_RETRIES": "0", "UV_HTTP_RETRIES": "0"}
    done = gpudoctor(
        "install", "jax", "--cpu", "--venv", "new", "--yes", "--index-url", "http://me:hunter2hunter2@127.0.0.1:9/x",
        env=quick, cwd=tmp_path, timeout=200,
    )  # fmt: skip
    assert done.returncode == 6, done.err
    said = done.out.splitlines()[done.out.splitlines().index("Nothing was changed.") :]
    assert 3 <= len(said) <= 4
    assert said[1].startswith("The package index could not be reached at http://127.0.0.1:9/x")
    assert "hunter2" not in done.out + done.err
    assert [name for name in os.listdir(tmp_path) if name != "state"] == []
    assert "hunter2" not in "".join(path.read_text() for path in (tmp_path / "state").rglob("*.json"))


def test_nothing_to_show_and_nothing_to_undo(home, tmp_path):
    assert gpudoctor("history", env=home).out == "gpudoctor has changed no environment.\n"
    here = gpudoctor("history", "--python", str(tmp_path), env=home)
    assert here.out == f"gpudoctor has changed nothing in {tmp_path}.\n"
    gone = gpudoctor("history", "--python", str(tmp_path / "gone"), env=home)
    assert (gone.returncode, "there is no " in gone.err) == (2, True)
    assert gpudoctor("undo", "20260101-000000-abcd", "--yes", env=home).returncode == 2


def test_an_interruption_is_said_once():
    end = Finished(outcome="interrupted", exit_code=130, reason="interrupted; the environment is as it was")
    assert ending(end, "/env") == "Interrupted. Everything is as it was.\n"


def test_what_must_be_there_afterwards():
    asked = (
        "tensorflow-cpu==2.21.0",
        "jax[cuda12]==0.6.2",
        "numpy<2",
        "./local.whl",
        "-e .",
        "Flash_Attn @ https://x/y",
    )
    assert distributions_of(asked) == ("tensorflow-cpu", "jax", "numpy", "flash-attn")


def test_help_names_the_exit_codes():
    text = " ".join(gpudoctor("install", "--help").out.split())
    for words in ("5 installed but not proved", "6 refused", "7 failed", "130 interrupted"):
        assert words in text
