"""The tables of a report: which framework sees which device, and what was trained where."""

from collections.abc import Iterator

from gpudoctor.diagnosis.cross_view import CrossView, Row, cross_view
from gpudoctor.facts.base import Fact
from gpudoctor.facts.live import Live, SmokeRun, Trial
from gpudoctor.facts.report import Report
from gpudoctor.report.commands import visible
from gpudoctor.report.smoke_summary import name_of


class Grid(Fact, frozen=True, kw_only=True):
    """A table: the names of its columns, its rows, and notes that its cells refer to by number."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


def grids_of(report: Report) -> tuple[Grid, ...]:
    """The tables of what was run; none where nothing was."""
    live = report.snapshot.live
    if not isinstance(live, Live):
        return ()
    seen = cross_view(report.snapshot, report.diagnosis.findings)
    trained = tuple(_trained(run, trial) for run in live.smoke for trial in run.trials)
    grids = [_devices(seen)] if seen.rows else []
    if trained:
        header = ("Framework", "Device", "Training", "Outcome", "Loss", "Accuracy")
        grids.append(Grid(title="What was trained", header=header, rows=trained))
    return tuple(grids)


def _devices(view: CrossView) -> Grid:
    notes: dict[str, int] = {}
    return Grid(
        title="Who sees which device",
        header=("Device", *map(name_of, view.viewers)),
        rows=tuple((visible(row.device), *sights(row, view.viewers, notes)) for row in view.rows),
        notes=tuple(visible(why) for why in notes),
    )


def sights(
    row: Row, viewers: tuple[str, ...], notes: dict[str, int], *, yes: str = "yes", no: str = "no"
) -> Iterator[str]:
    """What each viewer sees of a device: its name there, or the number of the note that says why not."""
    for viewer in viewers:
        sight = next((one for one in row.sights if one.viewer == viewer), None)
        if sight is None or (sight.name is None and sight.why is None):
            yield ""
        elif sight.state == "seen":
            yield visible(sight.name or yes)
        else:
            number = notes.setdefault(sight.why or "not told", len(notes) + 1)
            yield f"{'?' if sight.state == 'unknown' else no} ({number})"


def _trained(run: SmokeRun, trial: Trial) -> tuple[str, ...]:
    losses = (trial.first_loss, trial.last_loss)
    cells = (
        name_of(run.framework),
        trial.device,
        " ".join(filter(None, (trial.network, trial.precision, f"({trial.mode})" if trial.mode else ""))),
        trial.outcome + (f": {trial.detail}" if trial.detail else ""),
        " to ".join(f"{loss:.3g}" for loss in losses if loss is not None),
        f"{trial.accuracy:.0%}" if trial.accuracy is not None else "",
    )
    return tuple(visible(cell) for cell in cells)
