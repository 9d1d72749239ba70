"""Runs an installer: in a group of its own, its lines passed on as they come, ended with everything it started."""

import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress

from gpudoctor.apply.installer_errors import why
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact
from gpudoctor.redact.credentials import excerpt, without_credentials

#: Lines kept for the message about a failure.
KEPT = 40
#: Longest line that is passed on, characters, unless a caller wants more.
LONGEST = 2000
#: Seconds an installer has to end itself after it was asked to.
GRACE = 5.0
#: Settings that would send packages elsewhere, or make the installer ask questions.
_ASTRAY = re.compile(
    "PIP_(TARGET|PREFIX|ROOT|USER|DRY_RUN|PYTHON|REPORT|LOG|QUIET|VERBOSE)|"
    "UV_(PYTHON|SYSTEM_PYTHON|TARGET|PREFIX|PROJECT_ENVIRONMENT|BREAK_SYSTEM_PACKAGES)|"
    "VIRTUAL_ENV|PYTHON(PATH|HOME|STARTUP)|__PYVENV_LAUNCHER__"
)
#: Settings by which it asks none, and its lines come as they are written.
_UNATTENDED = {
    "PIP_NO_INPUT": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "CONDA_ALWAYS_YES": "1",
    "MAMBA_ALWAYS_YES": "1",
    "PYTHONUNBUFFERED": "1",
}
#: Variables that name the program behind a function of the shell (conda init, micromamba shell init).
_FUNCTIONS = {"conda": "CONDA_EXE", "micromamba": "MAMBA_EXE"}
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]")


class Done(Fact, frozen=True, kw_only=True):
    """How an installer ended. code None: it could not be started."""

    code: int | None
    #: Its last lines, without credentials.
    lines: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """It reported success."""
        return self.code == 0

    @property
    def why(self) -> str:
        """The lines that say what went wrong."""
        return why(self.lines)


def scrub(text: str) -> str:
    """A line without credentials, colours and control characters."""
    return without_credentials(_ANSI.sub("", text))


def scrubbed(argv: tuple[str, ...]) -> tuple[str, ...]:
    """A command without credentials."""
    return tuple(without_credentials(word) for word in argv)


def environment_for(given: Mapping[str, str]) -> dict[str, str]:
    """The user's environment, with indexes, proxies and certificates, but nothing that leads packages elsewhere."""
    kept = {name: value for name, value in given.items() if not _ASTRAY.fullmatch(name)}
    return {**kept, **_UNATTENDED}


def program_of(name: str, env: Mapping[str, str]) -> str | None:
    """Where a program is; None: nowhere. What a shell only has as a function, it knows by a variable."""
    return shutil.which(name, path=env.get("PATH")) or shutil.which(env.get(_FUNCTIONS.get(name, ""), ""))


def run(
    argv: tuple[str, ...],
    *,
    env: Mapping[str, str],
    tell: Callable[[str], None],
    tick: Callable[[], None] = lambda: None,
    keep_open: tuple[int, ...] = (),
    longest: int = LONGEST,
) -> Done:
    """Run a command to its end. `tick` is called about once a second; `keep_open` are descriptors that it inherits.

    Of a line, `longest` characters are passed on.

    On KeyboardInterrupt, or any error here, it and all it started are ended first.
    """
    started = time.monotonic()
    program = program_of(argv[0], env)
    if program is None:
        return Done(code=None, lines=(f"error: there is no program {argv[0]!r}",))
    try:
        child = subprocess.Popen(
            (program, *argv[1:]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(env),
            start_new_session=True,
            pass_fds=keep_open if sys.platform != "win32" else (),
        )
    except (OSError, ValueError) as error:
        return Done(code=None, lines=(f"error: {argv[0]} could not be started: {error}",))
    kept: list[str] = []

    def line(raw: bytes) -> None:
        text = excerpt(_ANSI.sub("", raw.decode("utf-8", "replace")), longest).rstrip()
        if text:
            kept.append(text)
            # The first says where pip looks.
            del kept[1 : max(1, len(kept) - KEPT + 1)]
            tell(text)

    try:
        # Bytes of a line that are waited for: more than is passed on, in any encoding and with colours.
        _listen(child, line, tick, 4 * longest + 40_000)
        code = child.wait()
    except BaseException:
        _end(child)
        raise
    _kill_group(child.pid)
    return Done(code=code, lines=tuple(kept), seconds=time.monotonic() - started)


def _listen(
    child: "subprocess.Popen[bytes]", line: Callable[[bytes], None], tick: Callable[[], None], most: int
) -> None:
    """Pass its lines on until it has ended; what it left running does not keep us waiting."""
    pieces: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(child, pieces), daemon=True).start()
    rest, next_tick = b"", time.monotonic() + 1.0
    while True:
        ended = child.poll() is not None
        try:
            piece = pieces.get(timeout=0.2)
        except queue.Empty:
            if ended:
                break
        else:
            if not piece:
                break
            *lines, rest = re.split(rb"[\r\n]", rest + piece)
            for one in lines:
                line(_beginning(one, most))
            rest = rest[:most]
        if time.monotonic() >= next_tick:
            tick()
            next_tick = time.monotonic() + 1.0
    line(_beginning(rest, most))


def _beginning(raw: bytes, most: int) -> bytes:
    """The line; of an endless one its beginning, which says what a password is, without its last word: half a token."""
    return raw if len(raw) < most else raw[: raw.rfind(b" ", 0, most) + 1]


def _read(child: "subprocess.Popen[bytes]", pieces: "queue.SimpleQueue[bytes]") -> None:
    """Runs in a thread of its own: pipes cannot be waited for together with a deadline on Windows."""
    assert child.stdout is not None
    with child.stdout as stream:
        while piece := os.read(stream.fileno(), 65536):
            pieces.put(piece)
    pieces.put(b"")


def _end(child: "subprocess.Popen[bytes]") -> None:
    """End it and its group: asked first, so that it can remove what it had begun to download."""
    if sys.platform == "win32":
        child.kill()
        child.wait(GRACE)
        return
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        with suppress(OSError):
            os.killpg(child.pid, number)
        with suppress(subprocess.TimeoutExpired):
            child.wait(GRACE)
            break
    _kill_group(child.pid)


def _kill_group(pid: int) -> None:
    """What it started and did not end."""
    if sys.platform != "win32":
        with suppress(OSError):
            os.killpg(pid, signal.SIGKILL)
