"""Translates a question's commands for the reader's system (PowerShell, cmd, macOS), or drops them."""

from collections.abc import Iterator

from gpudoctor.facts import lazy_re as re

#: A word of a command that facts fill in: <TORCHVISION>.
WORD = re.compile(r"<([A-Z][A-Z0-9_]*)>")
#: What a sentence or a command cannot hold where that system is: it is about another one.
_FOREIGN = {
    "windows": re.compile(
        r"(?<![\w-])(?:sudo|apt(?:-get)?|dnf|dpkg|rpm|ldconfig|ldd|modprobe|modinfo|lsmod|lspci|dmesg|dkms|mokutil"
        r"|systemctl|journalctl|prime-select|update-alternatives|nvidia-ctk|nvidia-modprobe|ulimit|uname|fuser|chmod)(?![\w-])"
        r"|(?<![\w.])/(?:etc|dev|proc|sys|usr|lib|var|tmp|sbin)\b|LD_LIBRARY_PATH|LD_PRELOAD|~/\.|\.so\b"
    ),
    "macos": re.compile(
        r"(?<![\w-])(?:apt(?:-get)?|dnf|dpkg|rpm|ldconfig|ldd|modprobe|modinfo|lsmod|lspci|dmesg|dkms|mokutil|systemctl"
        r"|journalctl|prime-select|update-alternatives|nvidia-\w+|nvcc|fuser|compute-sanitizer)(?![\w-])"
        r"|(?<![\w.])/(?:dev|proc|sys)\b|LD_LIBRARY_PATH|LD_PRELOAD|\bNCCL_|\.so\b"
    ),
}
#: Commands whose names are also words: those that Windows has not, and those of Linux alone.
_POSIX = re.compile(
    r"(?:ls|cat|find|free|df|stat|ip|ss|id|strings|ps|pwd|hostname|env|time|ldd|grep|sort|tail|head)\b(?! of)"
)
_LINUX = re.compile(r"(?:free|ip|ss|strings)\b")
_GREP = re.compile(r"grep((?: -[A-Za-z]+\d*)*) (?:'([^']*)'|\"([^\"]*)\"|(\S+))")
_SETTING = re.compile(r"([A-Z][A-Z0-9_]*)=(\S+) ")
_VARIABLE = re.compile(r"\"?\$\{?(\w+)\}?\"?")
_EXPORT, _UNSET = re.compile(r"export ([A-Z][A-Z0-9_]*)=(\S+)$"), re.compile(r"unset ([A-Z][A-Z0-9_]*)$")
_GCC = re.compile(r"g(?:cc|\+\+) --version")
_PYTHON = re.compile(r"(python3? -c) '([^']*)'")
#: PowerShell's, of which cmd has the like, or nothing but PowerShell.
_SET = re.compile(r"\$env:(\w+) = \"([^\"]*)\"(?:; (\S.*))?$")
_TAKE = re.compile(r"\$(\w+) = (\S.*)$")
_READ = re.compile(r"\$\{?env:([\w()]+)\}?|\$(site)\b", re.IGNORECASE)
_REMOVE = re.compile(r"Remove-Item Env:(\w+)$", re.IGNORECASE)
_START = re.compile(r"Start-Process (\S+|\"[^\"]+\")$")
_CMDLET = re.compile(r"[A-Z][a-z]+-[A-Z]\w+ ?|\$")
_COMMENT = re.compile(r"\s+# (?=\S)")
_SINGLE = re.compile(r"(?<=\s)'([^']*)'$")
_QUOTED = re.compile(r"(?<![\w\"'])'([^'\"]*)'(?![\w'])")


def commands_for(ask: str, system: str | None) -> tuple[str, ...]:
    """The commands (or requests in words) of a question, as that system has them; without those that it has not."""
    return tuple(made for part in parts_of(ask) if (made := _on(part, system)))


def is_foreign(text: str, system: str | None) -> bool:
    """A sentence that is about another system than this one."""
    pattern = _FOREIGN.get(system or "")
    return pattern is not None and pattern.search(text) is not None


def parts_of(ask: str) -> Iterator[str]:
    """The commands of a line, cut at each ; that no quotes hold."""
    part, quote = "", ""
    for char in ask:
        if char in "'\"" and quote in ("", char):
            quote = "" if quote else char
        if char == ";" and not quote:
            yield part.strip()
            part = ""
        else:
            part += char
    yield part.strip()


def _on(part: str, system: str | None) -> str | None:
    if is_foreign(part, system):
        return None
    if system == "macos" and _LINUX.match(part):
        return None
    if system != "windows":
        return part
    command, *filters = part.split(" | ")
    if _POSIX.match(command):
        return None
    wanted = [made for one in filters if (made := _findstr(one))]
    return " | ".join([_powershell(command.replace(" 2>&1", "").replace(" 2>/dev/null", "")), *wanted[:1]])


def _powershell(command: str) -> str:
    if command.startswith("echo "):
        return _VARIABLE.sub(r"$env:\1", command)
    if (lasting := _EXPORT.match(command)) is not None:
        value = lasting[2].strip("\"'")
        return f'$env:{lasting[1]} = "{value}"'
    if (unset := _UNSET.match(command)) is not None:
        return f"Remove-Item Env:{unset[1]}"
    if command.startswith(("which ", "where ")):
        # In PowerShell `where` is another command.
        return "where.exe " + command[6:].removeprefix("-a ")
    if _GCC.match(command):
        return "where.exe cl"
    setting = _SETTING.match(command)
    if setting:
        return f'$env:{setting[1]} = "{setting[2]}"; {_powershell(command[setting.end() :])}'
    return _PYTHON.sub(lambda match: f'{match[1]} "{match[2].replace(chr(34), chr(39))}"', command)


def _findstr(filtered: str) -> str | None:
    """What stands for a grep; head and tail only shorten."""
    match = _GREP.match(filtered)
    if match is None:
        return None
    words = re.sub(r"[\^$()\\]", "", match[2] or match[3] or match[4]).split("|")
    return f'findstr /i "{" ".join(word.strip() for word in words)}"'


def for_cmd(command: str) -> str:
    """A command of PowerShell's as the older prompt of Windows (cmd) has it."""
    command, *comment = _COMMENT.split(command, maxsplit=1)
    return " & rem ".join([_of_cmd(command), *comment])


def _of_cmd(command: str) -> str:
    setting, taken, removed = _SET.match(command), _TAKE.match(command), _REMOVE.match(command)
    if setting:
        value = f"{setting[1]}={_READ.sub(_variable, setting[2])}"
        return f'set "{value}" && {_of_cmd(setting[3])}' if setting[3] else f"set {value}"
    if taken:
        return f'for /f "usebackq delims=" %i in (`{taken[2]}`) do set {taken[1]}=%i'
    if removed:
        return f"set {removed[1]}="
    if started := _START.match(command):
        return f'start "" {_READ.sub(_variable, started[1])}'
    if command.startswith("echo "):
        return _READ.sub(_variable, command)
    if _CMDLET.match(command):
        command = command.replace('"', r"\"")
        return f'powershell -Command "{command}"'
    return _SINGLE.sub(
        lambda match: f'"{match[1].replace(chr(34), chr(92) + chr(34))}"', double_quoted(command).removeprefix("& ")
    )


def double_quoted(command: str) -> str:
    """With the quotes that both prompts of Windows know."""
    return command if '"' in command else _QUOTED.sub(r'"\1"', command)


def _variable(match: re.Match[str]) -> str:
    return f"%{match[1] or match[2]}%"
