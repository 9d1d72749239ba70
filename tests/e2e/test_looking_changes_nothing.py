"""A static check runs nothing of the environment it looks at, writes nothing, and opens no connection."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from tests.e2e.command import gpudoctor

COMMANDS = [
    ("check", "--static"),
    ("snapshot",),
    ("rules",),
    ("explain", "torch-cpu-only"),
]
MODULES = ("torch", "tensorflow", "jax", "keras", "numpy", "pynvml", "json", "click", "gpudoctor_canary")
TOOLS = (
    "nvidia-smi",
    "nvcc",
    "python",
    "pip",
    "conda",
    "uv",
    "ldconfig",
    "uname",
    "dmesg",
    "lspci",
    "gcc",
    "git",
    "mokutil",
)


@pytest.fixture(scope="module")
def trapped(tmp_path_factory):
    """An environment in which every way of running code leaves a mark; returns (environment, marks folder, env)."""
    root = tmp_path_factory.mktemp("trapped")
    marks = root / "marks"
    marks.mkdir()
    environment = root / "environment"
    venv.create(environment, with_pip=False, symlinks=True)
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(environment)}))

    def trap(name):
        return f"open({str(marks / name)!r}, 'w').close()\n"

    (site / "trap.pth").write_text(f"import os; {trap('pth')}")
    (site / "sitecustomize.py").write_text(trap("sitecustomize"))
    (site / "usercustomize.py").write_text(trap("usercustomize"))
    for module in ("torch", "tensorflow"):
        (site / module).mkdir()
        (site / module / "__init__.py").write_text(trap(f"import-{module}"))
        info = site / f"{module}-2.6.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 2.6.0\n")
    (site / "torch" / "version.py").write_text(f"{trap('torch-version')}__version__ = '2.6.0+cu124'\ncuda = '12.4'\n")
    shadow = root / "cwd"
    shadow.mkdir()
    for module in MODULES:
        (shadow / f"{module}.py").write_text(trap(f"shadow-{module}"))
    (shadow / "startup.py").write_text(trap("PYTHONSTARTUP"))
    tools = root / "tools"
    tools.mkdir()
    for tool in TOOLS:
        (tools / tool).write_text(f"#!/bin/sh\n: > '{marks}/tool-{tool}'\n")
        (tools / tool).chmod(0o755)
    env = {
        "VIRTUAL_ENV": str(environment),
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "PYTHONSTARTUP": str(shadow / "startup.py"),
    }
    return environment, marks, shadow, env


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_no_tripwire_is_tripped(trapped, arguments):
    environment, marks, shadow, env = trapped
    # Our own interpreter is not the one under test: it is started so that the traps cannot catch it.
    code = (
        f"import sys; sys.path[:0] = [{os.getcwd()!r}]; sys.argv = ['gpudoctor', *{list(arguments)!r}]; "
        "from gpudoctor.cli.main import run; run()"
    )
    done = subprocess.run(
        [sys.executable, "-P" if sys.version_info >= (3, 11) else "-I", "-c", code],
        cwd=shadow,
        env={**os.environ, **env},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert b"Traceback" not in done.stderr, done.stderr
    assert sorted(mark.name for mark in marks.iterdir()) == []
    if arguments[0] == "check":
        assert str(environment).encode() in done.stdout, "the trapped environment is the one examined"
        assert b"2.6.0+cu124" in done.stdout


def test_the_traps_work(trapped):
    environment, marks, shadow, env = trapped
    python = environment / "bin" / "python"
    subprocess.run([python, "-c", "import torch"], cwd=shadow, env={**os.environ, **env}, check=False)
    subprocess.run(["nvidia-smi"], env={**os.environ, **env}, check=False)
    sprung = {mark.name for mark in marks.iterdir()}
    for mark in marks.iterdir():
        mark.unlink()
    assert {"pth", "sitecustomize", "shadow-torch", "tool-nvidia-smi"} <= sprung


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_strace_sees_no_write_and_no_connection(tmp_path, arguments):
    log = tmp_path / "trace"
    subprocess.run(
        [
            *("strace", "-f", "-qq", "-o", log, "-e", "trace=%file,%network", "-e", "signal=none"),
            *(sys.executable, "-B", "-m", "gpudoctor", *arguments),
        ],
        capture_output=True,
        timeout=120,
        check=False,
    )
    trace = log.read_text(errors="replace")
    assert "execve(" in trace
    assert [line for line in trace.splitlines() if _changes_something(line)] == []


#: Calls that change the file system, and flags of open that do.
_CHANGING = re.compile(
    r"\b(mkdir|mkdirat|rmdir|unlink|unlinkat|rename|renameat2?|link|linkat|symlink|symlinkat|chmod|fchmodat2?|chown|"
    r"lchown|fchownat|truncate|mknod|mknodat|utimensat|setxattr|removexattr|connect|bind|sendto|sendmsg)\("
)
_OPENED_TO_WRITE = re.compile(r"open(at)?\(.*\b(O_WRONLY|O_RDWR|O_CREAT|O_TRUNC)\b")
#: /dev/null, and the device nodes and terminals that are only asked whether they would open.
_HARMLESS = re.compile(r'"/dev/(null|tty)"|AF_UNIX, sun_path=@?"/(var/run|run)/nscd')


def _changes_something(line):
    changing = _CHANGING.search(line) or _OPENED_TO_WRITE.search(line)
    return bool(changing) and not _HARMLESS.search(line) and " = -1 " not in line


def test_the_named_output_is_the_only_file_written(tmp_path):
    before = set(tmp_path.iterdir())
    done = gpudoctor("snapshot", "-o", str(tmp_path / "mine.json"))
    assert done.returncode == 0, done.err
    assert {path.name for path in set(tmp_path.iterdir()) - before} == {"mine.json"}
    assert (tmp_path / "mine.json").stat().st_mode & 0o077 == 0
