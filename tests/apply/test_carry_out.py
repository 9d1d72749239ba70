import os
import subprocess
import sys

import pytest

from gpudoctor.apply import journal
from gpudoctor.apply.backups import CannotUndo
from gpudoctor.apply.carry_out import Work, carry_out
from gpudoctor.apply.events import Finished, Output, Proved, Started, Stepped, Verified
from gpudoctor.apply.sizes import sizer
from gpudoctor.apply.undo import undo
from gpudoctor.facts.fix import Ask, Run
from tests.apply.wheels import copied, offline, tree, wheel

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="scripts are started by their first line")


def passed(python):
    return (Proved(framework="kit", outcome="passed"),)


def failing(python):
    return (Proved(framework="kit", outcome="failed", detail="the loss did not fall"),)


def unproved(python):
    return (Proved(framework="kit", outcome="unproved"),)


def steps(manager, python, *words):
    start = ("uv", "pip", "install", "--python", python) if manager == "uv" else (python, "-m", "pip", "install")
    return (Run(argv=(*start, *words)),)


def new(path, index, *words, manager="pip", **fields):
    make = Run(argv=(sys.executable, "-m", "venv", str(path)))
    return Work(
        environment=str(path),
        kind=fields.pop("kind", "new"),
        make=(make,),
        steps=steps(manager, f"{path}/bin/python", *words),
        wanted=("kit",),
        variables=offline(index),
        **fields,
    )


def changed(path, index, *words, manager="pip", **fields):
    return Work(
        environment=str(path),
        kind="changed",
        steps=steps(manager, f"{path}/bin/python", *words),
        wanted=fields.pop("wanted", ("kit",)),
        variables=offline(index),
        **fields,
    )


def do(work, prove=passed):
    events = []
    end = carry_out(work, prove, events.append, sizer())
    assert isinstance(end, Finished)
    assert events[-1] == end or events[-1].outcome == end.outcome
    return end, events


def left_beside(path):
    return sorted(name for name in os.listdir(os.path.dirname(path)) if "gpudoctor" in name)


@pytest.mark.parametrize("manager", ["pip", "uv"])
@POSIX
def test_a_new_environment_works_where_it_was_put(tmp_path, index, manager):
    path = tmp_path / "my env"
    end, events = do(new(path, index, "kit==2.0", manager=manager))
    assert (end.outcome, end.exit_code) == ("installed-and-proved", 0), end.reason
    assert {"+ kit 2.0", "+ part 1.5"} <= set(end.changes)
    said = subprocess.run([path / "bin" / "kit-says"], capture_output=True, text=True, check=True)
    assert said.stdout == "kit 2.0\n"
    verified = next(event for event in events if isinstance(event, Verified))
    assert set(verified.installs) == {"kit==2.0", "part==1.5"}
    assert manager in verified.by
    activated = subprocess.run(
        ["bash", "-c", '. "$1/bin/activate" && echo "$VIRTUAL_ENV" && kit-says', "-", path],
        capture_output=True,
        text=True,
        check=True,
    )
    assert activated.stdout == f"{path}\nkit 2.0\n"
    assert not any(b".gpudoctor-" in read(one) for one in files(path) if not one.endswith(".pyc"))


def files(path):
    return [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]


def read(path):
    with open(path, "rb") as stream:
        return stream.read()


@pytest.mark.parametrize("manager", ["pip", "uv"])
@POSIX
def test_records_agree_with_the_moved_scripts(tmp_path, index, manager):
    path = tmp_path / "env"
    do(new(path, index, "kit==1.0", manager=manager))
    check = (
        "import importlib.metadata as m; print([f for f in m.files('kit') if not f.locate().exists()"
        " or (f.hash and f.size != f.locate().stat().st_size)])"
    )
    said = subprocess.run([path / "bin" / "python", "-c", check], capture_output=True, text=True, check=True)
    assert said.stdout == "[]\n"
    gone = subprocess.run(
        [path / "bin" / "python", "-m", "pip", "uninstall", "--yes", "kit"], capture_output=True, text=True, check=True
    )
    assert "Successfully uninstalled" in gone.stdout
    assert not (path / "bin" / "kit-says").exists()


@pytest.mark.parametrize(("manager", "way"), [("pip", "beside"), ("uv", "beside"), ("uv", "in-place")])
@POSIX
def test_a_change_and_the_way_back(tmp_path, index, bare, manager, way):
    path = copied(bare, tmp_path / "env")
    do(changed(path, index, "kit==1.0", manager=manager, way=way))
    before = tree(path)
    end, _ = do(changed(path, index, "kit==2.0", manager=manager, way=way))
    assert end.outcome == "installed-and-proved", end.reason
    assert end.changes == ("kit 1.0 -> 2.0", "+ part 1.5")
    assert subprocess.run([f"{path}/bin/kit-says"], capture_output=True, check=True).stdout == b"kit 2.0\n"
    change = journal.load_changes(path)[-1]
    assert (change.state, change.id, change.proved) == ("done", end.id, ("kit",))
    assert ("kit", "1.0") in {(one.name, one.version) for one in change.before}
    undo(change)
    assert tree(path) == before
    assert subprocess.run([f"{path}/bin/kit-says"], capture_output=True, check=True).stdout == b"kit 1.0\n"
    assert len(left_beside(path)) == 1, "the way back of the first change"


@pytest.mark.parametrize(("manager", "way"), [("pip", "beside"), ("uv", "beside"), ("uv", "in-place")])
@pytest.mark.parametrize(
    ("words", "prove", "outcome"),
    [
        (("kit==9.9",), passed, "refused"),
        (("kit==2.0", "greedy"), passed, "refused"),
        (("kit==2.0",), failing, "failed-and-rolled-back"),
    ],
)
def test_what_fails_leaves_nothing(tmp_path, index, bare, manager, way, words, prove, outcome):
    path = copied(bare, tmp_path / "env")
    before = tree(path)
    end, _ = do(changed(path, index, *words, manager=manager, way=way), prove)
    assert end.outcome == outcome, end.reason
    assert end.reason
    assert tree(path) == before
    assert left_beside(path) == []


@pytest.mark.parametrize("manager", ["pip", "uv"])
def test_an_installer_that_fails_leaves_nothing(tmp_path, index, bare, manager):
    path = copied(bare, tmp_path / "env")
    before = tree(path)
    end, events = do(changed(path, index, "kit==9.9", manager=manager, verify=False))
    assert end.outcome == "failed-and-rolled-back"
    assert "kit==9.9" in end.reason
    assert ".gpudoctor-" not in end.reason
    assert any(isinstance(event, Output) for event in events)
    assert tree(path) == before


def test_a_failed_new_environment_is_not_there(tmp_path, index):
    path = tmp_path / "not" / "yet" / "env"
    end, _ = do(new(path, index, "kit==9.9"))
    assert end.outcome == "refused"
    assert os.listdir(tmp_path) == []


def test_what_the_user_asked_for_must_be_there(tmp_path, index, bare):
    path = copied(bare, tmp_path / "env")
    end, _ = do(changed(path, index, "part", wanted=("kit",)))
    assert end.outcome == "failed-and-rolled-back"
    assert "kit is not in the environment" in end.reason


def test_not_proved_is_said(tmp_path, index, bare):
    path = copied(bare, tmp_path / "env")
    end, _ = do(changed(path, index, "kit"), unproved)
    assert (end.outcome, end.exit_code) == ("installed-not-proved", 5)


def test_without_a_framework_there_is_nothing_to_prove(tmp_path, index, bare):
    path = copied(bare, tmp_path / "env")
    end, _ = do(changed(path, index, "kit"), lambda _: ())
    assert (end.outcome, end.exit_code) == ("installed", 0)


def test_undoing_a_new_environment_removes_it(tmp_path, index):
    path = tmp_path / "folder" / "env"
    do(new(path, index, "kit"))
    undo(journal.load_changes(str(path))[-1])
    assert os.listdir(tmp_path) == []


def test_an_environment_that_is_replaced_comes_back(tmp_path, index, bare):
    path = copied(bare, tmp_path / "env")
    before = tree(path)
    end, _ = do(new(path, index, "kit", kind="replaced"))
    assert end.outcome == "installed-and-proved"
    undo(journal.load_changes(path)[-1])
    assert tree(path) == before


def test_later_changes_are_not_lost_unasked(tmp_path, index, bare):
    path = copied(bare, tmp_path / "env")
    do(changed(path, index, "kit==1.0"))
    change = journal.load_changes(path)[-1]
    subprocess.run([f"{path}/bin/python", "-m", "pip", "install", "-q", "part"], env=offline(index), check=True)
    with pytest.raises(CannotUndo, match=r"\+ part 1\.5"):
        undo(change)
    undo(change, anyway=True)
    assert not any("kit" in name or "part" in name for name in tree(path))
    with pytest.raises(CannotUndo, match="undone already"):
        undo(change)


def test_only_the_last_change_can_be_undone(tmp_path, index, bare):
    path = copied(bare, tmp_path / "env")
    do(changed(path, index, "kit==1.0"))
    do(changed(path, index, "kit==2.0"))
    first, second = journal.load_changes(path)
    with pytest.raises(CannotUndo, match=second.id):
        undo(first)
    undo(second)
    undo(first)
    assert left_beside(path) == []


def test_what_is_told(tmp_path, index, bare):
    path = copied(bare, tmp_path / "env")
    _, events = do(changed(path, index, "kit==2.0"))
    kinds = [type(event) for event in events if not isinstance(event, Output)]
    assert kinds[0] is Started
    stepped = next(event for event in events if isinstance(event, Stepped))
    assert stepped.argv == (f"{path}/bin/python", "-m", "pip", "install", "kit==2.0")
    assert [event.seconds for event in events] == sorted(event.seconds for event in events)


def test_no_credentials_are_kept_or_told(tmp_path, index, bare):
    path = copied(bare, tmp_path / "env")
    secret = "http://me:hunter2hunter2@127.0.0.1:9/simple"
    work = changed(path, index, "kit==2.0", "--extra-index-url", secret, verify=False)
    end, events = do(work)
    assert "hunter2" not in repr(end) + repr(events)
    assert all("hunter2" not in repr(change) for change in journal.load_changes(path))


def test_words_for_a_person_are_not_run(tmp_path, index, bare):
    path = copied(bare, tmp_path / "env")
    work = Work(
        environment=path,
        kind="changed",
        steps=(Ask(text="rm -rf /"), *steps("pip", f"{path}/bin/python", "kit")),
        variables=offline(index),
    )
    assert do(work)[0].outcome == "installed-and-proved"


def test_nothing_in_the_current_folder_is_taken_for_pip(tmp_path, index, bare, monkeypatch):
    path = copied(bare, tmp_path / "env")
    (tmp_path / "pip.py").write_text("import pathlib; pathlib.Path('canary').touch()")
    monkeypatch.chdir(tmp_path)
    assert do(changed(path, index, "kit"))[0].outcome == "installed-and-proved"
    assert not (tmp_path / "canary").exists()


def test_settings_that_lead_packages_elsewhere_are_left_out(tmp_path, index, bare):
    path = copied(bare, tmp_path / "env")
    work = changed(path, index, "kit")
    work = Work(
        **{
            **{name: getattr(work, name) for name in work.__struct_fields__},
            "variables": {**offline(index), "PIP_TARGET": str(tmp_path / "elsewhere"), "PIP_USER": "1"},
        }
    )
    assert do(work)[0].outcome == "installed-and-proved"
    assert not (tmp_path / "elsewhere").exists()


def test_a_damaged_download_is_found(tmp_path, bare):
    wheel(tmp_path, "kit", "1.0")
    with open(tmp_path / "kit-1.0-py3-none-any.whl", "r+b") as stream:
        stream.seek(900)
        stream.write(b"\0" * 300)
    path = copied(bare, tmp_path / "env")
    before = tree(path)
    for manager in ("pip", "uv"):
        end, _ = do(changed(path, tmp_path, "kit", manager=manager))
        assert end.outcome in ("refused", "failed-and-rolled-back")
        assert tree(path) == before
