"""Renders `matrix status` and `matrix update`: the edition in use, and what an update brought."""

from gpudoctor.knowledge.matrix.editions import OLD, Status, Update
from gpudoctor.report.terminal import Style


def status_text(found: Status, style: Style) -> str:  # noqa: ARG001 - every terminal renderer takes a style
    """The edition, its age, its source."""
    days = "" if found.age_days is None else f", {found.age_days} day{'' if found.age_days == 1 else 's'} old"
    source = f"{found.source}, updated {found.updated}" if found.source else "came with this gpudoctor"
    lines = [f"Edition: {found.edition}{days}", f"Source: {source}"]
    if found.is_old:
        lines.append(f"It is older than {OLD} days: releases since then are not in it. Newer: gpudoctor matrix update")
    return "\n".join(lines) + "\n"


def update_text(found: Update, style: Style) -> str:  # noqa: ARG001 - every terminal renderer takes a style
    """One line."""
    if found.changed:
        return f"Matrix of {found.edition} in use: {found.tables} tables. Before: {found.before}.\n"
    return f"Nothing newer there. The matrix of {found.before} stays in use.\n"
