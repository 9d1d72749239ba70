"""Matrix tables of AMD GPUs, and of the builds with code for each."""

from gpudoctor.knowledge.matrix.amd import amd_gpus, has_code, rocm_builds
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.report.matrix_tables import Sheet, sheet_of


def amd_sheets(matrix: Matrix, name: str) -> tuple[Sheet, ...]:
    """The products of a name or an architecture (gfx1100), and the builds of PyTorch for them; empty for no product."""
    found = amd_gpus(name, matrix)
    if not found:
        return ()
    gfx = found[0].gfx
    builds = {
        "release": lambda row: row.version,
        "ROCm": lambda row: row.rocm,
        "Python": lambda row: f"{row.pythons[0]} to {row.pythons[-1]}",
        "index": lambda row: row.index_suffix,
    }
    return (
        sheet_of(f"GPU {name}", found, {"product": lambda row: row.name, "architecture": lambda row: row.gfx}),
        sheet_of(
            f"PyTorch with code for {gfx}", [row for row in rocm_builds("torch", matrix) if has_code(row, gfx)], builds
        ),
    )
