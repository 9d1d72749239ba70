"""The device code of a JAX release whose wheels were not read: as of its neighbours, which is likely and not sure."""

from collections.abc import Iterable

from gpudoctor.facts.base import Fact
from gpudoctor.knowledge.matrix.types import JaxBuild


class LikelyCode(Fact, frozen=True, kw_only=True):
    """What the nearest releases with the same extra have in common, and which they are."""

    archs: tuple[str, ...]
    neighbours: tuple[str, ...]

    @property
    def words(self) -> str:
        """For a sentence: 0.12.0; 0.7.2 and 0.10.2."""
        return " and ".join(self.neighbours)


def likely_code(build: JaxBuild, rows: Iterable[JaxBuild]) -> LikelyCode | None:
    """Of a release without architectures, given the table, newest first; None where no release of the extra has any."""
    same = [row for row in rows if row.variant == build.variant]
    here = next((index for index, row in enumerate(same) if row.version == build.version), None)
    if build.archs or here is None:
        return None
    newer = next((row for row in reversed(same[:here]) if row.archs), None)
    older = next((row for row in same[here:] if row.archs), None)
    known = [row for row in (older, newer) if row is not None]
    if not known:
        return None
    archs = tuple(arch for arch in known[0].archs or () if all(arch in (row.archs or ()) for row in known))
    return LikelyCode(archs=archs, neighbours=tuple(row.version for row in known))
