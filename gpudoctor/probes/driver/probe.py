"""The NVIDIA driver: kernel module, libraries, device files, and what keeps it from loading."""

import re

from gpudoctor.facts.base import Gap, Source
from gpudoctor.facts.driver import Answer, Driver, DriverLibrary, FabricManager, KernelLine, SystemPackage
from gpudoctor.facts.gpus import DeviceNode
from gpudoctor.facts.versions import DriverRelease
from gpudoctor.host.port import Host
from gpudoctor.probes.driver import module
from gpudoctor.probes.driver.libraries import read_libraries
from gpudoctor.probes.driver.nodes import read_nodes
from gpudoctor.probes.driver.packages import read_packages
from gpudoctor.probes.host_files import exists, names_in, text_of, word_of
from gpudoctor.probes.kernel_log import read_kernel_log
from gpudoctor.probes.nvidia.children import CudaFacts, NvmlFacts
from gpudoctor.sources.kernel_log import says_resumed
from gpudoctor.sources.nvidia_codes import NVML_NO_GPU
from gpudoctor.sources.nvrm import desktop_release, parse_nvrm_version

_FABRIC_MANAGER = "/usr/bin/nv-fabricmanager"
#: The kernel cuts a process's name at 15 characters.
_FABRIC_COMM = "nv-fabricmanager"[:15]
_UNITS = "/etc/systemd/system"


def read_fabric_manager(
    host: Host, nodes: tuple[DeviceNode, ...] | None, packages: tuple[SystemPackage, ...] | None
) -> FabricManager:
    """Fabric Manager: installed, its package's version, and running (looked for only where there is an NVSwitch)."""
    switches = any("nvswitch" in node.path for node in nodes or ())
    version = parse_fabric_version(packages or ())
    installed = exists(host, _FABRIC_MANAGER) or version is not None
    return FabricManager(installed=installed, version=version, running=_is_running(host) if switches else None)


def parse_fabric_version(packages: tuple[SystemPackage, ...]) -> DriverRelease | None:
    """The version in the package's: 535.161.07-1 or 1:535.161.07-0ubuntu1."""
    for package in packages:
        if re.fullmatch(r"nvidia-fabricmanager(-\d+)?|nvidia-fabric-manager", package.name):
            return DriverRelease.parse(package.version.rpartition(":")[2].partition("-")[0])
    return None


def _is_running(host: Host) -> bool | None:
    """Whether the process is there. In a container other processes cannot be seen: then not found is not known."""
    pids = [name for name in names_in(host, "/proc") or () if name.isdecimal()]
    if any(word_of(host, f"/proc/{pid}/comm") == _FABRIC_COMM for pid in pids):
        return True
    return False if word_of(host, "/proc/1/comm") in ("systemd", "init") else None


def read_persistence_daemon(host: Host) -> bool | None:
    """Whether nvidia-persistenced has its socket open; None where /run cannot be seen."""
    if names_in(host, "/run") is None:
        return None
    return exists(host, "/run/nvidia-persistenced/socket")


def read_suspend_services(host: Host) -> bool | None:
    """Whether nvidia-suspend.service is enabled; None without systemd's folder."""
    units = names_in(host, _UNITS)
    if units is None:
        return None
    folders = (f"{_UNITS}/systemd-suspend.service.{kind}" for kind in ("requires", "wants"))
    return any("nvidia-suspend.service" in (names_in(host, folder) or ()) for folder in folders)


def read_resumed(host: Host, log: tuple[KernelLine, ...] | Gap) -> bool | None:
    """Whether the machine slept since it started: the kernel's count, else its log; None where neither can be seen."""
    count = word_of(host, "/sys/power/suspend_stats/success")
    if count is not None and count.isdecimal():
        return count != "0"
    if isinstance(log, Gap):
        return None
    return True if says_resumed(log) else None


#: Modules without which there is no driver for an NVIDIA GPU, be it NVIDIA's or the kernel's.
_DRIVER_MODULES = frozenset({"nvidia", "nvidia_current", "nvidia_uvm", "nouveau", "nova_core", "nvgpu"})


def probe(host: Host, nvml: NvmlFacts, cuda: CudaFacts) -> Driver | Gap | None:
    """All facts of the driver; None where no trace of one is there.

    `nvml` and `cuda` are what the driver's own libraries answered in their children. Never raises.
    """
    if host.platform == "darwin":
        return None
    if not host.platform.startswith("linux"):
        return _by_libraries(host, nvml, cuda)
    version = text_of(host, module.VERSION_FILE, limit=4096)
    modules = text_of(host, "/proc/modules")
    loaded = None if modules is None else module.parse_modules(modules)
    nodes = read_nodes(host, ask=not _hangs(nvml.nvml, cuda.cuda_init))
    libraries = read_libraries(host, word_of(host, "/proc/sys/kernel/arch"))
    # /dev/dxg alone is no trace: it leads to the GPU of any vendor.
    has_node = any(node.path != "/dev/dxg" for node in nodes or ())
    traces = version or _DRIVER_MODULES.intersection(loaded or ()) or has_node or libraries or _is_known(nvml, cuda)
    if not traces and not _is_built(host):
        return None
    return _linux(host, nvml, cuda, version=version, loaded=loaded, nodes=nodes, libraries=libraries)


def _is_known(nvml: NvmlFacts, cuda: CudaFacts) -> bool:
    """NVML or the CUDA driver told a version of itself, or NVML failed as it does only where there is a driver."""
    answer = nvml.nvml
    failed = answer.outcome == "answered" and not answer.ok and answer.code not in NVML_NO_GPU
    return failed or nvml.release is not None or nvml.cuda is not None or cuda.cuda is not None


def _hangs(*answers: Answer) -> bool:
    """A library did not come back from the driver: whoever touches its device files next may not either."""
    return any(answer.outcome in ("stuck", "timed-out") for answer in answers)


def _is_built(host: Host) -> bool:
    """A kernel module is there for the running kernel, or in DKMS's tree."""
    kernel = word_of(host, "/proc/sys/kernel/osrelease")
    dkms = names_in(host, "/var/lib/dkms") or ()
    return any(name.startswith("nvidia") for name in dkms) or module.find_module_file(host, kernel) is not None


def _linux(
    host: Host,
    nvml: NvmlFacts,
    cuda: CudaFacts,
    *,
    version: str | None,
    loaded: tuple[str, ...] | None,
    nodes: tuple[DeviceNode, ...] | None,
    libraries: tuple[DriverLibrary, ...],
) -> Driver:
    release, flavour = parse_nvrm_version(version or "")
    release = release or desktop_release(word_of(host, "/sys/module/nvidia/version"))
    kernel = word_of(host, "/proc/sys/kernel/osrelease")
    dkms = module.read_dkms(host)
    packages = read_packages(host)
    log = read_kernel_log(host)
    return Driver(
        release=release or nvml.release,
        cuda=cuda.cuda or nvml.cuda,
        module_release=release,
        module_flavour=flavour,
        modules_loaded=loaded,
        module_parameters=module.read_parameters(host),
        module_files=module.read_module_files(host, kernel, dkms),
        libraries=libraries,
        device_nodes=nodes,
        dkms=dkms,
        kernel_headers=module.read_headers(host, kernel),
        secure_boot=module.read_secure_boot(host),
        lockdown=module.parse_lockdown(text_of(host, "/sys/kernel/security/lockdown") or ""),
        blacklisted=module.read_blacklist(host),
        packages=packages,
        kernel_log=log,
        resumed_since_boot=read_resumed(host, log),
        suspend_services=read_suspend_services(host),
        fabric_manager=read_fabric_manager(host, nodes, packages),
        persistence_daemon=read_persistence_daemon(host),
        nvml=nvml.nvml,
        cuda_init=cuda.cuda_init,
        source=_source(release, nvml),
    )


def _by_libraries(host: Host, nvml: NvmlFacts, cuda: CudaFacts) -> Driver | None:
    """On Windows the driver is what its libraries say it is."""
    libraries = read_libraries(host)
    if not libraries and not _is_known(nvml, cuda):
        return None
    return Driver(
        release=nvml.release,
        cuda=cuda.cuda or nvml.cuda,
        libraries=libraries,
        nvml=nvml.nvml,
        cuda_init=cuda.cuda_init,
        source=_source(None, nvml),
    )


def _source(release: DriverRelease | None, nvml: NvmlFacts) -> Source | None:
    """Where the release in use was read."""
    if release is not None:
        return Source(kind="file", where=module.VERSION_FILE)
    return nvml.nvml.source if nvml.release is not None else None
