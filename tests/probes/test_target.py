"""The target against real interpreters and environments: what Python itself says after a full start is the truth."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpudoctor.facts.base import Gap
from gpudoctor.facts.codec import encode
from gpudoctor.facts.python import Interpreter
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.host.real import RealHost
from gpudoctor.probes.target import identity as target_identity
from gpudoctor.probes.target import probe as target
from gpudoctor.probes.target.choice import Fault
from tests.probes.targets import interpreters, supported, system_python

EACH = pytest.mark.parametrize("python", [pytest.param(path, id=name) for name, path in supported()])
PLAIN = {"HOME": "/nowhere", "PATH": "/usr/bin:/bin"}


def examine(python, env=PLAIN, cwd=None):
    host = RealHost(env=env)
    host.cwd = str(cwd or "/")
    seen = target.probe(host, target.choose(host, str(python)))
    assert isinstance(seen, Interpreter), seen
    return seen


def really(python, expression, env=PLAIN, cwd="/", flags=()):
    """`expression` in that interpreter after its full start."""
    code = f"import json, os, site, sys; print(json.dumps({expression}))"
    done = subprocess.run([str(python), *flags, "-c", code], env=env, cwd=cwd, capture_output=True, check=True)
    return json.loads(done.stdout)


#: sys.path without the working directory and the standard library.
PACKAGE_PATH = (
    "[p for p in sys.path if p not in ('', os.path.dirname(os.__file__))"
    " and p[-11:] != 'lib-dynload' and p[-4:] != '.zip']"
)


def make_venv(python, where, *options):
    subprocess.run([python, "-m", "venv", "--without-pip", *options, str(where)], check=True, env=PLAIN)
    return where / "bin" / "python"


@EACH
def test_a_bare_interpreter(python):
    seen = examine(python)
    assert list(seen.site_dirs) == really(python, PACKAGE_PATH)
    assert seen.prefix == really(python, "sys.prefix")
    assert seen.environment in ("system", "standalone")
    assert seen.version == really(python, "'%d.%d.%d' % sys.version_info[:3]")


@EACH
@pytest.mark.parametrize("options", [(), ("--system-site-packages",)], ids=["closed", "system-site"])
def test_a_venv_with_a_user_site_and_pth_files(python, options, tmp_path):
    executable = make_venv(python, tmp_path / "env", *options)
    env = {**PLAIN, "HOME": str(tmp_path / "home"), "PYTHONPATH": f"{tmp_path / 'pp'}:/nowhere-at-all"}
    user = Path(really(python, "site.getusersitepackages()", env))
    site = Path(really(executable, "next(p for p in sys.path if p.endswith('site-packages'))"))
    for folder in (user, tmp_path / "pp", tmp_path / "a", tmp_path / "b"):
        folder.mkdir(parents=True)
    (site / "b.pth").write_text(f"{tmp_path / 'b'}\n{tmp_path / 'missing'}\n{tmp_path / 'pp'}\n")
    (site / "a.pth").write_text("# a note\n../../../../a\n")
    (user / "u.pth").write_text(f"{tmp_path / 'a'}\n")
    seen = examine(executable, env)
    there = [path for path in really(executable, PACKAGE_PATH, env) if os.path.exists(path)]
    assert list(seen.site_dirs) == there
    assert (seen.prefix, seen.environment, seen.made_by) == (str(tmp_path / "env"), "venv", "venv")
    assert seen.base_prefix == really(executable, "sys.base_prefix")
    assert seen.include_system_site is bool(options)
    assert seen.user_site == str(user)
    assert seen.user_site_enabled is really(executable, "site.ENABLE_USER_SITE", env)
    assert seen.executable == str(executable)


@pytest.mark.skipif(system_python() is None, reason="no Python of the operating system")
def test_the_operating_systems_python_and_a_venv_of_it(tmp_path):
    python = system_python()
    seen = examine(python)
    assert list(seen.site_dirs) == [path for path in really(python, PACKAGE_PATH) if os.path.exists(path)]
    assert seen.environment == "system"
    managed = really(python, "os.path.exists(os.path.join(os.path.dirname(os.__file__), 'EXTERNALLY-MANAGED'))")
    assert seen.externally_managed is managed
    done = subprocess.run(
        [python, "-m", "venv", "--without-pip", "--system-site-packages", tmp_path / "env"], check=False
    )
    if done.returncode != 0:
        pytest.skip("its venv module is not installed")
    executable = tmp_path / "env" / "bin" / "python"
    there = [path for path in really(executable, PACKAGE_PATH) if os.path.exists(path)]
    assert list(examine(executable).site_dirs) == there


def test_virtualenv_and_uv_say_so(tmp_path):
    made = {}
    for tool, argv in (("virtualenv", ["-m", "virtualenv", "--without-pip", "-q"]), ("uv", ["-m", "uv", "venv", "-q"])):
        where = tmp_path / tool
        done = subprocess.run([sys.executable, *argv, str(where)], capture_output=True, check=False)
        if done.returncode == 0:
            made[tool] = examine(where).made_by
    if not made:
        pytest.skip("neither virtualenv nor uv is installed")
    assert made == {tool: tool for tool in made}


@EACH
def test_a_shim_leads_to_the_real_interpreter(python, tmp_path):
    shim = tmp_path / "python3"
    shim.write_text(f'#!/bin/sh\nexec "{python}" "$@"\n')
    shim.chmod(0o755)
    host = RealHost(env={**PLAIN, "PATH": f"{tmp_path}:/usr/bin:/bin"})
    seen = target.probe(host, target.choose(host, None))
    assert isinstance(seen, Interpreter)
    assert (seen.executable, seen.started_as, seen.chosen_by) == (python, str(shim), "PATH")


def test_python_2_is_refused_politely():
    python = interpreters().get((2, 7))
    if python is None:
        pytest.skip("no Python 2.7 here")
    host = RealHost(env=PLAIN)
    fault = target.identify(host, target.choose(host, python))
    assert isinstance(fault, Fault)
    assert fault.kind == "too-old"
    assert fault.reason == f"{python} is Python 2.7.18; gpudoctor examines Python 3.6 and newer."


def stub(folder, body):
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        ("exit 0", "garbage", "ended with exit code 0 and said nothing"),
        ("echo hello; exit 0", "garbage", 'and said: "hello"'),
        ("head -c 300000 /dev/zero; exec sleep 60", "garbage", "printed too much"),
        ("printf 'gpudoctor-answers-9d41f6c02b{\"a\": 1}gpudoctor-answers-9d41f6c02b'", "garbage", ""),
        (
            "echo 'libpython3.11.so: cannot open shared object file' >&2; exit 127",
            "failed",
            "cannot open shared object",
        ),
        ("kill -SEGV $$", "crashed", "SIGSEGV"),
        ("kill -ILL $$", "crashed", "SIGILL"),
        ("kill -ABRT $$", "crashed", "SIGABRT"),
        ("kill -KILL $$", "crashed", "SIGKILL"),
        ("exec sleep 60", "timed-out", "did not answer"),
        ("trap '' TERM; while :; do sleep 1; done", "timed-out", "did not answer"),
        ("printf '\\033[31mred\\n'; exit 3", "failed", "?[31mred"),
    ],
)
def test_an_interpreter_that_does_not_answer(body, kind, words, tmp_path, monkeypatch):
    monkeypatch.setattr(target_identity, "DEADLINE", 0.7)
    host = RealHost(env=PLAIN)
    choice = target.choose(host, stub(tmp_path, body))
    fault = target.identify(host, choice)
    assert isinstance(fault, Fault)
    assert fault.kind == kind
    assert words in fault.reason
    assert "\033" not in fault.reason
    assert target.probe(host, choice) == Gap(reason=fault.reason, tried=fault.tried)


def test_a_file_that_may_not_be_run(tmp_path):
    path = tmp_path / "python"
    path.write_text("#!/bin/sh\n")
    host = RealHost(env=PLAIN)
    fault = target.identify(host, target.choose(host, str(path)))
    assert isinstance(fault, Fault)
    assert fault.kind == "not-executable"


def test_a_folder_whose_name_is_no_utf_8_is_not_taken_for_an_empty_environment(tmp_path):
    _, python = supported()[-1]
    folder = os.fsencode(tmp_path) + b"/caf\xe9"
    os.makedirs(folder + b"/bin")
    os.symlink(os.fsencode(python), folder + b"/bin/python")
    host = RealHost(env=PLAIN)
    fault = target.identify(host, target.choose(host, os.fsdecode(folder)))
    assert isinstance(fault, Fault)
    assert fault.kind == "unreadable"


def test_other_names_that_are_no_utf_8_can_be_written(tmp_path):
    _, python = supported()[-1]
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")
    os.mkdir(folder)
    seen = examine(python, {**PLAIN, "PYTHONPATH": folder, "HOME": folder}, folder)
    assert seen.python_path == (f"{tmp_path}/caf\ufffd",)
    assert encode(Snapshot(interpreter=seen))


def test_an_answer_before_a_crash_counts(tmp_path):
    _, python = supported()[-1]
    body = f'"{python}" "$@"\nkill -SEGV $$'
    seen = examine(stub(tmp_path, body))
    assert seen.executable == python


def test_the_child_gets_no_python_variables(tmp_path):
    _, python = supported()[-1]
    body = f'env | grep -c ^PYTHON > "{tmp_path}/count"\nexec "{python}" "$@"'
    examine(stub(tmp_path, body), {**PLAIN, "PYTHONHOME": "/nowhere", "PYTHONPATH": "/x", "PYTHONVERBOSE": "1"})
    assert (tmp_path / "count").read_text() == "0\n"


def test_a_start_that_would_fail_with_the_users_variables_is_still_seen():
    _, python = supported()[-1]
    assert examine(python, {**PLAIN, "PYTHONHOME": "/nowhere"}).version is not None


@pytest.fixture
def trapped(tmp_path):
    """A venv of the newest Python in which every way of running code at start leaves a mark."""
    _, python = supported()[-1]
    executable = make_venv(python, tmp_path / "env")
    site = Path(really(executable, "next(p for p in sys.path if p.endswith('site-packages'))"))
    trap = f"import os; open({str(tmp_path / 'tripped')!r}, 'w').close()\n"
    (site / "trap.pth").write_text(trap)
    (site / "__editable__.mine.pth").write_text("import __editable___mine_1_0_finder; print()\n")
    for name in ("sitecustomize.py", "usercustomize.py", "torch.py"):
        (site / name).write_text(trap)
    work = tmp_path / "work"
    work.mkdir()
    for name in ("os.py", "json.py", "site.py", "torch.py", "start.py"):
        (work / name).write_text(trap)
    return executable, site, work


def test_nothing_of_the_environment_runs(trapped, tmp_path, monkeypatch):
    executable, site, work = trapped
    monkeypatch.chdir(work)
    env = {**PLAIN, "PYTHONSTARTUP": str(work / "start.py"), "PYTHONPATH": str(work), "PYTHONINSPECT": "1"}
    seen = examine(executable, env, work)
    assert not (tmp_path / "tripped").exists()
    assert seen.executable_pth == (str(site / "__editable__.mine.pth"), str(site / "trap.pth"))
    assert seen.editables == ("mine_1_0",)
    assert {shadow.module for shadow in seen.shadows} == {"torch", "json"}


def shadow_of(seen, module):
    return next(((shadow.path, shadow.where) for shadow in seen.shadows if shadow.module == module), None)


@pytest.mark.parametrize(
    ("here", "installed", "is_shadow"),
    [
        pytest.param(["torch.py"], True, True, id="module"),
        pytest.param(["torch/__init__.py"], True, True, id="package"),
        pytest.param(["torch/notes.txt"], True, False, id="folder, and the real one is installed"),
        pytest.param(["torch/nn.py"], False, True, id="folder of sources, and no real one"),
        pytest.param(["torch/torch-2.6.0-py3-none-any.whl"], False, False, id="folder of downloads, and no real one"),
        pytest.param(["torch/"], False, False, id="empty folder"),
        pytest.param(["torch.pyx", "torch.txt", "torchx.py"], True, False, id="other names"),
        pytest.param(["torch/__init__.py", "torch.py"], True, True, id="both"),
        pytest.param([], True, False, id="nothing"),
    ],
)
@pytest.mark.parametrize("place", ["current directory", "PYTHONPATH"])
def test_shadows_are_what_an_import_would_take(here, installed, is_shadow, place, tmp_path):
    _, python = supported()[-1]
    executable = make_venv(python, tmp_path / "env")
    site = Path(really(executable, "next(p for p in sys.path if p.endswith('site-packages'))"))
    if installed:
        (site / "torch").mkdir()
        (site / "torch" / "__init__.py").write_text("")
    folder = tmp_path / "place"
    for name in here:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).mkdir(parents=True, exist_ok=True) if name.endswith("/") else (folder / name).write_text("")
    folder.mkdir(exist_ok=True)
    env, cwd = (PLAIN, folder) if place == "current directory" else ({**PLAIN, "PYTHONPATH": str(folder)}, tmp_path)
    found = shadow_of(examine(executable, env, cwd), "torch")
    imported = "__import__('torch')"
    code = f"list({imported}.__path__)[0] if hasattr({imported}, '__path__') else {imported}.__file__"
    if installed or is_shadow:
        taken = really(executable, code, env, cwd)
        assert taken.startswith(str(folder)) is is_shadow
        assert found == ((taken, place) if is_shadow else None)
    assert (found is not None) is is_shadow


def test_no_shadow_in_the_site_folder_itself_nor_with_safe_path(tmp_path):
    _, python = supported()[-1]
    executable = make_venv(python, tmp_path / "env")
    site = Path(really(executable, "next(p for p in sys.path if p.endswith('site-packages'))"))
    (site / "torch").mkdir()
    (site / "torch" / "__init__.py").write_text("")
    (site / "torch" / "random.py").write_text("")
    (tmp_path / "torch.py").write_text("")
    assert examine(executable, cwd=site).shadows == ()
    assert shadow_of(examine(executable, cwd=tmp_path), "torch") is not None
    assert examine(executable, {**PLAIN, "PYTHONSAFEPATH": "1"}, tmp_path).shadows == ()
    inside = examine(executable, cwd=site / "torch")
    assert shadow_of(inside, "random") == (str(site / "torch" / "random.py"), "current directory")


def test_a_copy_in_the_user_site_stands_before_the_systems(tmp_path):
    _, python = supported()[-1]
    executable = make_venv(python, tmp_path / "env", "--system-site-packages")
    env = {**PLAIN, "HOME": str(tmp_path / "home")}
    user = Path(really(python, "site.getusersitepackages()", env))
    extra = tmp_path / "extra"
    for folder in (user, extra):
        (folder / "torch").mkdir(parents=True)
        (folder / "torch" / "__init__.py").write_text("")
    (user / "zz.pth").write_text(f"{extra}\n")
    assert shadow_of(examine(executable, env), "torch") == (str(user / "torch"), "user site")
    assert examine(executable, {**env, "PYTHONNOUSERSITE": "1"}).shadows == ()
