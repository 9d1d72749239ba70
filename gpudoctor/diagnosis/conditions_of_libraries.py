"""Conditions on the CUDA libraries that were not found: whose program asked for them, and of which CUDA they are."""

from gpudoctor.diagnosis.condition import condition
from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.libraries import Libraries, Toolkits
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.knowledge.cuda_programs import cuda_program
from gpudoctor.knowledge.milestones import milestone, milestones
from gpudoctor.sources.library_builds import cuda_of, cudnn_of

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
