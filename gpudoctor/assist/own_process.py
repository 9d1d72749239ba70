"""Runs gpudoctor's own commands in child processes, so that a hanging driver does not block the MCP server."""

import os
import signal
import sys
from collections.abc import Awaitable, Callable
from subprocess import DEVNULL
from typing import NamedTuple

import anyio
import anyio.abc

#: Bytes of its output that are kept; seconds in which it may tidy up, and between two reports of progress.
_MOST, _GRACE, _BEAT = 64 * 1024 * 1024, 5.0, 2.0
#: Our own search path is handed on: the working directory may hold a folder called gpudoctor.
_BEGIN = "import sys; sys.path[:] = {path!r}; from gpudoctor.__main__ import run; run()"

#: Those that run now.
_running: set[anyio.abc.Process] = set()

Progress = Callable[[float, str], Awaitable[None]]


class Ended(NamedTuple):
    """How it ended. `code` None: it ran past its deadline."""

    code: int | None
    output: bytes
    errors: str


async def run_own(arguments: list[str], deadline: float, progress: Progress | None = None) -> Ended:
    """Run `gpudoctor` with these arguments. Cancelled, it is told to end, and its children with it."""
    argv = [sys.executable, "-c", _BEGIN.format(path=sys.path), *arguments]
    process = await anyio.open_process(argv, stdin=DEVNULL, start_new_session=os.name == "posix")
    _running.add(process)
    output, errors = bytearray(), bytearray()
    try:
        with anyio.move_on_after(deadline) as limit:
            async with anyio.create_task_group() as group:
                ends = anyio.Event(), anyio.Event()
                group.start_soon(_read, process.stdout, output, ends[0])
                group.start_soon(_read, process.stderr, errors, ends[1])
                if progress is not None:
                    group.start_soon(_beat, progress)
                await process.wait()
                # Children that outlive it, such as one in D state, may hold the pipes.
                with anyio.move_on_after(1):
                    for end in ends:
                        await end.wait()
                group.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await _end(process)
        _running.discard(process)
    code = None if limit.cancelled_caught else process.returncode
    return Ended(code, bytes(output), errors.decode("utf-8", "replace"))


def stop_all() -> None:
    """Tell all of them to end: this process is about to."""
    for process in list(_running):
        _tell(process, signal.SIGTERM)


async def _read(stream: anyio.abc.ByteReceiveStream | None, into: bytearray, end: anyio.Event) -> None:
    if stream is not None:
        async for part in stream:
            into += part[: max(0, _MOST - len(into))]
    end.set()


async def _beat(progress: Progress) -> None:
    began = anyio.current_time()
    while True:
        await anyio.sleep(_BEAT)
        seconds = anyio.current_time() - began
        await progress(seconds, f"running for {seconds:.0f} s")


async def _end(process: anyio.abc.Process) -> None:
    if process.returncode is None:
        _tell(process, signal.SIGTERM)
        with anyio.move_on_after(_GRACE):
            await process.wait()
    if process.returncode is None:
        _tell(process, getattr(signal, "SIGKILL", signal.SIGTERM))
        with anyio.move_on_after(_GRACE):
            await process.wait()
    with anyio.move_on_after(_GRACE):
        await process.aclose()


def _tell(process: anyio.abc.Process, number: int) -> None:
    try:
        if os.name == "posix":
            os.killpg(process.pid, number)
        else:
            process.terminate()
    except (OSError, ProcessLookupError):
        pass
