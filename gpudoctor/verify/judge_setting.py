"""Judges environment variables that a command sets: the shell's syntax, and whether the value is valid."""

from collections.abc import Iterator
from functools import lru_cache

from gpudoctor.facts import lazy_re as re
from gpudoctor.tables import expressions_of
from gpudoctor.verify.asked import Setting
from gpudoctor.verify.case import Case
from gpudoctor.verify.verdict import Verdict

#: Values that are understood, and leave no GPU.
HIDING = {
    ("NVIDIA_VISIBLE_DEVICES", ""),
    ("CUDA_VISIBLE_DEVICES", ""), ("CUDA_VISIBLE_DEVICES", "-1"), ("NVIDIA_VISIBLE_DEVICES", "none"),
    ("NVIDIA_VISIBLE_DEVICES", "void"), ("JAX_PLATFORMS", "cpu"),
}  # fmt: skip


@lru_cache(maxsize=1)
def variables() -> dict[str, str]:
    """The variables that are known: the values that are understood, as an expression; an empty one for any value."""
    return expressions_of("knowledge/variables")


def judge_setting(asked: Setting, case: Case) -> Iterator[Verdict]:
    """The verdict on one variable."""
    subject = f"{asked.name}={asked.value}"[:80]
    form = _wrong_form(asked, case)
    if form is not None:
        yield case.verdict(subject, "does not fit", aspect="environment", because=form[0], instead=form[1])
    elif expression := variables().get(asked.name):
        yield _value(asked, expression, subject, case)
    elif asked.name in variables():
        yield case.verdict(subject, "fits")
    else:
        text = f"The variable {asked.name[:60]} is not in the tables."
        yield case.verdict(subject, "not known", grounds="not in the tables", aspect="name", because=text)


def _value(asked: Setting, expression: str, subject: str, case: Case) -> Verdict:
    value = asked.value.strip("\"'")
    if "$" in value or "%" in value or re.fullmatch(expression, value):
        notes = ("It counts for programs that are started from a new terminal on.",) if asked.form == "setx" else ()
        if (asked.name, value) in HIDING:
            notes = (*notes, "It hides every GPU from the programs that are started with it.")
        return case.verdict(subject, "fits", notes=notes)
    text = f"{asked.name} does not understand the value {value[:60]!r}."
    return case.verdict(subject, "does not fit", grounds="impossible", aspect="option", because=text)


def _wrong_form(asked: Setting, case: Case) -> tuple[str, str] | None:
    """Why the shells of the system do not set it that way, and how they do."""
    if case.machine.platform is None or asked.form == "dockerfile":
        return None
    windows = case.machine.os == "windows"
    value = f'"{asked.value}"' if re.search(r"[\s;&|]", asked.value) else asked.value
    if windows and asked.form == "sh":
        return "Shells of Windows have no export.", f'$env:{asked.name} = "{asked.value}"'
    if not windows and asked.form in ("cmd", "setx", "powershell"):
        what = {"cmd": "set NAME=value", "setx": "setx", "powershell": "$env:"}[asked.form]
        return f"{what} is of Windows; here it sets nothing.", f"export {asked.name}={value}"
    return None
