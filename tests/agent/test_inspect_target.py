"""The script that says who an interpreter is, against what each interpreter here says of itself after a full start."""

import json
import os
import statistics
import subprocess
import time
from pathlib import Path

import pytest

import gpudoctor
from tests.probes.targets import interpreters, supported

SCRIPT = Path(gpudoctor.__file__).parent / "agent" / "inspect_target.py"
COOKIE = "f00d"
EACH = pytest.mark.parametrize("python", [pytest.param(path, id=name) for name, path in supported()])

ORACLE = """
import importlib.util, json, os, platform, site, struct, sys, sysconfig
print(json.dumps({
    "abi": "cp%d%d%s" % (sys.version_info[0], sys.version_info[1], getattr(sys, "abiflags", "")),
    "base_prefix": sys.base_prefix,
    "bits": struct.calcsize("P") * 8,
    "executable": sys.executable,
    "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
    "has_ssl": importlib.util.find_spec("_ssl") is not None,
    "home": os.path.expanduser("~"),
    "implementation": sys.implementation.name,
    "os_name": os.name,
    "platform": sysconfig.get_platform(),
    "prefix": sys.prefix,
    "python_h": os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")),
    "stdlib": sysconfig.get_path("stdlib"),
    "version": platform.python_version(),
}))
"""


def ask(python, *flags, **kwargs):
    with SCRIPT.open("rb") as script:
        argv = [python, *(flags or ("-I", "-S", "-B")), "-", COOKIE]
        return subprocess.run(argv, stdin=script, capture_output=True, check=False, **kwargs)


def facts(done):
    return json.loads(done.stdout.decode().split(COOKIE)[1])


@EACH
def test_it_says_what_the_interpreter_says_after_a_full_start(python):
    expected = json.loads(subprocess.run([python, "-I", "-c", ORACLE], capture_output=True, check=True).stdout)
    said = facts(ask(python))
    assert {key: said[key] for key in expected} == expected


@EACH
def test_it_imports_next_to_nothing(python):
    code = "import sys; exec(sys.stdin.read()); sys.stderr.write(' '.join(sys.modules))"
    with SCRIPT.open("rb") as script:
        argv = [python, "-I", "-S", "-B", "-c", code, COOKIE]
        done = subprocess.run(argv, stdin=script, capture_output=True, check=True)
    loaded = set(done.stderr.decode().split())
    assert loaded
    assert not loaded & {"json", "re", "site", "sysconfig", "platform", "importlib.util", "ssl", "_ssl", "ctypes"}


@EACH
def test_a_virtual_environment_runs_none_of_its_lines(python, tmp_path):
    subprocess.run([python, "-m", "venv", "--without-pip", str(tmp_path / "env")], check=True)
    for site in (tmp_path / "env").glob("lib/python3*/site-packages"):
        (site / "trap.pth").write_text(f"import os; open({str(tmp_path / 'tripped')!r}, 'w')\n")
        (site / "sitecustomize.py").write_text(f"open({str(tmp_path / 'tripped')!r}, 'w')\n")
    said = facts(ask(str(tmp_path / "env" / "bin" / "python"), cwd=tmp_path))
    assert said["executable"] == str(tmp_path / "env" / "bin" / "python")
    assert not (tmp_path / "tripped").exists()
    subprocess.run([str(tmp_path / "env" / "bin" / "python"), "-I", "-c", ""], check=False)
    assert (tmp_path / "tripped").exists(), "the trap itself must work"


def test_python_2_is_told_apart():
    python = interpreters().get((2, 7))
    if python is None:
        pytest.skip("no Python 2.7 here")
    done = ask(python, "-E", "-s", "-S", "-B")
    assert done.returncode == 69
    assert facts(done) == {"too_old": "2.7.18"}


def test_a_name_that_is_no_utf_8_is_still_json(tmp_path):
    name = os.fsencode(tmp_path) + b"/caf\xe9"
    os.mkdir(name)
    python = name + b"/python"
    os.symlink(os.fsencode(supported()[-1][1]), python)
    done = ask(python)
    assert facts(done)["executable"].endswith("caf\ufffd/python")


@pytest.mark.timed
def test_it_takes_a_few_milliseconds_more_than_the_bare_interpreter():
    _, python = supported()[-1]

    def bare(_):
        return subprocess.run([python, "-I", "-S", "-B", "-c", "pass"], check=True)

    def fastest(run):
        times = []
        for _ in range(9):
            start = time.perf_counter()
            run(python)
            times.append(time.perf_counter() - start)
        return statistics.quantiles(times, n=4)[0]

    assert fastest(ask) - fastest(bare) < 0.020
