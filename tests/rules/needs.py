"""What a fix needs beside its steps: root, a restart, a new login, a new container; needs.txt lists all that need any.

Every fix that a test of the rules meets is held against the list, through `fires`, and so are those of the machines of
the cases. A fix that is not listed needs nothing: anybody can carry it out at once.
"""

import re
from functools import cache
from pathlib import Path

from gpudoctor.facts.finding import Finding
from gpudoctor.facts.fix import Fix

FILE = Path(__file__).with_name("needs.txt")
NEEDS = ("root", "reboot", "login", "container")


@cache
def listed() -> dict[tuple[str, str], set[str]]:
    """What is needed by (rule, title), and all of it where that depends on the machine."""
    found: dict[tuple[str, str], set[str]] = {}
    for line in FILE.read_text().splitlines():
        needs, name, title = line.split(": ", 2)
        found.setdefault((name, title), set()).add(needs)
    return found


def title_of(fix: Fix) -> str:
    """The title without what changes from machine to machine: numbers, and where it is done."""
    return re.sub(r"\d+(\.\d+)*", "#", fix.title).removesuffix(" on the host (not in this container)")


def needs_of(fix: Fix) -> str:
    """What a fix says that it needs, in words."""
    return ", ".join(what for what in NEEDS if getattr(fix, f"needs_{what}")) or "nothing"


def not_as_listed(finding: Finding) -> list[str]:
    """The rows of a finding's fixes that are listed otherwise, or not at all."""
    return [
        f"{needs_of(fix)}: {finding.name}: {title_of(fix)}"
        for fix in finding.fixes
        if needs_of(fix) not in listed().get((finding.name, title_of(fix)), {"nothing"})
    ]
