"""Renders GPU mistakes found in Dockerfiles and Compose files, as text and GitHub annotations."""

from collections.abc import Iterator

from gpudoctor.language import wrapping
from gpudoctor.report.commands import visible
from gpudoctor.report.github import annotation
from gpudoctor.report.terminal import Style
from gpudoctor.verify.verdict import Mistakes, Verdict

_INDENT = "    "


def mistakes_text(mistakes: Mistakes, style: Style) -> str:
    """Each with its line, the reason and what to write; then how much was judged."""
    parts = ["\n".join(_mistake(one, style.width)) for one in mistakes.found]
    return "\n\n".join([*parts, _summary(mistakes)]) + "\n"


def mistakes_github(mistakes: Mistakes) -> str:
    """Workflow commands, which GitHub Actions shows at the lines."""
    lines = [
        annotation("error", {"file": one.file or "-", "line": str(one.line), "title": one.subject}, _reason(one))
        for one in mistakes.found
    ]
    return "\n".join([*lines, _summary(mistakes)]) + "\n"


def _mistake(one: Verdict, width: int) -> Iterator[str]:
    yield f"{visible(one.file or '-')}:{one.line}: {visible(one.command.splitlines()[0])}"
    reason = visible(f"{one.subject}: {one.because}")
    yield from wrapping.wrap(reason, width, _INDENT, _INDENT)
    if one.instead is not None:
        # A line to copy is never wrapped.
        yield from (f"{_INDENT}Fix: {visible(line)}" for line in one.instead.splitlines())


def _reason(one: Verdict) -> str:
    return f"{one.because}\nFix: {one.instead}" if one.instead else one.because


def _summary(mistakes: Mistakes) -> str:
    count = len(mistakes.found)
    said = f"{count} GPU mistake{'' if count == 1 else 's'} found" if count else "No GPU mistake found"
    unknown = f", {mistakes.not_known} of them not known" if mistakes.not_known else ""
    return f"{said} in {', '.join(map(visible, mistakes.files))} ({mistakes.judged} parts judged{unknown})."
