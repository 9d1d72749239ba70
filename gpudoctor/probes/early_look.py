"""Starts examining the target interpreter early, in a fork, while the command is still loading.

The interpreter is asked first of all: while it starts, the fork reads the rest of the probes from disk.
"""

from contextlib import suppress

from gpudoctor.host.background import Aside
from gpudoctor.host.forked import Forked
from gpudoctor.host.port import Host
from gpudoctor.probes.target.choice import choose
from gpudoctor.probes.target.identity import identify

#: Looks that nobody has asked for yet, by the name that was given for the interpreter.
_early: dict[str | None, Forked] = {}


def begin_early(host: Host, python: str | None) -> None:
    """Begin, for a `begun` of the same interpreter. Only for the main thread before any other is started, on Linux."""
    with suppress(OSError):  # the system gives no further process now
        _early[python] = Forked(lambda: _look(host, python))


def begun(host: Host, python: str | None) -> Forked:
    """The look at that interpreter, which begins now where it did not before. Raises OSError where there is no fork."""
    early = _early.pop(python, None)
    return Forked(lambda: _look(host, python)) if early is None else early


def _look(host: Host, python: str | None) -> bytes:
    choice = choose(host, python)
    asked = Aside(lambda: identify(host, choice))
    from gpudoctor.facts.codec import encode
    from gpudoctor.probes.take import look_with

    return encode(look_with(host, choice, asked))
