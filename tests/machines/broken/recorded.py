"""A machine on which something is wrong, with the thread that reports it."""

from typing import NamedTuple

from gpudoctor.host.machine import Machine
from tests.machines import parts


class Broken(NamedTuple):
    """`cause` is the finding that must come first, `remedy` a pattern of its fixes; `also` is true there as well."""

    story: str
    thread: str
    cause: str
    remedy: str
    machine: Machine
    also: tuple[str, ...] = ()
    severity: str = "error"


def ill(
    story: str, thread: str, cause: str, remedy: str, *pieces: Machine, also: str = "", severity: str = "error"
) -> Broken:
    """A reconstructed machine of pieces; `also` as "no-gpu pip-mismatch"."""
    return Broken(story, thread, cause, remedy, parts.merge(*pieces), tuple(also.split()), severity)
