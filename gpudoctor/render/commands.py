"""Steps as text to type: quoted for the shell of the machine the report is about."""

import re
import shlex
from collections.abc import Callable

from gpudoctor.model.fix import Ask, Run, SetEnv, Write

Step = Run | SetEnv | Write | Ask

#: Characters PowerShell takes as they are, anywhere in a bare word.
_BARE_POWERSHELL = re.compile(r"[A-Za-z0-9_./:\\=+-]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """`text` with control and direction-changing characters shown as escapes, so that a name cannot fake a line."""
    return _CONTROL.sub(lambda match: match.group().encode("unicode_escape").decode(), text)


def step_lines(step: Step, *, windows: bool = False) -> tuple[str, ...]:
    """The lines to show for a step; a Run or SetEnv is one line that can be pasted."""
    quote = _quote_powershell if windows else _quote_posix
    if isinstance(step, Run):
        return (_run_line(step, quote, windows=windows),)
    if isinstance(step, SetEnv):
        return (_set_line(step, windows=windows),)
    if isinstance(step, Write):
        return (f"write {quote(step.path)}:", *(f"    {visible(line)}" for line in step.text.splitlines()))
    return (visible(step.text),)


def is_command(step: Step) -> bool:
    """Whether the step is something to type."""
    return isinstance(step, Run | SetEnv)


def _run_line(step: Run, quote: Callable[[str], str], *, windows: bool) -> str:
    quoted = [quote(word) for word in step.argv]
    if not windows:
        return " ".join([f"{name}={_quote_posix(value)}" for name, value in step.env.items()] + quoted)
    settings = [f"$env:{name} = {_quote_powershell(value, force=True)};" for name, value in step.env.items()]
    call = ["&"] if quoted and quoted[0].startswith("'") else []
    return " ".join(settings + call + quoted)


def _set_line(step: SetEnv, *, windows: bool) -> str:
    if windows:
        if step.value is None:
            return f"Remove-Item Env:{step.name}"
        return f"$env:{step.name} = {_quote_powershell(step.value, force=True)}"
    return f"unset {step.name}" if step.value is None else f"export {step.name}={_quote_posix(step.value)}"


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


def _quote_powershell(word: str, *, force: bool = False) -> str:
    if not force and _BARE_POWERSHELL.fullmatch(word) and not word.startswith("-%"):
        return word
    # PowerShell takes typographic single quotes for plain ones (about_Quoting_Rules); doubling escapes each.
    return "'" + re.sub("(['\u2018\u2019\u201a\u201b])", r"\1\1", word) + "'"
