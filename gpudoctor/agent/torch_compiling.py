"""Smoke training with torch.compile where it is available, within a time limit."""

import contextlib
import importlib.util
import os
import shutil
import signal
import threading
import time

from agent_channel import Skip
from torch_training import train

#: Longest that a compilation and its training may take, seconds: two free cores take some 20.
LIMIT = 60.0


class OutOfTime(BaseException):
    """The time is up. Not an Exception, so that no compiler swallows it."""


def prepare_compiling(folder):
    """Before torch is imported: what it compiles goes to `folder`, and is done in this process."""
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(folder, "inductor")
    os.environ["TRITON_CACHE_DIR"] = os.path.join(folder, "triton")
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"


def compiled(torch, trials, workload, name, device, precision):
    """As `train`, with the network compiled."""
    lack = lacking(torch, device)
    if lack is not None:
        raise Skip(lack)
    limit = min(LIMIT, trials.deadline - time.perf_counter())
    try:
        with limited(limit):
            return train(torch, trials, workload, name, device, precision, torch.compile)
    except OutOfTime as late:
        raise Skip("it was stopped after {:.0f} s".format(limit)) from late
    except RuntimeError as error:
        if "not supported" in str(error) and ("Python" in str(error) or "Windows" in str(error)):
            raise Skip(str(error)) from error
        raise


def lacking(torch, device):
    """Why it cannot be tried; None if it can."""
    if not hasattr(torch, "compile"):
        return "this release has no torch.compile (it is new in 2.0)"
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        return "it could not be stopped here if it took too long"
    if device.type not in ("cpu", "cuda"):
        return "it is not tried on {}".format(device.type)
    names = (
        [os.environ.get("CXX"), "g++", "clang++"] if device.type == "cpu" else [os.environ.get("CC"), "gcc", "clang"]
    )
    if not any(shutil.which(name) for name in names if name):
        return "torch.compile needs a C++ compiler for the CPU, and Triton a C compiler; there is none"
    if device.type == "cuda":
        return lacking_for_triton(torch, device)
    return None


def lacking_for_triton(torch, device):
    """Triton makes the code for GPUs; it starts with Volta."""
    if importlib.util.find_spec("triton") is None:
        return "Triton, which makes its code for GPUs, is not installed"
    if getattr(torch.version, "hip", None) is None and torch.cuda.get_device_capability(device) < (7, 0):
        return "Triton needs compute capability 7.0"
    return None


@contextlib.contextmanager
def limited(seconds):
    """Raise OutOfTime in the body after that many seconds."""

    def stop(_number, _frame):
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
