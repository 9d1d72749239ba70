"""`gpudoctor check --dockerfile`: GPU mistakes in Dockerfiles and Compose files, which `verify` reads."""

import os
from collections.abc import Mapping

import click

from gpudoctor.cli.show import show
from gpudoctor.cli.verify_inputs import cleaned, of_file
from gpudoctor.errors import CannotExamine
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.machine import Machine
from gpudoctor.redact.credentials import fact_without_credentials
from gpudoctor.report.formats import FORMATS
from gpudoctor.verify.verdict import Given, Mistakes
from gpudoctor.verify.verify import verify


def check_files(
    files: tuple[str, ...], source: str | None, form: str, fail_on: str | None, others: Mapping[str, object]
) -> int:
    """Show what in the files keeps a GPU from being used; the exit code. `others`: options that do not go with it."""
    given = [name for name, value in others.items() if value]
    if given:
        raise click.UsageError(f"--dockerfile checks files, and {given[0]} is of a machine. Leave one out.")
    if form not in FORMATS["check --dockerfile"]:
        known = ", ".join(FORMATS["check --dockerfile"])
        raise click.UsageError(f"--dockerfile has no format {form}; it has {known}.")
    if fail_on not in (None, "error"):
        raise click.UsageError("--dockerfile finds errors only; leave --fail-on out.")
    absent = next((path for path in files if path != "-" and not os.path.exists(path)), None)
    if absent is not None:
        raise CannotExamine(f"There is no file {click.format_filename(absent)}.")
    matrix = load_matrix()
    any_machine = Given(machine=Machine(platform="linux-x86_64"), for_gpu=True)
    meant = of_file(source, matrix) if source is not None else any_machine
    found = tuple(one for name, text in cleaned(files) for one in verify(text, meant, matrix, name).found)
    if not found:
        raise CannotExamine("Nothing to judge: there is no instruction in it.")
    mistakes = Mistakes(
        files=files,
        found=tuple(one for one in found if one.word == "does not fit"),
        judged=len(found),
        not_known=sum(one.word == "not known" for one in found),
    )
    show("check --dockerfile", fact_without_credentials(mistakes), form)
    return 1 if mistakes.found else 0
