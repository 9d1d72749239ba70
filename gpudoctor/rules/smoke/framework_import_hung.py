"""SMK004: importing the framework hangs."""

from gpudoctor.rules.live_problem import Failed, Said, failure_rule
from gpudoctor.rules.sections import Gap, Interpreter
from gpudoctor.rules.terms import Fix, by_hand, run


@failure_rule("SMK004", name="framework-import-hung", severity="error")
def framework_import_hung(failed: Failed, interpreter: Interpreter | Gap | None) -> Said:
    """Importing the framework hangs.

    What it means:
    gpudoctor imported the framework in a process of its own and stopped it after a long wait.

    Why it breaks:
    Either a program that the import starts or a device that it opens never answers (a hanging driver, a network
    drive), or the first start takes very long: from a slow disk, or because the driver compiles for a GPU that the
    package has no code for.

    How to fix it:
    Run the import yourself and wait. If it ends after minutes, the second start is quicker; if it never ends, look
    at what this finding is listed under, and at the driver.

    When to ignore it:
    If the import ends for you after a time that you accept.

    Sources:
    https://docs.python.org/3/library/faulthandler.html
    """
    return (f"Importing {failed.who} did not finish within {failed.seconds}.", (_look(failed, interpreter),))


def _look(failed: Failed, interpreter: Interpreter | Gap | None) -> Fix:
    python = interpreter.executable if isinstance(interpreter, Interpreter) else "python"
    code = f"import faulthandler; faulthandler.dump_traceback_later(60); import {failed.name or 'torch'}"
    return by_hand(
        "See where it hangs",
        run(python, "-X", "faulthandler", "-c", code),
        "If it finishes after minutes, give gpudoctor more time: gpudoctor smoke --timeout 600.",
    )
