"""The wording of a fleet report, shared by all its formats."""

from gpudoctor.fleet.overview import Drift, Group, Overview, Slow, Trouble, Varied

WHY = {
    "refused": "refused the connection",
    "unreachable": "could not be reached",
    "unknown-host": "no such host",
    "timed-out": "no answer in time",
    "stuck": "the process hangs in the kernel",
    "crashed": "gpudoctor ended without an answer",
    "no-gpudoctor": "gpudoctor could not be started",
    "garbage": "the answer could not be read",
    "drained": "taken out of service by the scheduler",
    "busy": "no job could start there",
    "not-started": "not asked",
    "interrupted": "not asked: the run was interrupted",
    "unknown": "did not answer",
}


def headline(overview: Overview) -> str:
    """What there is, in one sentence."""
    errors = len([one for one in overview.worst if one.errors])
    expected = f" ({overview.expected:,} expected)" if overview.expected is not None else ""
    gpus = f" with {overview.gpus:,} GPUs" if overview.gpus else ""
    parts = [f"{overview.answered:,} {'node' if overview.answered == 1 else 'nodes'} answered{gpus}{expected}"]
    for count, words in (
        (overview.silent_count, "did not answer"),
        (errors, "with errors"),
        (len({one.host for one in overview.slow}), "with slow GPUs"),
        (len([one for one in overview.worst if one.differs]), "different from the rest"),
    ):
        if count:
            parts.append(f"{count:,} {words}")
    if len(parts) == 1 and overview.answered:
        parts.append("no problem found" if overview.healthy == overview.answered else "no error found")
    return f"{parts[0]}: {', '.join(parts[1:])}." if len(parts) > 1 else f"{parts[0]}."


def group_label(group: Group) -> str:
    """A group in words: train, NVIDIA H100."""
    return f"{group.role}, {group.gpu}" if group.role else group.gpu


def drift_line(drift: Drift) -> str:
    """The one field first, then what differs with it."""
    first = drift.differences[0]
    rest = f" (as {drift.usual_on:,} of {drift.group.count:,} have)" if drift.usual_on else " (as the golden node has)"
    also = [f"{one.field} {one.value} ({one.usual})" for one in drift.differences[1:]]
    return f"{first.field} {first.value}, not {first.usual}{rest}" + (f"; with it {', '.join(also)}" if also else "")


def varied_line(varied: Varied) -> str:
    """A field without a usual value."""
    if varied.most:
        told = "; ".join(f"{value} on {nodes.count:,}" for value, nodes in varied.most)
        return f"{varied.field}: {told}"
    return f"{varied.field}: {varied.values:,} values on {varied.group.count:,} nodes"


def slow_line(slow: Slow) -> str:
    """A GPU below the others."""
    return (
        f"{slow.host} GPU {slow.gpu}: {slow.metric} {slow.value:,.4g} {slow.unit}, {slow.below:.1%} below the median"
        f" {slow.median:,.4g} of {slow.of:,} (up to {slow.limit:.1%} is normal)"
    )


def trouble_line(trouble: Trouble) -> str:
    """All that is wrong with a node."""
    parts = [WHY[trouble.silent]] if trouble.silent else []
    parts += [", ".join((*trouble.errors, *trouble.warnings))] if trouble.errors or trouble.warnings else []
    parts += [f"differs in {', '.join(trouble.differs)}"] if trouble.differs else []
    parts += [f"slow: {', '.join(trouble.slow[:3])}"] if trouble.slow else []
    times = "once" if trouble.earlier == 1 else f"{trouble.earlier} times"
    parts += [f"bad {times} before"] if trouble.earlier else []
    return "; ".join(parts)
