"""Exceptions that end a command, each with a sentence for the user and an exit code."""


class Failure(Exception):
    """The command ends here; its text says what happened, where, and what to do next."""

    exit_code = 1


class Misused(Failure):
    """What the user asked for cannot be meant. `option`: the option, or file, that says it."""

    exit_code = 2

    def __init__(self, text: str, option: str = "") -> None:
        super().__init__(f"Invalid value for {option}: {text}" if option else text)


class CannotExamine(Failure):
    """There is nothing to examine, or it cannot be read."""

    exit_code = 3


class CannotWrite(Failure):
    """Standard output, or the file the user named, took no more."""

    exit_code = 3


class NothingChanged(Failure):
    """An environment was to be changed, and was not."""

    exit_code = 6


class Partial(Failure):
    """Ctrl-C while frameworks were run: what was found until then has been shown."""

    exit_code = 130

    def __init__(self) -> None:
        super().__init__("interrupted: what is shown is what was found until then. Nothing was changed.")
