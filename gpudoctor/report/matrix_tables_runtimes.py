"""Matrix tables of what Colab, Kaggle, JetPack and conda-forge provide."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.knowledge.matrix.offer_types import Runtime
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.report.matrix_tables import Line, NotKnown, Sheet

#: Runtime: its title, and what its releases are called.
TITLES = {
    "colab": ("Google Colab, runtimes with a GPU", "from"),
    "kaggle": ("Kaggle notebooks, images with a GPU", "image"),
    "jetpack": ("JetPack of Jetson boards", "JetPack"),
    "conda-forge": ("conda-forge's builds with CUDA", "package"),
}


def runtime_sheets(matrix: Matrix, which: str | None) -> tuple[Sheet, ...]:
    """The newest of each runtime; all of one (colab); or one of its releases (jetpack 6.2). Raises NotKnown."""
    rows: tuple[Runtime, ...] = matrix.table("runtimes")
    if which is None:
        return tuple(_sheet(name, tuple(row for row in rows if row.runtime == name)[:3]) for name in TITLES)
    name, _, release = which.lower().partition(" ")
    found = tuple(row for row in rows if row.runtime == name and _is_called(row.release.lower(), release.strip()))
    if not found:
        raise NotKnown(f"runtime {which!r}", tuple(TITLES))
    return (_sheet(name, found),)


def _is_called(release: str, wanted: str) -> bool:
    """All are where none is named. Numbers are compared whole: 6.2 is 6.2 and 6.2.1, not 4.6.2 or 6.20."""
    return not wanted or re.search(rf"(?<![\d.]){re.escape(wanted)}(?!\d)", release) is not None


def _sheet(name: str, rows: tuple[Runtime, ...]) -> Sheet:
    title, called = TITLES[name]
    packages = tuple(dict.fromkeys(one for row in rows for one in row.versions))
    shown = {
        called: [row.release for row in rows],
        **{"L4T" if one == "l4t" else one: [row.versions.get(one, "") for row in rows] for one in packages},
        "Python": [row.python or "" for row in rows],
        "CUDA": [", ".join(map(str, row.cuda)) for row in rows],
        "platforms": [", ".join(row.platforms) for row in rows],
    }
    columns = tuple(column for column, cells in shown.items() if any(cells))
    cells = zip(*(shown[column] for column in columns), strict=True)
    lines = tuple(Line(cells=tuple(one), row=row) for one, row in zip(cells, rows, strict=True))
    return Sheet(title=title, columns=columns, lines=lines)
