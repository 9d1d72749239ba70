"""Conditions that refute causes: each looks at a snapshot and says in words the fact that holds, or None.

A cause names those that refute it (`refuted_by`). What was not seen never refutes.
"""

from gpudoctor.diagnosis.condition import condition
from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.libraries import Toolkits
from gpudoctor.facts.live import Live
from gpudoctor.facts.system import Container, System
from gpudoctor.facts.versions import LibraryVersion
from gpudoctor.knowledge.image_variants import image_with_gpu_code
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.message import STRENGTH, message_of
from gpudoctor.knowledge.metal import metal_floor
from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.rules.builds import device_code, services

#: Products of Ampere and later, those before Volta, and those that are no GeForce.
_RECENT = re.compile(r"RTX (?:[3-9]0\d\d|A\d{4}|PRO)|\b(?:A\d{2,3}|H\d{2,3}|L4|L40S?|B\d{3}|GB\d+|GH200)\b")
_OLD = re.compile(
    r"\bGTX? ?(?:[4-9]\d\d|10[1-8]0)|\b(?:Tesla|Quadro) [KMP]\d|\bTITAN (?:X|Xp|Black|Z)\b|\b[KMP](?:40|60|80|100)\b"
)
#: An error of a program, and the causes of lines that are none of it.
_ERROR = re.compile(r"\b(?:\w*(?:error|exception)|fatal)\b:? ?\S", re.IGNORECASE)
_NO_FIRST_ERROR = ("peer-process-failed", "harmless")
_USUAL = STRENGTH["usual"]
_NOT_GTX16 = re.compile(r"^(?!.*(?:GTX ?16\d\d|\b16[56]0\b|T[4-6]00\b|MX4[0-9]0))")
_NOT_GEFORCE = re.compile(r"^(?!.*(?:GeForce|RTX [2-5]0\d\d|TITAN))")
#: TensorFlow's first release without GPU support on Windows, with CUDA as an extra, and without a toolkit's libraries.
_OPENS_CUDA = numbers_of("tensorflow-opens-cuda")
_NO_WINDOWS = numbers_of("tensorflow-without-windows-gpu")
_WITH_AVX2 = numbers_of("tensorflow-avx2-by-mistake")
_WITH_EXTRA, _OWN_LIBRARIES = numbers_of("tensorflow-cuda-extra"), numbers_of("tensorflow-own-libraries")


@condition
def secure_boot_off(seen: SnapshotView) -> str | None:
    """Secure Boot was looked at."""
    driver = seen.section(Driver, "driver")
    return "Secure Boot is off" if driver is not None and driver.secure_boot is False else None


@condition
def container_asked_for_gpus(seen: SnapshotView) -> str | None:
    """The command that started the container asks for GPUs."""
    container = seen.section(Container, "container")
    return "the container was started with GPU access" if container and container.gpus_requested else None


@condition
def libcuda_missing_beside_nvml(seen: SnapshotView) -> str | None:
    """NVML lists a GPU, and libcuda is not there: the GPU was given, computing was not."""
    driver = seen.section(Driver, "driver")
    lacks = driver is not None and driver.cuda_init is not None and driver.cuda_init.outcome == "no-library"
    gives = driver is not None and driver.nvml is not None and bool(driver.nvml.device_count)
    return "NVML lists the GPU here" if lacks and gives else None


@condition
def wsl_without_windows_driver(seen: SnapshotView) -> str | None:
    """WSL, without the libraries of Windows' driver."""
    container = seen.section(Container, "container")
    lacks = bool(container and container.wsl and container.wsl.driver_library is False)
    return "WSL has no driver libraries that could be found" if lacks else None


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
def rocm_torch_in_wsl(seen: SnapshotView) -> str | None:
    """A PyTorch for ROCm, and the system is WSL."""
    both = seen.variant("torch") == "rocm" and seen.systems == {"wsl"}
    return "PyTorch is built for ROCm, and this is WSL" if both else None


@condition
def another_image_has_gpu_code(seen: SnapshotView) -> str | None:
    """The image that is started is one without GPU code."""
    container = seen.section(Container, "container")
    other = image_with_gpu_code(container.image) if container and container.image else None
    return f"the image with GPU code is {other}" if other else None


@condition
def wsl_2_is_named(seen: SnapshotView) -> str | None:
    """WSL 2 is named, and WSL 1 is not."""
    named = seen.is_around("wsl-2") and not seen.is_around("wsl-1")
    return "this is WSL 2" if named else None


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
def torch_from_conda(seen: SnapshotView) -> str | None:
    """Conda installed PyTorch."""
    return "PyTorch was installed by conda" if seen.by_conda is True else None


@condition
def torch_not_from_conda(seen: SnapshotView) -> str | None:
    """Another installer than conda installed PyTorch."""
    return "PyTorch was not installed by conda" if seen.by_conda is False else None


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
def only_recent_gpus(seen: SnapshotView) -> str | None:
    """All GPUs are of Ampere or later."""
    return "the GPU is a recent one" if seen.all_named(_RECENT) else None


@condition
def only_old_gpus(seen: SnapshotView) -> str | None:
    """All GPUs are older than Volta."""
    return "the GPU is an old one" if seen.all_named(_OLD) else None


@condition
def on_jetson(seen: SnapshotView) -> str | None:
    """NVIDIA's own builds serve a Jetson's GPU, and its driver is a part of its system."""
    return "this is a Jetson, whose driver and builds come with JetPack" if seen.on_jetson else None


@condition
def on_apple_silicon(seen: SnapshotView) -> str | None:
    """A Mac with Apple's own processor."""
    host = seen.section(System, "host")
    named = seen.is_around("apple-silicon") or (host is not None and host.os == "macos" and host.arch == "arm64")
    return "this is a Mac with Apple's processor" if named else None


@condition
def no_geforce(seen: SnapshotView) -> str | None:
    """None of the GPUs is a GeForce."""
    return "the GPUs are no GeForce cards" if seen.all_named(_NOT_GEFORCE) else None


@condition
def no_gtx16(seen: SnapshotView) -> str | None:
    """None of the GPUs is a GTX 16, whose half precision is known for NaN."""
    return "the GPU is no GeForce GTX 16" if seen.all_named(_NOT_GTX16) else None


@condition
def mac_gpu_was_used(seen: SnapshotView) -> str | None:
    """What asks for the GPU of a Mac by its own name does not fail for want of CUDA."""
    asked = seen.said(
        *("mps-operation-missing", "mps-out-of-memory", "mps-macos-too-old", "mps-double-precision", "mps-autocast"),
        "mps-unavailable",
    )
    return "the program asks for the GPU of the Mac, not for CUDA" if asked else None


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
def tensorflow_built_for_gpu(seen: SnapshotView) -> str | None:
    """The installed TensorFlow is no processor build."""
    return "the installed TensorFlow is built for CUDA" if seen.variant("tensorflow") == "cuda" else None


@condition
def tensorflow_without_windows_gpu(seen: SnapshotView) -> str | None:
    """TensorFlow on Windows, of a release without GPU support there."""
    numbers = seen.numbers("tensorflow")
    ended = seen.os == "windows" and numbers is not None and numbers >= _NO_WINDOWS
    return "TensorFlow 2.11 and later have no GPU support on Windows at all" if ended else None


@condition
def tensorflow_with_windows_gpu(seen: SnapshotView) -> str | None:
    """A TensorFlow that still serves GPUs on Windows."""
    numbers = seen.numbers("tensorflow")
    serves = numbers is not None and numbers < _NO_WINDOWS
    return "this TensorFlow still supports GPUs on Windows" if serves else None


@condition
def tensorflow_before_cuda_extra(seen: SnapshotView) -> str | None:
    """A TensorFlow whose CUDA never came with it."""
    numbers = seen.numbers("tensorflow")
    return "this TensorFlow brings no CUDA packages" if numbers is not None and numbers < _WITH_EXTRA else None


@condition
def tensorflow_brings_libraries(seen: SnapshotView) -> str | None:
    """A TensorFlow that takes its libraries from packages, not from a toolkit."""
    numbers = seen.numbers("tensorflow")
    own = numbers is not None and numbers >= _OWN_LIBRARIES
    return "this TensorFlow takes its CUDA libraries from pip packages" if own else None


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
    if wanted is None or not versions or wanted in versions:
        return None
    return f"the CUDA stated is {min(versions)}, and TensorFlow was built with {wanted}"


@condition
def linked_to_another_toolkit(seen: SnapshotView) -> str | None:
    """A TensorFlow that is linked to CUDA's libraries, and the CUDA that is stated has others: its import fails."""
    numbers = seen.numbers("tensorflow")
    is_linked = numbers is not None and numbers < _OPENS_CUDA
    return toolkit_of_another_cuda(seen) if is_linked else None


@condition
def no_toolkit_found(seen: SnapshotView) -> str | None:
    """Toolkits were looked for."""
    toolkits = seen.section(Toolkits, "toolkits")
    none = toolkits is not None and not toolkits.excerpt and not toolkits.found
    return "no CUDA toolkit was found" if none else None


@condition
def cpu_has_avx(seen: SnapshotView) -> str | None:
    """AVX is among the processor's flags."""
    host = seen.section(System, "host")
    flags = host.cpu.flags if host and host.cpu else None
    return "the processor has AVX" if flags and "avx" in flags else None


@condition
def tensorflow_without_avx2(seen: SnapshotView) -> str | None:
    """Another TensorFlow than the one whose packages were built with more than AVX by mistake."""
    numbers = seen.numbers("tensorflow")
    is_other = numbers is not None and numbers[:3] != _WITH_AVX2[:3]
    return "the packages of this TensorFlow need no more than AVX" if is_other else None
