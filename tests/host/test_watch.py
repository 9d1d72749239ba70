"""A child that is watched: its words as they come, its memory with that of what it started."""

import sys
import threading
import time

import pytest

from gpudoctor.host.children import run
from gpudoctor.host.process_memory import parse_statm, resident_bytes
from gpudoctor.host.watch import Watch

PYTHON = (sys.executable, "-I", "-S", "-B", "-c")
MIB = 1024 * 1024


def test_output_is_passed_on_while_it_runs():
    heard = []
    watch = Watch(on_output=lambda piece: heard.append((time.monotonic(), piece)))
    code = "import os, time; os.write(1, b'one'); time.sleep(0.7); os.write(1, b'two')"
    ran = run((*PYTHON, code), timeout=20, watch=watch)
    assert b"".join(piece for _, piece in heard) == b"onetwo" == ran.stdout
    assert heard[-1][0] - heard[0][0] > 0.5


def test_all_of_a_long_output_is_passed_on_once():
    heard = []
    code = "import os\nfor i in range(3000): os.write(1, b'%04d' % i * 100)"
    ran = run((*PYTHON, code), timeout=20, cap=10 * MIB, watch=Watch(on_output=heard.append))
    assert b"".join(heard) == ran.stdout
    assert len(ran.stdout) == 1_200_000


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
@pytest.mark.parametrize("grows", ["", "if os.fork(): time.sleep(30)\n"], ids=["itself", "its child"])
def test_growth_is_stopped(grows):
    watch = Watch(memory_cap=300 * MIB)
    code = f"import os, time\n{grows}x = []\nwhile True: x.append(b'x' * 10**7); time.sleep(0.01)"
    ran = run((*PYTHON, code), timeout=30, watch=watch)
    assert (ran.outcome, ran.overgrown, watch.overgrown) == ("signalled", True, True)
    assert ran.describe() == "took too much memory and was stopped"
    assert watch.peak > 300 * MIB


def test_the_peak_is_seen():
    watch = Watch()
    ran = run((*PYTHON, "import time; x = b'x' * (200 * 1024 * 1024); time.sleep(0.5)"), timeout=30, watch=watch)
    assert ran.ok
    assert not ran.overgrown
    assert 200 * MIB < watch.peak < 400 * MIB


def test_a_wait_does_not_count():
    watch = Watch()
    watch.hold()
    threading.Timer(2.0, watch.go_on).start()
    ran = run((*PYTHON, "import time; time.sleep(2.5)"), timeout=1.5, watch=watch)
    assert ran.ok, ran


def test_a_new_beginning_counts_from_then_on():
    watch = Watch()
    threading.Timer(1.0, watch.begin_anew).start()
    ran = run((*PYTHON, "import time; time.sleep(60)"), timeout=2, watch=watch)
    assert ran.outcome == "timed-out"
    assert 2.9 < ran.seconds < 5


@pytest.mark.parametrize(("text", "size"), [("1000 25 3 1 0 4 0\n", 100), ("", None), ("7", None), ("a b", None)])
def test_statm(text, size):
    assert parse_statm(text, 4) == size


def test_a_process_that_is_gone_has_no_size():
    assert resident_bytes(2**22 + 12345) is None
