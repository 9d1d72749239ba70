"""Why a node gave no answer, from the launcher's output and exit code."""

import re

from gpudoctor.facts.bounded import bounded
from gpudoctor.fleet.record import NoAnswer, Why
from gpudoctor.redact.credentials import without_credentials

#: What ssh, srun and shells print, and what it means; the first that is found holds.
_SAYS: tuple[tuple[str, Why], ...] = (
    (r"could not resolve hostname|name or service not known|invalid node name|unknown host", "unknown-host"),
    (r"connection refused|permission denied|host key verification failed|access denied|invalid account", "refused"),
    (
        r"no route to host|network is unreachable|connection timed out|connection closed|communication connection",
        "unreachable",
    ),
    (r"node failure|node\(s\) failed|node fail|broken pipe|socket timed out", "crashed"),
    (r"not available|are busy|unable to allocate resources|requested nodes are busy|immediate execution", "busy"),
    (
        r"command not found|no such file or directory|no module named|not found|requires-python|syntaxerror",
        "no-gpudoctor",
    ),
)
_LEFT_OUT = re.compile(r"^(?:srun: )?(?:job step aborted|warning: permanently added)", re.IGNORECASE)
_LONGEST = 300


def reason_of(code: int | None, errors: str, *, timed_out: bool) -> NoAnswer:
    """The reason. `code`: the launcher's exit code; None where it was stopped."""
    said = without_credentials(bounded(errors)).splitlines()
    lines = [line.strip() for line in said if line.strip() and not _LEFT_OUT.match(line.strip())]
    detail = (lines[-1] if lines else "")[:_LONGEST]
    if timed_out:
        return NoAnswer(why="timed-out", detail=detail)
    for pattern, why in _SAYS:
        found = next((line for line in lines if re.search(pattern, line, re.IGNORECASE)), None)
        if found:
            return NoAnswer(why=why, detail=found[:_LONGEST])
    if code in (126, 127):
        return NoAnswer(why="no-gpudoctor", detail=detail)
    if code is not None and code > 128:
        return NoAnswer(why="crashed", detail=detail or f"ended by signal {code - 128}")
    if code == 0:
        return NoAnswer(why="garbage", detail=detail or "it ended well and printed no record")
    return NoAnswer(why="crashed", detail=detail or (f"exit code {code}" if code is not None else ""))
