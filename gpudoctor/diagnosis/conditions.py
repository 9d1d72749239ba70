"""Conditions on frameworks, toolkits and libraries that refute causes: each returns the fact in words, or None.

A cause names those that refute it (`refuted_by`). What was not seen never refutes.
"""

from collections.abc import Sequence
from typing import cast

from gpudoctor.diagnosis.condition import CONDITIONS, condition
from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.libraries import Libraries, Toolkits
from gpudoctor.facts.live import Live
from gpudoctor.facts.python import Frameworks
from gpudoctor.facts.system import Container, System
from gpudoctor.facts.versions import CudaVersion, DriverRelease, LibraryVersion
from gpudoctor.knowledge.frameworks import planned
from gpudoctor.knowledge.known_surroundings import image_with_gpu_code
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.matrix.types import Os
from gpudoctor.knowledge.message import STRENGTH, message_of
from gpudoctor.knowledge.milestones import milestone, milestones, numbers_of
from gpudoctor.knowledge.statements import what_shows
from gpudoctor.rules.builds import device_code, services

#: An error of a program, and the causes of lines that are none of it.
_ERROR = re.compile(r"\b(?:\w*(?:error|exception)|fatal)\b:? ?\S", re.IGNORECASE)
_NO_FIRST_ERROR = ("peer-process-failed", "harmless")
#: A build's tag.
_TAG = re.compile(r"\+cu(\d{2})(\d)\b")
_OPENS_CUDA = numbers_of("tensorflow-opens-cuda")


@condition
def own_gpu_code_fails(seen: SnapshotView) -> str | None:
    """What lacks code for the GPU is a package's own, or a program's whose card does not tell the direction."""
    if seen.said("extension-no-kernel-image") and seen.framework("torch") is None:
        return "the message is of a package's own GPU code"
    is_own = bool(seen.about) and not seen.about & set(planned())
    is_open = is_own and not any(CONDITIONS[name](seen) for name in ("only-old-gpus", "only-recent-gpus"))
    return "the program has GPU code of its own" if is_open else None


@condition
def named_builds_know_gpus(seen: SnapshotView) -> str | None:
    """All builds that messages name by their tags (+cu121) are of a CUDA that compiles for every GPU that is stated."""
    gpus, matrix = seen.section(Gpus, "gpus"), load_matrix()
    tags = {CudaVersion(f"{match[1]}.{match[2]}") for text in seen.messages for match in _TAG.finditer(text)}
    capabilities = {matrix.capability(gpu) for gpu in gpus.nvidia} if gpus else set()
    rows = [matrix.toolkit(one) for one in sorted(tags)]
    knows = capabilities and rows and all(row is not None and capabilities <= {*row.capabilities} for row in rows)
    return (
        f"the builds named are of CUDA {' and '.join(map(str, sorted(tags)))}, which knows this GPU" if knows else None
    )


@condition
def first_error_is_stated(seen: SnapshotView) -> str | None:
    """Beside the message of a process that ended with another stands an error with causes of its own."""
    live = seen.section(Live, "live")
    for one in live.symptoms if live else ():
        record = message_of(one.signature)
        own = record and not record.fallback and all(cause.key not in _NO_FIRST_ERROR for cause in record.causes)
        if own and _ERROR.search(one.text):
            return "the error that it failed with is there"
    return None


@condition
def torch_built_for_this_maker(seen: SnapshotView) -> str | None:
    """The installed PyTorch is a build for the maker of every GPU that is stated."""
    maker = {"cuda": "nvidia", "rocm": "amd", "xpu": "intel"}.get(seen.variant("torch") or "")
    return "the installed PyTorch is a build for this GPU's maker" if maker and seen.makers == {maker} else None


@condition
def another_image_has_gpu_code(seen: SnapshotView) -> str | None:
    """The image that is started is one without GPU code."""
    container = seen.section(Container, "container")
    other = image_with_gpu_code(container.image) if container and container.image else None
    return f"the image with GPU code is {other}" if other else None


@condition
def torch_built_for_gpu(seen: SnapshotView) -> str | None:
    """The installed PyTorch is no processor build."""
    built_for = {"cuda": "CUDA", "rocm": "ROCm"}.get(seen.variant("torch") or "")
    return f"the installed PyTorch is built for {built_for}" if built_for else None


@condition
def torch_not_built_for_rocm(seen: SnapshotView) -> str | None:
    """The installed PyTorch is one for NVIDIA or the processor."""
    built_for = {"cuda": "CUDA", "cpu": "the processor"}.get(seen.variant("torch") or "")
    return f"the installed PyTorch is built for {built_for}" if built_for else None


@condition
def torch_code_serves_gpus(seen: SnapshotView) -> str | None:
    """The architectures that torch lists serve every GPU whose capability is stated."""
    torch, gpus, host = seen.framework("torch"), seen.section(Gpus, "gpus"), seen.section(System, "host")
    matrix = load_matrix()
    code = device_code(torch, matrix, host) if torch else None
    served = services(code, torch.cuda, gpus, matrix) if torch and code and gpus else ()
    serves = served and all(one.coverage == "native" for one in served)
    return f"PyTorch has code for compute capability {served[0].capability}" if serves else None


@condition
def macos_new_enough(seen: SnapshotView) -> str | None:
    """A macOS on which the installed PyTorch uses the GPU."""
    host, torch = seen.section(System, "host"), seen.framework("torch")
    if host is None or host.os != "macos":
        return None
    # Imported here: few reporters have a Mac.
    from gpudoctor.knowledge.metal import metal_floor

    release = LibraryVersion.parse(host.distribution_version)
    floor = metal_floor(torch.version) if torch and torch.version else None
    if torch is None or floor is None or release is None or release < floor:
        return None
    return f"{torch.label} uses a Mac's GPU from macOS {floor} on, and this is {release}"


@condition
def tensorflow_has_its_toolkit(seen: SnapshotView) -> str | None:
    """A toolkit of the very version that TensorFlow was built with is there."""
    toolkits, tensorflow = seen.section(Toolkits, "toolkits"), seen.framework("tensorflow")
    wanted = tensorflow.cuda if tensorflow else None
    there = wanted is not None and bool(toolkits) and any(one.version == wanted for one in toolkits.found)
    return f"CUDA toolkit {wanted}, which TensorFlow was built with, is installed" if there else None


@condition
def toolkit_of_another_cuda(seen: SnapshotView) -> str | None:
    """The CUDA that is stated is another than the one TensorFlow was built with: its DLLs have other names."""
    toolkits, tensorflow = seen.section(Toolkits, "toolkits"), seen.framework("tensorflow")
    wanted = tensorflow.cuda if tensorflow else None
    libraries = seen.section(Libraries, "libraries")
    missing = libraries.missing("tensorflow") if libraries else ()
    if missing and all(one.family == "cudnn" for one in missing):
        return None  # of CUDA itself it says nothing
    versions = {one.version for one in toolkits.found if one.version} if toolkits else set()
    if wanted is None or not versions or any(_same_names(one, wanted) for one in versions):
        return None
    return f"the CUDA stated is {min(versions)}, and TensorFlow was built with {wanted}"


def _same_names(one: CudaVersion, other: CudaVersion) -> bool:
    """Their libraries are called alike: up to 11.0 by the release, from 11.1 on by its first number."""
    first = min((one.major, one.minor), (other.major, other.minor))
    return one == other or (one.major == other.major and first > (11, 0))


@condition
def linked_to_another_toolkit(seen: SnapshotView) -> str | None:
    """A TensorFlow that is linked to CUDA's libraries, and the CUDA that is stated has others: its import fails."""
    numbers = seen.numbers("tensorflow")
    is_linked = numbers is not None and numbers < _OPENS_CUDA
    return toolkit_of_another_cuda(seen) if is_linked else None


_USUAL = STRENGTH["usual"]
#: What reporters say of programs that compute on this GPU.
_IN_USE = ("another-program-uses-gpu", "torch-uses-gpu", "tensorflow-uses-gpu", "jax-uses-gpu")


@condition
def nvml_lists_gpus(seen: SnapshotView) -> str | None:
    """The driver answers."""
    driver, gpus = seen.section(Driver, "driver"), seen.section(Gpus, "gpus")
    nvml = driver.nvml if driver else None
    if nvml and nvml.ok and nvml.device_count is None and nvml.source and nvml.source.kind == "report":
        return "nvidia-smi is said to work"
    if not (nvml and nvml.ok and nvml.device_count and gpus):
        return None
    release = f" {driver.release}" if driver and driver.release else ""
    return f"the driver{release} answers and lists {nvml.device_count} GPU{'s' * (nvml.device_count > 1)}"


@condition
def driver_serves_frameworks(seen: SnapshotView) -> str | None:
    """The driver offers the CUDA that every framework was built with, or a newer one."""
    driver, frameworks = seen.section(Driver, "driver"), seen.section(Frameworks, "frameworks")
    if driver is None or frameworks is None:
        return None
    # Which CUDA a build of conda uses, its release does not say: where the driver itself calls itself too old, it is.
    if seen.said("cuda-insufficient-driver") and nvml_lists_gpus(seen):
        return None
    wanted = [one.cuda for one in frameworks.found if one.cuda is not None]
    if not wanted:
        return None
    if driver.cuda is not None and max(wanted) <= driver.cuda:
        return f"the driver offers CUDA {driver.cuda}, and the frameworks were built with {max(wanted)}"
    if driver.release is not None and not seen.on_jetson and _meets_floors(driver.release, wanted, seen.os):
        return f"driver {driver.release} runs what is built with CUDA {max(wanted)}"
    return None


def _meets_floors(release: DriverRelease, wanted: Sequence[CudaVersion], os: str | None) -> bool:
    """Whether the release is at least the oldest for each CUDA's family, on either system where none is stated."""
    named = (os,) if os in ("linux", "windows") else ("linux", "windows")
    systems = cast("tuple[Os, ...]", named)
    floors = [load_matrix().family_floor(cuda, one) for cuda in wanted for one in systems]
    return all(floor is not None and floor.release <= release for floor in floors)


@condition
def driver_serves_another_program(seen: SnapshotView) -> str | None:
    """Another program is said to use the GPU, and no message calls the driver too old."""
    live = seen.section(Live, "live")
    rows = [row for one in live.symptoms if (row := message_of(one.signature))] if live else []
    called = any(one.key == "driver-too-old" and one.prior >= _USUAL for row in rows for one in row.causes)
    named = next((one for one in _IN_USE if seen.is_around(one)), None)
    return what_shows(named)[0].say if named and not called else None


_LEAVES_OUT = milestone("tensorflow-leaves-a-folder-out")
_HEADER = re.compile(r"\b((?:cub/)?\w+\.(?:h|cuh))\b")


@condition
def header_is_of_newer_toolkits(seen: SnapshotView) -> str | None:
    """A header that was not found came with a later CUDA than the toolkit that is stated."""
    toolkits = seen.section(Toolkits, "toolkits")
    here = max((one.version for one in toolkits.found if one.version), default=None) if toolkits else None
    for text in seen.messages if here else ():
        for match in _HEADER.finditer(text):
            first = milestones().get(f"header-{match[1]}")
            if first and here and here < CudaVersion(first.release):
                return f"CUDA {first.release} is the first with {match[1]}, and the toolkit is {here}"
    return None


@condition
def tensorflow_misses_libraries(seen: SnapshotView) -> str | None:
    """TensorFlow names libraries that it did not find."""
    return f"TensorFlow is what did not find {seen.missed[0].soname}" if seen.missed else None


@condition
def another_program_misses_libraries(seen: SnapshotView) -> str | None:
    """What did not find CUDA's libraries is neither torch nor linked to it."""
    # Its own symbols are what an extension of torch misses, whatever else is said.
    if seen.said("torch-symbol", "torch-library-missing", "symbol-undefined"):
        return None
    askers = {one.framework: one for one in seen.missed_by_programs}
    if not askers or any(asker == "program" or _is_of_torch(asker) for asker in askers):
        return None
    first = next(iter(askers.values()))
    return f"{first.wanted_by} is what did not find {first.soname}"


def _is_of_torch(asker: str) -> bool:
    # Imported here: in few texts a library is not found.
    from gpudoctor.knowledge.cuda_programs import cuda_program

    program = cuda_program(asker)
    return program is not None and program.of_torch


@condition
def tensorflow_misses_nothing(seen: SnapshotView) -> str | None:
    """Another program than TensorFlow did not find CUDA's libraries."""
    missed = seen.missed_by_programs
    if not missed or any(one.framework in ("tensorflow", "program") for one in missed):
        return None
    return f"{missed[0].wanted_by} is what did not find {missed[0].soname}"


@condition
def tensorflow_leaves_a_folder_out(seen: SnapshotView) -> str | None:
    """TensorFlow 2.21.0 for Linux, whose packages bring a library where it does not look."""
    framework = seen.framework("tensorflow")
    is_it = framework is not None and framework.version == _LEAVES_OUT and seen.os != "windows"
    return f"TensorFlow {_LEAVES_OUT} does not look where its packages put cuSOLVER" if is_it else None


@condition
def toolkit_has_other_names(seen: SnapshotView) -> str | None:
    """The CUDA that is stated has no library of the name that was asked for."""
    if not seen.missed_by_programs:
        return None
    # Imported here: in few texts a library is not found.
    from gpudoctor.sources.library_builds import cuda_of, cudnn_of

    toolkits = seen.section(Toolkits, "toolkits")
    here = [one.version for one in toolkits.found if one.version] if toolkits else []
    libraries = seen.section(Libraries, "libraries")
    cudnns = {one.version for one in libraries.copies if one.family == "cudnn" and one.version} if libraries else set()
    for one in seen.missed_by_programs:
        cudnn = cudnn_of(one.soname)
        if cudnn and cudnns and all(version.major != cudnn for version in cudnns):
            return f"{one.soname} belongs to cuDNN {cudnn}, and cuDNN {max(cudnns)} is installed"
        span = cuda_of(one.soname)
        if span and here and not any(map(span.holds, here)):
            return f"{one.soname} belongs to CUDA {span}, and CUDA {max(here)} is installed"
    return None
