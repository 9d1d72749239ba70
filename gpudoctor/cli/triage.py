"""The command `gpudoctor triage`: diagnoses pasted tickets, logs and snapshots."""

import os
from collections.abc import Iterator

import click

from gpudoctor.cli.option_values import format_option
from gpudoctor.cli.show import show
from gpudoctor.diagnosis.triage import Ticket
from gpudoctor.examine.judging import criteria_of
from gpudoctor.examine.triage import judged_tickets

#: Files of a folder that are no tickets.
_OTHER = (
    ".py", ".png", ".jpg", ".jpeg", ".gif", ".html", ".htm", ".whl", ".so", ".o", ".pyc", ".pt", ".bin", ".csv.gz",
)  # fmt: skip


@click.command("triage")
@click.argument("inputs", nargs=-1, required=True, metavar="FILE|DIR|-...")
@format_option("triage")
@click.option(
    "--jobs", type=click.IntRange(1, 64), metavar="N", help="Processes for many inputs.  [default: the cores]"
)
@click.option("--select", multiple=True, metavar="CODES", help="Only these rules: codes, families or names, by comma.")
@click.option("--ignore", multiple=True, metavar="CODES", help="Not these rules.")
@click.option("-v", "--verbose", is_flag=True, help="Also what was recognised where, and every cause that remains.")
@click.option("-q", "--quiet", is_flag=True, help="One line for each input.")
def command(
    inputs: tuple[str, ...],
    form: str,
    jobs: int | None,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    verbose: bool,
    quiet: bool,
) -> None:
    """Diagnose what other people sent: snapshots, bundles of `gpudoctor report`, or whatever they pasted.

    A pasted text may mix nvidia-smi, collect_env, pip list, logs, tracebacks and prose. It is judged by what it states,
    and never called healthy; what to ask next is said with it. Of a very large file the beginning and the end are read.

    The exit code is 1 if a cause is named for any input, else 3 if one could not be read or states too little, else 0.
    """
    criteria = criteria_of(select, ignore, (), None)
    paths = list(_files(inputs))
    if not paths:
        raise click.UsageError("there is no file in these folders that could be judged")
    tickets = judged_tickets(paths, criteria, jobs)
    worst = _Worst()
    show("triage", worst.noted(tickets), form, 1 if verbose else -1 if quiet else 0)
    raise click.exceptions.Exit(worst.code)


class _Worst:
    """The exit code of all tickets: 1 outranks 3, which outranks 0."""

    def __init__(self) -> None:
        self.code = 0

    def noted(self, tickets: Iterator[Ticket]) -> Iterator[Ticket]:
        """The tickets, each noted as it passes."""
        for ticket in tickets:
            if ticket.exit_code == 1 or self.code == 0:
                self.code = ticket.exit_code
            yield ticket


def _files(inputs: tuple[str, ...]) -> Iterator[str]:
    """The files named, and those in the folders named, in order of their names."""
    for name in inputs:
        if name == "-" or not os.path.isdir(name):
            yield name
            continue
        for folder, folders, names in os.walk(name):
            folders[:] = sorted(one for one in folders if not one.startswith("."))
            for file in sorted(names):
                path = os.path.join(folder, file)
                if not file.startswith(".") and not file.lower().endswith(_OTHER) and os.path.isfile(path):
                    yield path
