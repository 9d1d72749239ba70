"""The command `gpudoctor brief`, which prints the page for assistants."""

import click


@click.command("brief")
@click.argument("source", required=False, metavar="[FILE|-]")
@click.option("--python", metavar="PATH", help="The interpreter (or its environment's folder) to examine.")
def command(source: str | None, python: str | None) -> None:
    """Print a page that tells any assistant what is known: facts, judgement, what is open, what not to claim.

    FILE is a snapshot, a report or pasted text; without it, this machine is examined and nothing of it is run. The page
    is Markdown of at most 4,000 tokens, safe to paste. Example: gpudoctor brief ticket.md

    The exit code is that of check and triage: 0 healthy or no GPU needed, 1 findings, 3 not enough was seen.
    """
    if source is not None and python is not None:
        raise click.UsageError("--python names an interpreter of this machine, and FILE holds another one's facts.")
    # Imported here: --help needs nothing of it.
    from gpudoctor.assist.brief import brief_of
    from gpudoctor.assist.judged import Judged, judged_input, judged_machine
    from gpudoctor.assist.quoting import Quoting
    from gpudoctor.cli.redact_output import door
    from gpudoctor.errors import CannotExamine
    from gpudoctor.examine.judging import criteria_of
    from gpudoctor.examine.look import begin_to_examine
    from gpudoctor.examine.tickets import Unreadable, read_input
    from gpudoctor.language import wrapping
    from gpudoctor.report.output import write_text

    if source is None:
        judged: Judged = judged_machine(begin_to_examine(python)(), criteria_of((), (), (), None))
    else:
        try:
            judged = judged_input(read_input(source))
        except Unreadable as error:
            raise CannotExamine(f"{source} cannot be judged: {error}.") from None
    write_text(wrapping.verbatim(brief_of(judged, Quoting(door()))))
    raise click.exceptions.Exit(judged.ticket.exit_code)
