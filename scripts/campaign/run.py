"""The run: steps in their order, each under its deadline, until the minutes are spent."""

import argparse
import subprocess
import sys
import tempfile
import time
import traceback
from datetime import datetime, timezone
from pathlib import Path

from campaign import all_steps, summary
from campaign.here import Here
from campaign.results import Results
from campaign.steps import NotPossible, Outcome, Step, TimeUp, parts
from gpudoctor import __version__
from gpudoctor.redact.redactor import Door


def begin(options: argparse.Namespace, scratch: Path, part: float) -> int:
    """Do what the command line asks; the exit code."""
    steps = all_steps.STEPS
    if options.list:
        _list(steps, part)
        return 0
    chosen = _chosen(steps, options, part)
    if isinstance(chosen, str):
        print(chosen, file=sys.stderr)
        return 2
    folder = _writable(options.output) if not options.report else options.output
    results = Results(folder, Door().text, options.archive)
    run = {"event": "run", "at": _now(), "doctor": f"{__version__} {_commit()}".strip(), "minutes": options.minutes}
    if options.report:
        run = next((event for event in reversed(results.events) if event["event"] == "run"), run)
        return _show(steps, results, run, write=False)
    here = Here(options.python or sys.executable, scratch, results, quick=options.quick)
    results.add(run)
    interrupted = False
    try:
        _do(chosen, here, time.monotonic() + options.minutes * 60)
    except KeyboardInterrupt:
        interrupted = True
    code = _show(chosen if options.only or options.part else steps, results, run)
    return 130 if interrupted else code


def _chosen(steps: tuple[Step, ...], options: argparse.Namespace, part: float) -> tuple[Step, ...] | str:
    """The steps that were asked for, or what is wrong with the question."""
    if options.part is not None:
        found = parts(steps, part)
        if not 1 <= options.part <= len(found):
            return f"there are {len(found)} parts, and --part {options.part} was asked for"
        return found[options.part - 1]
    if options.only:
        unknown = set(options.only) - {step.name for step in steps}
        if unknown:
            return f"no step is called {', '.join(sorted(unknown))}; --list shows them"
        return tuple(step for step in steps if step.name in options.only)
    return steps


def _do(steps: tuple[Step, ...], here: Here, end: float) -> None:
    """Do the steps that are open, those that still fit into the time that is left."""
    by_name = {step.name: step for step in steps}
    for name in here.results.open_steps(by_name):
        step = by_name[name]
        left = end - time.monotonic()
        if left >= min(step.least, step.seconds):
            print(f"{name} …", file=sys.stderr, flush=True)
            _do_step(step, here, min(step.seconds, left))
            here.results.pack()


def _do_step(step: Step, here: Here, seconds: float) -> None:
    began = time.monotonic()
    here.until = began + seconds
    here.results.add({"event": "started", "step": step.name, "at": _now()})
    outcome = Outcome("cut-off", "the run was ended")
    try:
        outcome = _outcome(step, here, seconds)
    finally:
        here.results.add({
            "event": "ended", "step": step.name, "group": step.group, "at": _now(),
            "seconds": round(time.monotonic() - began, 2), "outcome": outcome.state, "words": outcome.words,
            "expected": outcome.expected, "named": outcome.named, "facts": outcome.facts,
        })  # fmt: skip
        print(f"{step.name}: {outcome.state} {outcome.words}".rstrip(), file=sys.stderr, flush=True)


def _outcome(step: Step, here: Here, seconds: float) -> Outcome:
    """What came of it; whatever a step does wrong is its own affair, and the next one is done."""
    try:
        return step.run(here)
    except NotPossible as lacking:
        return Outcome("not-possible", str(lacking))
    except TimeUp as error:
        return Outcome("cut-off", f"not done in {seconds:.0f} s{f': {error}' if str(error) else ''}")
    except Exception as error:  # noqa: BLE001 - one step must not take the others along
        here.results.keep(f"{step.name}.traceback.txt", traceback.format_exc())
        return Outcome("broke", f"{type(error).__name__}: {error}"[:600])


def _show(steps: tuple[Step, ...], results: Results, run: dict[str, object], *, write: bool = True) -> int:
    """Write the table, print it, and say what could not be written: it stands on the screen then."""
    machine = results.facts("machine").get("words")
    run = {**run, **({"machine": machine} if machine else {})}
    rows = summary.rows(steps, results.events)
    text = summary.as_text(rows, run)
    if write:
        results.write("summary.json", results.cleaned(summary.as_json(rows, run)))
        results.write("summary.txt", results.cleaned(text))
        results.pack()
    print(text)
    if results.unwritten:
        print(f"Not written to {results.folder}, as there was no room or no right to:", *results.unwritten, sep="\n")
    elif write:
        print(f"Kept in {results.folder}")
    return summary.exit_code(rows, results.unwritten)


def _writable(folder: Path) -> Path:
    """The folder, or one among the temporary files where that cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        other = Path(tempfile.mkdtemp(prefix="gpu-campaign-results-"))
        print(f"{folder} cannot be written to ({error.strerror}): the results go to {other}", file=sys.stderr)
        return other


def _list(steps: tuple[Step, ...], most: float) -> None:
    for number, part in enumerate(parts(steps, most), 1):
        print(f"part {number}, at most {sum(step.seconds for step in part):.0f} s")
        for step in part:
            print(f"  {step.name:24} {step.group:10} {step.seconds:5.0f} s")


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


def _commit() -> str:
    """The commit of the checkout, where git tells it."""
    folder = Path(__file__).parent
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), "describe", "--always", "--dirty"],
            capture_output=True, text=True, timeout=10, check=False,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
