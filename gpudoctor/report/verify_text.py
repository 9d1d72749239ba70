"""Renders the verdicts of `verify`: one line a package, the reason, and what does fit."""

from gpudoctor.language import wrapping
from gpudoctor.report.commands import visible
from gpudoctor.report.terminal import Style
from gpudoctor.verify.verdict import Verdict, Verdicts

_MARKS = {"fits": "+", "does not fit": "-", "does nothing": "=", "not known": "?"}
_INDENT = "    "


def verify_text(found: Verdicts, style: Style) -> str:
    """The whole answer; each command is quoted once, its packages below it."""
    width, verbose = style.width, style.verbosity > 0
    lines: list[str] = []
    quoted: tuple[str | None, str] | None = None
    several = len({(one.file, one.command) for one in found.found}) > 1
    for one in found.found:
        if several and quoted != (one.file, one.command):
            place = f"{visible(one.file)}, line {one.line}" if one.file else f"line {one.line}"
            lines += ["", f"{place}: {visible(one.command.splitlines()[0])}"]
            quoted = (one.file, one.command)
        lines += _verdict(one, width, verbose=verbose)
    missing = tuple(dict.fromkeys(fact for one in found.found for fact in one.not_judged))
    if missing:
        lines += ["", *wrapping.wrap(f"Not judged, because not given: {', '.join(missing)}.", width)]
    return "\n".join(lines).strip("\n") + "\n"


def _verdict(one: Verdict, width: int, *, verbose: bool) -> list[str]:
    word = one.word if one.word != "not known" else f"not known ({one.grounds})"
    what = f" ({one.build})" if one.build and one.word == "fits" else ""
    lines = [f"{_MARKS[one.word]} {visible(one.subject)}: {word}{what}"]
    for text in (one.because, *one.notes):
        lines += wrapping.wrap(visible(text), width, _INDENT, _INDENT)
    if one.instead is not None:
        # A command is never wrapped: it is there to be copied.
        lines += [
            f"{_INDENT}This does:",
            *(f"{_INDENT * 2}{wrapping.verbatim(visible(line))}" for line in one.instead.splitlines()),
        ]
    if verbose and one.source:
        source = f"source ({one.confidence}, {one.checked}): {one.source}"
        lines += wrapping.wrap(source, width, _INDENT, _INDENT)
    return lines
