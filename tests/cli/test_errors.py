"""Errors of services at the command line: a sentence, the usage where a command was misused, the exit code."""

import click
import pytest
from click.testing import CliRunner

from gpudoctor.cli.errors import showing_errors
from gpudoctor.errors import CannotExamine, CannotWrite, Failure, Misused, NothingChanged, Partial

#: What was raised: (exit code, the last line that is shown).
ENDINGS = {
    Misused("there is no such release."): (2, "Error: there is no such release."),
    Misused("no such file", "--from"): (2, "Error: Invalid value for --from: no such file"),
    CannotExamine("it is locked."): (3, "Error: it is locked."),
    CannotWrite("the disk is full."): (3, "Error: the disk is full."),
    NothingChanged("it is in use."): (6, "Error: it is in use."),
    Partial(): (130, f"Error: {Partial()}"),
}


@pytest.mark.parametrize("error", ENDINGS, ids=lambda error: type(error).__name__)
def test_an_error_is_shown_with_its_exit_code(error: Failure) -> None:
    @click.command("demo")
    def command() -> None:
        raise error

    code, last = ENDINGS[error]
    done = CliRunner().invoke(showing_errors(command))
    assert (done.exit_code, done.output.splitlines()[-1]) == (code, last)
    assert done.output.startswith("Usage: demo") == (code == 2)
