"""The Python interface for scripts and notebooks: check(), judge() and snapshot().

    import gpudoctor

    checked = gpudoctor.check()          # examines the interpreter that runs this; in a notebook it shows as a report
    checked.verdict                      # "healthy", "no-gpu", "findings", "incomplete", "bug"
    for finding in checked.findings:
        print(finding.code, finding.severity, finding.summary)

What is public is what this module names in `__all__`, and the facts of `gpudoctor.facts` that it returns. It is kept
stable within a major version.
"""

import sys
from typing import Any

from msgspec import structs

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.diagnosis.requirements import parse_wish
from gpudoctor.diagnosis.select import selected
from gpudoctor.diagnosis.verdict import report_of
from gpudoctor.facts.base import Gap
from gpudoctor.facts.codec import decode_snapshot, encode
from gpudoctor.facts.finding import Finding, Severity
from gpudoctor.facts.python import Interpreter
from gpudoctor.facts.report import Report, Verdict
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.typed_json import decode_json
from gpudoctor.facts.wish import Wish
from gpudoctor.host.real import RealHost
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.probes.live.probe import prove
from gpudoctor.probes.take import take_snapshot
from gpudoctor.report.html import render_fragment, report_html
from gpudoctor.report.markdown import report_markdown
from gpudoctor.report.tables import grids_of
from gpudoctor.report.terminal import Style, report_text
from gpudoctor.report.view import view_of
from gpudoctor.rules.declare import Rule
from gpudoctor.rules.load import load_rules

__all__ = ["Checked", "check", "judge", "snapshot"]


class Checked:
    """What a check found: the whole report, and the parts that are asked for most."""

    def __init__(self, report: Report) -> None:
        #: Snapshot, diagnosis and verdict, as in `--format json`.
        self.report = report

    @property
    def verdict(self) -> Verdict:
        """What the findings, and the facts that were not seen, add up to."""
        return self.report.verdict

    @property
    def healthy(self) -> bool:
        """Nothing is wrong, and everything that a verdict needs was seen; a machine without a GPU is healthy too."""
        return self.report.verdict in ("healthy", "no-gpu")

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, root causes first."""
        return self.report.diagnosis.findings

    @property
    def snapshot(self) -> Snapshot:
        """The facts the verdict rests on."""
        return self.report.snapshot

    def to_dict(self) -> dict[str, Any]:
        """The report as plain dictionaries, lists, texts and numbers."""
        return decode_json(encode(self.report), type=dict[str, Any])

    def to_json(self) -> str:
        """The report as `gpudoctor check --format json` prints it."""
        return encode(self.report, indent=2).decode()

    def to_markdown(self) -> str:
        """The report as Markdown for an issue. Names of people and machines are in it: see `gpudoctor report`."""
        return report_markdown(self.report)

    def to_html(self) -> str:
        """The report as a page of its own."""
        return report_html(self.report)

    def _repr_html_(self) -> str:
        return render_fragment(view_of(self.report), grids_of(self.report))

    def __str__(self) -> str:
        from click import unstyle

        return unstyle(report_text(self.report, Style()))

    def __repr__(self) -> str:
        return f"<gpudoctor: {self.verdict}, {len(self.findings)} findings>"


def check(
    python: str | None = None,
    *,
    static: bool = False,
    require: tuple[str, ...] = (),
    select: tuple[str, ...] = (),
    ignore: tuple[str, ...] = (),
    fail_on: Severity = "error",
) -> Checked:
    """Examine this machine and the interpreter `python` (None: the one that runs this).

    With `static` nothing of that interpreter is run; else every framework lists its devices and trains a small network,
    in processes of its own. `require`, `select`, `ignore` and `fail_on` are those of the command. Raises ValueError for
    a requirement or a code that there is not.
    """
    wish = parse_wish(tuple(require))
    rules = selected(load_rules(), list(select), list(ignore))
    seen = snapshot(python)
    if not static:
        seen = _proved(seen)
    return _judged(seen, rules, wish, fail_on)


def snapshot(python: str | None = None) -> Snapshot:
    """The facts of this machine and of the interpreter `python` (None: the one that runs this). Runs nothing of it."""
    return take_snapshot(RealHost(), sys.executable if python is None else python)


def judge(facts: Snapshot | bytes, *, require: tuple[str, ...] = (), fail_on: Severity = "error") -> Checked:
    """Judge a snapshot, or the JSON of one. Raises ValueError (model.codec.NotASnapshot) for other bytes."""
    seen = decode_snapshot(facts) if isinstance(facts, bytes) else facts
    return _judged(seen, load_rules(), parse_wish(tuple(require)), fail_on)


def _judged(seen: Snapshot, rules: tuple[Rule, ...], wish: Wish, fail_on: Severity) -> Checked:
    matrix = load_matrix()
    return Checked(report_of(seen, diagnose(seen, matrix, rules, wish), fail_on=fail_on, matrix=matrix))


def _proved(seen: Snapshot) -> Snapshot:
    if not isinstance(seen.interpreter, Interpreter) or isinstance(seen.frameworks, Gap):
        return seen
    live = prove(RealHost(), seen.interpreter, seen.frameworks)
    return structs.replace(seen, live=live if live.devices or live.smoke else None)
