"""SMK004: importing the framework hangs."""

from gpudoctor.rules.live_problem import Failed, Said, failure_rule
from gpudoctor.rules.sections import Gap, Interpreter
from gpudoctor.rules.terms import Fix, by_hand, run


@failure_rule("SMK004", name="framework-import-hung", severity="error")
def framework_import_hung(failed: Failed, interpreter: Interpreter | Gap | None) -> Said:
    """Importing the framework hangs."""
    return (f"Importing {failed.who} did not finish within {failed.seconds}.", (_look(failed, interpreter),))


def _look(failed: Failed, interpreter: Interpreter | Gap | None) -> Fix:
    python = interpreter.executable if isinstance(interpreter, Interpreter) else "python"
    code = f"import faulthandler; faulthandler.dump_traceback_later(60); import {failed.name or 'torch'}"
    return by_hand(
        "See where it hangs",
        run(python, "-X", "faulthandler", "-c", code),
        "If it finishes after minutes, give gpudoctor more time: gpudoctor smoke --timeout 600.",
    )
