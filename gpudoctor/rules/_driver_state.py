"""The driver's state as the driver rules ask for it: loaded, installed, releases, device files. None: unknown."""

import re

from gpudoctor.facts.driver import KernelLine, ModuleFile
from gpudoctor.facts.gpus import DeviceNode
from gpudoctor.facts.versions import DriverRelease
from gpudoctor.knowledge.matrix.gpu_types import Architecture
from gpudoctor.rules._situation import wsl_of
from gpudoctor.rules.sections import Answer, Container, Driver, DriverLibrary, Gap, Gpu, Gpus, Matrix
from gpudoctor.sources.kernel_log import parse_message

#: NVML_ERROR_NO_PERMISSION, NVML_ERROR_DRIVER_NOT_LOADED, NVML_ERROR_OPERATING_SYSTEM.
NO_PERMISSION, NOT_LOADED, BLOCKED = 4, 9, 17

NVML_LIBRARY = "libnvidia-ml.so.1"
CUDA_LIBRARY = "libcuda.so.1"

#: Patterns are compiled where they are first used: most runs need few of them.
_NODE = r"/dev/nvidia(\d+|ctl|-uvm)"

#: Packages that bring the kernel module, or build it: Debian's, Ubuntu's, NVIDIA's own, Arch's and what derives from
#: it (linux612-nvidia, linux-cachyos-nvidia), RPM Fusion's and negativo17's, openSUSE's, Gentoo's.
_KERNEL_PACKAGES = (
    r"nvidia-driver(-\d+[\w-]*)?|nvidia-headless-\d+[\w-]*|nvidia-(open-)?kernel-(open-)?dkms|nvidia-dkms[\w-]*"
    r"|nvidia(-lts|-open|-open-dkms|-lts-open|-open-\d+|-\d+xx[\w-]*)?|linux-(modules|objects|signatures)-nvidia.*"
    r"|cuda-drivers[\w-]*|a?kmod-nvidia.*|dkms-nvidia[\w-]*|nvidia-drivers|nvidia-tesla-(\d+-)?kernel-dkms"
    r"|(?!linux-(headers|firmware|image|tools)-)(kernel|linux)-?[\w.]*-nvidia(-\d+xx|-open)?"
    r"|nvidia-(open-)?(driver|gfx)-?G\d\d[\w-]*"
)
#: Debian calls the module nvidia-current; on a Jetson it is nvgpu.
_NAMES = {"nvidia": ("nvidia", "nvidia_current", "nvgpu"), "nvidia_uvm": ("nvidia_uvm", "nvidia_current_uvm")}


def meant_for_us(gpus: Gpus) -> tuple[Gpu, ...]:
    """The NVIDIA GPUs that this system is to use: not those handed to a virtual machine."""
    return tuple(gpu for gpu in gpus.nvidia if gpu.bound_driver not in ("vfio-pci", "pci-stub", "xen-pciback"))


def discrete(gpus: Gpus) -> tuple[Gpu, ...]:
    """Those of them on a PCI bus; the GPU of a Jetson is not, and has a driver of its own."""
    return tuple(gpu for gpu in meant_for_us(gpus) if gpu.pci_bus_id or gpu.pci_id)


def usable(gpus: Gpus) -> tuple[Gpu, ...]:
    """Those that programs get to see: what the driver lists; where it lists none, all that are meant for us."""
    return tuple(gpu for gpu in gpus.nvidia if gpu.is_listed) or meant_for_us(gpus)


def unlisted(gpus: Gpus) -> tuple[Gpu, ...]:
    """GPUs on the bus that the driver does not list."""
    return tuple(gpu for gpu in discrete(gpus) if not gpu.is_listed)


def is_loaded(driver: Driver | None, module: str = "nvidia") -> bool | None:
    """Whether a kernel module is loaded."""
    if driver is None:
        return False
    if module == "nvidia" and driver.module_release is not None:
        return True
    if driver.modules_loaded is None:
        return None
    return any(name in driver.modules_loaded for name in _NAMES.get(module, (module,)))


def module_for(driver: Driver, kernel: str | None) -> ModuleFile | None:
    """nvidia.ko for a kernel."""
    return next((file for file in driver.module_files or () if file.kernel == kernel), None)


def module_is_built(driver: Driver, kernel: str | None) -> bool | None:
    """Whether there is a module file for the running kernel; where no files were looked at, as DKMS says."""
    if kernel is None:
        return None
    if driver.module_files is not None:
        return module_for(driver, kernel) is not None
    rows = [row for row in driver.dkms or () if row.module.startswith("nvidia")]
    return any(row.kernel == kernel and row.state == "installed" for row in rows) if rows else None


def brings_kernel_module(driver: Driver) -> bool:
    """A package or a DKMS tree is there that should give every kernel its module."""
    packaged = any(re.fullmatch(_KERNEL_PACKAGES, package.name) for package in driver.packages or ())
    return packaged or any(row.module.startswith("nvidia") for row in driver.dkms or ())


def real_libraries(driver: Driver) -> tuple[DriverLibrary, ...]:
    """User-space driver libraries that belong to a driver: no stubs, no forward-compatibility copies."""
    return tuple(library for library in driver.libraries or () if not library.stub and not library.compat)


def is_installed(driver: Driver | None) -> bool | None:
    """Whether anything of an NVIDIA driver is on the disk."""
    if driver is None:
        return False
    if driver.module_files or brings_kernel_module(driver) or real_libraries(driver) or is_loaded(driver):
        return True
    return None if driver.module_files is None or driver.libraries is None else False


def release_of(driver: Driver, kernel: str | None) -> DriverRelease | None:
    """The release in use, else the one that would be loaded for the running kernel."""
    file = module_for(driver, kernel)
    on_disk = file.release if file else None
    library = next((one.release for one in real_libraries(driver) if one.name == NVML_LIBRARY), None)
    return driver.module_release or driver.release or on_disk or library


def differ(one: DriverRelease | None, other: DriverRelease | None) -> bool | None:
    """Whether two releases differ; None where one is unknown, or is too short to tell (570.124 against 570.124.06)."""
    if one is None or other is None:
        return None
    parts, others = one.text.split("."), other.text.split(".")
    shared = min(len(parts), len(others))
    if [int(part) for part in parts[:shared]] != [int(part) for part in others[:shared]]:
        return True
    return False if len(parts) == len(others) else None


def failed_with(answer: Answer | None, *codes: int) -> bool:
    """It answered with one of these codes."""
    return answer is not None and answer.outcome == "answered" and answer.code in codes


#: What the driver prints of a card whose memory regions the firmware did not map.
NO_ADDRESS = ("assigned to your NVIDIA device is invalid", "is 0M @ 0x0", "may have misconfigured your GPU")


def log_lines(driver: Driver, *words: str) -> tuple[KernelLine, ...]:
    """Lines of the kernel log that hold one of the words, case ignored."""
    if driver.kernel_log is None or isinstance(driver.kernel_log, Gap):
        return ()
    return tuple(line for line in driver.kernel_log if any(word.casefold() in line.text.casefold() for word in words))


def xid_lines(driver: Driver, *numbers: int) -> tuple[KernelLine, ...]:
    """Lines of the kernel log with one of these Xid numbers; with any, where none is named."""
    if driver.kernel_log is None or isinstance(driver.kernel_log, Gap):
        return ()
    lines = (line for line in map(_read, driver.kernel_log) if line.xid is not None)
    return tuple(line for line in lines if not numbers or line.xid in numbers)


def _read(line: KernelLine) -> KernelLine:
    """The line with the Xid and the GPU that its text names, where who recorded it kept the text only."""
    return line if line.xid is not None and line.pci_bus_id else parse_message(line.text)


def slot(pci_bus_id: str | None) -> str | None:
    """The slot of a PCI address without its function, for comparison: 0000:0b:00."""
    match = re.search(r"(?:([0-9a-f]{4,8}):)?([0-9a-f]{2}):([0-9a-f]{2})(?:\.[0-9a-f])?$", (pci_bus_id or "").lower())
    return f"{(match.group(1) or '0000')[-4:]}:{match.group(2)}:{match.group(3)}" if match else None


def of_gpu(lines: tuple[KernelLine, ...], gpu: Gpu) -> tuple[KernelLine, ...]:
    """Those lines that speak of this GPU."""
    wanted = slot(gpu.pci_bus_id)
    return tuple(line for line in lines if wanted and slot(line.pci_bus_id) == wanted)


def refused_by_release(driver: Driver, gpu: Gpu, gpus: Gpus) -> tuple[KernelLine, ...]:
    """The kernel's lines that call this GPU unsupported by the driver release, and not for the modules' flavour.

    The message has several lines, and only the first names the GPU; some consoles print them one by one.
    """
    if driver.kernel_log is None or isinstance(driver.kernel_log, Gap):
        return ()
    found: list[KernelLine] = []
    first: KernelLine | None = None
    for line in driver.kernel_log:
        first = line if line.pci_bus_id else first
        if re.search(r"not supported by the(?: NVIDIA|$)", line.text):
            found += [line] if first in (None, line) else [first, line]
    said = tuple(dict.fromkeys(found))
    return said if of_gpu(said, gpu) or len(gpus.nvidia) == 1 else ()


def architecture_of(gpu: Gpu, matrix: Matrix) -> Architecture | None:
    """The architecture of a GPU, where the matrix knows it."""
    capability = matrix.capability(gpu)
    return matrix.architecture(capability) if capability else None


def denied_nodes(driver: Driver) -> tuple[DeviceNode, ...]:
    """Device nodes that CUDA needs and this process may not open. Those below nvidia-caps are root's by design."""
    return tuple(
        node for node in driver.device_nodes or () if node.accessible is False and re.fullmatch(_NODE, node.path)
    )


def is_open_to_all(node: DeviceNode) -> bool:
    """The permission bits let everybody read and write: no group is the reason for a refusal."""
    return node.mode is not None and node.mode & 0o006 == 0o006


def is_denied_by_cgroup(node: DeviceNode) -> bool:
    """The kernel's device controller refuses with EPERM; wrong permission bits give EACCES."""
    return bool(re.search(r"EPERM|not permitted|errno 1\b", node.error or "", re.IGNORECASE))


def gpu_nodes(driver: Driver) -> tuple[DeviceNode, ...]:
    """The nodes of single GPUs: /dev/nvidia0 and so on."""
    return tuple(node for node in driver.device_nodes or () if re.fullmatch(r"/dev/nvidia\d+", node.path))


def signs_of_a_gpu(gpus: Gpus | Gap | None, driver: Driver | None, container: Container | Gap | None) -> bool:
    """An NVIDIA GPU is seen; or its device file or Windows' driver gives it away where the bus cannot be seen."""
    wsl = wsl_of(container)
    nodes = driver is not None and bool(gpu_nodes(driver))
    seen = isinstance(gpus, Gpus) and bool(meant_for_us(gpus))
    return seen or nodes or bool(wsl and wsl.driver_library)
