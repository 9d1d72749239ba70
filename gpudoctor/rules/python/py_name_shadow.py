"""PYT004: a file or folder of yours has the same name as a framework and is imported instead."""

from gpudoctor.rules.sections import Gap, Interpreter, Packages
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen


@rule("PYT004", name="py-name-shadow", severity="error", when="interpreter.shadows")
def py_name_shadow(interpreter: Interpreter, packages: Packages | Gap | None) -> Iterator[Problem]:
    """A file or folder of yours has the same name as a framework and is imported instead.

    What it means:
    The current directory, or a folder in PYTHONPATH, holds something called torch.py, tensorflow/ or the like. Python
    looks there before it looks at the installed packages.

    Why it breaks:
    `import torch` then loads that file: "module 'torch' has no attribute ...", or "cannot import name ... (most likely
    due to a circular import)". Running Python inside a checkout of the framework's source code does the same.

    How to fix it:
    Rename the file or folder (and delete the __pycache__ beside it), or run Python from another directory. A
    folder that PYTHONPATH names stays in the way everywhere: take it out of that variable.

    When to ignore it:
    If you never start Python from that directory.

    Sources:
    https://docs.python.org/3/library/sys_path_init.html
    """
    unmet = {one.requirement for one in packages.unmet} if isinstance(packages, Packages) else set()
    for shadow in interpreter.shadows:
        if shadow.where == "user site":
            continue
        if shadow.where == "current directory":
            place, away = "the current directory", "change to another directory before you start Python"
            title = "Rename it, or run Python from another directory"
        else:
            place, away = "a folder of PYTHONPATH", "remove its folder from PYTHONPATH"
            title = "Rename it, or remove its folder from PYTHONPATH"
        yield problem(
            f"{shadow.path} in {place} is imported instead of the installed {shadow.module}.",
            seen(f"found in {place}", shadow.path),
            subject=shadow.module,
            # Where the copy that is imported is not the environment's, installing another changes nothing.
            not_leading_to=() if shadow.module in unmet else ("dependency-version",),
            fix=by_hand(title, f"Rename {shadow.path}, or {away}."),
        )
