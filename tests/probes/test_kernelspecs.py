"""Jupyter kernels and the interpreters they start."""

import pytest

from gpudoctor.host.recorded import RecordedHost
from gpudoctor.probes.kernelspecs import data_folders, parse_kernel_json, read_kernelspecs


@pytest.mark.parametrize(
    ("text", "program"),
    [
        ('{"argv": ["/env/bin/python", "-m", "ipykernel_launcher"], "language": "python"}', "/env/bin/python"),
        ('{"argv": []}', None),
        ('{"display_name": "x"}', None),
        ('{"argv": "python"}', None),
        ('{"argv": [1]}', None),
        ("", None),
        ("[]", None),
        ("{" * 100_000, None),
        ('{"argv": ' + "[" * 100_000, None),
        ("\x00\ufffd", None),
    ],
)
def test_kernel_json(text, program):
    assert parse_kernel_json(text) == program


def spec(program):
    return f'{{"argv": ["{program}"]}}'


def test_kernels_of_this_and_of_other_interpreters():
    files = {
        "/env/pyvenv.cfg": "home = /usr/bin",
        "/other/pyvenv.cfg": "home = /usr/bin",
        "/usr/bin/python3.11": "",
        "/env/share/jupyter/kernels/python3/kernel.json": spec("/env/bin/python3"),
        "/home/ada/.local/share/jupyter/kernels/other/kernel.json": spec("/other/bin/python"),
        "/home/ada/.local/share/jupyter/kernels/gone/kernel.json": spec("/gone/bin/python"),
        "/home/ada/.local/share/jupyter/kernels/base/kernel.json": spec("/usr/bin/python3.11"),
        "/home/ada/.local/share/jupyter/kernels/bare/kernel.json": spec("python"),
        "/home/ada/.local/share/jupyter/kernels/ir/kernel.json": spec("/usr/bin/R"),
        "/usr/share/jupyter/kernels/bare/kernel.json": spec("/second/of/that/name/python"),
        "/usr/share/jupyter/kernels/broken/kernel.json": "{",
        "/usr/share/jupyter/kernels/empty/notes.txt": "",
    }
    python = "/usr/bin/python3.11"
    links = {"/env/bin/python": python, "/env/bin/python3": "python", "/other/bin/python": python}
    found = read_kernelspecs(RecordedHost(files, links=links), "/env/bin/python", "/env", "/home/ada")
    assert {kernel.name: kernel.same_interpreter for kernel in found} == {
        "python3": True,
        "other": False,
        "gone": False,
        "base": False,
        "bare": None,
    }


@pytest.mark.parametrize(
    ("platform", "env", "expected"),
    [
        (
            "linux",
            {},
            ("/h/.local/share/jupyter", "/p/share/jupyter", "/usr/local/share/jupyter", "/usr/share/jupyter"),
        ),
        ("linux", {"XDG_DATA_HOME": "/x", "JUPYTER_PATH": "/a:/b"}, ("/a", "/b", "/x/jupyter", "/p/share/jupyter")),
        ("linux", {"JUPYTER_DATA_DIR": "/d"}, ("/d", "/p/share/jupyter")),
        ("darwin", {}, ("/h/Library/Jupyter", "/p/share/jupyter")),
        (
            "win32",
            {"APPDATA": "C:\\A", "PROGRAMDATA": "C:\\P"},
            ("C:\\A\\jupyter", "/p\\share\\jupyter", "C:\\P\\jupyter"),
        ),
    ],
)
def test_data_folders(platform, env, expected):
    folders = data_folders(RecordedHost(env=env, platform=platform), "/p", "/h")
    assert folders[: len(expected)] == expected
