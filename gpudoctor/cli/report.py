"""The command `gpudoctor report`: the report in all forms as one archive for a ticket."""

import os
import sys

import click
import msgspec

from gpudoctor import __version__
from gpudoctor.cli.files import refuse_unwritable, would_replace, write_whole
from gpudoctor.cli.redact_output import door, keep_option, replaced
from gpudoctor.errors import CannotExamine, Partial
from gpudoctor.examine.judging import criteria_of, judge
from gpudoctor.examine.look import begin_to_examine, read_snapshot, run_frameworks
from gpudoctor.facts.bench_report import BenchReport
from gpudoctor.facts.codec import MAX_BYTES, decode, encode
from gpudoctor.facts.report import Report
from gpudoctor.facts.system import Environ
from gpudoctor.host.safe_files import read_named
from gpudoctor.redact.redactor import Door
from gpudoctor.report.bench_html import render_bench_html
from gpudoctor.report.bundle import render_bundle
from gpudoctor.report.facts import fact_groups
from gpudoctor.report.html import render_html
from gpudoctor.report.json import render_json
from gpudoctor.report.markdown import render_markdown
from gpudoctor.report.output import write_bytes
from gpudoctor.report.tables import grids_of
from gpudoctor.report.view import view_of

FORMS = ("zip", "markdown", "html", "json")
_SUFFIXES = {
    ".zip": "zip",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".json": "json",
}
_DEFAULT = "gpudoctor-report.zip"


@click.command("report")
@click.option("-o", "--output", metavar="FILE", help=f"Where to write it; - is the screen.  [default: {_DEFAULT}]")
@click.option("--format", "form", type=click.Choice(FORMS), help="What to write.  [default: as FILE ends, else zip]")
@click.option("--open", "opens", is_flag=True, help="Show the page in the browser afterwards.")
@click.option("-y", "--yes", is_flag=True, help="Write without asking.")
@click.option("--force", is_flag=True, help="Replace FILE where it exists.")
@click.option("--static", is_flag=True, help="Run nothing of the examined environment.")
@click.option("--python", metavar="PATH", help="The interpreter (or its environment's folder) to examine.")
@click.option("--from", "source", metavar="FILE", help="Report on a saved snapshot instead of this machine.")
@click.option("--bench", metavar="FILE", help="Put this measurement (the JSON of gpudoctor bench) into the archive.")
@keep_option
def command(
    output: str | None,
    form: str | None,
    opens: bool,
    yes: bool,
    force: bool,
    static: bool,
    python: str | None,
    source: str | None,
    bench: str | None,
    keep: tuple[str, ...],
) -> None:
    """Write everything that a ticket needs, safe to paste in public.

    Credentials are taken out; people, hosts, addresses, GPU UUIDs and serial numbers become pseudonyms. On a terminal
    it shows what it will write, and asks. Without a terminal it writes. The exit code is the verdict, as for check.
    """
    if source is not None and python is not None:
        raise click.UsageError("--python names an interpreter of this machine, and --from judges another one's facts.")
    form = form or _form_of(output)
    if output is None:
        output = _DEFAULT if form == "zip" else "-"
    _refuse_output(output, form, force=force, opens=opens)
    if bench is not None and form != "zip":
        raise click.UsageError("--bench adds files to the archive; leave --format out, or name a .zip with -o.")
    measured = _measured(bench) if bench is not None else None
    report, complete = _examined(python, source, static=static)
    passage = door(keep)
    more = _bench_files(passage.fact(measured)) if measured is not None else {}
    files = _files(passage.fact(report), passage, complete=complete) | more
    if output == "-":
        write_bytes(files[_name(form)])
    elif not complete and would_replace(output):
        click.echo(f"{output} stays as it was: what was run until the interruption is a part.", err=True)
    elif _agreed(output, files if form == "zip" else {_name(form): files[_name(form)]}, report, passage, yes=yes):
        write_whole(output, render_bundle(files) if form == "zip" else files[_name(form)])
        click.echo(f"Wrote {output}.", err=True)
        if opens:
            _open(output, files["report.html"])
    else:
        click.echo("Nothing was written.", err=True)
    if not complete:
        raise Partial
    raise click.exceptions.Exit(report.exit_code)


def _form_of(output: str | None) -> str:
    if output is None:
        return "zip"
    if output == "-":
        return "markdown"
    suffix = os.path.splitext(output)[1].lower()
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    if not suffix or would_replace(output):  # what is there is spoken of first
        return "zip"
    raise click.UsageError(f"no report ends in {suffix}; name .zip, .md, .html or .json, or say which with --format.")


def _refuse_output(output: str, form: str, *, force: bool, opens: bool) -> None:
    if output == "-":
        if form == "zip":
            raise click.UsageError("an archive cannot be shown on the screen; name a FILE, or another --format.")
        if opens:
            raise click.UsageError("--open shows a written page; name a FILE with -o.")
        return
    refuse_unwritable(output, force=force)


def _examined(python: str | None, source: str | None, *, static: bool) -> tuple[Report, bool]:
    complete = True
    if source is not None:
        snapshot = read_snapshot(source)
    else:
        snapshot = begin_to_examine(python)()
        if not static:
            snapshot, complete = run_frameworks(snapshot)
    return judge(snapshot, criteria_of((), (), (), None)), complete


def _measured(path: str) -> BenchReport:
    try:
        return decode(read_named(path, MAX_BYTES), BenchReport)
    except OSError as error:
        raise click.BadParameter(f"{path}: {error.strerror}", param_hint="--bench") from None
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise CannotExamine(f"{path} is not the JSON of gpudoctor bench: {error}") from None


def _bench_files(measured: BenchReport) -> dict[str, bytes]:
    return {"bench.html": render_bench_html(measured).encode(), "bench.json": render_json(measured)}


def _files(report: Report, passage: Door, *, complete: bool) -> dict[str, bytes]:
    """Every form of a report that passed the door."""
    view, groups, grids = view_of(report), fact_groups(report.snapshot), grids_of(report)
    taken = (report.snapshot.taken_at or "")[:19].replace("T", " ")
    part = "" if complete else "It was interrupted: what was run is a part. "
    footer = f"{part}gpudoctor {__version__}, matrix {report.matrix_edition}, {taken} UTC. {replaced(passage)}"
    return {
        "report.md": render_markdown(view, groups, grids, footer=footer).encode(),
        "report.html": render_html(view, groups, grids, footer=footer).encode(),
        "report.json": render_json(report),
        "snapshot.json": encode(report.snapshot, indent=2) + b"\n",
    }


def _name(form: str) -> str:
    return {"markdown": "report.md", "html": "report.html", "json": "report.json"}.get(form, "report.md")


def _agreed(output: str, files: dict[str, bytes], report: Report, passage: Door, *, yes: bool) -> bool:
    """Show what will be written; on a terminal, ask."""
    view = view_of(report)
    click.echo(f"{view.headline}\n\n{output} will hold:", err=True)
    for name, raw in files.items():
        click.echo(f"  {name:<14} {len(raw):>9,} bytes", err=True)
    click.echo(replaced(passage), err=True)
    environ = report.snapshot.environ
    if isinstance(environ, Environ):
        click.echo(f"Environment variables in it: {', '.join(environ.variables) or 'none'}.", err=True)
    if yes or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return True
    while True:
        answer = click.prompt("Write it? (y)es, (n)o, (s)how", default="y", err=True).strip().lower()
        if answer.startswith("s"):
            click.echo_via_pager(files.get("report.md", next(iter(files.values()))).decode())
        elif answer[:1] in ("y", "n"):
            return answer.startswith("y")


def _open(output: str, page: bytes) -> None:
    """Show the page; one in an archive is written beside it first, because a browser reads files."""
    path = output if output.endswith((".html", ".htm")) else os.path.splitext(output)[0] + ".html"
    if path != output:
        if would_replace(path):
            click.echo(f"Not opened: {path} exists already.", err=True)
            return
        write_whole(path, page)
        click.echo(f"Wrote {path}.", err=True)
    if click.launch(path) != 0:
        click.echo(f"No browser could be started; open {path} in one.", err=True)
