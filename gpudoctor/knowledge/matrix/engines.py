"""Programs that open the CUDA libraries of others: which major each release takes."""

from gpudoctor.facts.specifiers import is_met
from gpudoctor.knowledge.matrix.offer_types import EngineBuild
from gpudoctor.knowledge.matrix.query import Matrix


def engine_rows(package: str, matrix: Matrix) -> tuple[EngineBuild, ...]:
    """The rows of a program, newest first; none where it is not known."""
    rows: tuple[EngineBuild, ...] = matrix.table("engines")
    return tuple(row for row in rows if row.package == package)


def engine_build(package: str, release: str, matrix: Matrix) -> EngineBuild | None:
    """What a release opens; None is not known."""
    return next((row for row in engine_rows(package, matrix) if is_met(row.releases, release)), None)
