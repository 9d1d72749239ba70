"""Checks that a requested framework is installed and how many GPUs there are, before anything is run."""

from gpudoctor.errors import CannotExamine, Misused
from gpudoctor.facts.base import Gap
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.python import Interpreter
from gpudoctor.facts.snapshot import Snapshot


def refuse_missing(snapshot: Snapshot, names: tuple[str, ...], found: tuple[str, ...], possible: str) -> None:
    """Say at once that a framework is not there, or none of the `possible` ones. Raises Misused, CannotExamine."""
    gap = snapshot.interpreter if isinstance(snapshot.interpreter, Gap) else snapshot.frameworks
    if isinstance(gap, Gap):
        raise CannotExamine(f"the environment could not be examined: {gap.reason}")
    where = snapshot.interpreter.executable if isinstance(snapshot.interpreter, Interpreter) else "this environment"
    for name in names:
        if name not in found:
            there = f"; there {'is' if len(found) == 1 else 'are'} {', '.join(found)}" if found else ""
            raise Misused(f"{name} is not installed for {where}{there}.")
    if not found:
        raise CannotExamine(f"none of {possible} is installed for {where}.")


def gpu_count(snapshot: Snapshot) -> int | None:
    """How many GPUs the driver's number can name; None where they could not be seen."""
    if isinstance(snapshot.gpus, Gap):
        return None
    return len(snapshot.gpus.devices) if isinstance(snapshot.gpus, Gpus) else 0
