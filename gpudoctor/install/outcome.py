"""Which findings a plan cured: those before against those after."""

from collections.abc import Mapping

from msgspec import structs

from gpudoctor.apply.events import Checked
from gpudoctor.diagnosis.verdict import report_of
from gpudoctor.facts.plan import Mending
from gpudoctor.facts.report import Report
from gpudoctor.knowledge.matrix.load import load_matrix

#: A finding's code and subject.
Key = tuple[str, str | None]


def found(report: Report) -> dict[Key, str]:
    """The findings that are more than notes, in words."""
    findings = (one for one in report.diagnosis.findings if one.severity != "info")
    return {(one.code, one.subject): one.summary for one in findings}


def cured_there(mending: Mending, before: Report, there: Report) -> tuple[Key, ...]:
    """What a new environment was made for, and does not have."""
    meant = set(zip(mending.cures, mending.because, strict=False))
    codes = {code for code, _ in found(there)}
    return tuple(key for key, text in found(before).items() if (key[0], text) in meant and key[0] not in codes)


def without(report: Report, cured: Mapping[Key, str]) -> Report:
    """The report without what is cured elsewhere, and what only follows from that; its verdict is that of the rest."""
    codes = {code for code, _ in cured}
    left = tuple(
        one
        for one in report.diagnosis.findings
        if (one.code, one.subject) not in cured and not (one.because_of and codes.issuperset(one.because_of))
    )
    if len(left) == len(report.diagnosis.findings):
        return report
    diagnosis = structs.replace(report.diagnosis, findings=left)
    matrix = load_matrix()
    return report_of(report.snapshot, diagnosis, fail_on=report.fail_on, not_run=report.not_run, matrix=matrix)


def compared(before: Report, after: Report, elsewhere: Mapping[Key, str]) -> Checked:
    """What is cured, what remains, and what got worse; `elsewhere` are the new environments that cure something."""
    old, new = found(before), found(after)
    where = {key: f" (in {folder})" for key, folder in elsewhere.items()}
    return Checked(
        cured=tuple(f"{key[0]} {old[key]}{where.get(key, '')}" for key in old if key not in new),
        remains=tuple(f"{key[0]} {new[key]}" for key in new if key in old),
        worse=tuple(f"{key[0]} {new[key]}" for key in new if key not in old),
    )


def outcome_text(checked: Checked, after: Report) -> str:
    """The last words of `fix --apply`."""
    parts = (("Cured", checked.cured), ("Remains", checked.remains), ("New", checked.worse))
    lines = [f"{title}: {text}" for title, texts in parts for text in texts] or ["Nothing was wrong, and nothing is."]
    if after.plan is not None:
        lines += [f"{one.code}: {one.reason}" for one in after.plan.unresolved if "was run for this" in one.reason]
    if after.plan is not None and any(one.scope == "system" for one in after.plan.fixes):
        lines.append("What needs an administrator is yours to run: gpudoctor fix --script fix.sh writes it down.")
    return "\n".join(lines) + "\n"
