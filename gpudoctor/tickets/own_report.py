"""Findings in a pasted gpudoctor report, and which commands a ticket already has the output of."""

from collections.abc import Iterable, Iterator
from typing import Literal

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact

#: As the terminal and Markdown write a finding: "### error FRM003 arch-too-old-for-build (likely)".
_FINDING = re.compile(
    r"^[>#\s]*(?P<severity>error|warning)\s+(?P<code>[A-Z]{3}\d{3})\s+(?P<name>[a-z0-9]+(?:-[a-z0-9]+)*)"
    r"(?:\s+\((?:likely|possible)\))?\s*$"
)
#: Lines of summary below it, at most.
_SUMMARY = 6


class OwnFinding(Fact, frozen=True, kw_only=True):
    """A finding that the text names. `line` counts from 1."""

    code: str
    name: str
    severity: Literal["error", "warning"]
    summary: str = ""
    line: int


def parse_own_findings(text: str) -> tuple[OwnFinding, ...]:
    """The findings of a pasted report, root causes first as it has them; each once."""
    found: dict[str, OwnFinding] = {}
    lines = text.splitlines()
    for number, line in enumerate(lines):
        match = _FINDING.match(line)
        if match is None:
            continue
        one = OwnFinding(
            code=match["code"],
            name=match["name"],
            severity="error" if match["severity"] == "error" else "warning",
            summary=_summary(lines[number + 1 :]),
            line=number + 1,
        )
        found.setdefault(f"{one.code} {one.summary}", one)
    return tuple(found.values())


def _summary(lines: list[str]) -> str:
    """The sentence below the heading: in the terminal wrapped and indented by two, in Markdown a paragraph."""
    words: list[str] = []
    for line in lines[:_SUMMARY]:
        if not line.strip() and not words:
            continue
        if not line.strip() or line.startswith(("    ", "- ", "  Fix: ", "  To mend it: ", "#")):
            break
        words.append(line.strip())
    return re.sub(r"\\([\\`*_{}\[\]<>~|])", r"\1", " ".join(words)).replace("\u200b", "")


#: What a kind of text is the output of, where it is not called by its command.
_COMMANDS: dict[str, tuple[str, ...]] = {
    "nvidia-smi's failure": ("nvidia-smi",),
    "collect_env of PyTorch": ("python -m torch.utils.collect_env",),
    "a list of packages": ("pip list",),
    "pip freeze": ("pip list",),
    "kernel log": ("dmesg",),
    "uname": ("uname -r", "uname -a"),
    "jax.print_environment_info()": ("python -c 'import jax; jax.print_environment_info()'",),
}
_PROMPT = re.compile(r"^.{0,80}?(?:[$#>%])\s{1,4}(?:sudo )?(?=[a-z])")
_END = re.compile(r"[|;&]")
_MOST = 100


def given_commands(forms: Iterable[str], lines: Iterable[str]) -> tuple[str, ...]:
    """The commands, without sudo and without what their output is piped into; each once."""
    known = (command for form in forms for command in _COMMANDS.get(form, (form,)))
    return tuple(dict.fromkeys((*known, *_typed(lines))))


def _typed(lines: Iterable[str]) -> Iterator[str]:
    """Commands that stand behind a prompt and are followed by a line."""
    command, count = None, 0
    for line in lines:
        if not line:
            continue
        typed = _command(line[:300])
        if command and not typed:
            yield command
            command, count = None, count + 1
        if count >= _MOST:
            return
        command = typed


def _command(line: str) -> str | None:
    match = _PROMPT.match(line)
    return _END.split(line[match.end() :], maxsplit=1)[0].strip() if match else None
