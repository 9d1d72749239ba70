"""PYT007: the examined Python is 32-bit; the frameworks need a 64-bit Python."""

from gpudoctor.rules._unresolvable import looked_for
from gpudoctor.rules.sections import Gap, Gpus, Interpreter, Live, Wish
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen


@rule("PYT007", name="python-32bit", severity="error", when="interpreter.bits=32")
def python_32bit(
    interpreter: Interpreter, gpus: Gpus | Gap | None, wish: Wish, live: Live | Gap | None
) -> Iterator[Problem]:
    """The examined Python is 32-bit; the frameworks need a 64-bit Python.

    What it means:
    The processor can be a 64-bit one and Python still be a 32-bit program. pip then finds no package that fits.

    Why it breaks:
    PyTorch, TensorFlow and JAX publish 64-bit builds only. pip says "No matching distribution found". On Windows the
    installer on older download pages was the 32-bit one.

    How to fix it:
    Install a 64-bit Python and make a new environment with it.

    When to ignore it:
    If you do not want to use a framework with this Python.

    Sources:
    https://www.python.org/downloads/windows/
    https://pytorch.org/get-started/locally/
    """
    if interpreter.bits != 32:
        return
    has_gpu = isinstance(gpus, Gpus) and bool(gpus.nvidia)
    wants = has_gpu or bool(wish.requirements) or bool(looked_for(live))
    yield problem(
        "This Python is 32-bit; PyTorch and TensorFlow need a 64-bit Python.",
        seen("Python", f"{interpreter.executable}, {interpreter.version or 'version not known'}, 32-bit"),
        subject=interpreter.executable,
        severity=None if wants else "info",
        fix=by_hand("Install a 64-bit Python", "Get the 64-bit installer from https://www.python.org/downloads/"),
    )
