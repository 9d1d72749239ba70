"""The command `gpudoctor fleet merge`: one report from the records of many nodes."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from gpudoctor.cli.files import refuse_to_replace, write_file
from gpudoctor.cli.option_values import format_option
from gpudoctor.cli.redact_output import door, keep_option
from gpudoctor.cli.show import style_of
from gpudoctor.language import wrapping
from gpudoctor.report.formats import renderer

if TYPE_CHECKING:
    from gpudoctor.fleet.gather import Gathered
    from gpudoctor.fleet.overview import Overview
    from gpudoctor.fleet.record import NodeRecord

#: Formats that are made to be shown to others: names of nodes become pseudonyms there.
_SHARED = ("html", "junit")


@click.command("merge")
@click.argument("files", nargs=-1, metavar="FILES...")
@click.option("--expect", metavar="NODES", help="The nodes there should be: gpu[001-512], a,b,c or @FILE.")
@format_option("fleet merge")
@click.option("-o", "--output", metavar="FILE", help="Write to this file, in one rename.")
@click.option("--force", is_flag=True, help="Replace files that exist; openmetrics always does.")
@click.option("--golden", metavar="FILE", help="Compare with this node's line instead of with the majority.")
@click.option("--earlier", multiple=True, metavar="FILE", help="An earlier run, to name repeat offenders; repeatable.")
@click.option("--playbook", metavar="FILE", help="Also write the fix plan as an Ansible playbook.")
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning"]),
    default="error",
    show_default=True,
    help="Exit with 1 from this severity on.",
)
@click.option("-v", "--verbose", is_flag=True, help="Show every line.")
@keep_option
def command(
    files: tuple[str, ...],
    expect: str | None,
    form: str,
    output: str | None,
    force: bool,
    golden: str | None,
    earlier: tuple[str, ...],
    playbook: str | None,
    fail_on: str,
    verbose: bool,
    keep: tuple[str, ...],
) -> None:
    """Make one report of the lines that `gpudoctor node` printed on many machines; - reads standard input.

    It says who gave no answer, what is wrong where, which nodes differ from the rest and in what, which GPUs are slow,
    and what to change on which nodes. In html and junit the names of nodes are replaced, unless --keep hostnames is
    given.

    Exit codes: 0 fine, 1 errors or nodes without an answer, 3 when no line could be read.
    """
    if not files:
        raise click.UsageError("Name the files to merge: gpudoctor fleet merge run.jsonl")
    for path in (playbook, None if form == "openmetrics" else output):
        if path is not None:
            refuse_to_replace(path, force=force)
    from gpudoctor.fleet.gather import Gathered
    from gpudoctor.fleet.merge import Asked, bad_nodes, overview_of
    from gpudoctor.fleet.node_names import expanded
    from gpudoctor.fleet.pseudonyms import Pseudonyms
    from gpudoctor.fleet.reading import read_files
    from gpudoctor.redact.credentials import fact_without_credentials
    from gpudoctor.report.output import write_text

    expected = expanded(expect) if expect is not None else None
    reference = _golden(golden)
    pseudonyms = Pseudonyms() if form in _SHARED and not {"hostnames", "all"} & set(keep) else None
    if playbook is not None and pseudonyms is not None:
        raise click.UsageError(f"--playbook needs the names of the nodes: add --keep hostnames to --format {form}.")
    name = pseudonyms.of if pseudonyms else str
    gathered = Gathered(name)
    gathered.take(read_files(files))
    asked = Asked(
        expected=None if expected is None else tuple(map(name, expected)),
        golden=reference,
        earlier=tuple(bad_nodes(_gathered(name, path)) for path in earlier),
    )
    # A line may be of an older gpudoctor, or of a launcher: what is one text of many nodes is cleaned once.
    overview = fact_without_credentials(overview_of(gathered, asked))
    if playbook is not None:
        _write_playbook(overview, playbook)
    if form in _SHARED:
        overview = (pseudonyms or Pseudonyms()).passed(overview, door(keep))
    text = _rendered(overview, form, verbose=verbose)
    if output is None:
        write_text(text if form == "terminal" else wrapping.verbatim(text))
    else:
        write_file(output, text)
    if not gathered.nodes and not gathered.silent:
        raise click.exceptions.Exit(3)
    bad = overview.has("error") or (fail_on == "warning" and overview.has("warning"))
    raise click.exceptions.Exit(int(bad))


def _gathered(name: "Callable[[str], str]", path: str) -> "Gathered":
    from gpudoctor.fleet.gather import Gathered
    from gpudoctor.fleet.reading import read_files

    run = Gathered(name)
    run.take(read_files((path,)))
    return run


def _golden(path: str | None) -> "NodeRecord | None":
    """The node that all are to be like: its line, or its snapshot. Raises click.BadParameter."""
    if path is None:
        return None
    from gpudoctor.facts.codec import MAX_BYTES, NotASnapshot, decode_snapshot
    from gpudoctor.fleet.fingerprint import fingerprint_of
    from gpudoctor.fleet.reading import read_files
    from gpudoctor.fleet.record import RECORD_SCHEMA, NodeRecord
    from gpudoctor.host.safe_files import read_named

    found = [one for one in read_files((path,)) if isinstance(one, NodeRecord) and one.fingerprint]
    if len(found) == 1:
        return found[0]
    if len(found) > 1:
        raise click.BadParameter(f"{path} holds {len(found):,} nodes; give one of them.", param_hint="--golden")
    try:
        fields = fingerprint_of(decode_snapshot(read_named(path, MAX_BYTES + 1)))
    except (OSError, NotASnapshot) as error:
        said = f"{path} is neither a line of `gpudoctor node` nor a snapshot: {error}"
        raise click.BadParameter(said, param_hint="--golden") from None
    return NodeRecord(schema=RECORD_SCHEMA, host="golden", fingerprint=fields)


def _rendered(overview: "Overview", form: str, *, verbose: bool) -> str:
    write = renderer("fleet merge", form)
    text: str | bytes = write(overview, style_of(int(verbose))) if form == "terminal" else write(overview)
    return text.decode() if isinstance(text, bytes) else text


def _write_playbook(overview: "Overview", path: str) -> None:
    import json

    from gpudoctor.fleet.fix_plan import playbook_of

    write_file(path, json.dumps(playbook_of(overview.plan), indent=2) + "\n")
    click.echo(f"Wrote {path}: {len(overview.plan)} plays. Read them before you run them.", err=True)
