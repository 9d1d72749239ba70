"""A machine on which nothing is wrong, with where it comes from."""

from typing import NamedTuple

from gpudoctor.host.machine import Machine
from tests.machines import parts

#: What is true of every machine here.
RECONSTRUCTED = "reconstructed: nothing of it is recorded; "


class Healthy(NamedTuple):
    """`sees` names the GPUs (by number) and frameworks that must be seen, so that none is healthy for want of sight.

    `why` says what makes the verdict another one than healthy or no-gpu.
    """

    provenance: str
    machine: Machine
    sees: tuple[str, ...] = ()
    verdict: str = "healthy"
    why: str = ""


def made(story: str, *pieces: Machine, sees: str = "", verdict: str = "healthy", why: str = "") -> Healthy:
    """A reconstructed machine of pieces; `sees` as "1 GPU, torch 2.6.0+cu124"."""
    words = tuple(word.strip() for word in sees.split(",") if word.strip())
    return Healthy(RECONSTRUCTED + story, parts.merge(*pieces), words, verdict, why)
