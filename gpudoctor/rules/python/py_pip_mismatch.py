"""PYT009: the command `pip` installs into a different Python."""

from gpudoctor.rules.sections import Gap, Interpreter, System
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen

#: These tools install by themselves, and leave pip out of the environments that they make.
HAVE_NO_PIP = ("uv", "poetry", "pixi")


@rule("PYT009", name="py-pip-mismatch", severity="warning", when="interpreter.pip_on_path_interpreter")
def py_pip_mismatch(interpreter: Interpreter, host: System | Gap | None) -> Iterator[Problem]:
    """The command `pip` installs into a different Python.

    What it means:
    The first `pip` on the search path belongs to another interpreter. What it installs does not appear in this Python.

    Why it breaks:
    Several Pythons are on the machine, and an environment without a pip of its own lets the system's pip through.
    "I installed it, but import says No module named torch" is the usual sign.

    How to fix it:
    Use `python -m pip` in place of `pip`, and `%pip` in notebooks.

    When to ignore it:
    If you always use `python -m pip`, uv or conda. Where uv, Poetry or pixi made the environment, which then has no pip
    by design, this is a note only.

    Sources:
    https://pip.pypa.io/en/stable/user_guide/#running-pip
    """
    other = interpreter.pip_on_path_interpreter
    if other is None or interpreter.chosen_by not in ("VIRTUAL_ENV", "CONDA_PREFIX", "PATH"):
        return
    is_windows = isinstance(host, System) and host.os == "windows"
    homes = {_home(path, is_windows=is_windows) for path in (interpreter.executable, interpreter.prefix) if path}
    if _home(other, is_windows=is_windows) in homes or "shims" in other or other.rsplit("/", 1)[-1] == "env":
        return
    yield problem(
        f"`pip` belongs to {other}, but the examined Python is {interpreter.executable}.",
        seen("pip on PATH", interpreter.pip_on_path or "pip"),
        seen("it installs into", other),
        seen("examined Python", interpreter.executable),
        subject=interpreter.pip_on_path,
        severity="info" if interpreter.made_by in HAVE_NO_PIP and interpreter.pip_version is None else None,
        confidence="likely",
        fix=by_hand("Call pip through the Python you mean", f"Use: {interpreter.executable} -m pip install ..."),
    )


def _home(path: str, *, is_windows: bool) -> str:
    """The environment's folder: what is above bin or Scripts, or the folder of python.exe itself."""
    parts = path.replace("\\", "/").rstrip("/").split("/")
    if parts and parts[-1].lower().startswith(("python", "pypy")):
        parts.pop()
    if parts and parts[-1].lower() in ("bin", "scripts"):
        parts.pop()
    home = "/".join(parts)
    return home.lower() if is_windows else home
