"""What the matrix knows below the frameworks, as tables: GPUs, drivers, CUDA, cuDNN."""

from collections.abc import Iterable

from gpudoctor.facts.versions import Capability, CudaVersion, DriverRelease, LibraryVersion
from gpudoctor.knowledge.matrix.gpu_names import called, closest, is_whole_name, near
from gpudoctor.knowledge.matrix.gpu_types import Architecture, GpuModel, GpuPeaks
from gpudoctor.knowledge.matrix.kernels import coverage
from gpudoctor.knowledge.matrix.peaks import peaks
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import Cudnn, DriverBranch, DriverFloor, ForwardCompat, Os, Toolkit, TorchBuild
from gpudoctor.report.matrix_tables import Line, NotKnown, Sheet, nearest, notes_sheet
from gpudoctor.report.matrix_tables_amd import amd_sheets

SYSTEMS: tuple[Os, ...] = ("linux", "windows")
#: More products than these are listed by name only.
MOST_PRODUCTS = 12


def cuda_sheets(matrix: Matrix, version: str | None) -> tuple[Sheet, ...]:
    """CUDA toolkits and the drivers they need; of one version, all that hangs on it. Raises NotKnown."""
    floors = [row for row in matrix.table("cuda_driver") if isinstance(row, DriverFloor)]
    if version is None:
        lines = tuple(_floor(row) for row in floors)
        return (Sheet(title="CUDA and the oldest driver it runs on", columns=_FLOOR, lines=lines),)
    wanted = CudaVersion.parse(version)
    if wanted is None or not _is_known(wanted, floors, matrix):
        raise NotKnown(f"CUDA {version}", nearest(version, (str(row.cuda) for row in floors)))
    own = _toolkit_floors(floors, wanted)
    family = [row for system in SYSTEMS if (row := matrix.family_floor(wanted, system)) is not None]
    lines = tuple(_floor(row) for row in [*own, *(row for row in family if row not in own)])
    return (
        Sheet(title=f"CUDA {version}: the oldest driver it runs on", columns=_FLOOR, lines=lines),
        *_offered_by(wanted, version, matrix),
        *_toolkit(matrix.toolkit(wanted), version),
        *_forward(matrix.forward_compat(wanted), version),
        *_torch_of(matrix, wanted),
    )


def _offered_by(cuda: CudaVersion, version: str, matrix: Matrix) -> tuple[Sheet, ...]:
    """The driver branches whose nvidia-smi shows it, which may be of no toolkit."""
    rows = [row for row in matrix.table("cuda_driver") if isinstance(row, DriverBranch) and row.cuda == cuda]
    lines = tuple(map(_branch, rows))
    return (Sheet(title=f"CUDA {version}: the drivers that show it", columns=_BRANCH, lines=lines),) if lines else ()


def _is_known(cuda: CudaVersion, floors: Iterable[DriverFloor], matrix: Matrix) -> bool:
    """A toolkit's floor, its compiler, or a driver branch that offers it."""
    branches = (row for row in matrix.table("cuda_driver") if isinstance(row, DriverBranch))
    offered = any(row.cuda == cuda for row in branches) or any(row.cuda == cuda for row in floors)
    return offered or matrix.toolkit(cuda) is not None or any(row.cuda == cuda for row in matrix.torch_builds())


def _toolkit_floors(floors: Iterable[DriverFloor], wanted: CudaVersion) -> list[DriverFloor]:
    """The toolkits of a CUDA version; of one update (12.4.1) only that. Raises NotKnown where there is no such one."""
    own = [row for row in floors if row.cuda == wanted and row.kind == "toolkit"]
    update = [row for row in own if row.toolkit == wanted.text]
    if update or wanted.text.count(".") < 2:  # 12.4 names all its updates
        return update or own
    raise NotKnown(f"CUDA {wanted}", tuple(dict.fromkeys(row.toolkit for row in own if row.toolkit)))


_FLOOR = ("CUDA", "system", "driver", "for", "note")


def _floor(row: DriverFloor) -> Line:
    what = "programs built with any of this major" if row.kind == "family" else "everything it offers"
    return Line(cells=(row.toolkit or str(row.cuda), row.os, str(row.release), what, row.notes or ""), row=row)


def _toolkit(row: Toolkit | None, version: str) -> tuple[Sheet, ...]:
    if row is None:
        return ()
    compilers = [f"gcc {row.gcc_max}" if row.gcc_max else "", f"clang {row.clang_max}" if row.clang_max else ""]
    targets = " ".join([*map(str, row.capabilities), *row.specific])
    line = Line(cells=(targets, ", ".join(filter(None, compilers)), row.notes or ""), row=row)
    return (Sheet(title=f"CUDA {version}: compiles for", columns=("GPUs", "newest compilers", "note"), lines=(line,)),)


def _forward(row: ForwardCompat | None, version: str) -> tuple[Sheet, ...]:
    if row is None:
        return ()
    cells = (" ".join(map(str, row.drivers)), " ".join(map(str, row.refused)), row.notes or "")
    columns = ("drivers it works on", "branches it refuses", "note")
    title = f"CUDA {version}: its cuda-compat package (data-centre GPUs only)"
    return (Sheet(title=title, columns=columns, lines=(Line(cells=cells, row=row),)),)


def _torch_of(matrix: Matrix, cuda: CudaVersion) -> tuple[Sheet, ...]:
    rows = [row for row in matrix.torch_builds() if row.cuda == cuda]
    lines = tuple(Line(cells=(f"{row.version}+{row.variant}", row.cudnn or ""), row=row) for row in rows)
    return (Sheet(title=f"PyTorch built for CUDA {cuda}", columns=("build", "cuDNN"), lines=lines),)


def driver_sheets(matrix: Matrix, release: str | None) -> tuple[Sheet, ...]:
    """Driver branches; of one branch or release, what it runs and serves. Raises NotKnown."""
    rows = [row for row in matrix.table("cuda_driver") if isinstance(row, DriverBranch)]
    if release is None:
        return (Sheet(title="Driver branches", columns=_BRANCH, lines=tuple(map(_branch, rows))),)
    wanted = DriverRelease.parse(release)
    own = [row for row in rows if wanted is not None and row.first <= wanted.branch <= row.last]
    if wanted is None or not own:
        raise NotKnown(f"driver {release}", _near_branches(release, wanted, rows))
    sheets = [Sheet(title=f"Driver {release}", columns=_BRANCH, lines=tuple(map(_branch, own)))]
    sheets += [_starts(matrix, wanted, row.os) for row in own]
    served = [
        row
        for row in matrix.table("cuda_arch")
        if isinstance(row, Architecture)
        and (row.first_branch is None or row.first_branch <= own[0].branch)
        and (row.last_branch is None or own[0].branch <= row.last_branch)
        and (row.first_branch or row.last_branch)
    ]
    return (*sheets, _architectures("GPUs it serves", served))


def _near_branches(text: str, wanted: DriverRelease | None, rows: Iterable[DriverBranch]) -> tuple[str, ...]:
    """The branches whose numbers are nearest."""
    branches = {row.branch: str(row.branch) for row in rows}
    if wanted is None:
        return nearest(text, branches.values())
    return tuple(branches[number] for number in sorted(branches, key=lambda branch: abs(branch - wanted.branch))[:2])


_BRANCH = ("branch", "system", "releases", "offers CUDA", "note")


def _branch(row: DriverBranch) -> Line:
    numbers = f"{row.first}.x" if row.first == row.last else f"{row.first}.x to {row.last}.x"
    return Line(cells=(str(row.branch), row.os, numbers, str(row.cuda), row.notes or ""), row=row)


def _starts(matrix: Matrix, driver: DriverRelease, system: Os) -> Sheet:
    """The CUDA majors whose programs a driver starts; a branch without a release counts by its last one."""
    families = [row for row in matrix.table("cuda_driver") if isinstance(row, DriverFloor) and row.kind == "family"]
    whole = driver if "." in driver.text else DriverRelease(f"{driver.text}.9999")
    lines = []
    for row in families:
        if row.os != system:
            continue
        starts = "no" if whole < row.release else "yes" if driver >= row.release else f"from {row.release} on"
        lines.append(Line(cells=(f"{row.cuda.major}.x", starts, str(row.release)), row=row))
    columns = ("built with CUDA", "starts", "needs driver")
    return Sheet(
        title=f"Programs it starts on {system} (minor-version compatibility)", columns=columns, lines=tuple(lines)
    )


def _architectures(title: str, rows: Iterable[Architecture]) -> Sheet:
    lines = tuple(
        Line(
            cells=(
                " ".join(map(str, row.capabilities)),
                row.name,
                str(row.first_branch or ""),
                str(row.last_branch or ""),
                row.kernel_module or "",
                row.chips or "",
            ),
            row=row,
        )
        for row in rows
    )
    columns = ("capability", "architecture", "first branch", "last branch", "kernel module", "chips")
    return Sheet(title=title, columns=columns, lines=lines)


def gpu_sheets(matrix: Matrix, name: str | None) -> tuple[Sheet, ...]:
    """GPU products; of one name, PCI id or compute capability also what runs on it. Raises NotKnown."""
    models: tuple[GpuModel, ...] = matrix.table("gpus")
    if name is None:
        return (_products("GPUs", models), _architectures("Architectures", _all_architectures(matrix)))
    found = products(matrix, name)
    if not found and (amd := amd_sheets(matrix, name)):
        return amd
    if not found:
        raise NotKnown(f"GPU {name!r}", near(models, name))
    sheets = [_products(f"GPU {name}", found), _peaks(matrix, found)]
    for capability in sorted({model.capability for model in found if model.capability is not None}):
        architecture = matrix.architecture(capability)
        sheets += [_architectures("Its architecture", [architecture])] if architecture else []
        sheets += [_runs_on(matrix, capability)]
    return tuple(sheets)


def products(matrix: Matrix, name: str) -> tuple[GpuModel, ...]:
    """The products of an exact name, of a PCI id ("10de:2684"), or else those called so."""
    exact = matrix.models_by_pci_id(name) if ":" in name else matrix.models_by_name(name)
    if exact:
        return exact
    models: tuple[GpuModel, ...] = matrix.table("gpus")
    found = called(models, name)
    named = closest(found)
    return named if len(found) > MOST_PRODUCTS or is_whole_name(named, name) else found


def _all_architectures(matrix: Matrix) -> list[Architecture]:
    return [row for row in matrix.table("cuda_arch") if isinstance(row, Architecture)]


def _products(title: str, models: Iterable[GpuModel]) -> Sheet:
    lines = tuple(
        Line(
            cells=(
                model.name,
                str(model.capability or ""),
                model.architecture or "",
                model.segment or "",
                str(model.last_branch or ""),
                " ".join(model.device_ids),
            ),
            row=model,
        )
        for model in models
    )
    columns = ("name", "capability", "architecture", "segment", "last branch", "PCI ids")
    return Sheet(title=title, columns=columns, lines=lines)


def _peaks(matrix: Matrix, models: Iterable[GpuModel]) -> Sheet:
    """Memory and peak rates of those products that have them."""
    rows = dict.fromkeys(row for model in models if (row := peaks(matrix, model.name)) is not None)
    columns = ("name", "memory GB", "bus bit", "GB/s", "SMs", "MHz", "FP32", "FP16 tensor", "TF32 tensor", "W", "note")
    title = "What it can do at most (dense TFLOP/s at boost clock, FP32 accumulation; *: stated by its maker)"
    return Sheet(title=title, columns=columns, lines=tuple(_peak(row) for row in rows))


def _peak(row: GpuPeaks) -> Line:
    facts = (
        "memory_gb",
        "memory_bus_bits",
        "memory_bandwidth_gbs",
        "sm_count",
        "boost_mhz",
        "fp32_tflops",
        "fp16_tensor_tflops",
        "tf32_tensor_tflops",
        "tdp_watts",
    )
    cells = (
        "" if (number := getattr(row, fact)) is None else f"{number:g}{'*' if row.is_official(fact) else ''}"
        for fact in facts
    )
    return Line(cells=(row.name, *cells, row.notes or ""), row=row)


def _runs_on(matrix: Matrix, capability: Capability) -> Sheet:
    """For each CUDA build of PyTorch (Linux) the newest release with machine code for a GPU."""
    newest: dict[str, TorchBuild] = {}
    for row in matrix.torch_builds():
        if (
            row.cuda is None
            or not (row.index_suffix or row.default_on)
            or coverage(row.archs.get("linux-x86_64", ()), capability, row.cuda) != "native"
        ):
            continue
        newest.setdefault(row.variant, row)
    lines = tuple(
        Line(cells=(variant, row.version, " ".join(row.archs["linux-x86_64"])), row=row)
        for variant, row in newest.items()
    )
    columns = ("build", "newest release", "code for")
    return Sheet(title=f"PyTorch with code for {capability} (Linux)", columns=columns, lines=lines)


_GPUS_FROM = "GPUs from: the lowest compute capability it has code for."


def cudnn_sheets(matrix: Matrix, version: str | None) -> tuple[Sheet, ...]:
    """The cuDNN minor releases; of one major (9) or minor (9.10). Raises NotKnown."""
    rows: tuple[Cudnn, ...] = matrix.table("cudnn")
    wanted = None if version is None else LibraryVersion.parse(version)
    if version is not None and wanted is None:
        raise NotKnown(f"version {version!r}", nearest(version, (row.cudnn for row in rows)))
    parts = [] if wanted is None or version is None else version.split(".")[:2]
    found = [row for row in rows if row.cudnn.split(".")[: len(parts)] == parts]
    if not found:
        raise NotKnown(f"cuDNN {version}", nearest(version or "", (row.cudnn for row in rows)))
    lines = tuple(
        Line(
            cells=(
                row.cudnn,
                " ".join(row.cuda),
                str(row.min_capability or ""),
                str(row.driver_linux or ""),
                str(row.driver_windows or ""),
            ),
            row=row,
        )
        for row in found
    )
    columns = ("cuDNN", "for CUDA", "GPUs from", "driver (Linux)", "driver (Windows)")
    title = "cuDNN" + (f" {version}" if version else "")
    notes = notes_sheet((row.cudnn, row.notes) for row in found)
    return (Sheet(title=title, columns=columns, lines=lines, legend=_GPUS_FROM), *notes)
