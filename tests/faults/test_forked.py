"""Work in a fork: its answer comes back, and whatever happens to it, we go on in time. Each case is its own process."""

import subprocess
import sys
import textwrap
import time

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks are for Linux")


def forked(work, deadline=5.0, after="print(repr(work.result({deadline})))"):
    """What a process prints that runs `work` (the body of a function) in a fork, and how long it took."""
    script = "\n".join(
        [
            "import os, signal, time, sys",
            "from gpudoctor.host.forked import Forked, stop_forks",
            "def body():",
            textwrap.indent(textwrap.dedent(work), "    "),
            "started = time.monotonic()",
            "work = Forked(body)",
            after.format(deadline=deadline),
            "print('took', time.monotonic() - started)",
        ]
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, timeout=30, check=False
    )
    return done.stdout + done.stderr


def test_the_answer_comes_back_whole():
    assert forked("return b'x' * 3_000_000", after="print(len(work.result(5.0)))").startswith("3000000")


@pytest.mark.parametrize(
    ("work", "words"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", "SIGSEGV"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
        ("os._exit(7)", "exit code 7"),
        ("raise ValueError", "exit code 1"),
        ("return b'half' + None", "exit code 1"),
    ],
)
def test_how_it_ended_is_said(work, words):
    text = forked(work)
    assert "Gap(" in text
    assert words in text


@pytest.mark.parametrize(
    "work",
    [
        "time.sleep(60); return b''",
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60); return b''",
        "os.kill(os.getpid(), signal.SIGSTOP); return b''",
    ],
)
def test_the_deadline_holds(work):
    started = time.monotonic()
    text = forked(work, deadline=0.3)
    assert "took longer than" in text
    assert time.monotonic() - started < 0.3 + 2


def test_stopping_ends_it_and_what_it_started():
    work = """
        from gpudoctor.host.children import run
        run((sys.executable, "-c", "import time; time.sleep(61.25)"), timeout=60)
        return b""
    """
    after = "time.sleep(0.5); stop_forks(); print(os.waitpid(-1, 0)[1])"
    forked(work, after=after)
    time.sleep(0.2)
    left = subprocess.run(["pgrep", "-f", r"time\.sleep\(61\.25\)"], capture_output=True, check=False).stdout
    assert left == b""


def test_nothing_is_printed_twice():
    script = "from gpudoctor.host.forked import Forked; print('once', end=''); print(Forked(lambda: b'').result(5))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "onceb''\n"
