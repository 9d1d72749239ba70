"""The table at the end, as text and as JSON."""

import json
from collections import Counter
from typing import Any

from campaign.results import Event
from campaign.steps import Step

#: Worst first.
STATES = ("contradicts", "broke", "cut-off", "not-reached", "not-possible", "recorded", "as-expected")
_WORST = ("contradicts", "broke")


def rows(steps: tuple[Step, ...], events: list[Event]) -> list[dict[str, Any]]:
    """Each step with what came of it; one that was begun and never ended was cut off."""
    ended = {event["step"]: event for event in events if event["event"] == "ended"}
    started = {event["step"] for event in events if event["event"] == "started"}
    found = []
    for step in steps:
        event = ended.get(step.name)
        missing = ("cut-off", "the run ended in the middle of it") if step.name in started else ("not-reached", "")
        found.append({
            "step": step.name,
            "group": step.group,
            "outcome": event["outcome"] if event else missing[0],
            "seconds": event["seconds"] if event else None,
            "expected": event["expected"] if event else "",
            "named": event["named"] if event else "",
            "words": event["words"] if event else missing[1],
        })  # fmt: skip
    return found


def exit_code(found: list[dict[str, Any]], unwritten: list[str]) -> int:
    """0 nothing contradicts; 1 something does; 3 nothing was done, or it could not be written down."""
    if unwritten or all(row["outcome"] in ("not-reached", "cut-off") for row in found):
        return 3
    return 1 if any(row["outcome"] in _WORST for row in found) else 0


def as_json(found: list[dict[str, Any]], run: Event) -> str:
    """The table and what it was run on."""
    counts = Counter(row["outcome"] for row in found)
    return json.dumps({"schema": 1, "run": run, "counts": counts, "steps": found}, indent=1, ensure_ascii=False) + "\n"


def as_text(found: list[dict[str, Any]], run: Event) -> str:
    """The table with, below it, the reasons of what is not as expected."""
    lines = [f"gpudoctor {run.get('doctor', '?')} on {run.get('machine', 'a machine not looked at')}, {run['at']}", ""]
    width = max(len(row["step"]) for row in found)
    lines.append(f"{'step':{width}}  {'outcome':12}  {'seconds':>7}  first cause expected / named")
    for row in found:
        seconds = f"{row['seconds']:.1f}" if row["seconds"] is not None else ""
        causes = f"{row['expected']} / {row['named']}" if row["expected"] or row["named"] else ""
        lines.append(f"{row['step']:{width}}  {row['outcome']:12}  {seconds:>7}  {causes}".rstrip())
    counts = Counter(row["outcome"] for row in found)
    lines += ["", ", ".join(f"{counts[state]} {state}" for state in STATES if counts[state]), ""]
    for state in STATES[:-1]:
        for row in found:
            if row["outcome"] == state and row["words"]:
                lines.append(f"{state}: {row['step']}: {row['words']}")
    return "\n".join(lines) + "\n"
