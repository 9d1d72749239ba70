"""Renders a plan as a script: bash for Linux and macOS, PowerShell for Windows.

Nothing in it was quoted by hand: arguments come from argv arrays, texts are printed by a function of the script.
"""

import textwrap
from collections.abc import Iterable, Iterator

from gpudoctor.facts.fix import Ask, Run, SetEnv, Write
from gpudoctor.facts.plan import InstallPlan, Mending, Plan, Step
from gpudoctor.report.commands import Shell, quoted, step_lines, visible

REBOOT = Run(argv=("reboot",))
WIDTH = 100
KEEP = "To keep these settings, add them where your programs start (such as ~/.bashrc):"
#: What a plan can need at its end, in the order it is done.
THEN = {
    "a restart": "restart the machine",
    "a new login": "log out and in again",
    "a new container": "start a new container",
}

_BASH_FUNCTIONS = {
    "by_hand": (
        "# Says what a person must do, and waits. Without a terminal the script stops here.",
        "by_hand() {",
        "    printf '\\nBy hand: %s\\n' \"$1\" >&2",
        "    printf 'Press Enter when it is done; Ctrl-C stops. ' >&2",
        "    read -r _",
        "}",
    ),
    "as_root": ("as_root() {", '    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -- "$@"; fi', "}"),
    "say": ("say() {", "    printf '%s\\n' \"$1\" >&2", "}"),
}
_POWERSHELL_FUNCTIONS = {
    "by_hand": (
        "function by_hand($text) {",
        '    Write-Host "`nBy hand: $text"',
        "    [void](Read-Host 'Press Enter when it is done; Ctrl-C stops')",
        "}",
    ),
    "must_work": ("function must_work { if ($LASTEXITCODE) { exit $LASTEXITCODE } }",),
    "say": ("function say($text) { Write-Host $text }",),
}

_HEADS: dict[Shell, tuple[str, ...]] = {
    "bash": ("#!/usr/bin/env bash", "set -eu"),
    "powershell": ("$ErrorActionPreference = 'Stop'",),
}
_FUNCTIONS: dict[Shell, dict[str, tuple[str, ...]]] = {"bash": _BASH_FUNCTIONS, "powershell": _POWERSHELL_FUNCTIONS}


def fix_script(plan: Plan, about: str, *, windows: bool = False) -> str:
    """The plan of fixes as a script; `about` says of which machine it is. Steps of the system come first."""
    shell: Shell = "powershell" if windows else "bash"
    body: list[str] = []
    for title, scope in (("The system: needs root", "system"), ("Your environment", "user")):
        chosen = [one for one in plan.fixes if one.scope == scope]
        if chosen:
            body += ["", f"# ---- {title} ----"]
        for one in chosen:
            body += _mending(one, shell)
    body += _by_hand([one for one in plan.fixes if one.scope == "person"], shell)
    body += _endings(plan, shell)
    notes = [f"Left out: {one.left_out} ({', '.join(one.codes)}). {one.text}" for one in plan.conflicts]
    notes += [f"Not fixed: {one.code} {one.summary} {one.reason}" for one in plan.unresolved]
    body += [""] * bool(notes) + [line for note in notes for line in comment(note)]
    return _script(("Written by gpudoctor. Read it before you run it.", about), body, shell)


def install_script(plan: InstallPlan, about: str, *, shell: Shell = "bash") -> str:
    """An install plan as a script, its further environments included."""
    body: list[str] = []
    for one in (plan, *plan.apart):
        body += ["", *plan_comments(one)]
        body += [line for step in one.steps for line in _step(step, shell, as_root=False)]
    if plan.separate_because:
        body = ["", *comment(f"Separate environments, because {plan.separate_because}."), *body]
    return _script((about,), body, shell)


def plan_comments(plan: InstallPlan) -> list[str]:
    """Why these builds, and what is to be known of them."""
    said: list[str] = []
    for choice in plan.choices:
        said += [f"{choice.build}: {'; '.join(choice.why)}", choice.why_not_newer or "", *choice.limits]
    return [line for text in (*said, *plan.notes) if text for line in comment(text)]


def _script(heads: Iterable[str], body: list[str], shell: Shell) -> str:
    """Head, the functions that the body calls, body."""
    first, functions = _HEADS[shell], _FUNCTIONS[shell]
    used = [name for name in functions if any(_calls(line, name) for line in body)]
    about = [line for head in heads for line in comment(head)]
    lines = [*(line for line in first if line.startswith("#")), *about]
    if shell == "powershell" and "# ---- The system: needs root ----" in body:
        lines.append("#Requires -RunAsAdministrator")
    if shell == "bash" and any(line.startswith(("say ", "by_hand ")) and set("$`") & set(line) for line in body):
        # Sentences are printed as they stand.
        lines.append("# shellcheck disable=SC2016")
    lines += [line for line in first if not line.startswith("#")]
    for name in used:
        lines += ["", *functions[name]]
    return "\n".join([*lines, *body]).rstrip() + "\n"


def _calls(line: str, name: str) -> bool:
    return line.startswith(f"{name} ") or line == name or f"| {name} " in line or line.endswith(f"; {name}")


def _mending(one: Mending, shell: Shell) -> Iterator[str]:
    yield ""
    yield from comment(f"{one.fix.title} ({', '.join(dict.fromkeys(one.cures))})")
    for because in one.because:
        yield from comment(because)
    if one.needs:
        yield from comment(f"Needs: {', '.join(one.needs)}.")
    if one.fix.undo:
        yield from comment(f"To undo: {one.fix.undo}")
    for step in one.fix.steps:
        yield from _step(step, shell, as_root=one.fix.needs_root)


def _step(step: Step, shell: Shell, *, as_root: bool) -> Iterator[str]:
    if step == REBOOT:
        yield from comment("Restart the machine yourself, at the end.")
    elif isinstance(step, Ask):
        yield f"by_hand {quoted(_one_line(step.text), shell)}"
    elif isinstance(step, Write):
        yield _write(step, shell, as_root=as_root)
    elif isinstance(step, Run) and shell == "powershell":
        yield f"{step_lines(step, shell=shell)[0]}; must_work"
    elif isinstance(step, Run):
        root = "as_root " if as_root else ""
        settings = tuple(f"{name}={value}" for name, value in step.env.items())
        yield root + step_lines(Run(argv=("env", *settings, *step.argv) if settings else step.argv), shell=shell)[0]
    elif isinstance(step, SetEnv):
        yield from step_lines(step, shell=shell)


def _write(step: Write, shell: Shell, *, as_root: bool) -> str:
    if shell == "powershell":
        return f"Set-Content -NoNewline -LiteralPath {quoted(step.path, shell)} -Value {quoted(step.text, shell)}"
    root = "as_root " if as_root else ""
    return f"printf '%s' {quoted(step.text, shell)} | {root}tee -- {quoted(step.path, shell)} >/dev/null"


def _by_hand(ones: list[Mending], shell: Shell) -> Iterator[str]:
    """What only a person can do: said at the end, without waiting for it."""
    if not ones:
        return
    yield from ("", "# ---- By hand ----", f"say {quoted('Left to do by hand:', shell)}")
    for one in ones:
        words = [f"- {one.fix.title} ({', '.join(dict.fromkeys(one.cures))})"]
        for step in one.fix.steps:
            lines = [step.text] if isinstance(step, Ask) else step_lines(step, shell=shell)
            words += [f"    {_one_line(line)}" for line in lines]
        yield from (f"say {quoted(word, shell)}" for word in words)


def _endings(plan: Plan, shell: Shell) -> Iterator[str]:
    """What must follow: variables to keep, a restart, a login, another look."""
    kept = [step for one in plan.fixes if one.scope == "user" for step in one.fix.steps if isinstance(step, SetEnv)]
    yield ""
    if kept:
        yield f"say {quoted(KEEP, shell)}"
    for step in kept:
        place = f"  (in {step.where})" if step.where else ""
        yield f"say {quoted(f'    {step_lines(step, shell=shell)[0]}{place}', shell)}"
    needs = {need for one in plan.fixes for need in one.needs}
    then = ", then ".join([*(text for need, text in THEN.items() if need in needs), "check again: gpudoctor check"])
    yield f"say {quoted(f'Now {then}', shell)}"


def comment(text: str) -> list[str]:
    """Lines of comment; nothing in the text can end one."""
    lines = textwrap.wrap(visible(text), WIDTH, break_long_words=False, break_on_hyphens=False)
    return [f"# {line}" for line in lines]


def _one_line(text: str) -> str:
    return visible(" ".join(text.split()))
