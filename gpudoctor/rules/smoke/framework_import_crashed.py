"""SMK003: importing the framework crashes Python."""

from gpudoctor.rules.live_problem import Failed, Said, do, failure_rule


@failure_rule("SMK003", name="framework-import-crashed", severity="error", since="0.1")
def framework_import_crashed(failed: Failed) -> Said:
    """Importing the framework crashes Python.

    What it means:
    gpudoctor imported the framework in a process of its own, as your program does, and the operating system ended
    that process.

    Why it breaks:
    A compiled part does something that is not allowed. Mostly two compiled parts do not belong together: a library
    of CUDA from another release, an extension built for another version, or files of two packages written over each
    other.

    How to fix it:
    Mend what this finding is listed under, where there is one. Else install the framework into a new, empty
    environment: if it starts there, the environment was the cause.

    When to ignore it:
    Never: no program can use the framework.

    Sources:
    https://docs.python.org/3/library/faulthandler.html
    """
    return (
        f"Importing {failed.who} crashes Python{_signal(failed)}.",
        (
            do(
                "Try it in a new environment",
                f"Make a new virtual environment, install only {failed.name} there, and import it.",
                "If that works, a package of this environment is the cause.",
            ),
        ),
    )


def _signal(failed: Failed) -> str:
    run = failed.first.run
    return f" ({run.signal})" if run is not None and run.signal else ""
