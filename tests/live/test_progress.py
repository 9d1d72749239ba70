"""Progress is drawn on a terminal, taken away at its end, and nowhere else."""

import os
import pty
import subprocess
import sys
import threading

import pytest

from gpudoctor.host.recorded import RecordedHost
from gpudoctor.probes.live.limits import agent_environment, memory_cap, parse_cpu_max, threads_each
from tests.live.fakes import fake_environment

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal")


def on_terminal(*arguments, env=None):
    """What is written to standard error where that is a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "gpudoctor", *arguments],
        stdout=subprocess.PIPE, stderr=theirs, env={**os.environ, "TERM": "xterm", **(env or {})},
    )  # fmt: skip
    os.close(theirs)
    drawn = []

    def read():
        try:
            while piece := os.read(ours, 4096):
                drawn.append(piece)
        except OSError:  # the other side is closed
            return

    reader = threading.Thread(target=read)
    reader.start()
    out, _ = process.communicate(timeout=60)
    reader.join(5)
    os.close(ours)
    return b"".join(drawn).decode(), out.decode()


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    interpreter = fake_environment(tmp_path_factory.mktemp("fakes") / "env", "jax")
    site = os.path.join(os.path.dirname(interpreter.executable), "..", "lib")
    (version,) = os.listdir(site)
    folder = os.path.join(site, version, "site-packages", "jax-0.4.30.dist-info")
    os.makedirs(folder)
    with open(os.path.join(folder, "METADATA"), "w", encoding="utf-8") as file:
        file.write("Metadata-Version: 2.1\nName: jax\nVersion: 0.4.30\n")
    return interpreter.executable


def test_what_runs_is_drawn_and_taken_away(python):
    drawn, out = on_terminal("devices", "--python", python, env={"FAKE_JAX": "import time; time.sleep(1.5)"})
    assert "Running frameworks" in drawn
    assert "jax" in drawn
    assert "import jax (1 s)" in drawn or "import jax (0 s)" in drawn
    assert drawn.endswith("\x1b[J"), "the last drawing is taken away"
    assert "Running" not in out


@pytest.mark.parametrize(("options", "env"), [(("-q",), {}), ((), {"TERM": "dumb"})])
def test_nothing_is_drawn_where_it_is_not_wanted(options, env, python):
    drawn, _ = on_terminal("devices", *options, "--python", python, env={**env, "FAKE_JAX": "pass"})
    assert drawn == ""


def test_the_users_variables_win():
    env = agent_environment({"OMP_NUM_THREADS": "3", "OMP_WAIT_POLICY": "active", "PYTHONSAFEPATH": "1"}, 2)
    assert (env["OMP_NUM_THREADS"], env["OMP_WAIT_POLICY"], env["MKL_NUM_THREADS"]) == ("3", "active", "2")
    assert "PYTHONSAFEPATH" not in env
    assert agent_environment({"TF_CPP_MIN_LOG_LEVEL": "3"}, None)["TF_CPP_MIN_LOG_LEVEL"] == "0"


MEMINFO = "MemTotal:       16000000 kB\nMemFree: 1 kB\nMemAvailable:    8000000 kB\n"


@pytest.mark.parametrize(
    ("files", "processes", "cap"),
    [
        ({"/proc/meminfo": MEMINFO}, 1, int(8_000_000 * 1024 * 0.85)),
        ({"/proc/meminfo": MEMINFO}, 2, int(8_000_000 * 1024 * 0.85 / 2)),
        (
            {
                "/proc/meminfo": MEMINFO,
                "/sys/fs/cgroup/memory.max": "4294967296\n",
                "/sys/fs/cgroup/memory.current": "0\n",
            },
            1,
            int(4294967296 * 0.85),
        ),
        ({"/proc/meminfo": MEMINFO, "/sys/fs/cgroup/memory.max": "max\n"}, 1, int(8_000_000 * 1024 * 0.85)),
        ({"/proc/meminfo": "MemTotal: 5 kB\nMemAvailable: 4 kB\n"}, 1, 1024**3),
        ({}, 1, None),
    ],
)
def test_the_memory_cap_is_a_share_of_what_is_free(files, processes, cap):
    assert memory_cap(RecordedHost(files), processes) == cap


def test_threads_are_divided_and_bounded():
    assert threads_each(RecordedHost({"/sys/fs/cgroup/cpu.max": "100000 100000\n"}), 1) == 1
    assert threads_each(RecordedHost(), 1000) == 1
    assert 1 <= threads_each(RecordedHost(), 1) <= 8


@pytest.mark.parametrize(
    ("text", "quota"), [("150000 100000\n", 1.5), ("max 100000\n", None), ("", None), ("1 0", None), ("x", None)]
)
def test_a_quota_of_processors(text, quota):
    assert parse_cpu_max(text) == quota
