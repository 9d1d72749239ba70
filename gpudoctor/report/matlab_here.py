"""Renders which installed MATLABs can use the GPUs of this machine."""

from gpudoctor.facts.matlab import Matlabs, OnGpu, Outcome, Reason
from gpudoctor.facts.versions import Capability, CudaVersion, DriverRelease
from gpudoctor.knowledge.matrix.matlab import release_of
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import Row
from gpudoctor.report.matrix_tables import Line, Sheet
from gpudoctor.report.matrix_tables_matlab import typed

_OUTCOMES: dict[Outcome, str] = {
    "yes": "yes",
    "compiles": "perhaps",
    "enable": "once enabled",
    "no": "no",
    "not known": "not known",
}
_REASONS: dict[Outcome | Reason, str] = {
    "compiles": "the driver compiles for this GPU at the first use, for minutes",
    "enable": "the GPU is newer; enable forward compatibility first",
    "no-toolbox": "Parallel Computing Toolbox is not installed",
    "toolbox-not-seen": "Parallel Computing Toolbox could not be seen",
    "no-gpu": "no NVIDIA GPU is here",
    "gpus-not-seen": "the GPUs could not be seen",
    "gpu-not-known": "the compute capability of the GPU is not known",
    "gpu-too-old": "the GPU is too old for it",
    "no-driver": "no NVIDIA driver is installed",
    "driver-not-known": "the driver's release is not known",
    "driver-too-old": "the driver is too old for its CUDA",
    "driver-older-than-its-cuda": "MATLAB may refuse this driver",
    "release-not-known": "which GPUs this release serves is not known",
}


class MatlabHere(Row, frozen=True, kw_only=True):
    """A line for scripts: one MATLAB on one kind of GPU, by the codes of `OnGpu`."""

    release: str | None
    root: str
    on_path: bool
    has_toolbox: bool | None
    cuda: CudaVersion | None
    gpu: str | None
    capability: Capability | None
    outcome: Outcome
    reasons: tuple[Reason, ...]
    driver: DriverRelease | None
    instead: str | None


def here_sheets(installed: Matlabs, judged: tuple[OnGpu, ...], matrix: Matrix) -> tuple[Sheet, ...]:
    """Each MATLAB on each GPU, and what to type there; where there is none, where it was looked for."""
    if not judged:
        lines = tuple(Line(cells=(place,)) for place in (*installed.places, "PATH"))
        return (Sheet(title="No MATLAB was found", columns=("looked in",), lines=lines),)
    columns = ("MATLAB", "CUDA", "GPU", "computes on it", "installed in")
    lines = tuple(Line(cells=_cells(one), row=_row(one, matrix)) for one in judged)
    sheet = Sheet(title="MATLAB on this machine", columns=columns, lines=lines)
    several = len({one.gpu for one in judged}) > 1
    named = [(_name(one), (one.gpu or "") if several else "", reasons_in_words(one)) for one in judged]
    whys = tuple(Line(cells=(name, gpu, text)) for name, gpu, texts in named for text in texts)
    why = Sheet(title="What is in the way", columns=("MATLAB", "GPU", "what it is"), lines=whys)
    return (sheet, why, typed(newer=any(one.outcome == "enable" for one in judged)))


def in_a_line(one: OnGpu) -> str:
    """One MATLAB, for the advice."""
    said = _OUTCOMES[one.outcome]
    whys = reasons_in_words(one)
    for index, why in enumerate(whys):
        said = f"{said}: {why}" if index == 0 else f"{said}; {why}"
    return f"MATLAB {_name(one)} on the {one.gpu}: {said}." if one.gpu else f"MATLAB {_name(one)} on a GPU: {said}."


def reasons_in_words(one: OnGpu) -> tuple[str, ...]:
    """All that stands against it, or has to be known first."""
    codes: tuple[Outcome | Reason, ...] = one.reasons or (one.outcome,)
    return tuple(_reason(code, one) for code in codes if code in _REASONS)


def _reason(code: Outcome | Reason, one: OnGpu) -> str:
    words = _REASONS[code]
    if code == "gpu-too-old" and one.instead:
        return f"{words}; {one.instead} still serves it"
    if code in {"driver-too-old", "driver-older-than-its-cuda"} and one.driver:
        return f"{words}; {one.driver} or newer is enough"
    return words


def _name(one: OnGpu) -> str:
    return one.matlab.release or "?"


def _cells(one: OnGpu) -> tuple[str, ...]:
    return (_name(one), str(one.cuda or "?"), one.gpu or "-", _OUTCOMES[one.outcome], one.matlab.root)


def _row(one: OnGpu, matrix: Matrix) -> MatlabHere:
    """With the citation of the release; where it has no row, of what its CUDA has code for."""
    known: Row | None = release_of(one.matlab.release, matrix) if one.matlab.release else None
    known = known or (matrix.toolkit(one.cuda) if one.cuda else None)
    return MatlabHere(
        release=one.matlab.release, root=one.matlab.root, on_path=one.matlab.on_path,
        has_toolbox=one.matlab.has_toolbox, cuda=one.cuda, gpu=one.gpu, capability=one.capability,
        outcome=one.outcome, reasons=one.reasons, driver=one.driver, instead=one.instead,
        source=known.source if known else "the matrix has no such release",
        checked=known.checked if known else matrix.edition, confidence=known.confidence if known else "secondhand",
    )  # fmt: skip
