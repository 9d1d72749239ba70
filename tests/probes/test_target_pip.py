"""The interpreter that a pip script starts, and the pip in an environment."""

import pytest

from gpudoctor.host.recorded import RecordedHost
from gpudoctor.probes.target.probe import find_managers, find_project_files, parse_shebang, pip_version, read_pip


@pytest.mark.parametrize(
    ("raw", "interpreter"),
    [
        (b"#!/env/bin/python3.11\nimport sys\n", "/env/bin/python3.11"),
        (b"#! /env/bin/python -E\n", "/env/bin/python"),
        (b"#!/usr/bin/env python3\n", "python3"),
        (b"#!/usr/bin/env -S python3 -I\n", "python3"),
        (b"#!/opt/pypy3.9\n", "/opt/pypy3.9"),
        (b"#!/env/bin/python3.13t\n", "/env/bin/python3.13t"),
        (b"#!/bin/sh\n'''exec' \"/home/a b/bin/python\" \"$0\" \"$@\"\n' '''\n", "/home/a b/bin/python"),
        (b"#!/bin/sh\n'''exec' /very/long/bin/python \"$0\" \"$@\"\n' '''\n", "/very/long/bin/python"),
        (b"#!/bin/sh\nexec pyenv exec pip\n", None),
        (b"#!/usr/bin/env bash\nset -e\n", None),
        (b"#!/bin/bash\n", None),
        (b"\x7fELF", None),
        (b"", None),
        (b"#!", None),
        (b"#!\n", None),
        (b"MZ\x90\x00" + bytes(500) + b"#!C:\\env\\Scripts\\python.exe\r\nPK\x03\x04", "C:\\env\\Scripts\\python.exe"),
        (b'MZ#!"C:\\Program Files\\Python\\python.exe"\r\nPK', "C:\\Program Files\\Python\\python.exe"),
        (b"MZ#!C:\\Program Files\\Python\\python.exe\r\nPK", "C:\\Program Files\\Python\\python.exe"),
        (b"MZ\x90\x00no script here", None),
        (b"#!\xff\xfe\n", None),
    ],
)
def test_shebang(raw, interpreter):
    assert parse_shebang(raw) == interpreter


WHOLE = ("__init__.py", "__main__.py", "_internal", "_vendor")


@pytest.mark.parametrize(
    ("names", "inside", "version"),
    [
        (("pip-25.1.dist-info", "pip"), {"pip": WHOLE}, "25.1"),
        (("pip-9.0.1-py3.6.egg-info", "pip"), {"pip": ("__main__.py", "_vendor", "commands")}, "9.0.1"),
        (("pip-10.0.1-py3.6.egg",), {"pip-10.0.1-py3.6.egg/pip": WHOLE}, "10.0.1"),
        (("pip_audit-2.7.dist-info", "pip-tools-7.0.dist-info", "pipx-1.0.dist-info"), {}, None),
        ((), {}, None),
        # What is left of it cannot be started.
        (("pip-25.1.dist-info",), {}, None),
        (("pip-25.1.dist-info", "pip"), {"pip": ("__init__.py", "__main__.py", "_internal")}, None),
        (("pip-25.1.dist-info", "pip"), {"pip": ("__main__.py", "_vendor")}, None),
        (("pip-25.1.dist-info", "pip"), {"pip": ("_internal", "_vendor")}, None),
    ],
)
def test_pip_version(names, inside, version):
    directories = {"/site": names, **{f"/site/{folder}": files for folder, files in inside.items()}}
    assert pip_version(RecordedHost(directories=directories), ("/none", "/site")) == version


def test_pip_first_on_path_belongs_to_another_interpreter():
    files = {"/usr/bin/pip": "#!/usr/bin/env python3\n", "/usr/bin/python3": ""}
    seen = read_pip(RecordedHost(files, env={"PATH": "/usr/bin"}), ())
    assert (seen.on_path, seen.on_path_interpreter, seen.version) == ("/usr/bin/pip", "/usr/bin/python3", None)


def test_no_pip_anywhere():
    seen = read_pip(RecordedHost(env={"PATH": "/usr/bin"}), ("/site",))
    assert (seen.on_path, seen.on_path_interpreter, seen.version) == (None, None, None)


def test_managers_and_project_files():
    files = {"/bin/uv": "", "/opt/conda/bin/conda": "", "/work/poetry.lock": "", "/work/pixi.toml": ""}
    host = RecordedHost(files, env={"PATH": "/bin", "CONDA_EXE": "/opt/conda/bin/conda"}, cwd="/work")
    assert find_managers(host) == ("uv", "conda")
    assert find_project_files(host) == ("poetry.lock", "pixi.toml")
