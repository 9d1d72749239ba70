"""Runs the agents that ask NVML and the CUDA driver, each in a child process with a deadline."""

import os
import posixpath
import sys
from collections.abc import Callable, Sequence

import gpudoctor
from gpudoctor.facts.base import Fact, Source
from gpudoctor.facts.driver import Answer
from gpudoctor.facts.gpus import Gpu, PeerLink
from gpudoctor.facts.versions import Capability, CudaVersion, DriverRelease
from gpudoctor.host.background import Aside
from gpudoctor.host.port import Host, Ran
from gpudoctor.probes.host_files import exists
from gpudoctor.search_path import own_path

NVML = Source(kind="library", where="libnvidia-ml")
CUDA = Source(kind="library", where="libcuda")


class NvmlFacts(Fact, frozen=True, kw_only=True):
    """What NVML told. `gpus` holds every GPU that it counts, also one of which it tells nothing."""

    nvml: Answer
    release: DriverRelease | None = None
    cuda: CudaVersion | None = None
    gpus: tuple[Gpu, ...] = ()
    peer_links: tuple[PeerLink, ...] | None = None


class CudaDevice(Fact, frozen=True, kw_only=True):
    """A GPU as the CUDA driver shows it to this process, in the order that CUDA_VISIBLE_DEVICES and it decide."""

    ordinal: int
    name: str | None = None
    uuid: str | None = None
    pci_bus_id: str | None = None
    capability: Capability | None = None
    memory_total_mib: int | None = None


class CudaFacts(Fact, frozen=True, kw_only=True):
    """What the CUDA driver told. `cuda` is known without a GPU, and without a start of the driver."""

    cuda_init: Answer
    cuda: CudaVersion | None = None
    devices: tuple[CudaDevice, ...] = ()


def not_asked(reason: str, source: Source) -> Answer:
    """The answer of a library that was not asked, and why."""
    return Answer(outcome="not-asked", detail=reason, source=source)


def no_library(reason: str, source: Source) -> Answer:
    """The answer where there is no library to ask."""
    return Answer(outcome="no-library", detail=reason, source=source)


#: Bytes of a transcript: 128 GPUs, each asked some 45 questions, and each of their 8,128 pairs, take 3 MiB.
_LONGEST = 16 * 1024 * 1024
#: Seconds a driver has to answer everything. One that needs longer is wedged, or wakes its GPUs first
#: (without persistence mode that takes a second or so a GPU).
DEADLINE = 5.0

_AGENT = os.path.join(os.path.dirname(gpudoctor.__file__), "agent")
#: Where dlopen looks beside LD_LIBRARY_PATH and the cache (ld.so(8)); musl's list (ldso/dynlink.c) is among them.
_LOADER_DIRECTORIES = ("/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib")
#: Where drivers put their libraries without telling the loader: WSL, Debian's per-architecture path, Jetson (it tells
#: the loader in ld.so.conf.d), containers, NixOS.
_OTHER_DIRECTORIES = (
    "/usr/lib/wsl/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu/nvidia", "/usr/lib/aarch64-linux-gnu/tegra", "/usr/local/nvidia/lib64",
    "/usr/local/nvidia/lib", "/run/opengl-driver/lib",
)  # fmt: skip


def begin_nvml(host: Host, deadline: float = DEADLINE) -> Callable[[], NvmlFacts]:
    """Begin to ask NVML; the call that is returned gives what it tells. A machine without the library pays nothing."""
    libraries = nvml_libraries(host)
    folder = binding_folder() if libraries else None
    if folder is None:
        why = not_asked("nvidia-ml-py is not installed beside gpudoctor", NVML)
        return lambda: NvmlFacts(nvml=why if libraries else no_library("no libnvidia-ml was found", NVML))
    from gpudoctor.probes.nvidia.replies import parse_nvml

    return Aside(lambda: parse_nvml(_ask(host, "ask_nvml.py", (folder, *libraries), deadline))).result


def begin_cuda(host: Host, deadline: float = DEADLINE) -> Callable[[], CudaFacts]:
    """The same of the CUDA driver."""
    libraries = _libraries(host, "libcuda.so.1", "nvcuda.dll")
    if not libraries:
        return lambda: CudaFacts(cuda_init=no_library("no libcuda was found", CUDA))
    from gpudoctor.probes.nvidia.replies import parse_cuda

    return Aside(lambda: parse_cuda(_ask(host, "ask_cuda.py", libraries, deadline))).result


def nvml_libraries(host: Host) -> tuple[str, ...]:
    """What to give the loader to get NVML, in order; empty where there is none."""
    return _libraries(host, "libnvidia-ml.so.1", "nvml.dll")


def binding_folder() -> str | None:
    """The folder that holds our own pynvml; never PYTHONPATH's or the working directory, where anyone may put one."""
    folders = (folder for folder in own_path() if os.path.isabs(folder))
    return next((folder for folder in folders if os.path.isfile(os.path.join(folder, "pynvml.py"))), None)


def _ask(host: Host, script: str, lines: Sequence[str], deadline: float) -> Ran:
    argv = (sys.executable or "python", "-I", "-S", "-B", os.path.join(_AGENT, script))
    return host.run(argv, timeout=deadline, stdin=os.fsencode("\n".join(lines)), cap=_LONGEST)


def _libraries(host: Host, soname: str, windows_name: str) -> tuple[str, ...]:
    """What to give the loader, in order: the short name, whose result is the truth for every program, then paths."""
    if host.platform == "win32":
        paths = tuple(f"{folder}\\{windows_name}" for folder in _windows_directories(host))
        return tuple(path for path in paths if exists(host, path))
    if host.platform != "linux":
        return ()
    paths = tuple(path for path in _paths(_OTHER_DIRECTORIES, soname) if exists(host, path))
    return (soname, *paths) if paths or _loader_may_find(host, soname) else ()


def _loader_may_find(host: Host, soname: str) -> bool:
    searched = [posixpath.join(host.cwd, folder) for folder in host.library_path]
    if any(exists(host, path) for path in _paths((*searched, *_LOADER_DIRECTORIES), soname)):
        return True
    cache = host.read("/etc/ld.so.cache")
    return isinstance(cache, bytes) and b"/" + soname.encode() + b"\0" in cache


def _paths(folders: Sequence[str], soname: str) -> tuple[str, ...]:
    return tuple(posixpath.join(folder, soname) for folder in folders)


def _windows_directories(host: Host) -> tuple[str, ...]:
    windows = host.env.get("SystemRoot", r"C:\Windows")
    programs = host.env.get("ProgramFiles", r"C:\Program Files")
    return (rf"{windows}\System32", rf"{programs}\NVIDIA Corporation\NVSMI")
