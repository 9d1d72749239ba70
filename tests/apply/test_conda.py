"""conda as the installer. Its answers are those of conda 26.7.1; a program that gives them stands in for it."""

import json
import os
import sys

import pytest

from gpudoctor.apply.carry_out import Work, carry_out
from gpudoctor.apply.distributions import differences, installed
from gpudoctor.apply.dry_run import asked, is_install, tool_of, verify
from gpudoctor.apply.events import Proved, Stepped, Verified
from gpudoctor.apply.installer import environment_for, program_of, run
from gpudoctor.apply.installer_errors import why
from gpudoctor.apply.journal import load_changes
from gpudoctor.apply.ownership import Ownership
from gpudoctor.apply.sizes import sizer
from gpudoctor.apply.undo import undo
from gpudoctor.facts.fix import Run
from gpudoctor.facts.python import Interpreter
from gpudoctor.install.reporters import sentence
from gpudoctor.plan.places import conda as command

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="a shell script stands in for conda")
pytestmark = POSIX
INSTALL = ("conda", "install", "--prefix", "{}", "--channel", "conda-forge", "pytorch-gpu")


def linked(name, version, build):
    return {"name": name, "version": version, "build_string": build, "channel": "conda-forge", "platform": "linux-64"}


def fetched(name, version, size):
    url = f"https://conda.anaconda.org/conda-forge/linux-64/{name}-{version}-h1_0.conda"
    return {"name": name, "version": version, "build": "h1_0", "size": size, "url": url, "sha256": "a" * 64}


WOULD = {
    "success": True,
    "actions": {
        "FETCH": [fetched("cudnn", "9.10.2.21", 5_000_000)],
        "PREFIX": "/e",
        "UNLINK": [linked("pytorch", "2.13.0", "cpu_generic_py311_0")],
        "LINK": [linked("cudnn", "9.10.2.21", "h1_0"), linked("pytorch", "2.13.0", "cuda129_generic_py311_200")],
    },
    "prefix": "/e",
    "dry_run": True,
}
THERE = {"success": True, "message": "All requested packages already installed."}
CONFLICT = {
    "caused_by": "None",
    "error": "LibMambaUnsatisfiableError: no",
    "exception_name": "LibMambaUnsatisfiableError",
    "message": f"Cannot solve the request because of: cuda-version 12.6, which conflicts{' with more' * 500}\n",
}


@pytest.fixture
def conda(tmp_path):
    """Writes a conda that answers a dry run as told, and otherwise runs a line of shell; the variables to find it."""

    def write(answer, code=0, otherwise="exit 3", before=""):
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        (folder / "answer.json").write_text(before + json.dumps(answer, indent=2))
        program = folder / "conda"
        asks = f'case "$*" in *--dry-run*) cat {folder}/answer.json; exit {code};; esac'
        program.write_text(f"#!/bin/sh\n{asks}\n{otherwise}\n")
        program.chmod(0o755)
        return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}

    return write


def environment(tmp_path):
    path = tmp_path / "envs" / "gpu"
    meta = path / "conda-meta"
    meta.mkdir(parents=True)
    (meta / "pytorch-2.13.0-cpu_generic_py311_0.json").write_text("{}")
    (meta / "history").write_text("==> first <==\n" * 2000)
    return path


@pytest.mark.parametrize(
    ("argv", "tool", "words"),
    [
        (INSTALL, "conda", "conda install --dry-run"),
        (("/opt/m/micromamba", "create", "-n", "x", "python"), "conda", "micromamba create --dry-run"),
        (("conda", "run", "-n", "x", "python", "-m", "pip", "install", "torch"), "pip", "pip install --dry-run"),
        (("uv", "pip", "install", "torch"), "uv", "uv pip install --dry-run"),
    ],
)
def test_who_is_asked(argv, tool, words):
    assert (is_install(argv), tool_of(argv), asked(argv)) == (True, tool, words)


@pytest.mark.parametrize("argv", [("conda", "remove", "cpuonly"), ("conda", "run", "python"), ("conda",), ("sh",)])
def test_who_is_not(argv):
    assert not is_install(argv)


def test_what_it_would_install(conda):
    found = verify(INSTALL, conda(WOULD, before="WARNING conda: a plugin is old\n"), (), lambda: None)
    assert found.refused is None
    assert found.installs == ("cudnn==9.10.2.21", "pytorch==2.13.0")
    assert (found.to_download, found.known_bytes, found.unknown_sizes) == (1, 5_000_000, 0)


def test_what_is_there_already_is_an_answer(conda):
    found = verify(INSTALL, conda(THERE), (), lambda: None)
    assert (found.refused, found.says, found.installs, found.to_download) == (None, True, (), 0)


def test_a_conflict_is_told_whole(conda):
    found = verify(INSTALL, conda(CONFLICT, code=1), (), lambda: None)
    assert found.refused == CONFLICT["message"].strip()


def test_no_conda_is_a_refusal():
    found = verify(INSTALL, {"PATH": "/nowhere"}, (), lambda: None)
    assert found.refused == "error: there is no program 'conda'"


def test_nobody_is_asked_in_the_middle():
    """conda reads CONDA_ALWAYS_YES, micromamba MAMBA_ALWAYS_YES."""
    assert {"CONDA_ALWAYS_YES", "MAMBA_ALWAYS_YES"} <= environment_for({}).keys()


def test_a_pip_that_fails_behind_conda_run_is_not_taken_for_an_old_one(tmp_path, conda):
    said = "ERROR: No matching distribution found for torch==9"
    repeated = "ERROR conda.cli.main_run:execute(148): `conda run python -m pip install --dry-run --report x` failed."
    otherwise = f"echo '{said}'; echo '{repeated}'; exit 1"
    variables = conda({}, otherwise=otherwise)
    (tmp_path / "bin" / "conda").write_text(f"#!/bin/sh\n{otherwise}\n")
    found = verify(("conda", "run", "python", "-m", "pip", "install", "torch==9"), variables, (), lambda: None)
    assert found.refused == said
    assert why((said, repeated)) == said


def test_its_packages_are_counted_with_their_builds(tmp_path):
    path = environment(tmp_path)
    before = installed(str(path))
    assert [(one.name, one.version) for one in before] == [("pytorch", "2.13.0 cpu_generic_py311_0")]
    (path / "conda-meta" / "pytorch-2.13.0-cpu_generic_py311_0.json").unlink()
    for name in ("pytorch-2.13.0-cuda129_generic_py311_200", "cudnn-9.10.2.21-h1_0"):
        (path / "conda-meta" / f"{name}.json").write_text("{}")
    assert differences(before, installed(str(path))) == (
        "+ cudnn 9.10.2.21 h1_0",
        "pytorch 2.13.0 cpu_generic_py311_0 -> 2.13.0 cuda129_generic_py311_200",
    )


def test_a_change_is_asked_about_made_and_taken_back(tmp_path, conda):
    path = environment(tmp_path)
    meta = path / "conda-meta"
    before = {one.name: one.read_bytes() for one in meta.iterdir()}
    change = f"echo '==> second <==' >> {meta}/history; echo '{{}}' > {meta}/cudnn-9.10.2.21-h1_0.json"
    events = []
    work = Work(
        environment=str(path),
        kind="changed",
        way="in-place",
        steps=(Run(argv=tuple(word.format(path) for word in INSTALL)),),
        variables=conda(WOULD, otherwise=change),
    )
    end = carry_out(work, lambda _: (Proved(framework="kit", outcome="passed"),), events.append, sizer())
    assert end.exit_code == 0, end.reason
    assert end.changes == ("+ cudnn 9.10.2.21 h1_0",)
    assert [type(event) for event in events if isinstance(event, Verified | Stepped)] == [Verified, Stepped]
    (verified,) = (event for event in events if isinstance(event, Verified))
    assert str(sentence(verified)).endswith("2 packages, 1 to download, up to 5 MB")
    undo(load_changes(str(path))[-1])
    assert {one.name: one.read_bytes() for one in meta.iterdir()} == before


def test_what_conda_refuses_is_not_begun(tmp_path, conda):
    path = environment(tmp_path)
    work = Work(
        environment=str(path),
        kind="changed",
        way="in-place",
        steps=(Run(argv=INSTALL),),
        variables=conda(CONFLICT, code=1, otherwise=f"touch {tmp_path}/begun"),
    )
    end = carry_out(work, lambda _: (), lambda _: None, sizer())
    assert (end.exit_code, "which conflicts" in (end.reason or "")) == (6, True)
    assert not (tmp_path / "begun").exists()


def test_a_line_can_be_as_long_as_it_is(tmp_path):
    lines = []
    done = run((sys.executable, "-c", "print('x' * 9000)"), env=os.environ, tell=lines.append, longest=10_000)
    assert (done.ok, len(lines[0])) == (True, 9000)


def test_a_conda_that_is_only_a_function_of_the_shell_is_found(tmp_path, conda):
    conda(WOULD)
    program = str(tmp_path / "bin" / "conda")
    assert program_of("conda", {"PATH": "/nowhere", "CONDA_EXE": program}) == program
    assert program_of("conda", {"PATH": "/nowhere"}) is None
    assert program_of("micromamba", {"PATH": "/nowhere", "CONDA_EXE": program}) is None


@pytest.mark.parametrize(
    ("managers", "tool"),
    [((), "conda"), (("uv", "mamba"), "mamba"), (("micromamba",), "micromamba"), (("micromamba", "conda"), "conda")],
)
def test_the_tool_that_is_there_is_named(managers, tool):
    target = Interpreter(
        chosen_by="PATH", executable="/e/bin/python", prefix="/e", environment="conda", managers=managers
    )
    assert command(target, "install", "cuda-nvcc").argv == (
        *(tool, "install", "--prefix", "/e"),
        *("--channel", "conda-forge", "cuda-nvcc"),
    )
    assert command(target, "remove", "cpuonly").argv == (tool, "remove", "--prefix", "/e", "cpuonly")
    assert command(None, "create", "--name", "x", "python").argv[:4] == ("conda", "create", "--channel", "conda-forge")


def test_what_conda_was_linking_when_it_was_killed_is_no_users(tmp_path):
    """Its extracted packages say what they have where; with the environment's path in place of theirs."""
    built = "/home/build/" + "_placehold" * 4
    package, path = tmp_path / "pkgs" / "zlib-1.3-0", tmp_path / "envs" / "gpu"
    files = {"lib/libz.so": b"\x7fELF", "bin/z": f"#!{built}/bin/sh\n".encode(), "lib/libp": f"{built}\0".encode()}
    files["site-packages/z.py"] = b"z = 1\n"
    for name, content in files.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_bytes(content)
    noted = [{"_path": name, "path_type": "hardlink", "prefix_placeholder": built} for name in files]
    (package / "info").mkdir()
    (package / "info" / "paths.json").write_text(json.dumps({"paths": noted, "paths_version": 1}))
    linked = {"lib/libz.so": files["lib/libz.so"], "bin/z": f"#!{path}/bin/sh\n".encode()}
    linked |= {"lib/libp": str(path).encode() + b"\0" * 20, "lib/python3.12/site-packages/z.py": b"z = 1\n"}
    mine = {"bin/mine": b"", "conda-meta/pinned": b"numpy<2\n"}
    for name, content in {**linked, **mine}.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)
    owners = Ownership(str(path), half=True)
    assert [name for name in (*linked, *mine) if owners.owner_of(name) is None] == list(mine)
    (path / "bin/z").write_bytes(b"mine")
    assert Ownership(str(path), half=True).owner_of("bin/z") is None
    assert Ownership(str(path)).owner_of("lib/libz.so") is None
