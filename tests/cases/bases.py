"""Healthy machines that supply what neither the report of a case nor its cause says; all of it is synthetic."""

from typing import Any

import msgspec

from gpudoctor.facts.codec import encode
from gpudoctor.facts.driver import Answer, DriverLibrary
from gpudoctor.facts.gpus import DeviceNode, Gpu
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Container, Cpu, Slurm, Space, System, Wsl
from tests.rules.situations import OK
from tests.whole import GIB, driver, gpu, machine

_DRIVER = "580.95.05"
_RTX_3090 = gpu("NVIDIA GeForce RTX 3090", "8.6", pci_id="10de:2204")


def _spaces(*purposes: str, shm: int = 32 * GIB) -> tuple[Space, ...]:
    room = {"shm": shm}
    return tuple(
        Space(
            path="/dev/shm" if purpose == "shm" else f"/{purpose}",
            total=room.get(purpose, 500 * GIB),
            free=room.get(purpose, 400 * GIB),
            purpose=purpose,
        )
        for purpose in purposes
    )


def _host(**changes: Any) -> System:
    usual = machine().host
    assert isinstance(usual, System)
    return msgspec.structs.replace(usual, spaces=_spaces("shm", "temp", "home", "work"), **changes)


def _linux(**changes: Any) -> Snapshot:
    return machine(**{"gpus": (_RTX_3090,), "driver": driver(_DRIVER), "host": _host(), **changes})


def _windows() -> Snapshot:
    """Windows has neither kernel modules nor device nodes to look at."""
    host = System(
        os="windows",
        pretty_name="Windows 11 (10.0.22631.3447)",
        kernel="10.0.22631",
        arch="x86_64",
        cpu=Cpu(cores=16),
        memory_total=64 * GIB,
        memory_available=50 * GIB,
        spaces=(Space(path="C:\\Temp", total=500 * GIB, free=300 * GIB, purpose="temp"),),
    )
    usual = machine()
    return _linux(
        host=host,
        driver=_without_module(
            "581.42",
            (
                DriverLibrary(name="libcuda.so.1", path="C:\\Windows\\System32\\nvcuda.dll", first=True),
                DriverLibrary(name="libnvidia-ml.so.1", path="C:\\Windows\\System32\\nvml.dll", first=True),
            ),
        ),
        interpreter=msgspec.structs.replace(
            usual.interpreter, executable="C:\\Users\\someone\\venv\\Scripts\\python.exe", platform="win-amd64"
        ),
        libraries=msgspec.structs.replace(usual.libraries, resolutions=None),
    )


def _without_module(release: str, libraries: tuple[DriverLibrary, ...]) -> Any:
    return driver(
        release,
        "13.0",
        module_release=None,
        module_flavour=None,
        modules_loaded=None,
        device_nodes=None,
        libraries=libraries,
        kernel_log=None,
        secure_boot=None,
        kernel_headers=None,
    )


def _wsl() -> Snapshot:
    folder = "/usr/lib/wsl/lib"
    names = ("libcuda.so.1", "libnvidia-ml.so.1")
    return _linux(
        host=_host(kernel="5.15.153.1-microsoft-standard-WSL2", virtualization="hyperv"),
        container=Container(kind="none", wsl=Wsl(version=2, dxg=True, driver_library=True)),
        driver=_without_module(
            "581.42", tuple(DriverLibrary(name=name, path=f"{folder}/{name}", first=True) for name in names)
        ),
    )


def _docker() -> Snapshot:
    return _linux(
        container=Container(
            kind="docker", nvidia_visible_devices="all", nvidia_driver_capabilities="compute,utility", rootless=False
        ),
        host=_host(is_root=True),
    )


def _server(name: str, capability: str, count: int, **changes: Any) -> Snapshot:
    gpus = tuple(gpu(name, capability, index, memory_total_mib=81920) for index in range(count))
    nodes = tuple(
        DeviceNode(path=path, mode=0o666, accessible=True)
        for path in (
            "/dev/nvidiactl",
            "/dev/nvidia-uvm",
            "/dev/nvidia-uvm-tools",
            *(f"/dev/nvidia{index}" for index in range(count)),
        )
    )
    answer = msgspec.structs.replace(OK, device_count=count)
    usual = driver(_DRIVER, device_nodes=nodes, nvml=answer, cuda_init=answer)
    return _linux(**{"gpus": gpus, "driver": usual, **changes})


def _without_gpu(**changes: Any) -> Snapshot:
    return _linux(**{"gpus": (), "driver": None, **changes})


def _macos() -> Snapshot:
    host = System(os="macos", pretty_name="macOS 14.4.1", kernel="23.4.0", arch="arm64", memory_total=16 * GIB)
    usual = machine()
    return _without_gpu(
        host=host,
        interpreter=msgspec.structs.replace(usual.interpreter, platform="macosx-14-arm64"),
        libraries=msgspec.structs.replace(usual.libraries, resolutions=None),
    )


def _jetson() -> Snapshot:
    nodes = ("/dev/nvhost-gpu", "/dev/nvmap")
    return _linux(
        host=_host(arch="aarch64", kernel="5.15.148-tegra", tegra="R36.4.3", cpu=Cpu(cores=8)),
        gpus=(gpu("Orin", "8.7", pci_bus_id=None),),
        driver=driver(
            "540.4.0", "12.6", device_nodes=tuple(DeviceNode(path=one, accessible=True) for one in nodes), nvml=None
        ),
        interpreter=msgspec.structs.replace(machine(python="3.10.12").interpreter, platform="linux-aarch64"),
    )


def _arm(name: str, capability: str) -> Snapshot:
    return _linux(
        host=_host(arch="aarch64", cpu=Cpu(cores=20)),
        gpus=(gpu(name, capability),),
        interpreter=msgspec.structs.replace(machine(python="3.12.3").interpreter, platform="linux-aarch64"),
    )


def _unloaded() -> Snapshot:
    """A Linux machine whose driver is installed and not running: NVML and CUDA answer that no driver is loaded."""
    nvml = Answer(outcome="answered", code=9, name="NVML_ERROR_DRIVER_NOT_LOADED")
    cuda = Answer(outcome="answered", code=100, name="CUDA_ERROR_NO_DEVICE")
    bus_only = Gpu(
        vendor="nvidia", pci_bus_id="0000:01:00.0", pci_id="10de:2204", pci_class="0300", bound_driver="none"
    )
    bare = driver(
        _DRIVER,
        module_release=None,
        module_flavour=None,
        modules_loaded=(),
        device_nodes=(),
        nvml=nvml,
        cuda_init=cuda,
    )
    return _linux(gpus=(bus_only,), driver=msgspec.structs.replace(bare, release=None, cuda=None))


#: Each is diagnosed without errors and warnings, except "unloaded", which only serves as a start.
BASES: dict[str, Snapshot] = {
    "linux": _linux(),
    "linux-2gpu": _server("NVIDIA GeForce RTX 3090", "8.6", 2),
    "linux-4gpu": _server("NVIDIA GeForce RTX 3090", "8.6", 4),
    "a100-8gpu": _server("NVIDIA A100-SXM4-80GB", "8.0", 8),
    "no-gpu": _without_gpu(),
    "unloaded": _unloaded(),
    "windows": _windows(),
    "wsl": _wsl(),
    "docker": _docker(),
    "slurm": _server(
        "NVIDIA A100-SXM4-80GB",
        "8.0",
        1,
        container=Container(kind="none", slurm=Slurm(in_job=True, gpus_on_node="1", job_gpus="0", step_gpus="0")),
    ),
    "macos": _macos(),
    "jetson": _jetson(),
    "arm": _arm("NVIDIA GH200 480GB", "9.0"),
    "dgx-spark": _arm("NVIDIA GB10", "12.1"),
}


def base(name: str) -> dict[str, Any]:
    """A base as plain JSON, ready to be changed. Raises KeyError with the names there are."""
    if name not in BASES:
        raise KeyError(f"no base {name!r}; there are: {', '.join(BASES)}")
    plain: dict[str, Any] = msgspec.json.decode(encode(BASES[name]))
    return plain
