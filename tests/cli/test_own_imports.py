"""The doctor is not the patient: what PYTHONPATH and the working directory hold is examined, not imported."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

import gpudoctor as package

HOME = str(Path(package.__file__).parents[1])

#: Modules of ours, of our dependencies and of Python's library that Python's own start does not load.
SHADOWS = ("click", "msgspec", "packaging", "psutil", "pynvml", "json", "typing", "gc", "dataclasses", "subprocess")
STARTS = {
    "console script": ["-c", "import sys; sys.argv[0] = 'gpudoctor'; from gpudoctor.__main__ import run; run()"],
    "python -m": ["-m", "gpudoctor"],
}


@pytest.fixture
def shadows(tmp_path: Path) -> Path:
    """A folder of modules that leave a mark when they are run."""
    folder = tmp_path / "theirs"
    folder.mkdir()
    for name in SHADOWS:
        (folder / f"{name}.py").write_text(
            f"open({str(tmp_path / f'ran-{name}')!r}, 'w').close()\nraise SystemExit(1)\n"
        )
    return folder


def gpudoctor(how: str, *arguments: str, folder: Path, variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PATH": os.environ["PATH"], **variables}
    command = [sys.executable, *STARTS[how], *arguments]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("how", STARTS)
@pytest.mark.parametrize("arguments", [("--version",), ("rules",), ("check", "--static", "-q")])
def test_a_folder_of_pythonpath_is_not_imported_from(how, arguments, shadows, tmp_path):
    done = gpudoctor(how, *arguments, folder=tmp_path, variables={"PYTHONPATH": str(shadows)})
    assert done.returncode in ((0, 1) if arguments[0] == "check" else (0,)), done.stderr
    assert not list(tmp_path.glob("ran-*")) and "Traceback" not in done.stderr
    if arguments[0] == "check":
        assert "PYT004" in done.stdout, "the user is told all the same"


@pytest.mark.parametrize("arguments", [("--version",), ("rules",), ("check", "--static", "-q")])
def test_the_working_directory_is_not_imported_from(arguments, shadows, tmp_path):
    for how in STARTS:
        done = gpudoctor(how, *arguments, folder=shadows, variables={"PYTHONPATH": ""})
        assert done.returncode in (0, 1), done.stderr
        assert not list(tmp_path.glob("ran-*")) and "Traceback" not in done.stderr


def test_what_python_has_met_in_pythonpath_before_us_is_not_kept(tmp_path):
    """sitecustomize is run by Python itself, and may have imported a namesake of ours."""
    (tmp_path / "sitecustomize.py").write_text("import click, json\n")
    (tmp_path / "click.py").write_text("")
    (tmp_path / "json.py").write_text("")
    done = gpudoctor("console script", "rules", folder=tmp_path, variables={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 0, done.stderr


def test_pythonpath_that_names_our_own_folders_is_no_harm(tmp_path):
    own = os.pathsep.join([*(folder for folder in sys.path if folder), HOME])
    done = gpudoctor("python -m", "rules", folder=tmp_path, variables={"PYTHONPATH": own})
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("variables", [{}, {"PYTHONHOME": sys.base_prefix}])
def test_an_installation_that_is_damaged_is_said_in_a_sentence(variables, tmp_path):
    venv.create(tmp_path / "env", with_pip=False)
    (site,) = (tmp_path / "env").glob("lib/python*/site-packages")
    (site / "click.py").write_text("raise ImportError('damaged')")
    code = f"import sys; sys.path[:0] = [{str(site)!r}, {HOME!r}]; from gpudoctor.__main__ import run; run()"
    command = [str(tmp_path / "env/bin/python"), "-c", code, "check"]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **variables}, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (3, False)
    assert "cannot be loaded" in done.stderr and ("PYTHONHOME" in done.stderr) is ("PYTHONHOME" in variables)
