"""The view model of a report: all its wording, made once and drawn by every renderer."""

from collections.abc import Iterator

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact
from gpudoctor.facts.finding import Finding
from gpudoctor.facts.fix import SetEnv
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.live import Live
from gpudoctor.facts.python import Interpreter
from gpudoctor.facts.report import Report
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import System
from gpudoctor.report.commands import Step, is_command, step_lines, visible
from gpudoctor.report.summary import StackLine, stack_lines

#: How the label of a GPU begins.
_GPU = re.compile(r"GPU (at )?[0-9a-f]").match


class FixView(Fact, frozen=True, kw_only=True):
    """A fix: its title, what it needs, and its lines; a line is a command to paste or a sentence."""

    title: str
    needs: str
    commands: tuple[tuple[bool, str], ...]


class FindingView(Fact, frozen=True, kw_only=True):
    """A finding as it is shown."""

    code: str
    name: str
    severity: str
    confidence: str
    summary: str
    evidence: tuple[tuple[str, str, str], ...]
    fixes: tuple[FixView, ...]
    because_of: tuple[str, ...]


class View(Fact, frozen=True, kw_only=True):
    """A report as it is shown."""

    headline: str
    #: healthy, no-gpu, findings, incomplete, bug
    verdict: str
    stack: tuple[StackLine, ...]
    causes: tuple[FindingView, ...]
    consequences: tuple[FindingView, ...]
    notes: tuple[FindingView, ...]
    unseen: tuple[str, ...]
    skipped: tuple[tuple[str, str], ...]
    crashes: tuple[str, ...]
    rules_run: int
    examined: str
    #: Frameworks were run.
    was_run: bool = False


def fix_heading(finding: FindingView, number: int) -> str:
    """What goes before the lines of a fix. A note is no fault, so there is nothing to fix."""
    fix = finding.fixes[number]
    needs = f" ({fix.needs})" if fix.needs else ""
    lead = "" if finding.severity == "info" else "Fix: " if number == 0 else "Or: "
    return f"{lead}{fix.title}{needs}"


def view_of(report: Report) -> View:
    """The view of a report."""
    snapshot, diagnosis = report.snapshot, report.diagnosis
    windows = isinstance(snapshot.host, System) and snapshot.host.os == "windows"
    shown = [(finding, _finding(finding, windows=windows)) for finding in diagnosis.findings]
    doctor = snapshot.doctor
    return View(
        headline=_headline(report),
        verdict=report.verdict,
        stack=tuple(
            StackLine(layer=line.layer, text=visible(line.text), state=line.state)
            for line in stack_lines(snapshot, diagnosis.findings)
        ),
        causes=tuple(view for f, view in shown if f.severity != "info" and not f.because_of),
        consequences=tuple(view for f, view in shown if f.severity != "info" and f.because_of),
        notes=tuple(view for f, view in shown if f.severity == "info"),
        unseen=tuple(map(visible, report.unseen)),
        skipped=tuple((skip.code, visible(skip.gap.reason)) for skip in diagnosis.skipped),
        crashes=tuple(crash.traceback for crash in diagnosis.crashed) + (doctor.crashes if doctor else ()),
        rules_run=len(diagnosis.clean) + len({finding.code for finding in diagnosis.findings}),
        examined=examined_of(snapshot),
        was_run=isinstance(snapshot.live, Live),
    )


def _finding(finding: Finding, *, windows: bool) -> FindingView:
    return FindingView(
        code=finding.code,
        name=finding.name,
        severity=finding.severity,
        confidence=finding.confidence,
        summary=visible(_summary(finding)),
        evidence=tuple(
            (visible(one.fact), visible(one.value), visible(one.source.where) if one.source else "")
            for one in finding.evidence
        ),
        fixes=tuple(
            FixView(
                title=visible(fix.title),
                needs=", ".join(
                    text for flag, text in ((fix.needs_root, "needs root"), (fix.needs_reboot, "then a reboot")) if flag
                ),
                commands=tuple(line for step in fix.steps for line in _shown(step, windows=windows)),
            )
            for fix in finding.fixes
        ),
        because_of=finding.because_of,
    )


def _summary(finding: Finding) -> str:
    """What is wrong; where the sentence speaks of a GPU without saying which, its name goes before."""
    named = finding.subject is None or finding.subject in finding.summary
    return finding.summary if named or not _GPU(finding.subject or "") else f"{finding.subject}: {finding.summary}"


def _shown(step: Step, *, windows: bool) -> Iterator[tuple[bool, str]]:
    """The lines of a step, each with whether it is a command; before a variable, the place where it belongs."""
    if isinstance(step, SetEnv) and step.where:
        yield False, f"In {visible(step.where)}:"
    for line in step_lines(step, windows=windows):
        yield is_command(step), line


def _no_builds(report: Report) -> str:
    """The codes of what keeps extensions from being compiled, where nobody was seen to try."""
    return ", ".join(dict.fromkeys(one.code for one in report.diagnosis.findings if one.code.startswith("TLK")))


def _headline(report: Report) -> str:
    if report.verdict == "bug":
        return "gpudoctor itself failed, so there is no verdict."
    if report.verdict == "findings":
        return f"{_count(report).capitalize()} found."
    lesser = _count(report)
    if report.verdict == "incomplete":
        seen = f"{lesser} found so far." if lesser else "No problem found so far."
        return f"Inconclusive: some required facts could not be read. {seen}"
    if report.verdict == "no-gpu":
        return " ".join(filter(None, (_without_gpu(report), _proof(report), _nothing_else(lesser))))
    well = f"Ready to run, not to compile GPU code ({codes})" if (codes := _no_builds(report)) else "Healthy"
    said = f", with {lesser}" if lesser else ""
    if proof := _proof(report):
        return f"{well}{said}. {proof}"
    return f"{well}{said}: nothing in the files or the driver prevents GPU use. No training was run."


def _proof(report: Report) -> str:
    """What was proved by running frameworks, as a sentence."""
    if not isinstance(report.snapshot.live, Live):
        return ""
    from gpudoctor.report.smoke_summary import proved

    clause = proved(report.snapshot.live)
    return f"{clause}." if clause else ""


def _nothing_else(lesser: str) -> str:
    return f"{lesser} found." if lesser else "No problem found."


def _count(report: Report) -> str:
    """The root causes in words: "2 errors and 1 warning"; empty where there are only notes."""
    words = []
    for severity in ("error", "warning"):
        number = sum(1 for finding in report.diagnosis.root_causes if finding.severity == severity)
        if number:
            words.append(f"{number} {severity}{'s' if number > 1 else ''}")
    only_notes = "notes" if report.verdict == "findings" else ""
    return " and ".join(words) or only_notes


def _without_gpu(report: Report) -> str:
    gpus = report.snapshot.gpus
    if isinstance(gpus, Gpus) and gpus.devices:
        vendors = ", ".join(sorted({(gpu.vendor or "unknown").upper() for gpu in gpus.devices}))
        return f"OK: no NVIDIA GPU ({vendors} only)."
    return "OK: no GPU."


def examined_of(snapshot: Snapshot) -> str:
    """Which interpreter was examined, and why that one; empty where none was."""
    interpreter = snapshot.interpreter
    if not isinstance(interpreter, Interpreter):
        return ""
    reason = {
        "--python": "given by --python",
        "VIRTUAL_ENV": "the active virtual environment",
        "CONDA_PREFIX": "the active conda environment",
        "PATH": "python on PATH",
        "own": "gpudoctor's own interpreter",
        "report": "as the report states",
    }[interpreter.chosen_by]
    return f"{visible(interpreter.executable)} ({reason})"
