"""Renders `devices` and `smoke` for a terminal: the device table, the trainings of each framework."""

from collections.abc import Iterator

from gpudoctor.diagnosis.cross_view import CrossView, cross_view
from gpudoctor.diagnosis.proof import how_it_ended
from gpudoctor.facts.live import AgentRun, DeviceList, Live, SmokeRun, Trial
from gpudoctor.facts.report import Report
from gpudoctor.report.commands import visible
from gpudoctor.report.smoke_summary import listing, name_of
from gpudoctor.report.tables import sights
from gpudoctor.report.terminal import Style, finding_lines, sign, wrapped
from gpudoctor.report.view import examined_of, view_of

_GAP = "  "


def live_of(report: Report) -> Live:
    """What was run; empty where nothing was."""
    return report.snapshot.live if isinstance(report.snapshot.live, Live) else Live()


def devices_text(report: Report, style: Style) -> str:
    """The devices as the driver and each framework see them."""
    view = cross_view(report.snapshot, report.diagnosis.findings)
    return "\n".join((*device_lines(view, live_of(report), style), *_examined(report))) + "\n"


def smoke_text(report: Report, style: Style) -> str:
    """The trainings, and what made one fail."""
    live = live_of(report)
    causes = () if all(run.proved for run in live.smoke) else finding_lines(view_of(report), style)
    return "\n".join((*smoke_lines(live, style), *causes, *_examined(report))) + "\n"


def _examined(report: Report) -> tuple[str, str]:
    return "", f"Examined: {examined_of(report.snapshot)}."


def device_lines(view: CrossView, live: Live, style: Style) -> Iterator[str]:
    """The table of devices, numbered notes on what is hidden from whom, and how each framework fared."""
    notes: dict[str, int] = {}
    mark = sign("ok", style).strip()
    header = ("", *(name_of(viewer) for viewer in view.viewers))
    rows = [header, *((visible(row.device), *sights(row, view.viewers, notes, yes=mark, no="-")) for row in view.rows)]
    if view.rows:
        yield from _table(rows, style)
    else:
        yield from wrapped(_nobody(live), style)
    if notes:
        yield ""
    for why, number in notes.items():
        yield from wrapped(f"({number}) {visible(why)}", style, hang="    ")
    if live.devices:
        yield ""
    for listed in live.devices:
        yield from _framework(listed, style)


def smoke_lines(live: Live, style: Style) -> Iterator[str]:
    """The trainings of each framework: every one with `verbose`, else one line a device."""
    for number, run in enumerate(live.smoke):
        if number:
            yield ""
        state = "ok" if run.proved else "error"
        yield f"{sign(state, style)} {label(run.framework, run.version)}: {_fared(run)}"
        yield from _trials(run, style)


def label(framework: str, version: str | None) -> str:
    """PyTorch 2.13.0+cpu."""
    return " ".join(filter(None, (name_of(framework), visible(version or ""))))


def _nobody(live: Live) -> str:
    """Why the table is empty."""
    if live.devices:
        return "No device was listed."
    return "No device to list: no NVIDIA GPU was seen, and none of TensorFlow, PyTorch, Keras and JAX was found here."


def _table(rows: list[tuple[str, ...]], style: Style) -> Iterator[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    spare = style.width - sum(widths[1:]) - len(_GAP) * (len(widths) - 1)
    widths[0] = min(widths[0], max(12, spare))
    for row in rows:
        first = row[0] if len(row[0]) <= widths[0] else row[0][: widths[0] - 3] + "..."
        cells = (cell.ljust(width) for cell, width in zip((first, *row[1:]), widths, strict=True))
        yield _GAP.join(cells).rstrip()


def _framework(listed: DeviceList, style: Style) -> Iterator[str]:
    run = listed.run
    built = [f"built for CUDA {listed.cuda}" if listed.cuda else "built for CUDA"] if listed.built_with_cuda else []
    built += ["built for ROCm"] if listed.built_with_rocm else []
    built += ["CPU build"] if listed.built_with_cuda is False and not listed.built_with_rocm else []
    built += [f"cuDNN {listed.cudnn}"] if listed.cudnn else []
    built += [f"backend {listed.backend}"] if listed.backend else []
    if run is not None and run.ending != "finished":
        built.append(how_it_ended(run))
    well = run is None or (run.ending == "finished" and not any(stage.error for stage in run.stages))
    state = "ok" if well else "error" if run is None or run.ending != "finished" else "warning"
    yield from wrapped(
        f"{sign(state, style)} {label(listed.framework, listed.version)}: {visible(', '.join(built))}",
        style,
        hang="   ",
    )
    for stage in run.stages if run is not None and run.ending == "finished" else ():
        if stage.error is not None:
            said = f"{stage.name} failed: {stage.error.type}: {stage.error.text.strip().partition(chr(10))[0]}"
            yield from wrapped(visible(said[:400]), style, indent="   ", hang="     ")
    if style.verbosity > 0:
        for name, value in listed.notes:
            yield from wrapped(visible(f"{name}: {value}"), style, indent="     ", hang="       ")
        yield from _log(run, style)


def _trials(run: SmokeRun, style: Style) -> Iterator[str]:
    shown = run.trials if style.verbosity > 0 else tuple(t for t in run.trials if t.outcome != "passed")
    quiet = [trial for trial in run.trials if trial not in shown]
    for device in dict.fromkeys(trial.device for trial in quiet):
        passed = [trial for trial in quiet if trial.device == device]
        best = max((trial.accuracy for trial in passed if trial.accuracy is not None), default=None)
        reached = f", accuracy up to {best:.0%}" if best is not None else ""
        kinds = ", ".join(dict.fromkeys(f"{trial.network} {trial.precision}" for trial in passed))
        yield from wrapped(f"{device}: {kinds} passed{reached}", style, indent="   ", hang="     ")
    for trial in shown:
        yield from _trial(trial, style)
    if style.verbosity > 0 or run.run.ending != "finished":
        yield from _log(run.run, style)


def _trial(trial: Trial, style: Style) -> Iterator[str]:
    state = {"passed": "ok", "failed": "error", "skipped": "absent"}[trial.outcome]
    mode = f" ({trial.mode})" if trial.mode else ""
    said = [f"{trial.device}: {trial.network} {trial.precision}{mode} {trial.outcome}"]
    if trial.outcome != "skipped" and trial.first_loss is not None and trial.last_loss is not None:
        said.append(f"loss {trial.first_loss:.3g} to {trial.last_loss:.3g}")
    if trial.accuracy is not None:
        said.append(f"accuracy {trial.accuracy:.0%}" + (f" of {trial.threshold:.0%}" if trial.threshold else ""))
    if trial.outcome == "passed" and trial.seconds is not None:
        said.append(f"{trial.seconds:.2f} s")
    if trial.detail:
        said.append(trial.detail.strip())
    elif trial.error is not None:
        said.append(f"{trial.error.type}: {trial.error.text.strip().partition(chr(10))[0]}"[:300])
    yield from wrapped(f"{sign(state, style)} {visible(', '.join(said))}", style, indent="   ", hang="      ")


def _log(run: AgentRun | None, style: Style) -> Iterator[str]:
    for line in run.log if run is not None else ():
        yield from wrapped(visible(line), style, indent="     | ")


def _fared(run: SmokeRun) -> str:
    if run.run.ending != "finished":
        return visible(how_it_ended(run.run))
    counts = [(sum(t.outcome == word for t in run.trials), word) for word in ("passed", "failed", "skipped")]
    words = listing(f"{count} {word}" for count, word in counts if count)
    if words:
        return f"{words}, in {run.run.seconds:.1f} s"
    reasons = (stage.detail or (stage.error.text if stage.error else "") for stage in run.run.stages)
    why = next(filter(None, reasons), "").strip().partition("\n")[0]
    return visible(f"trained nothing: {why}" if why else "trained nothing")
