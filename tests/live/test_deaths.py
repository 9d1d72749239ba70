"""Frameworks whose import crashes, hangs, exits, floods or grows: each is classed in time, and the others still run."""

import subprocess
import sys
import time

import pytest
from msgspec import structs

from gpudoctor.facts.codec import decode, encode
from gpudoctor.facts.live import Live
from gpudoctor.probes.live.probe import prove
from gpudoctor.probes.live.run import Asked, run_agent
from tests.faults.doubles import mark, marked  # noqa: F401
from tests.live.fakes import fake_environment, fake_host, found

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals and /proc")

MIB = 1024 * 1024
DEADLINE = 6.0
#: What a look at the end of a child that does not want to end may take beyond its deadline.
PATIENCE = 2.5
SLEEPER = (
    "import subprocess, sys; "
    "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)', os.environ['MARK']])"
)

#: name: (what the import does, ending, signal, exit code, type of the error)
DEATHS = {
    "segmentation fault": ("import ctypes; ctypes.string_at(0)", "died", "SIGSEGV", None, None),
    "abort": ("os.abort()", "died", "SIGABRT", None, None),
    "illegal instruction": ("os.kill(os.getpid(), 4)", "died", "SIGILL", None, None),
    "floating-point exception": ("os.kill(os.getpid(), 8)", "died", "SIGFPE", None, None),
    "bus error": ("os.kill(os.getpid(), 7)", "died", "SIGBUS", None, None),
    "killed": ("os.kill(os.getpid(), 9)", "died", "SIGKILL", None, None),
    "hang": ("import time; time.sleep(60)", "timed-out", None, None, None),
    "spin": ("while True: pass", "timed-out", None, None, None),
    "hang that ignores SIGTERM": (
        "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(60)", "timed-out", None, None, None,
    ),
    "stop": ("os.kill(os.getpid(), 19)", "timed-out", None, None, None),
    "deadlock of threads": (
        "import threading; lock = threading.Lock(); lock.acquire(); lock.acquire()", "timed-out", None, None, None,
    ),
    "exit without a word": ("os._exit(0)", "silent", None, 0, None),
    "exit with a code": ("os._exit(3)", "silent", None, 3, None),
    "another program takes over": ("os.execv('/bin/sh', ['sh', '-c', 'exit 5'])", "silent", None, 5, None),
    "closed channel": ("os.closerange(0, 100)", "silent", None, 1, None),
    "sys.exit": ("import sys; sys.exit(1)", "failed", None, None, "SystemExit"),
    "keyboard interrupt raised": ("raise KeyboardInterrupt", "failed", None, None, "KeyboardInterrupt"),
    "import error": ("import no_such_module", "failed", None, None, "ModuleNotFoundError"),
    "undefined symbol": ("import ctypes; ctypes.CDLL('libnosuch.so.9')", "failed", None, None, "OSError"),
    "recursion": ("def f(): f()\nf()", "failed", None, None, "RecursionError"),
    "no memory for Python": (
        "import resource as r; r.setrlimit(r.RLIMIT_AS, (10**9, 10**9)); bytearray(10**10)",
        "out-of-memory", None, None, "MemoryError",
    ),
    "growth past the cap": ("x = []\nwhile True: x.append(b'x' * 10**7)", "out-of-memory", None, None, None),
    "growth of a child past the cap": (
        "if os.fork():\n import time; time.sleep(60)\nx = []\nwhile True: x.append(b'x' * 10**7)",
        "out-of-memory", None, None, None,
    ),
    "megabytes on stdout": ("while True: print('x' * 10**6)", "flooded", None, None, None),
    "megabytes on stderr": ("while True: os.write(2, b'x' * 10**6)", "flooded", None, None, None),
}  # fmt: skip


@pytest.fixture(scope="module")
def interpreter(tmp_path_factory):
    return fake_environment(tmp_path_factory.mktemp("fakes") / "env", "jax", "torch")


@pytest.mark.parametrize("how", DEATHS)
def test_a_death_at_import_is_classed(how, interpreter):
    code, ending, signal_name, exit_code, error = DEATHS[how]
    asked = Asked(deadline=DEADLINE if ending == "timed-out" else 60, memory_cap=600 * MIB)
    began = time.monotonic()
    run, facts = run_agent(fake_host(jax=code), interpreter, "jax", "devices", asked)
    assert time.monotonic() - began < asked.deadline + PATIENCE
    assert (run.ending, run.signal, run.code) == (ending, signal_name, exit_code), run
    assert (run.error.type if run.error else None) == error, run
    assert [fact for fact in facts if fact.kind == "devices" and fact.value.get("devices")] == []
    if ending not in ("failed", "finished") and error is None:
        assert run.stopped_in and "import" in run.stopped_in, run.stages


def test_the_other_frameworks_still_run(interpreter):
    live = prove(
        fake_host(jax="import ctypes; ctypes.string_at(0)"),
        interpreter,
        found("jax", "torch"),
        tasks=("devices",),
        deadline=30,
    )
    endings = {one.framework: one.run.ending for one in live.devices}
    assert endings == {"jax": "died", "torch": "finished"}
    assert any("Segmentation fault" in line for one in live.devices for line in one.run.log)
    assert decode(encode(live), Live) == live


def test_both_tasks_of_a_framework_that_dies_share_its_end(interpreter):
    live = prove(fake_host(jax="os._exit(0)"), interpreter, found("jax"), deadline=30)
    assert [(one.run.ending, one.run.code) for one in (*live.devices, *live.smoke)] == [("silent", 0)] * 2
    assert live.smoke[0].run.reason, "it says that it was never reached"
    assert not live.smoke[0].proved


def test_a_failed_import_is_not_tried_twice(interpreter):
    code = "import sys; sys.stderr.write('imported once\\n'); raise ImportError('broken')"
    live = prove(fake_host(jax=code), interpreter, found("jax"), deadline=30)
    assert [one.run.ending for one in (*live.devices, *live.smoke)] == ["failed", "failed"]
    assert live.smoke[0].run.error.text == "broken"


@pytest.mark.parametrize("name", ["MARK"])
def test_children_that_are_left_behind_are_gone(interpreter, mark, name):  # noqa: F811
    host = fake_host(jax=SLEEPER)
    host.env = {**host.env, name: mark}
    run, _ = run_agent(host, interpreter, "jax", "devices", Asked(deadline=30))
    assert run.ending in ("finished", "failed"), run
    until = time.monotonic() + 1
    while marked(mark) and time.monotonic() < until:
        time.sleep(0.01)
    assert marked(mark) == []


def test_what_a_killed_framework_leaves_in_the_temporary_folder_is_gone(interpreter, tmp_path):
    host = fake_host(jax="import tempfile; tempfile.mkdtemp(); os.kill(os.getpid(), 9)")
    host.env = {**host.env, "TMPDIR": str(tmp_path)}
    run, _ = run_agent(host, interpreter, "jax", "devices", Asked(deadline=30))
    assert run.signal == "SIGKILL"
    assert list(tmp_path.iterdir()) == []


def test_a_temporary_folder_that_is_not_there_is_left_to_the_framework(interpreter, tmp_path):
    host = fake_host(jax="import sys; sys.exit(os.environ['TMPDIR'])")
    host.env = {**host.env, "TMPDIR": str(tmp_path / "gone")}
    run, _ = run_agent(host, interpreter, "jax", "devices", Asked(deadline=30))
    assert run.error is not None
    assert run.error.text == str(tmp_path / "gone")


def test_an_interpreter_that_is_not_there(interpreter):
    gone = structs.replace(interpreter, executable="/no/such/python")
    run, facts = run_agent(fake_host(), gone, "torch", "devices", Asked(deadline=5))
    assert (run.ending, facts) == ("not-started", ())
    assert "no such program" in (run.reason or "")


def test_an_interpreter_that_is_none(interpreter):
    run, _ = run_agent(
        fake_host(), structs.replace(interpreter, executable="/bin/false"), "torch", "devices", Asked(deadline=5)
    )
    assert (run.ending, run.code) == ("silent", 1)


def test_an_environment_that_crashes_at_start(interpreter, tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import os; os.abort()")
    host = fake_host()
    host.env = {**host.env, "PYTHONPATH": str(tmp_path)}
    run, _ = run_agent(host, interpreter, "torch", "devices", Asked(deadline=5))
    assert (run.ending, run.signal, run.stages) == ("died", "SIGABRT", ())


def test_ctrl_c_keeps_what_was_found_and_leaves_no_child(interpreter, mark):  # noqa: F811
    """In a process of its own: after it no child can be started."""
    code = f"""
import os, signal, threading, time
from gpudoctor.probes.live.probe import Interrupted, prove
from gpudoctor.facts.python import Interpreter
from tests.live.fakes import fake_host, found
host = fake_host(jax="import time; time.sleep(60)")
threading.Timer(4, os.kill, (os.getpid(), signal.SIGINT)).start()
interpreter = Interpreter(executable={interpreter.executable!r}, chosen_by="--python")
try:
    prove(host, interpreter, found("jax", "torch"), tasks=("devices",), deadline=50)
except Interrupted as stop:
    print(sorted((one.framework, one.run.ending) for one in stop.live.devices))
"""
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code, mark], capture_output=True, text=True, timeout=40, check=False)
    assert done.stdout == "[('jax', 'interrupted'), ('torch', 'finished')]\n", done.stdout + done.stderr
    assert time.monotonic() - began < 20
