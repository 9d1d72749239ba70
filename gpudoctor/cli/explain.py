"""`gpudoctor explain`."""

import textwrap

import click

from gpudoctor.cli.output import width, write_text
from gpudoctor.cli.suggest import no_such_rule
from gpudoctor.engine.select import UnknownCode, find
from gpudoctor.rules._declare import MANUAL_HEADINGS
from gpudoctor.rules._load import load_rules


@click.command("explain")
@click.argument("code")
def command(code: str) -> None:
    """Print the manual page of a finding: what it means, why it breaks, how to mend it, when to ignore it."""
    try:
        rule = find(load_rules(), code.strip())
    except UnknownCode as error:
        raise no_such_rule(error) from None
    write_text(f"{rule.code} {rule.name} ({rule.severity}, since {rule.since})\n\n{reflowed(rule.manual, width())}\n")


def reflowed(manual: str, columns: int) -> str:
    """A manual page in lines of at most `columns`; headings and the list of sources stay line by line."""
    return "\n\n".join(_paragraph(block.splitlines(), columns) for block in manual.split("\n\n"))


def _paragraph(lines: list[str], columns: int) -> str:
    heading = lines[:1] if lines and lines[0].removesuffix(":") in MANUAL_HEADINGS else []
    if heading == ["Sources:"]:
        return "\n".join(lines)
    text = " ".join(lines[len(heading) :])
    return "\n".join([*heading, *textwrap.wrap(text, columns, break_long_words=False, break_on_hyphens=False)])
