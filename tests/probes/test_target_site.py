"""Site folders of interpreters that are not on this machine: Debian, Fedora, macOS, Windows, PyPy, conda."""

import pytest

from gpudoctor.facts.python import Interpreter
from gpudoctor.host.recorded import RecordedHost
from gpudoctor.probes.target import probe as target
from gpudoctor.probes.target.choice import Choice
from gpudoctor.probes.target.site import editable_names, parse_pth, parse_pyvenv_cfg
from tests.probes.targets import LINUX, WINDOWS, answer, asked


def examine(*, folders=(), files=None, base=LINUX, says=None, env=None, platform="linux", cwd="/work"):
    """The interpreter on a recorded machine with these folders (each with one file) and files."""
    executable = (says or {}).get("executable", base["executable"])
    separator = "\\" if platform == "win32" else "/"
    tree = {f"{folder}{separator}x.txt": "" for folder in folders} | (files or {})
    commands = {asked(executable): answer(base, **(says or {}))}
    host = RecordedHost(tree, commands=commands, env=env or {}, platform=platform, cwd=cwd)
    seen = target.probe(host, Choice(executable=executable, chosen_by="--python"))
    assert isinstance(seen, Interpreter)
    return seen


MAC = {
    "executable": "/opt/homebrew/bin/python3.11",
    "base_prefix": "/opt/homebrew/Frameworks/Python.framework/Versions/3.11",
    "prefix": "/opt/homebrew/Frameworks/Python.framework/Versions/3.11",
    "exec_prefix": "/opt/homebrew/Frameworks/Python.framework/Versions/3.11",
    "framework": "Python",
    "home": "/Users/ada",
    "platform": "macosx-14-arm64",
}


@pytest.mark.parametrize(
    ("says", "there", "expected"),
    [
        pytest.param(
            {"site_patch": "debian"},
            (
                "/usr/local/lib/python3.11/dist-packages",
                "/usr/lib/python3/dist-packages",
                "/usr/lib/python3.11/site-packages",
            ),
            ("/usr/local/lib/python3.11/dist-packages", "/usr/lib/python3/dist-packages"),
            id="Debian",
        ),
        pytest.param(
            {"site_patch": "fedora", "platlibdir": "lib64"},
            (
                "/usr/local/lib64/python3.11/site-packages",
                "/usr/lib64/python3.11/site-packages",
                "/usr/lib/python3.11/site-packages",
            ),
            (
                "/usr/local/lib64/python3.11/site-packages",
                "/usr/lib64/python3.11/site-packages",
                "/usr/lib/python3.11/site-packages",
            ),
            id="Fedora: lib64 and lib, /usr/local first",
        ),
        pytest.param(
            {"version": "3.13.2", "free_threaded": True},
            ("/usr/lib/python3.13t/site-packages", "/usr/lib/python3.13/site-packages"),
            ("/usr/lib/python3.13t/site-packages",),
            id="free-threaded",
        ),
        pytest.param(
            {"implementation": "pypy", "version": "3.9.19"},
            ("/usr/lib/pypy3.9/site-packages", "/usr/lib/python3.9/site-packages"),
            ("/usr/lib/pypy3.9/site-packages",),
            id="PyPy",
        ),
        pytest.param(
            {
                "implementation": "pypy",
                "version": "3.6.9",
                "prefix": "/opt/pypy",
                "base_prefix": "/opt/pypy",
                "exec_prefix": "/opt/pypy",
            },
            ("/opt/pypy/site-packages",),
            ("/opt/pypy/site-packages",),
            id="PyPy before 3.8",
        ),
        pytest.param({}, (), (), id="none of them there"),
    ],
)
def test_site_folders(says, there, expected):
    assert examine(folders=there, says=says).site_dirs == expected


def test_framework_build_of_macos():
    site = f"{MAC['prefix']}/lib/python3.11/site-packages"
    user = "/Users/ada/Library/Python/3.11/lib/python/site-packages"
    seen = examine(folders=(site, user, "/Library/Python/3.11/site-packages"), says=MAC, platform="darwin")
    assert seen.site_dirs == (user, site, "/Library/Python/3.11/site-packages")


def test_windows():
    user = "C:\\Users\\ada\\AppData\\Roaming\\Python\\Python311\\site-packages"
    env = {"APPDATA": "C:\\Users\\ada\\AppData\\Roaming"}
    folders = ("C:\\Python311", "C:\\Python311\\Lib\\site-packages", user)
    seen = examine(base=WINDOWS, folders=folders, platform="win32", env=env, cwd="C:\\work")
    assert seen.site_dirs == (user, "C:\\Python311", "C:\\Python311\\Lib\\site-packages")


def test_windows_venv():
    says = {"executable": "C:\\env\\Scripts\\python.exe"}
    files = {"C:\\env\\pyvenv.cfg": "home = C:\\Python311\ninclude-system-site-packages = false\nversion = 3.11.9\n"}
    folders = ("C:\\env\\Lib\\site-packages", "C:\\Python311\\Lib\\site-packages")
    seen = examine(base=WINDOWS, folders=folders, files=files, says=says, platform="win32", cwd="C:\\work")
    assert seen.site_dirs == ("C:\\env", "C:\\env\\Lib\\site-packages")
    assert (seen.prefix, seen.environment, seen.made_by) == ("C:\\env", "venv", "venv")


CONDA = {
    "executable": "/opt/conda/bin/python",
    "prefix": "/opt/conda",
    "base_prefix": "/opt/conda",
    "exec_prefix": "/opt/conda",
    "stdlib": "/opt/conda/lib/python3.11",
}


@pytest.mark.parametrize(
    ("files", "says", "kind", "made_by"),
    [
        ({"/opt/conda/conda-meta/history": ""}, CONDA, "conda", "conda"),
        ({"/opt/conda/conda-meta/history": "", "/opt/conda/condabin/conda": ""}, CONDA, "conda-base", "conda"),
        (
            {"/w/.pixi/envs/default/conda-meta/x": ""},
            {"executable": "/w/.pixi/envs/default/bin/python", "prefix": "/w/.pixi/envs/default"},
            "conda",
            "pixi",
        ),
        ({}, {"executable": "/usr/bin/python3"}, "system", None),
        ({}, {"executable": "/usr/local/bin/python3", "prefix": "/usr/local"}, "standalone", None),
        ({}, {"executable": "/x", "prefix": "/home/a/.local/share/uv/python/cpython-3.12.1-linux"}, "standalone", "uv"),
        ({}, {"executable": "/x", "prefix": "/home/a/.pyenv/versions/3.11.7"}, "standalone", "pyenv"),
        ({"/e/pyvenv.cfg": "home = /usr/bin\nuv = 0.9.2\n"}, {"executable": "/e/bin/python"}, "venv", "uv"),
        (
            {"/e/pyvenv.cfg": "home = /usr/bin\nvirtualenv = 20.1\n"},
            {"executable": "/e/bin/python"},
            "venv",
            "virtualenv",
        ),
        ({"/e/bin/pyvenv.cfg": "home = /usr/bin\n"}, {"executable": "/e/bin/python"}, "venv", "venv"),
        (
            {"/h/pypoetry/virtualenvs/a/pyvenv.cfg": "virtualenv = 20"},
            {"executable": "/h/pypoetry/virtualenvs/a/bin/python"},
            "venv",
            "poetry",
        ),
        ({"/h/pipx/venvs/a/pyvenv.cfg": "x = y"}, {"executable": "/h/pipx/venvs/a/bin/python"}, "venv", "pipx"),
        (
            {"/e/lib/python3.6/orig-prefix.txt": "/usr"},
            {"executable": "/e/bin/python", "stdlib": "/e/lib/python3.6", "prefix": "/e"},
            "venv",
            "virtualenv",
        ),
    ],
)
def test_kind_of_environment(files, says, kind, made_by):
    seen = examine(files=files, says=says)
    assert (seen.environment, seen.made_by) == (kind, made_by)


def test_old_virtualenv_shut_off_from_the_system():
    says = {"executable": "/e/bin/python", "stdlib": "/e/lib/python3.6", "prefix": "/e"}
    note = "/e/lib/python3.6/no-global-site-packages.txt"
    assert examine(files={"/e/lib/python3.6/orig-prefix.txt": "/usr"}, says=says).include_system_site is True
    assert examine(files={"/e/lib/python3.6/orig-prefix.txt": "/usr", note: ""}, says=says).include_system_site is False


@pytest.mark.parametrize(
    ("files", "says", "managed"),
    [
        ({"/usr/lib/python3.11/EXTERNALLY-MANAGED": "[externally-managed]\n"}, {}, True),
        ({"/usr/lib/python3.11/os.py": ""}, {}, False),
        (
            {"/usr/lib/python3.11/EXTERNALLY-MANAGED": "", "/e/pyvenv.cfg": "home = /usr/bin"},
            {"executable": "/e/bin/python"},
            False,
        ),
    ],
)
def test_externally_managed(files, says, managed):
    assert examine(files=files, says=says).externally_managed is managed


@pytest.mark.parametrize(
    ("text", "config"),
    [
        (
            "home = /usr/bin\nuv = 0.9\nInclude-System-Site-Packages = true\n",
            {"home": "/usr/bin", "uv": "0.9", "include-system-site-packages": "true"},
        ),
        ("command = /usr/bin/python3 -m venv --prompt=a=b /e", {"command": "/usr/bin/python3 -m venv --prompt=a=b /e"}),
        ("", {}),
        ("nothing\n\x00\n", {}),
    ],
)
def test_pyvenv_cfg(text, config):
    assert parse_pyvenv_cfg(text) == config


@pytest.mark.parametrize(
    ("text", "paths", "code"),
    [
        ("../src\n# note\n\n  \n/opt/lib  \n", ("../src", "/opt/lib"), ()),
        ("import os; os.system('x')\n./a\n", ("./a",), ("import os; os.system('x')",)),
        ("import\tos\n", (), ("import\tos",)),
        (" import os\nimportant\n", (" import os", "important"), ()),
        ("\ufeff/opt/lib\n", ("/opt/lib",), ()),
        ("", (), ()),
    ],
)
def test_pth(text, paths, code):
    parsed = parse_pth(text)
    assert (parsed.paths, parsed.code) == (paths, code)


def test_editables():
    code = ("import __editable___my_torch_2_1_finder; __editable___my_torch_2_1_finder.install()", "import os")
    assert editable_names(code) == ("my_torch_2_1",)


SITE = "/usr/lib/python3.11/site-packages"
USER = "/home/ada/.local/lib/python3.11/site-packages"


@pytest.mark.parametrize(
    ("env", "says", "enabled", "first"),
    [
        ({}, {}, True, USER),
        ({"PYTHONNOUSERSITE": "1"}, {}, False, SITE),
        ({"PYTHONNOUSERSITE": ""}, {}, True, USER),
        ({"PYTHONUSERBASE": "/ub"}, {}, True, "/ub/lib/python3.11/site-packages"),
        ({}, {"same_user": False}, False, SITE),
        ({"PYTHONPATH": "/pp:/none"}, {}, True, "/pp"),
        ({"PYTHONPATH": ":/pp"}, {}, True, "/work"),
    ],
)
def test_user_site_and_pythonpath(env, says, enabled, first):
    folders = (SITE, USER, "/ub/lib/python3.11/site-packages", "/pp", "/work")
    seen = examine(folders=folders, env=env, says=says)
    assert seen.user_site_enabled is enabled
    assert seen.site_dirs[0] == first
    assert seen.python_path == (
        seen.site_dirs[:1] if first in ("/pp",) else ("/work", "/pp") if first == "/work" else ()
    )


def test_a_site_folder_that_may_not_be_listed_is_still_on_the_path():
    executable = LINUX["executable"]
    host = RecordedHost(gaps={SITE: "permission denied"}, commands={asked(executable): answer()})
    seen = target.probe(host, Choice(executable=executable, chosen_by="PATH"))
    assert isinstance(seen, Interpreter)
    assert seen.site_dirs == (SITE,)
