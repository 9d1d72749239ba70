"""Children that hang or die: every one of them ends in time, leaves nothing behind, and is named for what it was."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from gpudoctor.host import children, children_posix, posix_child
from gpudoctor.host.children import run
from gpudoctor.host.port import Ran
from tests.faults.doubles import compiled, marked

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the doubles are for Linux")

BUDGET = 0.25
#: The promise: a look ends within its budget and two seconds, whatever the child does.
PROMISE = 2.0
ROOT = Path(__file__).parents[2]


def run_in_time(*argv: str, budget: float = BUDGET, cap: int = 1024 * 1024) -> Ran:
    started = time.monotonic()
    ran = run(argv, timeout=budget, cap=cap)
    assert time.monotonic() - started < budget + PROMISE
    return ran


# Hangs ---------------------------------------------------------------------------------------------------------------

#: How it hangs, the outcome, and the signals it takes to end it.
HANGS = [
    ("sleep", "timed-out", ["SIGTERM"]),
    ("ignore-term", "timed-out", ["SIGTERM", "SIGKILL"]),
    ("stop", "timed-out", ["SIGTERM", "SIGKILL"]),
    ("drip", "timed-out", ["SIGTERM"]),
    ("fork-on-term", "timed-out", ["SIGTERM"]),
    ("vfork", "timed-out", ["SIGTERM"]),
    ("orphan", "exited", []),
    ("fork-on-exit", "exited", []),
]


@pytest.mark.parametrize(("how", "outcome", "signals"), HANGS)
def test_a_hang_ends_in_time_and_leaves_nothing(
    how: str,
    outcome: str,
    signals: list[str],
    double: str,
    mark: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent: list[str] = []

    def noted(pid: int, number: signal.Signals) -> None:
        sent.append(number.name)
        posix_child.signal_group(pid, number)

    monkeypatch.setattr(children_posix, "signal_group", noted)
    ran = run_in_time(double, how, mark)
    assert (ran.outcome, sent) == (outcome, signals)
    assert (ran.seconds >= BUDGET) == (outcome == "timed-out"), "it must not wait for those who hold the output"
    assert_gone(mark)


def assert_gone(mark: str) -> None:
    until = time.monotonic() + 1
    while marked(mark) and time.monotonic() < until:
        time.sleep(0.005)
    assert not marked(mark)


def test_output_before_the_hang_is_kept(double: str) -> None:
    assert run_in_time(double, "ignore-term").stdout == b"here\n"


def test_a_stopped_child_is_recognised(double: str) -> None:
    assert run_in_time(double, "stop").state == "T"


def test_uninterruptible_sleep_is_recognised_and_named(double: str) -> None:
    ran = run_in_time(double, "vfork")
    assert ran.state == "D"
    assert ran.wchan is None or "clone" in ran.wchan or "fork" in ran.wchan


def test_a_child_that_no_signal_reaches_is_abandoned(double: str, mark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children_posix, "signal_group", lambda *_: None)
    ran = run_in_time(double, "vfork", mark)
    assert (ran.outcome, ran.state, ran.ok) == ("abandoned", "D", False)
    assert "could not be killed (uninterruptible sleep in" in ran.describe()
    assert marked(mark), "the double was killable after all"


def test_a_process_that_the_kernel_does_not_let_die_is_abandoned(tmp_path: Path, mark: str) -> None:
    server = subprocess.Popen([compiled("stuck_mount.c", tmp_path), str(tmp_path)], stdout=subprocess.PIPE)
    try:
        assert server.stdout is not None
        if server.stdout.readline() != b"ready\n":
            pytest.skip("no right to mount a FUSE file system")
        ran = run_in_time("/bin/cat", f"/proc/{server.pid}/root{tmp_path}/{mark}")
        assert (ran.outcome, ran.state) == ("abandoned", "D")
        assert ran.wchan is None or "fuse" in ran.wchan or "request" in ran.wchan
        assert marked(mark)
    finally:
        server.kill()
        server.communicate()
    assert_gone(mark)


def test_endless_output_is_stopped_at_the_cap(double: str, mark: str) -> None:
    ran = run_in_time(double, "flood", mark, budget=5, cap=100_000)
    assert ran.truncated
    assert ran.stdout == b"y" * 100_000
    assert (ran.outcome, ran.ok) == ("signalled", False)
    assert ran.seconds < 4, "it is stopped when past the cap, not at the deadline"
    assert ran.describe() == "printed too much and was stopped"
    assert_gone(mark)


def test_errors_are_capped_too() -> None:
    ran = run_in_time("/bin/sh", "-c", "exec yes >&2", budget=5, cap=4096)
    assert (len(ran.stdout), len(ran.stderr), ran.truncated) == (0, 4096, True)


def test_output_of_exactly_the_cap_is_not_cut() -> None:
    ran = run_in_time("/bin/sh", "-c", "printf 12345", budget=5, cap=5)
    assert (ran.stdout, ran.truncated, ran.ok) == (b"12345", False, True)


# Deaths --------------------------------------------------------------------------------------------------------------

SIGNALS = {
    "segv": "SIGSEGV",
    "stack": "SIGSEGV",
    "abrt": "SIGABRT",
    "bus": "SIGBUS",
    "ill": "SIGILL",
    "fpe": "SIGFPE",
    "kill": "SIGKILL",
    "term": "SIGTERM",
    "pipe": "SIGPIPE",
    "real-time": "SIG37",
}


@pytest.mark.parametrize("how", SIGNALS)
def test_a_death_by_signal_is_named(how: str, double: str) -> None:
    ran = run_in_time(double, how, budget=5)
    assert (ran.outcome, ran.signal, ran.code, ran.ok) == ("signalled", SIGNALS[how], None, False)
    assert ran.describe() == f"was killed by {SIGNALS[how]}"


#: Python code, its exit code, and what its last words must hold.
EXITS = [
    ("import os; os._exit(0)", 0, ""),
    ("raise SystemExit(1)", 1, ""),
    ("raise SystemExit(255)", 255, ""),
    ("raise SystemExit(-1)", 255, ""),
    ("import no_such_module", 1, "ModuleNotFoundError"),
    ("def f(): f()\nf()", 1, "RecursionError"),
    ("import resource as r; r.setrlimit(r.RLIMIT_AS, (10**8, 10**8)); bytearray(10**9)", 1, "MemoryError"),
    ("import atexit, os; atexit.register(os._exit, 3)", 3, ""),
    ("import os; os.close(1); os.write(1, b'x')", 1, "Bad file descriptor"),
    ("import sys; sys.stdout.close(); sys.stderr.close(); import os; os._exit(7)", 7, ""),
    ("import threading; threading.Thread(target=lambda: 1 / 0).start()", 0, "ZeroDivisionError"),
    ("import os; os.execv('/bin/sh', ['sh', '-c', 'exit 5'])", 5, ""),
    ("import os; os.closerange(0, 100); os._exit(4)", 4, ""),
]


@pytest.mark.parametrize(("code", "status", "words"), EXITS)
def test_a_death_by_exit_keeps_its_code_and_last_words(code: str, status: int, words: str) -> None:
    ran = run_in_time(sys.executable, "-I", "-S", "-B", "-c", code, budget=10)
    assert (ran.outcome, ran.code, ran.signal) == ("exited", status, None)
    assert ran.ok == (status == 0)
    assert words in ran.stderr.decode()


def made(folder: Path, name: str, content: str, mode: int = 0o755) -> str:
    path = folder / name
    path.write_text(content)
    path.chmod(mode)
    return str(path)


def test_what_cannot_be_started_says_why(tmp_path: Path) -> None:
    cases = {
        "/no/such/program": "there is no such program",
        str(tmp_path): "it is a directory",
        made(tmp_path, "plain", "#!/bin/sh\n", 0o644): "it may not be executed (permission denied)",
        made(tmp_path, "lost", "#!/no/such/interpreter\n"): "the interpreter or loader that it names does not exist",
        made(tmp_path, "garbage", "\x01\x02\x03"): "it is not a program for this system (exec format error)",
        made(tmp_path, "empty", ""): "it is not a program for this system (exec format error)",
        "nvidia-smi": "the full path of the program is needed",
        "": "the full path of the program is needed",
        "/bin/nul\0byte": "its command line or environment cannot be passed on: ",
    }
    for program, reason in cases.items():
        ran = run_in_time(program)
        assert (ran.outcome, ran.ok) == ("not-started", False), program
        assert ran.describe().startswith(f"could not be started: {reason}"), program


def test_arguments_beyond_the_limit_are_refused() -> None:
    ran = run_in_time("/bin/true", "x" * 10_000_000)
    assert (ran.outcome, ran.reason) == ("not-started", "Argument list too long")


def test_a_crash_leaves_no_core_file(double: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    monkeypatch.chdir(tmp_path)
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
    try:
        run_in_time(sys.executable, "-I", "-S", "-c", "import os; os.kill(os.getpid(), 11)", budget=5)
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, (soft, hard))
    assert not list(tmp_path.iterdir())


# What a child is given -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, 300_000])
def test_standard_input_is_given_whole(size: int) -> None:
    ran = run(("/bin/cat",), timeout=5, stdin=b"x" * size)
    assert (ran.ok, ran.stdout) == (True, b"x" * size)


def test_the_environment_is_replaced_or_inherited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPUDOCTOR_TEST", "inherited")
    words = ("/bin/sh", "-c", "echo $GPUDOCTOR_TEST")
    assert run(words, timeout=5).text == "inherited\n"
    assert run(words, timeout=5, env={"GPUDOCTOR_TEST": "given"}).text == "given\n"
    assert run(words, timeout=5, env={}).text == "\n"
    assert run(words, timeout=5, env={"A=B\0": ""}).outcome == "not-started"


def test_a_child_is_alone_in_its_session_with_default_signals() -> None:
    code = "import os; print(os.getsid(0) == os.getpid(), open('/proc/self/status').read())"
    ran = run((sys.executable, "-I", "-S", "-c", code), timeout=5)
    assert ran.text.startswith("True")
    ignored = int(ran.text.partition("SigIgn:")[2].split()[0], 16)
    by_python = (signal.SIGPIPE, signal.SIGXFSZ)
    by_libc = (32, 33)
    assert not [number for number in range(1, 65) if ignored >> number - 1 & 1 and number not in by_python + by_libc]


def test_output_goes_to_memory_and_nothing_else_is_inherited() -> None:
    code = "import os; print(os.readlink('/proc/self/fd/1'), os.listdir('/proc/self/fd'))"
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    try:
        ran = run((sys.executable, "-I", "-S", "-c", code), timeout=5)
    finally:
        os.close(reading)
        os.close(writing)
    place, _, descriptors = ran.text.partition(" (deleted) ")
    assert place == "/memfd:gpudoctor-child"
    assert descriptors.strip() == "['0', '1', '2', '3']", "3 is the listing itself"


def test_nothing_is_left_in_this_process() -> None:
    files, children = os.listdir("/proc/self/fd"), children_of_this_process()
    for _ in range(20):
        run(("/bin/true",), timeout=5)
        run(("/no/such/program",), timeout=5)
    assert (os.listdir("/proc/self/fd"), children_of_this_process()) == (files, children)
    assert not posix_child._running


def children_of_this_process() -> set[str]:
    """Zombies too."""
    return {word for path in Path("/proc/self/task").glob("*/children") for word in path.read_text().split()}


# Poorer systems ------------------------------------------------------------------------------------------------------


def test_without_pidfd_memfd_and_sessions(double: str, mark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a Python built against an old C library; there a child has a group, not a session."""
    spawn = os.posix_spawn

    def old_spawn(*words: object, setsid: bool = False, **options: object) -> int:
        if setsid:
            raise NotImplementedError
        return spawn(*words, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "posix_spawn", old_spawn)
    monkeypatch.delattr(os, "pidfd_open")
    monkeypatch.delattr(os, "memfd_create")
    assert run(("/bin/echo", "hello"), timeout=5).text == "hello\n"
    assert run((double, "segv"), timeout=5).signal == "SIGSEGV"
    assert run_in_time(double, "ignore-term", mark).outcome == "timed-out"
    assert run_in_time(double, "orphan", mark).outcome == "exited"
    assert_gone(mark)


def test_with_no_place_for_output(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*words: object, **options: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("gpudoctor.host.posix_child._open", full)
    ran = run(("/bin/true",), timeout=5)
    assert (ran.outcome, ran.reason) == ("not-started", "No space left on device")


RUN = "from gpudoctor.host.children import run"


def in_python(code: str, wrapper: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    words = [*wrapper, sys.executable, "-c", code]
    return subprocess.run(words, check=False, cwd=ROOT, capture_output=True, text=True, timeout=20)


def test_with_standard_streams_closed() -> None:
    code = f"{RUN}; raise SystemExit(run(('/bin/cat',), timeout=5, stdin=b'hello').text != 'hello')"
    assert in_python(code, ("/bin/sh", "-c", 'exec "$0" "$@" <&- >&- 2>&-')).returncode == 0


def test_with_child_signals_ignored_the_exit_code_is_unknown_not_zero() -> None:
    code = f"""
import signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
{RUN}
ran = run(('/bin/false',), timeout=5)
print(ran.outcome, ran.code, ran.ok, ran.reason)
"""
    assert in_python(code).stdout == "exited None False another part of this process took its exit status\n"


# Several at once, and the end ----------------------------------------------------------------------------------------


def test_several_at_once_do_not_wait_for_each_other(double: str) -> None:
    results: dict[str, Ran] = {}

    def one(how: str) -> None:
        results[how] = run((double, how), timeout=BUDGET)

    threads = [threading.Thread(target=one, args=(how,)) for how in ("ignore-term", "stop", "vfork", "segv", "sleep")]
    started = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert time.monotonic() - started < BUDGET + children_posix.TERM_GRACE + 0.5
    assert results["segv"].signal == "SIGSEGV"
    assert {how for how, ran in results.items() if ran.outcome == "timed-out"} == {
        "ignore-term",
        "stop",
        "vfork",
        "sleep",
    }


def test_ctrl_c_kills_the_running_child(double: str, mark: str) -> None:
    code = f"from gpudoctor.host.children import run; run(({double!r}, 'ignore-term', {mark!r}), timeout=15)"
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stderr=subprocess.PIPE)
    wait_for_two(mark)
    parent.send_signal(signal.SIGINT)
    assert b"KeyboardInterrupt" in parent.communicate(timeout=5)[1]
    assert_gone(mark)


def wait_for_two(mark: str) -> None:
    """The parent, whose code carries the mark, and its child."""
    until = time.monotonic() + 10
    while len(marked(mark)) < 2 and time.monotonic() < until:
        time.sleep(0.005)
    assert len(marked(mark)) == 2
    time.sleep(0.05)


def test_children_of_threads_end_with_the_process(double: str, mark: str) -> None:
    code = f"""
import threading, time
from gpudoctor.host.children import run, stop_for_good
ran = []
def look():
    ran.append(run(({double!r}, 'ignore-term', {mark!r}), timeout=15))
    ran.append(run(('/bin/true',), timeout=15))
thread = threading.Thread(target=look)
thread.start()
time.sleep(0.3)
stop_for_good()
thread.join(2)
print(ran[0].outcome, ran[0].signal, ran[1].outcome, ran[1].reason)
"""
    assert in_python(code).stdout == "signalled SIGKILL not-started gpudoctor is ending\n"
    assert_gone(mark)


# The pure parts ------------------------------------------------------------------------------------------------------


def test_state_of_a_process() -> None:
    assert children.parse_state("42 (nvidia-smi) D 1 2 3") == "D"
    assert children.parse_state("42 (a) b (c) R 1 2 3") == "R"
    assert children.parse_state("") is None
    assert children.parse_wchan("fuse_wait\n") == "fuse_wait"
    assert children.parse_wchan("0") is None
    assert children.read_state(os.getpid())[0] in ("R", "S")
    assert children.read_state(2**22 + 1) == (None, None)


@pytest.mark.timed
def test_overhead_is_small() -> None:
    """The runner adds less than 3 ms to what the child itself takes. On a busy machine not every round can show it."""
    assert any(overhead() < 0.003 for _ in range(20))


def overhead() -> float:
    ours, bare = [], []
    for _ in range(5):
        started = time.perf_counter()
        run(("/bin/true",), timeout=5)
        between = time.perf_counter()
        os.waitpid(os.posix_spawn("/bin/true", ["true"], os.environ), 0)
        ours.append(between - started)
        bare.append(time.perf_counter() - between)
    return min(ours) - min(bare)
