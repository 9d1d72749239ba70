"""Matrix tables of the frameworks: releases, builds, companions."""

from collections.abc import Iterable
from typing import Any

from gpudoctor.facts.versions import local_tag, package_version
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import Companions, JaxBuild, KerasPairing, TensorflowBuild, TorchBuild
from gpudoctor.report.matrix_tables import Columns, Line, NotKnown, Sheet, nearest, notes_sheet, sheet_of

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
    notes = notes_sheet((f"{row.version}+{row.variant}", row.notes) for row in found)
    pairs = [matrix.torch_companions(version) for version in dict.fromkeys(row.version for row in found)]
    return (
        sheet_of(f"PyTorch {release}", found, _TORCH, CODE_FOR),
        sheet_of("Made for it", filter(None, pairs), _COMPANIONS),
        *notes,
    )


_COMPANIONS: Columns[Companions] = {
    "torch": lambda row: row.torch,
    "torchvision": lambda row: row.torchvision,
    "torchaudio": lambda row: row.torchaudio,
    "note": lambda row: row.notes,
}


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


_TORCH: Columns[TorchBuild] = {
    "build": lambda row: f"{row.version}+{row.variant}",
    "CUDA": lambda row: row.cuda_patch or row.cuda,
    "cuDNN": lambda row: row.cudnn,
    "NCCL": lambda row: row.nccl,
    "Python": lambda row: span(row.pythons),
    "platforms": lambda row: systems(row.platforms),
    "code for": lambda row: capabilities(row.archs.get("linux-x86_64") or next(iter(row.archs.values()), ())),
}


def tensorflow_sheets(matrix: Matrix, release: str | None) -> tuple[Sheet, ...]:
    """TensorFlow: the GPU builds of each line; of one line or release, every distribution. Raises NotKnown."""
    rows = matrix.tensorflow_builds()
    if release is None:
        shown = [row for row in rows if row.build == "gpu" and row.platform != "macos-x86_64"]
        columns = {name: show for name, show in _TENSORFLOW.items() if name != "build"}
        return (sheet_of("TensorFlow GPU builds", shown, columns, CODE_FOR),)
    found = matrix.tensorflow_builds(release) or _of_line(rows, release, "line")
    if not found:
        raise NotKnown(f"tensorflow {release}", nearest(release, (row.line for row in rows)))
    pins = {row.and_cuda: row for row in found if row.and_cuda}
    lines = tuple(Line(cells=(pin,), row=row) for row in pins.values() for pin in row.and_cuda)
    return (
        sheet_of(f"TensorFlow {release}", found, _TENSORFLOW, CODE_FOR),
        _tensorflow_needs(found),
        Sheet(title="What tensorflow[and-cuda] adds", columns=("requirement",), lines=lines),
        *notes_sheet((f"{row.dist} {row.platform}", row.defect or row.notes) for row in found),
    )


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


_TENSORFLOW: Columns[TensorflowBuild] = {
    "releases": lambda row: row.first if row.first == row.last else f"{row.first}-{row.last}",
    "package": lambda row: row.dist,
    "platform": lambda row: systems([row.platform]),
    "build": lambda row: row.build,
    "CUDA": lambda row: row.cuda,
    "cuDNN": lambda row: row.cudnn,
    "Python": lambda row: span(row.pythons),
    "code for": lambda row: capabilities(row.archs or ()),
}


def jax_sheets(matrix: Matrix, release: str | None) -> tuple[Sheet, ...]:
    """JAX by release and CUDA extra. Raises NotKnown."""
    rows = matrix.jax_builds()
    found = rows if release is None else _of_line(rows, release, "version")
    if not found:
        raise NotKnown(f"jax {release}", nearest(release or "", (row.version for row in rows)))
    sheet = sheet_of("JAX" + (f" {release}" if release else ""), found, _JAX, CODE_FOR)
    notes = notes_sheet((f"{row.version} {row.variant}", row.notes) for row in found) if release else ()
    return (sheet, *(_numpy(matrix, "jax", {row.version for row in found}) if release else ()), *notes)


def _numpy(matrix: Matrix, package: str, versions: set[str]) -> tuple[Sheet, ...]:
    """The NumPy that releases ask for, and whether NumPy 2 is one of them."""
    rows = [row for row in matrix.table("numpy") if row.package == package and row.version in versions]
    columns = {
        "release": lambda row: row.version,
        "asks for": lambda row: _spaced(row.required),
        "works with NumPy 2": lambda row: {True: "yes", False: "no", None: ""}[row.works_with_numpy2],
    }
    return (sheet_of("NumPy", rows, columns),)


_JAX: Columns[JaxBuild] = {
    "release": lambda row: f"{row.version} (withdrawn)" if row.yanked else row.version,
    "extra": lambda row: row.variant,
    "CUDA from": lambda row: row.cuda,
    "cuDNN from": lambda row: row.cudnn,
    "jaxlib": lambda row: _spaced(row.jaxlib),
    "Python": lambda row: span(row.pythons),
    "driver from": lambda row: row.driver_linux,
    "code for": lambda row: capabilities(row.archs or ()),
}


def keras_sheets(matrix: Matrix, release: str | None) -> tuple[Sheet, ...]:
    """Keras by TensorFlow release; of one Keras major ("3") or TensorFlow line ("2.16"). Raises NotKnown."""
    rows: tuple[KerasPairing, ...] = matrix.table("keras")
    found = [row for row in rows if release is None or str(row.major) == release]
    found = found or list(_of_line(rows, release or "", "tensorflow"))
    if not found:
        raise NotKnown(f"keras {release}", ("2", "3", *nearest(release or "", (row.tensorflow for row in rows))))
    columns = {
        "TensorFlow": lambda row: row.tensorflow,
        "asks for": lambda row: row.keras,
        "Keras": lambda row: row.major,
        "tf-keras": lambda row: row.tf_keras,
    }
    return (sheet_of("Keras by TensorFlow", found, columns), *notes_sheet((row.tensorflow, row.notes) for row in found))


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
