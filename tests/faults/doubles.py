"""The misbehaving programs, compiled once, and what finds and ends whatever they leave behind."""

import contextlib
import os
import shutil
import signal
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def compiled(source: str, folder: Path) -> str:
    """The program made from `source`, a C file beside this one."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler")
    program = folder / Path(source).stem
    subprocess.run([compiler, "-O1", "-w", "-o", program, HERE / source], check=True)
    return str(program)


@pytest.fixture(scope="session")
def double(tmp_path_factory: pytest.TempPathFactory) -> str:
    return compiled("doubles.c", tmp_path_factory.mktemp("doubles"))


@pytest.fixture
def mark() -> Iterator[str]:
    """A word for the command line of a child; processes that still carry it are killed after the test."""
    word = f"mark-{uuid.uuid4().hex}"
    yield word
    for pid in marked(word):
        os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):  # a grandchild is not ours to collect
            os.waitpid(pid, 0)


def marked(word: str) -> list[int]:
    """Living processes with `word` on their command line (a zombie has none)."""
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            words = Path("/proc", name, "cmdline").read_bytes()
        except OSError:
            continue
        if word.encode() in words and int(name) != os.getpid():
            found.append(int(name))
    return found
