"""Shows gpudoctor's errors as click does: usage after a misused command, and the exit code."""

from collections.abc import Callable
from typing import Any

import click

from gpudoctor.errors import Failure, Misused


class Context(click.Context):
    """The context of a command, in which a `Failure` becomes an error that click shows."""

    def invoke(self, callback: Callable[..., Any], /, *args: Any, **options: Any) -> Any:
        """Call the command."""
        try:
            return super().invoke(callback, *args, **options)
        except Misused as error:
            raise click.UsageError(str(error), self) from None
        except Failure as error:
            raise type("Ended", (click.ClickException,), {"exit_code": error.exit_code})(str(error)) from None


def showing_errors(command: click.Command) -> click.Command:
    """The command, run in a `Context`."""
    command.context_class = Context
    return command
