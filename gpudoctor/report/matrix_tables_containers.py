"""Matrix tables of NVIDIA's framework images: contents, drivers and GPUs."""

from gpudoctor.facts.versions import DriverRelease
from gpudoctor.knowledge.matrix.offer_types import ContainerImage
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.report.matrix_tables import NotKnown, Sheet, sheet_of


def container_sheets(matrix: Matrix, which: str | None) -> tuple[Sheet, ...]:
    """Every image; of a name (pytorch) or a tag (24.05, pytorch:24.05-py3) those only. Raises NotKnown."""
    rows: tuple[ContainerImage, ...] = matrix.table("containers")
    words = (which or "").removeprefix("nvcr.io/nvidia/").split()
    found = tuple(row for row in rows if all(_is_called(row, word) for word in words))
    if not found:
        names = tuple(dict.fromkeys(row.image for row in rows))
        raise NotKnown(f"image {which!r}", (*names, f"pytorch:{rows[0].tag}"))
    title = f"NVIDIA's images {which}" if which else "NVIDIA's images (nvcr.io/nvidia/)"
    columns = {
        "image": lambda row: f"{row.image}:{row.tag}",
        "framework": lambda row: row.version,
        "CUDA": lambda row: row.cuda,
        "Python": lambda row: row.python,
        "oldest driver": lambda row: _oldest_driver(row, matrix),
        "or, on data-centre GPUs": lambda row: row.base_drivers,
        "GPUs from": lambda row: row.min_capability,
    }
    return (sheet_of(title, found, columns),)


def _is_called(row: ContainerImage, wanted: str) -> bool:
    name = f"{row.image}:{row.tag}"
    # Triton Inference Server is called by either part of its name.
    if row.image.startswith(wanted):
        return True
    return wanted == name or row.tag.startswith(wanted) or name.startswith(f"{wanted}-")


def _oldest_driver(row: ContainerImage, matrix: Matrix) -> DriverRelease | None:
    floor = matrix.family_floor(row.cuda, "linux") if row.cuda is not None else None
    return floor.release if floor else None
