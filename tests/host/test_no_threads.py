"""Where the system gives no thread and no further process, the work is done in the one there is."""

import errno
import os
import threading

import pytest

from gpudoctor.host.background import Aside
from gpudoctor.host.recorded import RecordedHost
from gpudoctor.probes import take


@pytest.fixture(autouse=True)
def nothing_to_be_had(monkeypatch):
    def no_thread(_):
        raise RuntimeError("can't start new thread")

    def no_process():
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr(threading.Thread, "start", no_thread)
    monkeypatch.setattr(os, "fork", no_process, raising=False)


def test_a_call_is_made_at_once():
    assert Aside(lambda: 7).result() == 7
    with pytest.raises(ZeroDivisionError):
        Aside(lambda: 1 // 0).result()


def test_a_look_sees_what_needs_neither():
    before = set(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else set()
    host = RecordedHost({"/etc/os-release": "ID=ubuntu\n"}, directories={"/sys/bus/pci/devices": ()})
    snapshot = take.begin_snapshot(host, fork=True)()
    assert snapshot.doctor is not None and snapshot.doctor.crashes == ()
    assert before == (set(os.listdir("/proc/self/fd")) if before else set()), "no descriptor is left open"
