"""Makes the fix plan of a report, and prints it or writes it as a script."""

import click
from msgspec.structs import replace

from gpudoctor.cli.files import write_file
from gpudoctor.cli.show import show
from gpudoctor.diagnosis.select import UnknownCode, selected
from gpudoctor.examine.judging import Criteria, words_of
from gpudoctor.examine.suggest import no_such_rule
from gpudoctor.facts.plan import Plan
from gpudoctor.facts.report import Report
from gpudoctor.language import wrapping
from gpudoctor.plan.indexes import Indexes
from gpudoctor.plan.merge import plan_of
from gpudoctor.plan.other_indexes import with_indexes
from gpudoctor.plan.this_machine import can_be_root
from gpudoctor.report.output import write_text
from gpudoctor.report.plan_text import no_verdict, on_windows
from gpudoctor.report.scripts import fix_script


def codes_of(only: tuple[str, ...], criteria: Criteria) -> tuple[str, ...]:
    """The codes that `--only` names: by code, family or name. Raises click.UsageError."""
    words = words_of(only)
    if not words:
        return ()
    try:
        return tuple(rule.code for rule in selected(criteria.rules, words, []))
    except UnknownCode as error:
        raise no_such_rule(error, "--only: ") from None


def with_plan(report: Report, codes: tuple[str, ...] = (), indexes: Indexes | None = None) -> Report:
    """The report with its plan; `codes`: for the findings of these rules only; `indexes`: those of the user."""
    plan = plan_of(report.diagnosis, codes, can_be_root=can_be_root(report.snapshot.host))
    return replace(report, plan=with_indexes(plan, indexes or Indexes()))


def show_plan(report: Report, form: str, script: str | None) -> None:
    """Write the plan: to standard output, and as a script where one is named."""
    plan = report.plan or Plan()
    windows = on_windows(report)
    if script is not None:
        unseen = "".join(f" Inconclusive: {reason}" for reason in no_verdict(report))
        text = fix_script(plan, _about(report) + unseen, windows=windows)
        if script == "-":
            write_text(wrapping.verbatim(text))
            return
        write_file(script, text, executable=not windows)
    show("fix", report, form)
    if script is not None and form == "terminal":
        click.echo(f"Written to {click.format_filename(script)}: read it, then run it.", err=True)


def _about(report: Report) -> str:
    target = report.snapshot.interpreter
    where = getattr(target, "executable", None) or "no Python"
    return f"Made for {where}; compatibility matrix {report.matrix_edition or 'not known'}."
