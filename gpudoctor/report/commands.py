"""Renders the steps of a fix as commands to type, quoted for the shell of the reported machine."""

import shlex
from collections.abc import Callable
from typing import Literal

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.fix import Ask, Run, SetEnv, Write

Step = Run | SetEnv | Write | Ask
#: bash stands for zsh and, but for control characters in words, for every POSIX shell.
Shell = Literal["bash", "fish", "powershell"]

#: Characters PowerShell takes as they are, anywhere in a bare word.
_BARE_POWERSHELL = re.compile(r"[A-Za-z0-9_./:\\=+-]+")
#: Words that PowerShell (about_Quoting_Rules) and cmd.exe both read as they are between double quotes.
_BOTH_WINDOWS = re.compile(r"[A-Za-z0-9 _./:\\=+<>~,@()*!\[\]-]*[A-Za-z0-9 _./:=+<>~,@()*!\[\]-]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def visible(text: str) -> str:
    """`text` with control and direction-changing characters shown as escapes, so that a name cannot fake a line."""
    return _CONTROL.sub(lambda match: match.group().encode("unicode_escape").decode(), text)


def quoted(word: str, shell: Shell = "bash") -> str:
    """A word as the shell reads it back, on one line."""
    return _QUOTES[shell](word)


def step_lines(step: Step, *, windows: bool = False, shell: Shell | None = None) -> tuple[str, ...]:
    """The lines to show for a step; a Run or SetEnv is one line that can be pasted."""
    kind: Shell = shell or ("powershell" if windows else "bash")
    if isinstance(step, Run):
        return (_run_line(step, kind),)
    if isinstance(step, SetEnv):
        return (_set_line(step, kind),)
    if isinstance(step, Write):
        return (f"write {quoted(step.path, kind)}:", *(f"    {visible(line)}" for line in step.text.splitlines()))
    return (visible(step.text),)


def is_command(step: Step) -> bool:
    """Whether the step is something to type."""
    return isinstance(step, Run | SetEnv)


def _run_line(step: Run, shell: Shell) -> str:
    words = [quoted(word, shell) for word in step.argv]
    if shell == "powershell":
        settings = [f"{_set_line(SetEnv(name=name, value=value), shell)};" for name, value in step.env.items()]
        call = ["&"] if words and words[0].startswith(("'", '"', "(")) else []
        return " ".join(settings + call + words)
    plain = shell == "bash" and all(_VARIABLE.fullmatch(name) for name in step.env)
    if plain or not step.env:
        return " ".join([f"{name}={quoted(value, shell)}" for name, value in step.env.items()] + words)
    settings = [quoted(f"{name}={value}", shell) for name, value in step.env.items()]
    return " ".join(["env", *settings, *words])


def _set_line(step: SetEnv, shell: Shell) -> str:
    if shell == "powershell":
        name = f"Env:{step.name}" if _VARIABLE.fullmatch(step.name) else quoted(f"Env:{step.name}", shell)
        if step.value is None:
            return f"Remove-Item {name}"
        value = _quote_powershell(step.value, force=True)
        return f"${name.lower()[:3]}{name[3:]} = {value}" if name.startswith("Env:") else f"Set-Item {name} {value}"
    name = quoted(step.name, shell)
    if shell == "fish":
        return f"set -e {name}" if step.value is None else f"set -gx {name} {quoted(step.value, shell)}"
    return f"unset {name}" if step.value is None else f"export {name}={quoted(step.value, shell)}"


def _quote_posix(word: str) -> str:
    """POSIX quoting; control characters as $'…', so that the line stays one line in bash and zsh."""
    if _CONTROL.search(word):
        escaped = "".join(_ansi_c(character) for character in word)
        return f"$'{escaped}'"
    return shlex.quote(word)


def _ansi_c(character: str) -> str:
    if character in "\\'":
        return f"\\{character}"
    if _CONTROL.match(character):
        code = ord(character)
        return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}"
    return character


def _quote_fish(word: str) -> str:
    r"""Single quotes, in which only \\ and \' are escapes; control characters as escapes outside of them.

    Source: fishshell.com/docs/current/language.html, "Quotes" and "Escaping Characters".
    """
    if word and re.fullmatch(r"[A-Za-z0-9_./:=+@-]+", word):
        return word
    parts = re.split(f"({_CONTROL.pattern})", word)
    return "".join(_fish_part(part) for part in parts if part) or "''"


def _fish_part(part: str) -> str:
    if _CONTROL.fullmatch(part):
        code = ord(part)
        return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}"
    escaped = part.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _quote_powershell(word: str, *, force: bool = False) -> str:
    # Of a word that begins with a dash PowerShell makes two at its first dot or colon.
    breaks = word.startswith("-") and bool(set("%.:") & set(word))
    if not force and _BARE_POWERSHELL.fullmatch(word) and not breaks:
        return word
    if _CONTROL.search(word):
        parts = (part for part in re.split(f"({_CONTROL.pattern})", word) if part)
        # Text first: [char] + [char] would be a sum of numbers.
        return "('' + " + " + ".join(_powershell_part(part) for part in parts) + ")"
    if not force and _BOTH_WINDOWS.fullmatch(word):
        return f'"{word}"'
    return _powershell_text(word)


def _powershell_part(part: str) -> str:
    return f"[char]{ord(part)}" if _CONTROL.fullmatch(part) else _powershell_text(part)


def _powershell_text(text: str) -> str:
    # PowerShell takes typographic single quotes for plain ones (about_Quoting_Rules); doubling escapes each.
    return "'" + re.sub("(['\u2018\u2019\u201a\u201b])", r"\1\1", text) + "'"


_QUOTES: dict[Shell, Callable[[str], str]] = {
    "bash": _quote_posix,
    "fish": _quote_fish,
    "powershell": _quote_powershell,
}
