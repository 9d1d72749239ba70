"""Renders the list of rules, and the manual page of one."""

import msgspec

from gpudoctor.language import wrapping
from gpudoctor.report.terminal import Style
from gpudoctor.rules.declare import MANUAL_HEADINGS, Rule


def rules_text(rules: tuple[Rule, ...], style: Style) -> str:
    """Every rule with what it finds: a line each in a pipe, however long, for `| grep`; folded in a terminal."""
    if not style.piped:
        return "".join(_folded(rule, style.width) for rule in rules)
    longest = max(len(rule.name) for rule in rules)
    return "".join(f"{rule.code}  {rule.severity:<8} {rule.name:<{longest}}  {rule.summary}\n" for rule in rules)


def _folded(rule: Rule, width: int) -> str:
    indent = " " * 8
    summary = "\n".join(wrapping.wrap(rule.summary, width, indent, indent))
    return f"{rule.code}  {rule.severity:<8} {rule.name}\n{summary}\n"


def rules_json(rules: tuple[Rule, ...]) -> bytes:
    """The list as JSON."""
    return _json([_row(rule) for rule in rules])


def manual_text(rule: Rule, style: Style) -> str:
    """The manual page."""
    head = f"{rule.code} {rule.name} ({rule.severity}, since {rule.since})"
    return f"{head}\n\n{reflowed(rule.manual, style.width)}\n"


def manual_json(rule: Rule) -> bytes:
    """The rule as it is listed, with its manual page."""
    return _json(_row(rule) | {"manual": rule.manual})


def _json(value: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value)) + b"\n"


def _row(rule: Rule) -> dict[str, object]:
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity,
        "since": rule.since,
        "summary": rule.summary,
        "wants": [want.field for want in rule.wants],
    }


def reflowed(manual: str, columns: int) -> str:
    """A manual page in lines of at most `columns`; headings and the list of sources stay line by line."""
    return "\n\n".join(_paragraph(block.splitlines(), columns) for block in manual.split("\n\n"))


def _paragraph(lines: list[str], columns: int) -> str:
    heading = lines[:1] if lines and lines[0].removesuffix(":") in MANUAL_HEADINGS else []
    if heading == ["Sources:"]:
        return "\n".join(lines)
    text = " ".join(lines[len(heading) :])
    return "\n".join([*heading, *wrapping.wrap(text, columns)])
