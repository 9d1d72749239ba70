"""Judges where a command would install: wrong Python, the system's own, another Python's pip."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.verify.asked import Install
from gpudoctor.verify.case import Case, spelled
from gpudoctor.verify.instead import quoted
from gpudoctor.verify.verdict import Verdict

_BARE_PIP = re.compile(r"pip3?(?:\.exe)?", re.IGNORECASE)


def wrong_place(install: Install, case: Case) -> Verdict | None:
    """Why it does not go where it is meant to; None: it does, as far as is known."""
    given, program = case.given, " ".join(install.program)
    by_path = "/" in program or "\\" in program
    if install.elsewhere or install.tool == "uv add":
        return None
    asked, own = install.python, case.machine.python
    if asked is not None and own not in (None, asked):
        text = f"It installs for Python {asked}, and the environment in question is Python {own}."
        start = program.replace(asked, own or "") if asked in program else ""
        instead = None
        if start and start != program:
            instead = case.text.replace(program, start, 1)
        elif install.tool == "uv":
            instead = case.text.replace(asked, own or "", 1)
        else:
            instead = case.text.replace(f"-{asked}", f"-{own}", 1)
        return _refused(spelled(install), text, instead, case)
    shared = given.externally_managed and not by_path and not install.breaks_system
    if shared and (install.tool == "pip" or install.system):
        text = (
            "This Python belongs to the operating system, and pip refuses to install there "
            "(error: externally-managed-environment)."
        )
        words = " ".join(quoted(one.text) for one in install.requirements)
        index = f" --index-url {install.index}" if install.index else ""
        instead = f"python3 -m venv gpu-env && gpu-env/bin/python -m pip install {words}{index}"
        return _refused(spelled(install), text, instead, case)
    if install.user and given.environment in ("venv", "standalone"):
        text = "A virtual environment takes no --user: pip refuses it there."
        return _refused("--user", text, case.text.replace(" --user", "", 1), case)
    if given.other_pip and len(install.program) == 1 and _BARE_PIP.fullmatch(install.program[0]):
        text = f"`{install.program[0]}` belongs to {given.other_pip}, not to {given.python}."
        instead = case.text.replace(install.program[0], f"{quoted(given.python or 'python3')} -m pip", 1)
        return _refused(spelled(install), text, instead, case)
    return None


def _refused(subject: str, text: str, instead: str | None, case: Case) -> Verdict:
    return case.verdict(
        subject,
        "does not fit",
        aspect="environment",
        because=text,
        instead=instead if instead != case.text else None,
    )
