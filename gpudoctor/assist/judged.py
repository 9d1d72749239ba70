"""A diagnosis together with the facts it rests on: of this machine, a snapshot or a pasted text."""

from typing import NamedTuple

from gpudoctor.diagnosis.assumptions import findings_with_gpu
from gpudoctor.diagnosis.ranking import RuledOut
from gpudoctor.diagnosis.triage import Ticket, excluded, ticket_of
from gpudoctor.examine.judging import Criteria, judge
from gpudoctor.examine.tickets import Input, subject_of
from gpudoctor.facts.report import Report
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.rules.declare import Rule
from gpudoctor.rules.load import load_rules


class Judged(NamedTuple):
    """A judgement, and the facts that it rests on."""

    report: Report
    ticket: Ticket
    #: Causes that messages point to and facts exclude: all of them.
    ruled_out: tuple[RuledOut, ...]


def every_rule() -> Criteria:
    """All rules, and no wish of the user's: another's machine is not judged by the settings of this folder."""
    return Criteria(rules=load_rules())


def judged_machine(snapshot: Snapshot, criteria: Criteria) -> Judged:
    """The judgement of this machine."""
    return judged_report(judge(snapshot, criteria), criteria.rules)


def judged_report(report: Report, rules: tuple[Rule, ...] | None = None) -> Judged:
    """The judgement that a check of ours came to, by all rules unless others are named."""
    ticket = ticket_of("this machine", "snapshot", report, load_rules() if rules is None else rules)
    return Judged(report, ticket, _excluded(report, ticket))


def judged_input(given: Input) -> Judged:
    """What somebody sent. Raises gpudoctor.examine.tickets.Unreadable."""
    matrix, criteria = load_matrix(), every_rule()
    subject = subject_of(given, matrix)
    report = judge(subject.snapshot, criteria)
    supposed = findings_with_gpu(subject.snapshot, matrix, criteria.rules) if subject.kind == "text" else ()
    ticket = ticket_of(given.name, subject.kind, report, criteria.rules, subject.contents, supposed)
    return Judged(report, ticket, _excluded(report, ticket))


def _excluded(report: Report, ticket: Ticket) -> tuple[RuledOut, ...]:
    return excluded(ticket.causes, report.snapshot, ticket.contents.around if ticket.contents else (), load_rules())
