"""Which interpreter is examined."""

import sys

import pytest

from gpudoctor.host.recorded import RecordedHost
from gpudoctor.probes.target.choice import choose

FILES = {
    "/usr/bin/python3": "",
    "/opt/py/bin/python3.12": "",
    "/env/bin/python": "",
    "/conda/bin/python": "",
    "/work/.venv/bin/python": "",
    "/work/notes/readme.txt": "",
    "/work/python3": "a file of that name in the working directory",
}
PATH = {"PATH": "/opt/py/bin:/usr/bin"}


def host(env=PATH, **changes):
    return RecordedHost(FILES, env=env, cwd="/work", **changes)


@pytest.mark.parametrize(
    ("python", "env", "executable", "chosen_by"),
    [
        pytest.param(None, PATH, "/usr/bin/python3", "PATH", id="python3 on PATH"),
        pytest.param(None, {}, sys.executable, "own", id="none at all: our own"),
        pytest.param(None, {"VIRTUAL_ENV": "/env", **PATH}, "/env/bin/python", "VIRTUAL_ENV", id="active virtualenv"),
        pytest.param(None, {"CONDA_PREFIX": "/conda", **PATH}, "/conda/bin/python", "CONDA_PREFIX", id="active conda"),
        pytest.param(None, {"VIRTUAL_ENV": "", **PATH}, "/usr/bin/python3", "PATH", id="empty variable"),
        pytest.param(
            None,
            {"VIRTUAL_ENV": "/env", "CONDA_PREFIX": "/conda", "PATH": "/conda/bin:/env/bin"},
            "/conda/bin/python",
            "CONDA_PREFIX",
            id="both, conda first on PATH",
        ),
        pytest.param(
            None,
            {"VIRTUAL_ENV": "/env", "CONDA_PREFIX": "/conda", "PATH": "/env/bin:/conda/bin"},
            "/env/bin/python",
            "VIRTUAL_ENV",
            id="both, virtualenv first on PATH",
        ),
        pytest.param(
            None,
            {"VIRTUAL_ENV": "/env", "CONDA_PREFIX": "/conda", "PATH": "/usr/bin"},
            "/env/bin/python",
            "VIRTUAL_ENV",
            id="both, neither on PATH",
        ),
        pytest.param("/opt/py/bin/python3.12", PATH, "/opt/py/bin/python3.12", "--python", id="a path"),
        pytest.param(".venv/bin/python", PATH, "/work/.venv/bin/python", "--python", id="a relative path"),
        pytest.param(".venv", PATH, "/work/.venv/bin/python", "--python", id="an environment's folder"),
        pytest.param("/conda/", PATH, "/conda/bin/python", "--python", id="a conda environment's folder"),
        pytest.param("python3.12", PATH, "/opt/py/bin/python3.12", "--python", id="a command"),
        pytest.param("python3", PATH, "/work/python3", "--python", id="a file here before a command"),
        pytest.param(
            "/env/bin/python", {"VIRTUAL_ENV": "/env"}, "/env/bin/python", "--python", id="named beats active"
        ),
    ],
)
def test_choose(python, env, executable, chosen_by):
    choice = choose(host(env), python)
    assert (choice.executable, choice.chosen_by, choice.fault) == (executable, chosen_by, None)


@pytest.mark.parametrize(
    ("python", "kind", "words"),
    [
        ("/none/python", "missing", "/none/python does not exist."),
        ("python9.9", "missing", "python9.9 does not exist."),
        ("", "missing", "The empty name does not exist."),
        ("notes", "directory", "notes is a folder, and no Python environment"),
        ("/work/notes", "directory", "it has no bin/python"),
        ("/gone/bin/python", "missing", "is a link to /opt/python3.9, which does not exist"),
        ("/secret/python", "unreadable", "cannot be looked at: permission denied"),
    ],
)
def test_what_cannot_be_examined(python, kind, words):
    links, gaps = {"/gone/bin/python": "/opt/python3.9"}, {"/secret/python": "permission denied"}
    choice = choose(host(links=links, gaps=gaps), python)
    assert choice.fault is not None
    assert choice.fault.kind == kind
    assert words in choice.fault.reason
    assert choice.fault.gap.reason == choice.fault.reason


def test_an_environment_that_is_gone_is_passed_over_and_named():
    choice = choose(host({"VIRTUAL_ENV": "/gone", **PATH}), None)
    assert (choice.executable, choice.passed_over) == ("/usr/bin/python3", ("VIRTUAL_ENV=/gone",))


@pytest.mark.parametrize(
    ("files", "env", "executable"),
    [
        ({"C:\\env\\Scripts\\python.exe": ""}, {"VIRTUAL_ENV": "C:\\env"}, "C:\\env\\Scripts\\python.exe"),
        ({"C:\\conda\\python.exe": ""}, {"CONDA_PREFIX": "C:\\conda"}, "C:\\conda\\python.exe"),
        ({"C:\\py\\python.exe": ""}, {"PATH": "C:\\none;C:\\py"}, "C:\\py\\python.exe"),
    ],
)
def test_windows(files, env, executable):
    assert choose(RecordedHost(files, env=env, platform="win32", cwd="C:\\"), None).executable == executable
