"""The compatibility matrix as of an earlier day, without later releases."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from gpudoctor.facts.versions import DriverRelease, package_version
from gpudoctor.knowledge.matrix.look_up_types import ReleaseDates
from gpudoctor.knowledge.matrix.query import Matrix


class MatrixAsOf(Matrix):
    """The rows of releases that were out on a day (ISO). A release whose day is not known is left out, and named."""

    def __init__(self, whole: Matrix, day: str) -> None:
        super().__init__(whole.read)
        self.whole, self.day = whole, day
        #: Releases left out because it is not known when they came out.
        self.unknown: set[str] = set()

    def table(self, name: str) -> tuple[Any, ...]:
        """The rows of a table that were true then. Raises MatrixUnreadable."""
        if name not in self._decoded:
            rows, keep = self.whole.table(name), _KEEPS.get(name)
            kept = (keep(self, row) for row in rows) if keep else rows
            self._decoded[name] = tuple(row for row in kept if row is not None)
        return self._decoded[name]

    def was_out(self, package: str, version: str) -> bool:
        """Whether a release is known to have been out."""
        day = released(package, version, self.whole)
        parsed = package_version(version)
        if day is None and parsed is not None and not parsed.is_prerelease:
            self.unknown.add(f"{package} {version}")
        return day is not None and day <= self.day

    def out(self, package: str, versions: tuple[str, ...]) -> tuple[str, ...]:
        """Those of some releases that were out."""
        return tuple(one for one in versions if self.was_out(package, one))

    def driver_came_later(self, driver: DriverRelease) -> str | None:
        """The day on which the first release of the driver's branch came out, where that is after the day."""
        days = [day for one, day in days_of("nvidia-driver", self.whole).items() if one.release[0] == driver.branch]
        return min(days) if days and min(days) > self.day else None


@lru_cache(maxsize=8)
def as_of(matrix: Matrix, day: str) -> MatrixAsOf:
    """The matrix of a day, ISO. Kept, as answers are kept by their matrix."""
    return MatrixAsOf(matrix, day)


def released(package: str, version: str, matrix: Matrix) -> str | None:
    """The ISO date of a release, whatever its local tag; None is not known."""
    parsed = package_version(version)
    return days_of(package, matrix).get(package_version(parsed.public)) if parsed is not None else None


@lru_cache(maxsize=128)
def days_of(package: str, matrix: Matrix) -> dict[Any, str]:
    """The ISO dates of a package's releases, by version."""
    row: ReleaseDates | None = next((one for one in matrix.table("dates") if one.package == package), None)
    return {package_version(version): day for version, day in row.released.items()} if row is not None else {}


def _single(package: str, field: str = "version") -> Callable[[MatrixAsOf, Any], Any]:
    """Keeps the row of a release that was out."""
    return lambda then, row: row if then.was_out(package, getattr(row, field)) else None


def _several(then: MatrixAsOf, row: Any) -> Any:
    """The row with those of its releases that were out."""
    versions = then.out(getattr(row, "dist", None) or row.package, row.versions)
    return replace(row, versions=versions) if versions else None


def _companions(then: MatrixAsOf, row: Any) -> Any:
    if not then.was_out("torch", row.torch):
        return None
    return replace(
        row,
        torchvision=then.out("torchvision", row.torchvision),
        torchaudio=then.out("torchaudio", row.torchaudio),
    )


def _tensorflow(then: MatrixAsOf, row: Any) -> Any:
    """The range of patch releases, up to the last that was out."""
    first, last = package_version(row.first), package_version(row.last)
    days = days_of(row.dist, then.whole)
    within = sorted(one for one, day in days.items() if first <= one <= last and day <= then.day)
    if within:
        return replace(row, last=str(within[-1]))
    if last is not None and last not in days and not last.is_prerelease:
        then.unknown.add(f"{row.dist} {row.last}")
    return None


_KEEPS: dict[str, Callable[[MatrixAsOf, Any], Any]] = {
    "torch": _single("torch"),
    "jax": _single("jax"),
    "triton": _single("triton"),
    "companions": _companions,
    "tensorflow": _tensorflow,
    "keras": _single("tensorflow", "tensorflow"),
    "protobuf": _single("tensorflow", "tensorflow"),
    "numpy": lambda then, row: row if then.was_out(row.package, row.version) else None,
    "builds": lambda then, row: row if then.was_out(row.package, row.version) else None,
    "releases": _several,
    "extensions": _several,
    "rocm": lambda then, row: row if then.was_out(row.framework, row.version) else None,
    "ready_wheels": lambda then, row: row if then.was_out(row.package, row.version) else None,
}
