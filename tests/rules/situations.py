"""Parts of snapshots that the tests of the lower stack are put together from."""

from typing import Any

import msgspec

from gpudoctor.facts.driver import Answer, Driver, DriverLibrary, KernelLine, ModuleFile
from gpudoctor.facts.gpus import DeviceNode, Gpu, Gpus, Refusal
from gpudoctor.facts.system import Container, Environ, Slurm, System, Wsl
from gpudoctor.facts.versions import Capability, DriverRelease

KERNEL = "6.8.0-45-generic"
BARE = Container(kind="none")
DOCKER = Container(kind="docker")
WSL2 = Container(kind="none", wsl=Wsl(version=2, dxg=True, driver_library=True))
UBUNTU = System(os="linux", distribution="ubuntu", distribution_like=("debian",), kernel=KERNEL, arch="x86_64")
OK = Answer(outcome="answered", code=0, name="SUCCESS", device_count=1)
NO_LIBRARY = Answer(outcome="no-library")
MODULES = ("nvidia", "nvidia_uvm", "nvidia_drm", "nvidia_modeset")


def answer(code: int, name: str = "ERROR", meaning: str | None = None) -> Answer:
    return Answer(outcome="answered", code=code, name=name, meaning=meaning)


def gpu(index: int | None = 0, **fields: Any) -> Gpu:
    """An RTX 4090, as the bus and NVML show it."""
    given = {
        "vendor": "nvidia",
        "index": index,
        "name": "NVIDIA GeForce RTX 4090",
        "pci_id": "10de:2684",
        "pci_bus_id": f"0000:{(index or 0) + 1:02x}:00.0",
        "uuid": f"GPU-{index or 0}1111111-2222-3333-4444-555555555555",
        "capability": Capability("8.9"),
        "bound_driver": "nvidia",
    }
    return Gpu(**{**given, **fields})


def unlisted(**fields: Any) -> Gpu:
    """A GPU that only the PCI bus shows."""
    given = {"name": None, "uuid": None, "capability": None}
    return gpu(None, **{**given, **fields})


def gpus(*devices: Gpu, **fields: Any) -> Gpus:
    return Gpus(devices=devices or (gpu(),), **fields)


def library(name: str, release: str | None = "535.183.01", **fields: Any) -> DriverLibrary:
    path = f"/usr/lib/x86_64-linux-gnu/{name}"
    real = path.replace(".so.1", f".so.{release}") if release else path
    given = {"path": path, "real_path": real, "release": DriverRelease(release) if release else None, "first": True}
    return DriverLibrary(name=name, **{**given, **fields})


def libraries(release: str = "535.183.01") -> tuple[DriverLibrary, ...]:
    return (library("libcuda.so.1", release), library("libnvidia-ml.so.1", release))


def node(path: str, accessible: bool | None = True, error: str | None = None, **fields: Any) -> DeviceNode:
    given = {"mode": 0o666, "owner": "root", "group": "root"}
    return DeviceNode(path=path, accessible=accessible, error=error, **{**given, **fields})


NODES = tuple(node(path) for path in ("/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-uvm"))


def module_file(kernel: str = KERNEL, release: str | None = "535.183.01") -> ModuleFile:
    path = f"/lib/modules/{kernel}/updates/dkms/nvidia.ko"
    return ModuleFile(kernel=kernel, path=path, release=DriverRelease(release) if release else None)


def driver(release: str = "535.183.01", **fields: Any) -> Driver:
    """A driver that works."""
    given = {
        "release": DriverRelease(release),
        "module_release": DriverRelease(release),
        "module_flavour": "proprietary",
        "modules_loaded": MODULES,
        "module_files": (module_file(release=release),),
        "libraries": libraries(release),
        "device_nodes": NODES,
        "packages": (),
        "blacklisted": ("nouveau",),
        "kernel_log": (),
        "nvml": OK,
        "cuda_init": OK,
    }
    return Driver(**{**given, **fields})


def unloaded(**fields: Any) -> Driver:
    """A driver on disk whose module is not loaded."""
    given = {
        "module_release": None,
        "module_flavour": None,
        "modules_loaded": (),
        "device_nodes": (),
        "nvml": answer(9, "NVML_ERROR_DRIVER_NOT_LOADED"),
        "cuda_init": answer(100, "CUDA_ERROR_NO_DEVICE"),
    }
    return msgspec.structs.replace(driver(**{**given, **fields}), release=None)


def line(text: str, xid: int | None = None, bus: str | None = None) -> KernelLine:
    return KernelLine(text=text, xid=xid, pci_bus_id=bus)


def refusal(code: int, call: str = "nvmlDeviceGetMemoryInfo", name: str = "NVML_ERROR_UNKNOWN") -> Refusal:
    return Refusal(call=call, code=code, name=name)


def environ(**variables: str) -> Environ:
    return Environ(variables=variables)


def slurm(**fields: Any) -> Container:
    return Container(kind="none", slurm=Slurm(**{"in_job": True, **fields}))
