"""Matrix tables of MATLAB releases: CUDA, drivers, GPUs, and the lines to type."""

from gpudoctor.facts.versions import Capability
from gpudoctor.knowledge.matrix.matlab import Serves, release_of, serves
from gpudoctor.knowledge.matrix.offer_types import MatlabRelease
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.report.matrix_tables import Line, NotKnown, Sheet
from gpudoctor.report.matrix_tables_stack import products

ANSWERS: dict[Serves | None, str] = {
    "yes": "yes",
    "compiles": "perhaps: the driver compiles at the first use, for minutes",
    "enable": "only after enabling forward compatibility, see below",
    "too old": "no: the GPU is too old for it",
    None: "not known",
}
COLUMNS = ("release", "CUDA", "GPUs from", "GPUs to", "driver (Linux)", "driver (Windows)")
_LEGEND = (
    "GPUs to: the newest compute capability that its CUDA has code for; newer majors need forward compatibility."
    " Driver: the one its CUDA came with; an older one may be refused."
)
#: mathworks.com/help/parallel-computing: gpuDeviceTable (R2021a), validateGPU (R2024b), forward compatibility (R2020b).
_NEWER = ("a GPU newer than MATLAB (R2020b and later)", "parallel.gpu.enableCUDAForwardCompatibility(true)")
#: mathworks.com/help/gpucoder: gs/install-prerequisites, gs/setting-up-the-toolchain, ref/coder.checkgpuinstall.
_CODER = (
    "GPU Coder needs MATLAB Coder, Parallel Computing Toolbox and a C++ compiler (Visual C++ on Windows, GCC on Linux)."
    " Programs that run without MATLAB also need the CUDA toolkit of the release, and cuDNN or TensorRT for networks."
)
TYPED = (
    ("which GPUs MATLAB sees", "gpuDeviceTable"),
    ("one GPU: its driver, toolkit and capability", "gpuDevice(1)"),
    ("what is wrong with it (R2024b and later)", "validateGPU"),
    _NEWER,
    ("whether GPU Coder has all it needs", "coder.checkGpuInstall(coder.gpuEnvConfig)"),
    ("train on it", 'options = trainingOptions("adam", ExecutionEnvironment="gpu");'),
)


def matlab_sheets(matrix: Matrix, which: str | None) -> tuple[Sheet, ...]:
    """Every release; one of them (R2024a); or what serves a GPU, by its name or capability. Raises NotKnown."""
    rows: tuple[MatlabRelease, ...] = matrix.table("matlab")
    if which is None:
        return (_releases("MATLAB on GPUs", rows, matrix),)
    named = release_of(which, matrix)
    if named is not None:
        return (_releases(f"MATLAB {named.release}", (named,), matrix), typed())
    capability = _capability(matrix, which)
    if capability is None:
        raise NotKnown(f"MATLAB release or GPU {which!r}", tuple(row.release for row in rows[:3]))
    lines = tuple(
        Line(cells=(row.release, str(row.cuda), ANSWERS[serves(row, capability, matrix)]), row=row) for row in rows
    )
    columns = ("release", "CUDA", f"computes on {which} ({capability})")
    return (Sheet(title=f"MATLAB for {which}", columns=columns, lines=lines), typed())


def _releases(title: str, rows: tuple[MatlabRelease, ...], matrix: Matrix) -> Sheet:
    return Sheet(title=title, columns=COLUMNS, lines=tuple(_line(row, matrix) for row in rows), legend=_LEGEND)


def _line(row: MatlabRelease, matrix: Matrix) -> Line:
    floors = [matrix.toolkit_floor(row.cuda, system) for system in ("linux", "windows")]
    toolkit = matrix.toolkit(row.cuda)
    newest = max(toolkit.capabilities, default=None) if toolkit else None
    cells = (row.release, str(row.cuda), str(row.min_capability or ""), str(newest or ""))
    return Line(cells=(*cells, *(str(floor.release) if floor else "" for floor in floors)), row=row)


def typed(*, newer: bool = True) -> Sheet:
    """What to type; `newer`: there is a GPU newer than MATLAB."""
    lines = tuple(Line(cells=cells) for cells in TYPED if newer or cells != _NEWER)
    return Sheet(title="Lines to type in MATLAB", columns=("to see or do", "line"), lines=lines, legend=_CODER)


def _capability(matrix: Matrix, which: str) -> Capability | None:
    """Of a GPU by name, or itself: 8.9."""
    parsed = Capability.parse(which)
    if parsed is not None:
        return parsed
    found = {model.capability for model in products(matrix, which) if model.capability is not None}
    return found.pop() if len(found) == 1 else None
