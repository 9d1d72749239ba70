"""Conditions that refute causes: each looks at a snapshot and says in words the fact that holds, or None.

A cause names those that refute it (`refuted_by`). What was not seen never refutes.
"""

from gpudoctor.diagnosis.condition import CONDITIONS, condition
from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.libraries import Toolkits
from gpudoctor.facts.live import Live
from gpudoctor.facts.system import Container, System
from gpudoctor.facts.versions import CudaVersion, LibraryVersion
from gpudoctor.knowledge.frameworks import planned
from gpudoctor.knowledge.known_surroundings import image_with_gpu_code
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.message import message_of
from gpudoctor.knowledge.metal import metal_floor
from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.rules.builds import device_code, services

#: An error of a program, and the causes of lines that are none of it.
_ERROR = re.compile(r"\b(?:\w*(?:error|exception)|fatal)\b:? ?\S", re.IGNORECASE)
_NO_FIRST_ERROR = ("peer-process-failed", "harmless")
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
    release = LibraryVersion.parse(host.distribution_version) if host and host.os == "macos" else None
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
