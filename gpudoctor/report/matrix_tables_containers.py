"""NVIDIA's framework images: what is in them, and which drivers and GPUs they take."""

from gpudoctor.knowledge.matrix.offer_types import ContainerImage
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.report.matrix_tables import Line, NotKnown, Sheet

COLUMNS = ("image", "framework", "CUDA", "Python", "oldest driver", "or, on data-centre GPUs", "GPUs from")


def container_sheets(matrix: Matrix, which: str | None) -> tuple[Sheet, ...]:
    """Every image; of a name (pytorch) or a tag (24.05, pytorch:24.05-py3) those only. Raises NotKnown."""
    rows: tuple[ContainerImage, ...] = matrix.table("containers")
    words = (which or "").removeprefix("nvcr.io/nvidia/").split()
    found = tuple(row for row in rows if all(_is_called(row, word) for word in words))
    if not found:
        names = tuple(dict.fromkeys(row.image for row in rows))
        raise NotKnown(f"image {which!r}", (*names, f"pytorch:{rows[0].tag}"))
    title = f"NVIDIA's images {which}" if which else "NVIDIA's images (nvcr.io/nvidia/)"
    return (Sheet(title=title, columns=COLUMNS, lines=tuple(_line(row, matrix) for row in found)),)


def _is_called(row: ContainerImage, wanted: str) -> bool:
    name = f"{row.image}:{row.tag}"
    # Triton Inference Server is called by either part of its name.
    if row.image.startswith(wanted):
        return True
    return wanted == name or row.tag.startswith(wanted) or name.startswith(f"{wanted}-")


def _line(row: ContainerImage, matrix: Matrix) -> Line:
    floor = matrix.family_floor(row.cuda, "linux") if row.cuda is not None else None
    cells = (
        f"{row.image}:{row.tag}",
        row.version or "",
        str(row.cuda or ""),
        row.python or "",
        str(floor.release) if floor is not None else "",
        " ".join(map(str, row.base_drivers)),
        str(row.min_capability or ""),
    )
    return Line(cells=cells, row=row)
