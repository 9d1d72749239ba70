"""The command `gpudoctor snapshot`: all facts of this machine as JSON."""

import click

from gpudoctor.cli.files import refuse_to_replace, write_whole
from gpudoctor.cli.redact_output import door, keep_option, replaced
from gpudoctor.examine.look import begin_to_examine
from gpudoctor.facts.codec import encode
from gpudoctor.report.output import write_bytes


@click.command("snapshot")
@click.option("-o", "--output", metavar="FILE", help="Write to this file (readable by you only) instead of the screen.")
@click.option("--force", is_flag=True, help="Replace FILE where it exists.")
@click.option("--schema", is_flag=True, help="Print the JSON Schema of a snapshot, and look at nothing.")
@click.option("--python", metavar="PATH", help="The interpreter (or its environment's folder) to examine.")
@keep_option
def command(output: str | None, force: bool, schema: bool, python: str | None, keep: tuple[str, ...]) -> None:
    """Save the facts of this machine as JSON, to be judged elsewhere with `check --from` or `triage`.

    Credentials are taken out; people, hosts, addresses, GPU UUIDs and serial numbers become pseudonyms.
    """
    if schema:
        from importlib.resources import files

        write_bytes((files("gpudoctor.facts") / "snapshot.schema.json").read_bytes())
        return
    if output is not None:
        refuse_to_replace(output, force=force)
    passage = door(keep)
    raw = encode(passage.fact(begin_to_examine(python)()), indent=2) + b"\n"
    if output is None:
        write_bytes(raw)
        return
    write_whole(output, raw)
    click.echo(f"Wrote {output} ({len(raw):,} bytes). {replaced(passage)}", err=True)
