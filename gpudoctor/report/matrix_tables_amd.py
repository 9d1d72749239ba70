"""AMD's GPUs as tables: a product, and the builds that have code for it."""

from gpudoctor.knowledge.matrix.amd import amd_gpus, has_code, rocm_builds
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.report.matrix_tables import Line, Sheet


def amd_sheets(matrix: Matrix, name: str) -> tuple[Sheet, ...]:
    """The products of a name or an architecture (gfx1100), and the builds of PyTorch for them; empty for no product."""
    found = amd_gpus(name, matrix)
    if not found:
        return ()
    gfx = found[0].gfx
    products = tuple(Line(cells=(row.name, row.gfx), row=row) for row in found)
    builds = tuple(
        Line(cells=(row.version, row.rocm, f"{row.pythons[0]} to {row.pythons[-1]}", row.index_suffix or ""), row=row)
        for row in rocm_builds("torch", matrix)
        if has_code(row, gfx)
    )
    return (
        Sheet(title=f"GPU {name}", columns=("product", "architecture"), lines=products),
        Sheet(title=f"PyTorch with code for {gfx}", columns=("release", "ROCm", "Python", "index"), lines=builds),
    )
