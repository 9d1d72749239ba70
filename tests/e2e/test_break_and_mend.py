"""Real environments are broken in ways that need no administrator to mend; `fix --apply` mends each, unattended."""

import json
import os
import sys
from pathlib import Path

import pytest

from tests.e2e.broken import Built, Copy, Patient
from tests.e2e.command import gpudoctor
from tests.e2e.interpreters import interpreters
from tests.e2e.ways_to_mend import WAYS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="paths of a POSIX environment")
PATIENCE = 900


def ran(patient: Patient, *arguments: str):
    """gpudoctor in the patient's folder, with its settings; uv is found, and the journal is the test's own."""
    folder = patient.folder.parent
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    env = {"XDG_STATE_HOME": str(folder / "state"), "PYTHONUSERBASE": str(folder), "PATH": path, **patient.env}
    return gpudoctor(*arguments, env=env, cwd=str(patient.cwd), timeout=PATIENCE)


def tree(folder: Path) -> dict[str, tuple[int, ...]]:
    """Everything in a folder but compiled modules: what it is, how large, and when it was written."""
    found = {}
    for one in folder.rglob("*"):
        if "__pycache__" not in one.parts:
            status = one.lstat()
            found[str(one.relative_to(folder))] = (status.st_mode, status.st_size, status.st_mtime_ns, status.st_ino)
    return found


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if way.quick else pytest.mark.full) for name, way in WAYS.items()]
)
def test_broken_found_mended_and_proved(name, tmp_path):
    way = WAYS[name]
    patient = way.make(tmp_path)
    way.break_it(patient)
    where = ("--python", str(patient.folder))
    broken = ran(patient, "smoke", way.framework, "--quick", *where)
    assert (broken.returncode == 0) is way.runs, broken.out + broken.err
    before = tree(patient.folder)

    mended = ran(patient, "fix", "--apply", "--yes", "--format", "json", *where)
    assert mended.returncode == 0, mended.out + mended.err
    told = [json.loads(line) for line in mended.out.splitlines()]
    (checked,) = (event for event in told if event["event"] == "checked")
    assert not checked["remains"], checked
    assert not checked["worse"], checked
    code = next(line.split()[0] for line in gpudoctor("rules").out.splitlines() if way.told in line.split())
    assert any(text.startswith(f"{code} ") for text in checked["cured"]), checked
    assert len([event for event in told if event["event"] == "finished"]) == 1, "one change for all of it"

    proof = ran(patient, "smoke", way.framework, "--quick", *where)
    assert proof.returncode == 0, proof.out
    back = ran(patient, "undo", "--yes", *where)
    assert back.returncode == 0, back.err
    assert tree(patient.folder) == before


def test_there_are_enough_ways():
    assert len(WAYS) >= 18


WISHES = {
    "jax": ("jax==0.4.30", (3, 13)),
    "tensorflow": ("tensorflow==2.12", (3, 13)),
}


@pytest.mark.full
@pytest.mark.parametrize("framework", WISHES)
def test_a_wish_that_this_python_cannot_meet_gets_an_environment_of_another(framework, tmp_path):
    wish, python = WISHES[framework]
    patient = Built(tmp_path, python)
    # uv finds the Pythons of this machine on PATH.
    folders = [str(Path(path).parent) for path in interpreters().values()]
    patient.env["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), *folders, os.environ["PATH"]))
    before = tree(patient.folder)
    where = ("--require", wish, "--python", str(patient.folder))
    assert "PYT001" in ran(patient, "check", "--static", *where).out
    mended = ran(patient, "fix", "--apply", "--yes", *where)
    assert mended.returncode == 0, mended.out + mended.err
    assert "Cured: PYT001" in mended.out
    new = patient.cwd / "gpu-env"
    assert ran(patient, "smoke", framework, "--quick", "--python", str(new)).returncode == 0
    assert ran(patient, "undo", "--yes", "--python", str(new)).returncode == 0
    assert not new.exists()
    assert tree(patient.folder) == before, "the environment that was there is not touched"


def test_a_file_of_the_users_own_is_left_alone(tmp_path):
    """It hides torch, and only its owner knows what it is for."""
    patient = Copy("cpu", tmp_path, only=("torch",))
    own = patient.cwd / "torch.py"
    own.write_text("print('mine')\n")
    before = tree(patient.folder)
    where = ("--python", str(patient.folder))
    told = ran(patient, "fix", *where)
    assert told.returncode == 1
    assert f"Rename {own}" in " ".join(told.out.split())
    done = ran(patient, "fix", "--apply", "--yes", "--only", "py-name-shadow", *where)
    assert done.returncode == 1, "nothing was mended"
    assert "Nothing of this is for gpudoctor to do" in done.err
    assert own.read_text() == "print('mine')\n"
    assert tree(patient.folder) == before


def test_a_variable_of_the_users_shell_is_told_and_no_environment_is_built(tmp_path):
    """A child cannot change the variables of its parent, and building the same environment again would mend nothing."""
    patient = Copy("cpu", tmp_path, only=("torch",))
    patient.env["REQUESTS_CA_BUNDLE"] = str(tmp_path / "gone.pem")
    before = tree(patient.folder)
    done = ran(patient, "fix", "--apply", "--yes", "--only", "pip-tls-ca", "--python", str(patient.folder))
    assert "unset REQUESTS_CA_BUNDLE" in done.out
    assert "no variable of the shell" in done.err
    assert tree(patient.folder) == before
    assert not list((tmp_path / "state").rglob("*.json")), "nothing was done that could be undone"
