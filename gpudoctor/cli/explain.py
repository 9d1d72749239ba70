"""The command `gpudoctor explain`: what an error message or a finding's code means."""

import re
from typing import TYPE_CHECKING

import click

from gpudoctor.cli.option_values import format_option
from gpudoctor.cli.show import show
from gpudoctor.diagnosis.select import UnknownCode, find
from gpudoctor.examine.suggest import no_such_rule
from gpudoctor.rules.load import load_rules

if TYPE_CHECKING:
    from gpudoctor.facts.snapshot import Snapshot


@click.command("explain")
@click.argument("what", metavar="CODE|TEXT|-")
@click.option("--from", "source", metavar="FILE", help="Weigh the causes by the facts of a snapshot, bundle or text.")
@click.option("--here", is_flag=True, help="Weigh the causes by the facts of this machine.")
@format_option("explain")
def command(what: str, source: str | None, here: bool, form: str) -> None:
    """Print the manual page of a finding, or say what an error message means and what causes it.

    TEXT is the message, or a whole log on standard input (-). Its causes come with the likeliest first; --here or
    --from FILE weigh them by what is known of the machine. The exit code is 3 if nothing in the text is known.
    """
    if source is not None and here:
        raise click.UsageError("--from judges another machine's facts, and --here those of this one.")
    try:
        rule = find(load_rules(), what.strip())
    except UnknownCode as error:
        if what == "-" or _is_message(what):
            _explain_text(what, source, form, here=here)
            return
        raise no_such_rule(error) from None
    if source is not None or here:
        raise click.UsageError(f"--from and --here weigh the causes of a message, and {rule.code} is a finding's page.")
    show("explain CODE", rule, form)


def _is_message(text: str) -> bool:
    """More than a word, or a word that is known as a message (CUDA_ERROR_NO_DEVICE)."""
    from gpudoctor.knowledge.recognition import recognise

    return bool(re.search(r"\s", text.strip())) or bool(recognise(text))


def _explain_text(what: str, source: str | None, form: str, *, here: bool) -> None:
    # Imported here: a manual page needs none of it.
    from gpudoctor.errors import CannotExamine
    from gpudoctor.examine.explaining import explained
    from gpudoctor.examine.tickets import Unreadable, read_input

    try:
        raw = read_input("-").raw if what == "-" else what.encode("utf-8", "surrogateescape")
        explanation = explained(raw, _facts(source, here=here))
    except Unreadable as error:
        raise CannotExamine(f"the text cannot be explained: {error}.") from None
    show("explain", explanation, form)
    if not explanation.messages:
        raise click.exceptions.Exit(3)


def _facts(source: str | None, *, here: bool) -> "Snapshot | None":
    """The facts to weigh by; None where there are only those of the text."""
    from gpudoctor.examine.look import begin_to_examine, stated_in

    if here:
        return begin_to_examine(None)()
    return None if source is None else stated_in(source)
