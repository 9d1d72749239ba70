"""Calls functions of NVML or libcuda one by one and prints each answer, so that a crash loses only the rest.

A question is written before it is asked, an answer as soon as it is there. So a driver that hangs or crashes leaves all
that was learned before, and the name of the call it hung in.
"""

import ctypes
import json
import os
import sys

MARK = "@gpudoctor "

#: More GPUs than this in one machine is a wrong count, not a machine.
MOST_GPUS = 128

#: Not a code of any driver: the call raised something else than an error code.
NO_CODE = -1


class Transcript:
    """Lines `MARK ["?", subject, fact, call]`, `MARK ["=", code, value]` and, at the end, `MARK ["."]`."""

    def __init__(self):
        # Drivers and their libraries may print. From here on what they print goes to standard error.
        sys.stdout.flush()
        self._out = os.dup(1)
        os.dup2(2, 1)
        os.write(self._out, b"\n")

    def ask(self, subject, fact, call, answer):
        """Ask `answer()` and write what came: its value, or the code of the error it raised. Returns (code, value)."""
        self._write(["?", subject, fact, call])
        try:
            value = answer()
            code = 0
        except Exception as error:
            code = error_code(error)
            value = None if code != NO_CODE else "{}: {}".format(type(error).__name__, error)
        self._write(["=", code, plain(value)])
        return code, value

    def finish(self):
        """Say that all was asked, and end without running the exit code of a driver's library."""
        self._write(["."])
        os._exit(0)

    def _write(self, line):
        data = (MARK + json.dumps(line) + "\n").encode("ascii")
        while data:
            data = data[os.write(self._out, data) :]


def error_code(error):
    """The driver's return code in an exception of the binding; NO_CODE where it carries none."""
    code = getattr(error, "value", None)
    return code if isinstance(code, int) else NO_CODE


def plain(value):
    """`value` as JSON can write it: structures become objects, handles become null."""
    if value is None or isinstance(value, (int, float)):
        return value
    if isinstance(value, str):
        # A path that is not UTF-8 comes with halves of characters, which no JSON may hold.
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if hasattr(value, "_fields_"):
        return {field[0]: plain(getattr(value, field[0])) for field in value._fields_}
    if type(value).__name__ == "nvmlFriendlyObject":  # what the binding makes of a process on a GPU
        return {name: plain(item) for name, item in vars(value).items()}
    return None


def believed(count):
    """A number of GPUs to go through; none where there cannot be so many in one machine."""
    return count if isinstance(count, int) and 0 <= count <= MOST_GPUS else 0


def read_lines():
    """What the caller wrote on standard input. Not in the arguments: those name the question, not this machine."""
    return os.fsdecode(sys.stdin.buffer.read()).splitlines()


def load(libraries):
    """Load the first of `libraries` that can be loaded; raises OSError with the loader's words if none can."""
    refused = []
    for library in libraries:
        try:
            return ctypes.CDLL(library)
        except OSError as error:  # noqa: PERF203 - at most a handful
            refused.append(str(error))
    raise OSError("; ".join(refused))


def loaded_path(name):
    """The file from which this process loaded the library `name`; None where the system does not say."""
    try:
        with open("/proc/self/maps") as maps:
            return next((line.split(None, 5)[5].strip() for line in maps if name in line), None)
    except (OSError, IndexError):
        return None
