"""Looks up the date of a release."""

from gpudoctor.facts.versions import public
from gpudoctor.knowledge.matrix.as_of import days_of
from gpudoctor.knowledge.matrix.look_up_types import ReleaseDates
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.look_up.answer import Found, Row
from gpudoctor.look_up.records import named


def date_of(text: str, matrix: Matrix) -> Found | None:
    """The day of a release: "torch 2.3.0", "driver 535.183.01"; of a driver's branch, 535, the day of its first."""
    name, version = named(text)
    wanted = public(version) if version else None
    row: ReleaseDates | None = next((one for one in matrix.table("dates") if one.package == name), None)
    if row is None or wanted is None:
        return None
    days = days_of(name, matrix)
    is_branch = name == "nvidia-driver" and len(wanted.release) == 1
    first = min((one for one in days if is_branch and one.release[0] == wanted.major), default=wanted)
    if first not in days:
        return None
    spelled = next(one for one in row.released if public(one) == first)
    says = (f"Its first release that is known is {spelled}.",) if is_branch else ()
    return Found(
        kind="release",
        subject=f"{name} {wanted}" if is_branch else f"{name} {spelled}",
        says=says,
        rows=(Row(name="released", value=days[first]),),
        source=row.source,
        checked=row.checked,
        confidence=row.confidence,
    )
