"""Steps with a second process beside gpudoctor: one that holds memory, one that is killed, many at once."""

import os
import select
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psutil

from campaign.here import Here, roots
from campaign.programs import HOLDER
from campaign.steps import NotPossible, Outcome, TimeUp, agrees

#: Memory that a driver may take a moment to give back after a process was killed, MiB and seconds.
_LITTLE, _MOMENT = 64, 15.0

#: A context and 16 MiB through the driver's own interface: no framework needs to be imported 32 times.
_SMALL = """
import ctypes, sys, time
cuda = ctypes.CDLL("libcuda.so.1")
context, memory = ctypes.c_void_p(), ctypes.c_uint64()
codes = [cuda.cuInit(0), cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)]
if not any(codes):
    codes += [cuda.cuCtxSetCurrent(context), cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(16 << 20))]
print("codes", *codes, flush=True)
time.sleep(600 if not any(codes) else 0)
"""


@contextmanager
def holding(here: Here, argv: tuple[str, ...], word: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process that has said a line with `word`, and is killed with all of its own in the end. Raises NotPossible."""
    process = subprocess.Popen(
        argv, env=here.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    )
    output = process.stdout.fileno() if process.stdout else -1
    try:
        said = b""
        while word.encode() not in said:
            ready, _, _ = select.select([output], [], [], min(here.left, 1.0))
            chunk = os.read(output, 4096) if ready else b""
            if ready and not chunk:
                raise NotPossible(f"the process beside ended before it held anything, with code {process.wait(5)}")
            said += chunk
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):  # in uninterruptible sleep, it is left behind
            process.wait(5)
        if process.stdout:
            process.stdout.close()


def killed_memory(here: Here) -> Outcome:
    """What a process held when it was killed is given back, and no orphan is reported."""
    here.with_gpu("torch")
    before = _used(here)
    with holding(here, (here.python, "-c", HOLDER, str(2 << 30)), "holding") as process:
        during = _used(here)
        process.kill()
        process.wait(10)
        after, seconds = _settled(here, before)
    report = roots(here.check("--static"))
    new = [cause for cause in report if cause not in here.baseline()]
    words = f"used {before} MiB before, {during} while held, {after} {seconds:.1f} s after SIGKILL"
    well = not new and after <= before + _LITTLE
    return Outcome(agrees(well), words, "none", ", ".join(new) or "none")


def _used(here: Here) -> int:
    found = here.ask("snapshot", "--python", here.python)
    return sum(gpu.get("memory_used_mib") or 0 for gpu in (found.get("gpus") or {}).get("devices", ()))


def _settled(here: Here, before: int) -> tuple[int, float]:
    began = time.monotonic()
    while (used := _used(here)) > before + _LITTLE and time.monotonic() - began < _MOMENT:
        time.sleep(0.5)
    return used, time.monotonic() - began


def many_contexts(here: Here) -> Outcome:
    """32 processes use the GPU at once, and a check beside them finds nothing wrong."""
    here.gpus  # noqa: B018 - raises where there is none
    count = 4 if here.quick else 32
    processes = [
        subprocess.Popen(
            (here.python, "-c", _SMALL), env=here.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        for _ in range(count)
    ]  # fmt: skip
    try:
        codes = [process.stdout.readline().split()[1:] for process in processes if process.stdout]
        refused = [code for code in codes if set(code) != {b"0"}]
        if len(refused) == count:
            raise NotPossible(f"the driver makes no context: codes {b' '.join(refused[0]).decode() or 'none'}")
        report = here.check("--static")
    finally:
        for process in processes:
            process.kill()
            process.wait(10)
    new = [cause for cause in roots(report) if cause not in here.baseline()]
    words = f"{count} at once, {len(refused)} refused"
    return Outcome(agrees(not (new or refused)), words, "none", ", ".join(new) or "none")


def killed_training(here: Here) -> Outcome:
    """Gpudoctor is killed in the middle of training: nothing of it goes on, and the next check is as before."""
    name = here.any_framework()
    command = (*here.doctor, "smoke", name, "--quiet", "--python", here.python)
    doctor = subprocess.Popen(
        command, env=here.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        children = _training(here, doctor.pid)
        doctor.kill()
        doctor.wait(10)
        _gone, alive = psutil.wait_procs(children, timeout=min(_MOMENT, here.left))
    finally:
        for one in [*psutil.Process().children(recursive=True)]:
            with suppress(psutil.NoSuchProcess):
                one.kill()
        doctor.wait(10)
    left = [one.pid for one in alive]
    for one in alive:
        with suppress(psutil.NoSuchProcess):
            one.kill()
    new = [cause for cause in roots(here.check("--static")) if cause not in here.baseline()]
    words = f"{len(children)} processes of {name} were under way, {len(left)} went on after {_MOMENT:.0f} s"
    return Outcome(agrees(not (left or new)), words, "none", ", ".join(new) or "none")


def _training(here: Here, pid: int) -> list[psutil.Process]:
    """The doctor's children once one of them has the framework loaded and has computed for a second."""
    while True:
        try:
            children = psutil.Process(pid).children(recursive=True)
        except psutil.NoSuchProcess:
            raise NotPossible("the run ended before it could be killed") from None
        for one in children:
            with suppress(psutil.NoSuchProcess):
                if one.cpu_times().user > 3 and one.memory_info().rss > 150 << 20:
                    return children
        if here.left < 2:
            raise TimeUp("no training began")
        time.sleep(0.2)
