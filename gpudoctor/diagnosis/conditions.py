"""Conditions that refute causes: each looks at a snapshot and says in words the fact that holds, or None.

A cause names those that refute it (`refuted_by`). What was not seen never refutes.
"""

from gpudoctor.diagnosis.condition import condition
from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.libraries import Toolkits
from gpudoctor.facts.python import Frameworks
from gpudoctor.facts.system import Container, System
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.rules.builds import device_code, services

#: Products of Ampere and later, those before Volta, and those that are no GeForce.
_RECENT = re.compile(r"RTX (?:[3-9]0\d\d|A\d{4}|PRO)|\b(?:A\d{2,3}|H\d{2,3}|L4|L40S?|B\d{3}|GB\d+|GH200)\b")
_OLD = re.compile(
    r"\bGTX? ?(?:[4-9]\d\d|10[1-8]0)|\b(?:Tesla|Quadro) [KMP]\d|\bTITAN (?:X|Xp|Black|Z)\b|\b[KMP](?:40|60|80|100)\b"
)
_NOT_GTX16 = re.compile(r"^(?!.*(?:GTX ?16\d\d|\b16[56]0\b|T[4-6]00\b|MX4[0-9]0))")
_NOT_GEFORCE = re.compile(r"^(?!.*(?:GeForce|RTX [2-5]0\d\d|TITAN))")
#: How many times what was asked for is free where the GPU's memory is not what lacks.
_PLENTY = 4
#: TensorFlow's first release without GPU support on Windows, with CUDA as an extra, and without a toolkit's libraries.
_NO_WINDOWS = numbers_of("tensorflow-without-windows-gpu")
_WITH_EXTRA, _OWN_LIBRARIES = numbers_of("tensorflow-cuda-extra"), numbers_of("tensorflow-own-libraries")


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
def no_gpu_found(seen: SnapshotView) -> str | None:
    """A GPU was looked for."""
    return "no GPU was found" if seen.no_gpu else None


@condition
def driver_serves_frameworks(seen: SnapshotView) -> str | None:
    """The driver offers the CUDA that every framework was built with, or a newer one."""
    driver, frameworks = seen.section(Driver, "driver"), seen.section(Frameworks, "frameworks")
    if driver is None or driver.cuda is None or frameworks is None:
        return None
    # Which CUDA a build of conda uses, its release does not say: where the driver itself calls itself too old, it is.
    if seen.said("cuda-insufficient-driver") and nvml_lists_gpus(seen):
        return None
    wanted = [one.cuda for one in frameworks.found if one.cuda is not None]
    if not wanted or any(one > driver.cuda for one in wanted):
        return None
    return f"the driver offers CUDA {driver.cuda}, and the frameworks were built with {max(wanted)}"


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
def no_geforce(seen: SnapshotView) -> str | None:
    """None of the GPUs is a GeForce."""
    return "the GPUs are no GeForce cards" if seen.all_named(_NOT_GEFORCE) else None


@condition
def no_gtx16(seen: SnapshotView) -> str | None:
    """None of the GPUs is a GTX 16, whose half precision is known for NaN."""
    return "the GPU is no GeForce GTX 16" if seen.all_named(_NOT_GTX16) else None


@condition
def mac_gpu_was_used(seen: SnapshotView) -> str | None:
    """What reached the GPU of a Mac does not fail for want of CUDA."""
    used = seen.said("mps-operation-missing", "mps-out-of-memory")
    return "the program reached the GPU of the Mac" if used else None


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
def no_toolkit_found(seen: SnapshotView) -> str | None:
    """Toolkits were looked for."""
    toolkits = seen.section(Toolkits, "toolkits")
    none = toolkits is not None and not toolkits.excerpt and not toolkits.found
    return "no CUDA toolkit was found" if none else None


@condition
def tensorflow_misses_libraries(seen: SnapshotView) -> str | None:
    """TensorFlow names libraries that it did not find."""
    return f"TensorFlow is what did not find {seen.missed[0].soname}" if seen.missed else None


@condition
def others_hold_little(seen: SnapshotView) -> str | None:
    """PyTorch's own numbers leave hardly any of the GPU's memory to other programs."""
    for one in seen.memory_reports:
        # A context and a desktop take some hundred MiB on every GPU.
        if one.others is not None and one.total and one.others <= max(one.total // 5, 1 << 30):
            return f"other programs hold {one.others / 2**30:.1f} of {one.total / 2**30:.1f} GiB"
    return None


@condition
def memory_was_free(seen: SnapshotView) -> str | None:
    """PyTorch's own numbers have several times as much memory free as was asked for: something else refused it."""
    for one in seen.memory_reports:
        if one.free and one.wanted and one.free >= _PLENTY * one.wanted:
            return f"{one.free / 2**30:.1f} GiB were free when {one.wanted / 2**20:.0f} MiB were asked for"
    return None


@condition
def no_unused_reserve(seen: SnapshotView) -> str | None:
    """PyTorch holds less unused memory than it was asked for, so joining its pieces would not do."""
    for one in seen.memory_reports:
        if one.unused is not None and one.wanted is not None and one.unused < one.wanted:
            return f"only {one.unused / 2**20:.0f} MiB lie unused, and {one.wanted / 2**20:.0f} MiB were asked for"
    return None
