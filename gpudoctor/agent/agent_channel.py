"""The channel on which agent scripts, run inside the user's Python, get a request and send answers.

Request: one JSON object on standard input. Answers: lines `MARK {json}` on what was standard output, which from then on
only we write to; whatever the framework prints goes to standard error. The answers:

    {"begin": STAGE}                                       a stage begins
    {"end": STAGE, "outcome": "passed"|"failed"|"skipped", "seconds": s, "detail": text, "error": {…}}
    {"fact": KIND, "value": {…}}                           a fact, in the fields of gpudoctor.facts.live or .bench
    {"failed": {"type": …, "text": …, "traceback": …}}     an exception nobody expected
    {"done": true, "peak_mib": n}                          the last word

A stage is written before it begins, so a framework that hangs or crashes leaves its name.
"""

import contextlib
import json
import os
import sys
import time
import traceback

MARK = "@gpudoctor "
TEXT_CAP = 4000
TRACEBACK_CAP = 6000


class Skip(Exception):
    """Raised in a stage: it cannot be done here, and that is no fault."""


class Channel:
    """The channel. Made once, before the framework is imported."""

    def __init__(self):
        self.request = json.loads(sys.stdin.read() or "{}")
        sys.stdout.flush()
        self._out = os.dup(1)
        os.dup2(2, 1)
        self._write_raw(b"\n")
        # The framework is found as the user's own script would find it: the working directory instead of ours.
        sys.path[0] = self.request.get("cwd") or os.getcwd()

    @contextlib.contextmanager
    def stage(self, name):
        """Tell that a stage begins, and how it ended. What it raises is told and raised again, but for Skip."""
        self._write({"begin": name})
        began = time.perf_counter()
        end = {"end": name, "outcome": "passed"}
        try:
            yield end
        except Skip as reason:
            end.update(outcome="skipped", detail=cut(str(reason)))
        except BaseException as error:
            end.update(outcome="failed", error=thrown(error))
            raise
        finally:
            end["seconds"] = round(time.perf_counter() - began, 6)
            self._write(end)

    def ask(self, name, call):
        """The value of `call()`, a stage of its own; None where it failed or was skipped, which is told."""
        try:
            with self.stage(name):
                return call()
        except Exception:  # the stage has told it
            return None

    def fact(self, kind, **value):
        """Tell a fact. Fields that are None are left out."""
        self._write({"fact": kind, "value": {name: item for name, item in value.items() if item is not None}})

    def finish(self):
        """Say the last word, and end without running the exit code of the framework and its libraries."""
        self._write({"done": True, "peak_mib": peak_mib()})
        sys.stderr.flush()
        os._exit(0)

    def run(self, main):
        """Run `main(self)`, tell what it raises, and end."""
        try:
            main(self)
        except BaseException as error:
            self._write({"failed": thrown(error)})
        self.finish()

    def _write(self, answer):
        self._write_raw((MARK + json.dumps(answer) + "\n").encode("ascii"))

    def _write_raw(self, data):
        while data:
            data = data[os.write(self._out, data) :]


def thrown(error):
    """An exception, as gpudoctor.facts.live.Thrown has it."""
    lines = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    if len(lines) > TRACEBACK_CAP:
        lines = lines[-TRACEBACK_CAP:].partition("\n")[2]
    return {"type": type(error).__name__, "text": cut(str(error)), "traceback": lines}


def cut(text):
    """The beginning of a long text, in whole words: half a token no longer looks like one, and would be shown."""
    return text if len(text) <= TEXT_CAP else text[:TEXT_CAP].rpartition(" ")[0] + " ..."


def peak_mib():
    """Largest resident size of this process, MiB; None where the system does not say."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // (1024 * 1024) if sys.platform == "darwin" else peak // 1024
