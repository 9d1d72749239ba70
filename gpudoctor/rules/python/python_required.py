"""PYT900: the examined Python does not have the required version."""

from gpudoctor.rules._situation import unmet
from gpudoctor.rules.builds import dotted
from gpudoctor.rules.sections import Interpreter, Wish
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen


@rule("PYT900", name="python-required", severity="error", when="wish.requirements")
def python_required(interpreter: Interpreter, wish: Wish) -> Iterator[Problem]:
    """The examined Python does not have the required version.

    What it means:
    `--require` or the project's configuration names a Python version, and the examined interpreter has another one.

    Why it breaks:
    Another interpreter was found first, or the environment was made with another Python.

    How to fix it:
    Make an environment with the required Python, or name its interpreter with `--python`.

    When to ignore it:
    Drop the requirement instead.

    Sources:
    The requirement itself.
    """
    numbers = dotted(interpreter.version)
    for requirement in wish.of("python"):
        if not unmet(numbers, requirement.comparisons):
            continue
        has = f"Python {interpreter.version}" if numbers else "a Python whose version is not known"
        yield problem(
            f"{requirement.text} is required, but {interpreter.executable} is {has}.",
            seen("required", requirement.text),
            seen("examined", f"{interpreter.executable}, {interpreter.version or 'version not known'}"),
            subject="python",
            fix=by_hand(
                "Examine or make another environment",
                "Name the right interpreter with --python, or make an environment with it.",
            ),
        )
