"""The program that a shell's word of its end is about: "Segmentation fault", below the command that was typed."""

from gpudoctor.facts import lazy_re as re

_END = re.compile(r"^\s*(?:segmentation fault|illegal instruction|bus error|aborted)(?: ?\(core dumped\))?\s*$", re.I)
_TYPED = re.compile(r"^.{0,80}?[$#%>]\s{1,4}(?:sudo )?(?:\S*/)?(?P<program>[a-z][\w.-]*)")
#: Lines of a program's output between its command and its end.
_FAR = 40


def with_programs(text: str) -> str:
    """The text, with the program's name behind such a word where a prompt shows it; lines keep their numbers."""
    if not re.search(r"(?i)\b(?:fault|instruction|bus error|aborted)\b", text):
        return text
    lines = text.split("\n")
    program, since = None, 0
    for number, line in enumerate(lines):
        if typed := _TYPED.match(line):
            program, since = typed["program"], number
        elif program and number - since <= _FAR and _END.match(line):
            lines[number] = f"{line.rstrip()} ({program})"
    return "\n".join(lines)
