"""`gpudoctor check`."""

import os

import click

from gpudoctor.cli.config import load_config
from gpudoctor.cli.examine import examine, read_snapshot
from gpudoctor.cli.output import shows_unicode, width, write_bytes, write_text
from gpudoctor.cli.suggest import no_such_rule
from gpudoctor.engine.diagnose import diagnose
from gpudoctor.engine.requirements import NotARequirement, parse_wish
from gpudoctor.engine.select import UnknownCode, selected
from gpudoctor.engine.verdict import report_of
from gpudoctor.host.aside import Aside
from gpudoctor.matrix.load import load_matrix
from gpudoctor.model.finding import SEVERITIES, Severity
from gpudoctor.model.report import Report
from gpudoctor.model.snapshot import Snapshot
from gpudoctor.model.wish import Wish
from gpudoctor.render.json import render_json
from gpudoctor.render.terminal import Style, render_terminal
from gpudoctor.render.view import view_of
from gpudoctor.rules._declare import Rule
from gpudoctor.rules._load import load_rules


@click.command("check")
@click.option("--python", metavar="PATH", help="The interpreter (or its environment's folder) to examine.")
@click.option("--static", is_flag=True, help="Run nothing of the examined environment. All that check does today.")
@click.option("--from", "source", metavar="FILE", help="Judge a saved snapshot instead of this machine; - reads stdin.")
@click.option("--format", "form", type=click.Choice(["terminal", "json"]), default="terminal", show_default=True)
@click.option("--select", multiple=True, metavar="CODES", help="Only these rules: codes, families or names, by comma.")
@click.option("--ignore", multiple=True, metavar="CODES", help="Not these rules.")
@click.option("--fail-on", type=click.Choice(SEVERITIES), help="Exit with 1 from this severity on.  [default: error]")
@click.option("--require", multiple=True, metavar="WHAT", help="Demand gpu, torch>=2.6, 'driver>=570' …; repeatable.")
@click.option("-v", "--verbose", is_flag=True, help="Also sources, consequences in full, rules that could not judge.")
@click.option("-q", "--quiet", is_flag=True, help="Only the verdict and its causes.")
def command(
    python: str | None,
    static: bool,  # noqa: ARG001 - the static part is all there is yet
    source: str | None,
    form: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fail_on: Severity | None,
    require: tuple[str, ...],
    verbose: bool,
    quiet: bool,
) -> None:
    """Examine this machine and say what keeps the GPU from being used.

    The exit code is the verdict: 0 healthy or no GPU needed, 1 findings, 3 could not examine.
    """
    if source is not None and python is not None:
        raise click.UsageError("--python names an interpreter of this machine, and --from judges another one's facts.")
    # The look waits for children for a good part of its time: the rules are loaded meanwhile.
    look = Aside(lambda: read_snapshot(source) if source is not None else examine(python))
    config = load_config(os.getcwd())
    wish = _wish(require or config.require)
    rules, left_out = _rules(select or config.select, ignore or config.ignore)
    report = judge(look.result(), rules, wish, fail_on or config.fail_on or "error", left_out)
    _show(report, form, verbosity=1 if verbose else -1 if quiet else 0)
    raise click.exceptions.Exit(report.exit_code)


def judge(
    snapshot: Snapshot, rules: tuple[Rule, ...], wish: Wish, fail_on: Severity, left_out: tuple[str, ...] = ()
) -> Report:
    """The report of a snapshot under these rules."""
    matrix = load_matrix()
    diagnosis = diagnose(snapshot, matrix, rules, wish)
    return report_of(snapshot, diagnosis, fail_on=fail_on, not_run=left_out, matrix_edition=matrix.edition)


def _wish(texts: tuple[str, ...]) -> Wish:
    try:
        return parse_wish(texts)
    except NotARequirement as error:
        raise click.BadParameter(str(error), param_hint="--require") from None


def _rules(select: tuple[str, ...], ignore: tuple[str, ...]) -> tuple[tuple[Rule, ...], tuple[str, ...]]:
    """The rules to run, and the codes of those left out."""
    every = load_rules()
    try:
        chosen = selected(every, _words(select), _words(ignore))
    except UnknownCode as error:
        raise no_such_rule(error) from None
    return chosen, tuple(rule.code for rule in every if rule not in chosen)


def _words(values: tuple[str, ...]) -> list[str]:
    return [word.strip() for value in values for word in value.split(",") if word.strip()]


def _show(report: Report, form: str, verbosity: int) -> None:
    if form == "json":
        write_bytes(render_json(report))
    else:
        style = Style(width=width(), unicode=shows_unicode(), verbosity=verbosity)
        write_text(render_terminal(view_of(report), style))
