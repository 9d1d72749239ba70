"""Matrix tables below the frameworks: GPUs, drivers, CUDA, cuDNN."""

from collections.abc import Iterable

from gpudoctor.facts.versions import Capability, CudaVersion, DriverRelease, LibraryVersion
from gpudoctor.knowledge.matrix.gpu_types import Architecture, GpuModel, GpuPeaks
from gpudoctor.knowledge.matrix.gpus import called, closest, is_whole_name, near
from gpudoctor.knowledge.matrix.kernels import coverage
from gpudoctor.knowledge.matrix.peaks import peaks
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import Cudnn, DriverBranch, DriverFloor, Os, Toolkit, TorchBuild
from gpudoctor.report.matrix_tables import Columns, NotKnown, Sheet, nearest, notes_sheet, sheet_of
from gpudoctor.report.matrix_tables_amd import amd_sheets

SYSTEMS: tuple[Os, ...] = ("linux", "windows")
#: More products than these are listed by name only.
MOST_PRODUCTS = 12


def cuda_sheets(matrix: Matrix, version: str | None) -> tuple[Sheet, ...]:
    """CUDA toolkits and the drivers they need; of one version, all that hangs on it. Raises NotKnown."""
    floors = [row for row in matrix.table("cuda_driver") if isinstance(row, DriverFloor)]
    if version is None:
        return (sheet_of("CUDA and the oldest driver it runs on", floors, _FLOOR),)
    wanted = CudaVersion.parse(version)
    if wanted is None or not _is_known(wanted, floors, matrix):
        raise NotKnown(f"CUDA {version}", nearest(version, (str(row.cuda) for row in floors)))
    own = _toolkit_floors(floors, wanted)
    family = [row for system in SYSTEMS if (row := matrix.family_floor(wanted, system)) is not None]
    rows = [*own, *(row for row in family if row not in own)]
    return (
        sheet_of(f"CUDA {version}: the oldest driver it runs on", rows, _FLOOR),
        # The driver branches whose nvidia-smi shows it, which may be of no toolkit.
        sheet_of(
            f"CUDA {version}: the drivers that show it",
            [row for row in _branches(matrix) if row.cuda == wanted],
            _BRANCH,
        ),
        sheet_of(f"CUDA {version}: compiles for", filter(None, [matrix.toolkit(wanted)]), _TOOLKIT),
        sheet_of(
            f"CUDA {version}: its cuda-compat package (data-centre GPUs only)",
            filter(None, [matrix.forward_compat(wanted)]),
            {
                "drivers it works on": lambda row: row.drivers,
                "branches it refuses": lambda row: row.refused,
                "note": lambda row: row.notes,
            },
        ),
        sheet_of(
            f"PyTorch built for CUDA {wanted}",
            [row for row in matrix.torch_builds() if row.cuda == wanted],
            {"build": lambda row: f"{row.version}+{row.variant}", "cuDNN": lambda row: row.cudnn},
        ),
    )


def _branches(matrix: Matrix) -> list[DriverBranch]:
    return [row for row in matrix.table("cuda_driver") if isinstance(row, DriverBranch)]


def _is_known(cuda: CudaVersion, floors: Iterable[DriverFloor], matrix: Matrix) -> bool:
    """A toolkit's floor, its compiler, or a driver branch that offers it."""
    offered = any(row.cuda == cuda for row in _branches(matrix)) or any(row.cuda == cuda for row in floors)
    return offered or matrix.toolkit(cuda) is not None or any(row.cuda == cuda for row in matrix.torch_builds())


def _toolkit_floors(floors: Iterable[DriverFloor], wanted: CudaVersion) -> list[DriverFloor]:
    """The toolkits of a CUDA version; of one update (12.4.1) only that. Raises NotKnown where there is no such one."""
    own = [row for row in floors if row.cuda == wanted and row.kind == "toolkit"]
    update = [row for row in own if row.toolkit == wanted.text]
    if update or wanted.text.count(".") < 2:  # 12.4 names all its updates
        return update or own
    raise NotKnown(f"CUDA {wanted}", tuple(dict.fromkeys(row.toolkit for row in own if row.toolkit)))


_FLOOR: Columns[DriverFloor] = {
    "CUDA": lambda row: row.toolkit or row.cuda,
    "system": lambda row: row.os,
    "driver": lambda row: row.release,
    "for": lambda row: "programs built with any of this major" if row.kind == "family" else "everything it offers",
    "note": lambda row: row.notes,
}
_TOOLKIT: Columns[Toolkit] = {
    "GPUs": lambda row: (*row.capabilities, *row.specific),
    "newest compilers": lambda row: ", ".join(
        f"{name} {newest}" for name, newest in (("gcc", row.gcc_max), ("clang", row.clang_max)) if newest
    ),
    "note": lambda row: row.notes,
}


def driver_sheets(matrix: Matrix, release: str | None) -> tuple[Sheet, ...]:
    """Driver branches; of one branch or release, what it runs and serves. Raises NotKnown."""
    rows = _branches(matrix)
    if release is None:
        return (sheet_of("Driver branches", rows, _BRANCH),)
    wanted = DriverRelease.parse(release)
    own = [row for row in rows if wanted is not None and row.first <= wanted.branch <= row.last]
    if wanted is None or not own:
        raise NotKnown(f"driver {release}", _near_branches(release, wanted, rows))
    served = [
        row
        for row in _architectures(matrix)
        if (row.first_branch is None or row.first_branch <= own[0].branch)
        and (row.last_branch is None or own[0].branch <= row.last_branch)
        and (row.first_branch or row.last_branch)
    ]
    return (
        sheet_of(f"Driver {release}", own, _BRANCH),
        *(_starts(matrix, wanted, row.os) for row in own),
        sheet_of("GPUs it serves", served, _ARCHITECTURE),
    )


def _near_branches(text: str, wanted: DriverRelease | None, rows: Iterable[DriverBranch]) -> tuple[str, ...]:
    """The branches whose numbers are nearest."""
    branches = {row.branch: str(row.branch) for row in rows}
    if wanted is None:
        return nearest(text, branches.values())
    return tuple(branches[number] for number in sorted(branches, key=lambda branch: abs(branch - wanted.branch))[:2])


_BRANCH: Columns[DriverBranch] = {
    "branch": lambda row: row.branch,
    "system": lambda row: row.os,
    "releases": lambda row: f"{row.first}.x" if row.first == row.last else f"{row.first}.x to {row.last}.x",
    "offers CUDA": lambda row: row.cuda,
    "note": lambda row: row.notes,
}


def _starts(matrix: Matrix, driver: DriverRelease, system: Os) -> Sheet:
    """The CUDA majors whose programs a driver starts; a branch without a release counts by its last one."""
    families = [row for row in matrix.table("cuda_driver") if isinstance(row, DriverFloor) and row.kind == "family"]
    whole = driver if "." in driver.text else DriverRelease(f"{driver.text}.9999")
    columns = {
        "built with CUDA": lambda row: f"{row.cuda.major}.x",
        "starts": lambda row: (
            "no" if whole < row.release else "yes" if driver >= row.release else f"from {row.release} on"
        ),
        "needs driver": lambda row: row.release,
    }
    rows = [row for row in families if row.os == system]
    return sheet_of(f"Programs it starts on {system} (minor-version compatibility)", rows, columns)


_ARCHITECTURE: Columns[Architecture] = {
    "capability": lambda row: row.capabilities,
    "architecture": lambda row: row.name,
    "first branch": lambda row: row.first_branch,
    "last branch": lambda row: row.last_branch,
    "kernel module": lambda row: row.kernel_module,
    "chips": lambda row: row.chips,
}


def _architectures(matrix: Matrix) -> list[Architecture]:
    return [row for row in matrix.table("cuda_arch") if isinstance(row, Architecture)]


def gpu_sheets(matrix: Matrix, name: str | None) -> tuple[Sheet, ...]:
    """GPU products; of one name, PCI id or compute capability also what runs on it. Raises NotKnown."""
    models: tuple[GpuModel, ...] = matrix.table("gpus")
    if name is None:
        architectures = sheet_of("Architectures", _architectures(matrix), _ARCHITECTURE)
        return (sheet_of("GPUs", models, _PRODUCT), architectures)
    found = products(matrix, name)
    if not found and (amd := amd_sheets(matrix, name)):
        return amd
    if not found:
        raise NotKnown(f"GPU {name!r}", near(models, name))
    sheets = [sheet_of(f"GPU {name}", found, _PRODUCT), _peaks(matrix, found)]
    for capability in sorted({model.capability for model in found if model.capability is not None}):
        architecture = matrix.architecture(capability)
        sheets += [sheet_of("Its architecture", [architecture], _ARCHITECTURE)] if architecture else []
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


_PRODUCT: Columns[GpuModel] = {
    "name": lambda row: row.name,
    "capability": lambda row: row.capability,
    "architecture": lambda row: row.architecture,
    "segment": lambda row: row.segment,
    "last branch": lambda row: row.last_branch,
    "PCI ids": lambda row: row.device_ids,
}


def _peaks(matrix: Matrix, models: Iterable[GpuModel]) -> Sheet:
    """Memory and peak rates of those products that have them."""
    rows = dict.fromkeys(row for model in models if (row := peaks(matrix, model.name)) is not None)
    title = "What it can do at most (dense TFLOP/s at boost clock, FP32 accumulation; *: stated by its maker)"
    return sheet_of(title, rows, _PEAKS)


def _number(row: GpuPeaks, fact: str) -> str:
    number = getattr(row, fact)
    return "" if number is None else f"{number:g}{'*' if row.is_official(fact) else ''}"


_PEAKS: Columns[GpuPeaks] = {
    "name": lambda row: row.name,
    "memory GB": lambda row: _number(row, "memory_gb"),
    "bus bit": lambda row: _number(row, "memory_bus_bits"),
    "GB/s": lambda row: _number(row, "memory_bandwidth_gbs"),
    "SMs": lambda row: _number(row, "sm_count"),
    "MHz": lambda row: _number(row, "boost_mhz"),
    "FP32": lambda row: _number(row, "fp32_tflops"),
    "FP16 tensor": lambda row: _number(row, "fp16_tensor_tflops"),
    "TF32 tensor": lambda row: _number(row, "tf32_tensor_tflops"),
    "W": lambda row: _number(row, "tdp_watts"),
    "note": lambda row: row.notes,
}


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
    columns = {
        "build": lambda row: row.variant,
        "newest release": lambda row: row.version,
        "code for": lambda row: row.archs["linux-x86_64"],
    }
    return sheet_of(f"PyTorch with code for {capability} (Linux)", newest.values(), columns)


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
    columns = {
        "cuDNN": lambda row: row.cudnn,
        "for CUDA": lambda row: row.cuda,
        "GPUs from": lambda row: row.min_capability,
        "driver (Linux)": lambda row: row.driver_linux,
        "driver (Windows)": lambda row: row.driver_windows,
    }
    title = "cuDNN" + (f" {version}" if version else "")
    notes = notes_sheet((row.cudnn, row.notes) for row in found)
    return (sheet_of(title, found, columns, _GPUS_FROM), *notes)
