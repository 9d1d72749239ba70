"""Renders the answers of `look-up` as text."""

from gpudoctor.language import wrapping
from gpudoctor.look_up.answer import Found, LookedUp
from gpudoctor.report.commands import visible
from gpudoctor.report.terminal import Style


def look_up_text(looked: LookedUp, style: Style) -> str:
    """Every answer: sentences, facts, commands, where it is from."""
    if not looked.found:
        near = f" Did you mean {' or '.join(looked.near)}?" if looked.near else ""
        text = (
            f"{visible(looked.question)[:100]} is not in the tables; that does not mean there is no such thing.{near}"
        )
        return "\n".join(wrapping.wrap(text, style.width)) + "\n"
    lines: list[str] = []
    for one in looked.found:
        lines += [*_found(one, style.width), ""]
    return "\n".join(lines).rstrip() + "\n"


def _found(one: Found, width: int) -> list[str]:
    lines = [visible(one.subject)]
    for text in one.says:
        lines += wrapping.wrap(visible(text), width, "  ", "  ")
    for row in one.rows:
        lines += wrapping.wrap(f"{row.name}: {visible(row.value)}", width, "  ", "    ")
    lines += [f"    {visible(command)}" for command in one.commands]
    if one.source:
        source = ", ".join(filter(None, (one.confidence, one.checked)))
        text = f"source ({source}): {one.source}" if source else f"source: {one.source}"
        lines += wrapping.wrap(text, width, "  ", "    ")
    return lines
