"""What the matrix knows of the frameworks, as tables."""

from collections.abc import Iterable
from typing import Any

from gpudoctor.facts.versions import local_tag, package_version
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import JaxBuild, KerasPairing, NumpyAbi, TensorflowBuild, TorchBuild
from gpudoctor.report.matrix_tables import Line, NotKnown, Sheet, nearest, notes_sheet

_SYSTEMS = {
    "linux-x86_64": "Linux",
    "linux-aarch64": "Linux-arm",
    "windows-x86_64": "Windows",
    "macos-arm64": "macOS",
    "macos-x86_64": "macOS-Intel",
}

CODE_FOR = (
    "code for: compute capabilities of GPUs. Code for 8.0 also runs on 8.6 and 8.9, not on 9.0. A plus marks PTX, "
    "which the driver compiles for newer GPUs."
)


def torch_sheets(matrix: Matrix, release: str | None) -> tuple[Sheet, ...]:
    """PyTorch: the releases; of one line or release, each build. Raises NotKnown."""
    rows = matrix.torch_builds()
    if release is None:
        return (_torch_releases(rows),)
    tag = local_tag(release)
    found = [row for row in _of_line(rows, release, "version") if tag in (None, row.variant)]
    if not found:
        raise NotKnown(f"torch {release}", nearest(release, (row.version for row in rows)))
    columns = ("build", "CUDA", "cuDNN", "NCCL", "Python", "platforms", "code for")
    lines = tuple(Line(cells=_torch_cells(row), row=row) for row in found)
    notes = notes_sheet((f"{row.version}+{row.variant}", row.notes) for row in found)
    builds = Sheet(title=f"PyTorch {release}", columns=columns, lines=lines, legend=CODE_FOR)
    return (builds, _companions(matrix, found), *notes)


def _companions(matrix: Matrix, rows: Iterable[TorchBuild]) -> Sheet:
    pairs = [matrix.torch_companions(version) for version in dict.fromkeys(row.version for row in rows)]
    lines = tuple(
        Line(cells=(pair.torch, " ".join(pair.torchvision), " ".join(pair.torchaudio), pair.notes or ""), row=pair)
        for pair in pairs
        if pair is not None
    )
    return Sheet(title="Made for it", columns=("torch", "torchvision", "torchaudio", "note"), lines=lines)


def _torch_releases(rows: Iterable[TorchBuild]) -> Sheet:
    builds: dict[str, list[TorchBuild]] = {}
    for row in rows:
        builds.setdefault(row.version, []).append(row)
    lines = []
    for version, own in builds.items():
        default = next((row.variant for row in own if "linux-x86_64" in row.default_on), "")
        names = " ".join(row.variant for row in own)
        vision = next((row.torchvision for row in own if row.torchvision), "") or ""
        cells = (version, names, default, span(python for row in own for python in row.pythons), vision)
        lines.append(Line(cells=cells, row=own[0], more=tuple(own[1:])))
    columns = ("release", "builds", "plain pip on Linux", "Python", "torchvision")
    return Sheet(title="PyTorch releases", columns=columns, lines=tuple(lines))


def _torch_cells(row: TorchBuild) -> tuple[str, ...]:
    return (
        f"{row.version}+{row.variant}",
        str(row.cuda_patch or row.cuda or ""),
        row.cudnn or "",
        row.nccl or "",
        span(row.pythons),
        systems(row.platforms),
        capabilities(row.archs.get("linux-x86_64") or next(iter(row.archs.values()), ())),
    )


def tensorflow_sheets(matrix: Matrix, release: str | None) -> tuple[Sheet, ...]:
    """TensorFlow: the GPU builds of each line; of one line or release, every distribution. Raises NotKnown."""
    rows = matrix.tensorflow_builds()
    if release is None:
        shown = [row for row in rows if row.build == "gpu" and row.platform != "macos-x86_64"]
        return (_tensorflow("TensorFlow GPU builds", shown, without=("build",)),)
    found = matrix.tensorflow_builds(release) or _of_line(rows, release, "line")
    if not found:
        raise NotKnown(f"tensorflow {release}", nearest(release, (row.line for row in rows)))
    sheets = [_tensorflow(f"TensorFlow {release}", found), _tensorflow_needs(found)]
    pins = {row.and_cuda: row for row in found if row.and_cuda}
    lines = tuple(Line(cells=(pin,), row=row) for row in pins.values() for pin in row.and_cuda)
    sheets.append(Sheet(title="What tensorflow[and-cuda] adds", columns=("requirement",), lines=lines))
    return (*sheets, *notes_sheet((f"{row.dist} {row.platform}", row.defect or row.notes) for row in found))


def _tensorflow_needs(rows: Iterable[TensorflowBuild]) -> Sheet:
    """What the distributions ask for, those that ask for the same together."""
    same: dict[tuple[str, str, str], list[TensorflowBuild]] = {}
    for row in rows:
        same.setdefault((_spaced(row.numpy), _spaced(row.protobuf), _spaced(row.keras)), []).append(row)
    lines = tuple(
        Line(cells=(" ".join(dict.fromkeys(row.dist for row in own)), *needs), row=own[0])
        for needs, own in same.items()
        if any(needs)
    )
    return Sheet(title="What it asks for", columns=("package", "NumPy", "protobuf", "Keras"), lines=lines)


def _spaced(requirement: str | None) -> str:
    """A requirement that can be wrapped."""
    return (requirement or "").replace(",", ", ")


def _tensorflow(title: str, rows: Iterable[TensorflowBuild], without: tuple[str, ...] = ()) -> Sheet:
    table = [_tensorflow_cells(row) for row in rows]
    columns = tuple(name for name in table[0] if name not in without)
    lines = (
        Line(cells=tuple(cells[name] for name in columns), row=row) for cells, row in zip(table, rows, strict=True)
    )
    return Sheet(title=title, columns=columns, lines=tuple(lines), legend=CODE_FOR)


def _tensorflow_cells(row: TensorflowBuild) -> dict[str, str]:
    return {
        "releases": row.first if row.first == row.last else f"{row.first}-{row.last}",
        "package": row.dist,
        "platform": systems([row.platform]),
        "build": row.build,
        "CUDA": str(row.cuda or ""),
        "cuDNN": row.cudnn or "",
        "Python": span(row.pythons),
        "code for": capabilities(row.archs or ()),
    }


def jax_sheets(matrix: Matrix, release: str | None) -> tuple[Sheet, ...]:
    """JAX by release and CUDA extra. Raises NotKnown."""
    rows = matrix.jax_builds()
    found = rows if release is None else _of_line(rows, release, "version")
    if not found:
        raise NotKnown(f"jax {release}", nearest(release or "", (row.version for row in rows)))
    columns = ("release", "extra", "CUDA from", "cuDNN from", "jaxlib", "Python", "driver from", "code for")
    lines = tuple(Line(cells=_jax_cells(row), row=row) for row in found)
    sheet = Sheet(title="JAX" + (f" {release}" if release else ""), columns=columns, lines=lines, legend=CODE_FOR)
    notes = notes_sheet((f"{row.version} {row.variant}", row.notes) for row in found) if release else ()
    return (sheet, *(_numpy(matrix, "jax", {row.version for row in found}) if release else ()), *notes)


def _numpy(matrix: Matrix, package: str, versions: set[str]) -> tuple[Sheet, ...]:
    """The NumPy that releases ask for, and whether NumPy 2 is one of them."""
    rows: tuple[NumpyAbi, ...] = matrix.table("numpy")
    lines = tuple(
        Line(
            cells=(row.version, _spaced(row.required), {True: "yes", False: "no", None: ""}[row.works_with_numpy2]),
            row=row,
        )
        for row in rows
        if row.package == package and row.version in versions
    )
    return (Sheet(title="NumPy", columns=("release", "asks for", "works with NumPy 2"), lines=lines),) if lines else ()


def _jax_cells(row: JaxBuild) -> tuple[str, ...]:
    name = f"{row.version} (withdrawn)" if row.yanked else row.version
    driver = str(row.driver_linux or "")
    code = capabilities(row.archs or ())
    return (
        name,
        row.variant,
        str(row.cuda or ""),
        row.cudnn or "",
        _spaced(row.jaxlib),
        span(row.pythons),
        driver,
        code,
    )


def keras_sheets(matrix: Matrix, release: str | None) -> tuple[Sheet, ...]:
    """Keras by TensorFlow release; of one Keras major ("3") or TensorFlow line ("2.16"). Raises NotKnown."""
    rows: tuple[KerasPairing, ...] = matrix.table("keras")
    found = [row for row in rows if release is None or str(row.major) == release]
    found = found or list(_of_line(rows, release or "", "tensorflow"))
    if not found:
        raise NotKnown(f"keras {release}", ("2", "3", *nearest(release or "", (row.tensorflow for row in rows))))
    lines = tuple(
        Line(cells=(row.tensorflow, row.keras or "", str(row.major or ""), " ".join(row.tf_keras)), row=row)
        for row in found
    )
    sheet = Sheet(title="Keras by TensorFlow", columns=("TensorFlow", "asks for", "Keras", "tf-keras"), lines=lines)
    return (sheet, *notes_sheet((row.tensorflow, row.notes) for row in found))


def _of_line(rows: Iterable[Any], release: str, field: str) -> tuple[Any, ...]:
    """Rows of a release, or of all releases that begin with it: 2.6 is 2.6.0 and 2.6.1."""
    wanted = package_version(release)
    if wanted is None:
        raise NotKnown(f"version {release!r}")
    size = len(wanted.release)
    return tuple(
        row
        for row in rows
        if (version := package_version(getattr(row, field))) is not None
        and (version.release[:size] == wanted.release or version.public == wanted.public)
    )


def span(pythons: Iterable[str]) -> str:
    """Python versions in short: 3.9-3.12, 2.7 3.5-3.7."""
    found = sorted({tuple(map(int, one.split("."))) for one in pythons})
    groups: list[list[tuple[int, ...]]] = []
    for version in found:
        if groups and groups[-1][-1] == (version[0], version[1] - 1):
            groups[-1].append(version)
        else:
            groups.append([version])
    ends = [(group[0], group[-1]) for group in groups]
    return " ".join(
        ".".join(map(str, first)) + ("" if first == last else "-" + ".".join(map(str, last))) for first, last in ends
    )


def systems(platforms: Iterable[str]) -> str:
    """Platforms in short."""
    return " ".join(dict.fromkeys(_SYSTEMS.get(one, one) for one in platforms))


def capabilities(archs: Iterable[str]) -> str:
    """Architectures as compute capabilities: 8.0 9.0a; PTX after a plus: +9.0."""
    found = []
    for arch in archs:
        kind, _, number = arch.partition("_")
        digits = number.rstrip("af")
        found.append(f"{'+' if kind == 'compute' else ''}{digits[:-1]}.{digits[-1]}{number[len(digits) :]}")
    return " ".join(found)
