"""Whatever a command is given, it ends soon, small, and with a word: never with our own bug."""

import faulthandler
import io
import os
import resource
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.hostile.inputs import KINDS, Given, given, laid_out

#: Of each kind; GPUDOCTOR_HOSTILE_INPUTS=3125 makes 12,500 of them, from GPUDOCTOR_HOSTILE_SEED on.
COUNT = int(os.environ.get("GPUDOCTOR_HOSTILE_INPUTS", "30"))
FIRST = int(os.environ.get("GPUDOCTOR_HOSTILE_SEED", "0"))
SECONDS, MEGABYTES = 2.0, 300

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="each is run in a fork")


def _answer(one: Given) -> tuple[int, str]:
    """The exit code and what was shown."""
    from gpudoctor.cli.main import main

    sys.argv = ["gpudoctor", *one.words]
    sys.stdin = io.TextIOWrapper(io.BytesIO(one.standard_input))
    sys.stdout, sys.stderr = (io.TextIOWrapper(io.BytesIO(), "utf-8", "replace") for _ in range(2))
    code = main()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    shown = sys.stdout.buffer.getvalue() + sys.stderr.buffer.getvalue()  # type: ignore[attr-defined]
    return code, shown.decode("utf-8", "replace")


def _fault(one: Given) -> str | None:
    began = time.process_time()
    code, shown = _answer(one)
    took = time.process_time() - began
    if code not in (0, 1, 2, 3) or "itself failed" in shown:
        return f"exit {code}: {shown[-700:]}"
    return f"{took:.1f} s" if took > SECONDS else None


def _in_a_fork(kind: str, seeds: range, folder: Path) -> list[str]:
    """The faults that some of them showed, run one after another in one process."""
    given(kind, seeds.start)  # what all of them are made of is read once, here
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        _serve(kind, seeds, folder, writer)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        lines = stream.read().decode("utf-8", "replace").split("\x1e")
    _, status = os.waitpid(pid, 0)
    begun = [line for line in lines if line.startswith("began ")]
    faults = [line for line in lines if line and not line.startswith("began ")]
    return [*faults, f"{begun[-1]}: ended with {status}"] if status else faults


def _serve(kind: str, seeds: range, folder: Path, writer: int) -> Any:
    code = 1
    try:
        os.chdir(folder)
        faulthandler.register(signal.SIGALRM, file=writer, chain=True)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for seed in seeds:
            one = given(kind, seed)
            os.write(writer, f"began {kind} {seed}\x1e".encode())
            laid_out(one, folder)
            signal.alarm(60)
            if fault := _fault(one):
                words = " ".join(word[:60] for word in one.words)
                os.write(writer, f"{kind} {seed} ({words}): {fault}\x1e".encode("utf-8", "replace"))
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        # Before it is what the tests' own process has: gpudoctor alone begins with some 30 MB.
        if grown - before > (MEGABYTES - 30) * 1024 and sys.platform == "linux":
            os.write(writer, f"{kind} {seeds}: {grown // 1024} MB, {before // 1024} MB before\x1e".encode())
        code = 0
    finally:
        os._exit(code)


@pytest.mark.timed
@pytest.mark.parametrize("kind", KINDS)
def test_whatever_is_given_a_word_comes_back(kind: str, tmp_path: Path) -> None:
    faults = []
    for start in range(FIRST, FIRST + COUNT, 50):
        faults += _in_a_fork(kind, range(start, min(start + 50, FIRST + COUNT)), tmp_path)
    assert faults == []
