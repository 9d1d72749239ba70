"""Where no build supports all GPUs: builds that support as many as possible."""

from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.answer import Fit, Wanted
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.solve import fit
from gpudoctor.plan.unsat_reasons import driver_refusal


def served_part(machine: Machine, wish: tuple[Wanted, ...], matrix: Matrix) -> tuple[Fit, tuple[str, ...]]:
    """The builds that fit, and the GPUs they leave out: none, unless nothing fits all of them.

    Where something must be left out it is as little as possible; of two halves the newer GPUs are served.
    """
    whole = fit(machine, wish, matrix)
    if machine.gfx and whole.refusals:
        return _of_amd(whole, machine, wish, matrix)
    everything = range(len(machine.capabilities))
    if not whole.refusals or len(set(machine.capabilities)) < 2:
        return whole, ()
    for indices in _parts(machine):
        part = machine.with_only(indices)
        if driver_refusal(part, matrix) is not None:
            continue
        found = fit(part, wish, matrix)
        if not found.refusals:
            return found, tuple(machine.label(index) for index in everything if index not in indices)
    return whole, ()


def _of_amd(whole: Fit, machine: Machine, wish: tuple[Wanted, ...], matrix: Matrix) -> tuple[Fit, tuple[str, ...]]:
    """Without the GPUs that no build has code for: beside a card mostly the graphics of the processor."""
    everything = range(len(machine.gfx))
    served = tuple(index for index in everything if not fit(machine.with_only((index,)), wish, matrix).refusals)
    found = fit(machine.with_only(served), wish, matrix) if 0 < len(served) < len(machine.gfx) else whole
    if found.refusals:
        return whole, ()
    return found, tuple(machine.label(index) for index in everything if index not in served)


def _parts(machine: Machine) -> list[tuple[int, ...]]:
    """Sets of GPUs of neighbouring age, the larger first, then the newer: builds serve a range of architectures."""
    kinds = sorted(set(machine.capabilities))
    spans = [kinds[first:last] for first in range(len(kinds)) for last in range(first + 1, len(kinds) + 1)]
    parts = [
        tuple(index for index, gpu in enumerate(machine.capabilities) if gpu in span)
        for span in spans
        if len(span) < len(kinds)
    ]
    newest = {part: max(machine.capabilities[index] for index in part) for part in parts}
    return sorted(sorted(parts, key=lambda part: newest[part], reverse=True), key=len, reverse=True)
