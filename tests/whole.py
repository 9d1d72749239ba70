"""Whole machines for tests: everything a verdict needs was seen; a test changes what it is about."""

from gpudoctor.facts.driver import Answer, DeviceNode, Driver, DriverLibrary
from gpudoctor.facts.gpus import Gpu, Gpus, PcieLink
from gpudoctor.facts.libraries import Libraries, Resolution, Toolkits
from gpudoctor.facts.python import Framework, Frameworks, Interpreter, Package, Packages
from gpudoctor.facts.snapshot import Doctor, Snapshot
from gpudoctor.facts.system import Container, Cpu, Environ, Space, System
from gpudoctor.facts.versions import Capability, CudaVersion, DriverRelease
from gpudoctor.knowledge.matrix.load import load_matrix

OK = Answer(outcome="answered", code=0, device_count=1)
GIB = 1024**3
#: Everything was looked at, and there is no GPU, no driver and no Python.
BARE = Snapshot(
    host=System(os="linux", arch="x86_64"),
    container=None,
    gpus=None,
    driver=None,
    interpreter=None,
    packages=None,
    frameworks=None,
)


def gpu(name, capability, index=0, **changes):
    """An NVIDIA GPU as NVML tells of it."""
    facts = {
        "vendor": "nvidia",
        "index": index,
        "name": name,
        "uuid": f"GPU-0000000{index}-1111-2222-3333-444444444444",
        "pci_bus_id": f"0000:0{index + 1}:00.0",
        "capability": capability and Capability(capability),
        "memory_total_mib": 24576,
        "memory_used_mib": 12,
        "processes": (),
        "bound_driver": "nvidia",
        "compute_mode": "default",
        "persistence": True,
        "mig_enabled": False,
        "pcie": PcieLink(generation=4, generation_max=4, width=16, width_max=16),
        "refusals": (),
    }
    return Gpu(**{**facts, **changes})


def driver(installed, cuda=None, **changes):
    """A driver in good health."""
    nodes = ("/dev/nvidiactl", "/dev/nvidia0", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools")
    libraries = tuple(
        DriverLibrary(name=name, path=f"/usr/lib/x86_64-linux-gnu/{name}", release=DriverRelease(installed), first=True)
        for name in ("libcuda.so.1", "libnvidia-ml.so.1")
    )
    known = load_matrix().offered_cuda(DriverRelease(installed), "linux")
    facts = {
        "release": DriverRelease(installed),
        "module_release": DriverRelease(installed),
        "cuda": CudaVersion(cuda) if cuda else known,
        "module_flavour": "open" if installed >= "560" else "proprietary",
        "modules_loaded": ("nvidia", "nvidia_drm", "nvidia_modeset", "nvidia_uvm"),
        "libraries": libraries,
        "device_nodes": tuple(DeviceNode(path=path, mode=0o666, accessible=True) for path in nodes),
        "nvml": OK,
        "cuda_init": OK,
        "kernel_log": (),
        "secure_boot": False,
        "kernel_headers": True,
    }
    return Driver(**{**facts, **changes})


def framework(name, version, **changes):
    """A framework as its own files tell of it; the architectures are left to the matrix."""
    tag = version.partition("+")[2]
    cuda = f"{tag[2:-1]}.{tag[-1]}" if tag.startswith("cu") else None
    facts = {
        "name": name,
        "dist": name,
        "version": version,
        "metadata_version": version.partition("+")[0],
        "variant": "cuda" if cuda else "cpu" if tag == "cpu" else None,
        "cuda": cuda and CudaVersion(cuda),
    }
    return Framework(**{**facts, **changes})


def walked(one):
    """The first library of CUDA that a framework gets: its own."""
    path = f"/home/someone/venv/lib/python3.11/site-packages/{one.name}"
    return Resolution(
        framework=one.name,
        soname="libcudart.so.12",
        family="cudart",
        wanted_by=f"{path}/x.so",
        how="linked",
        path=f"{path}/libcudart.so.12",
    )


def machine(gpus=(), driver=None, frameworks=(), python="3.11.7", **changes):
    """The snapshot of a Linux machine: `gpus`, a driver (None: none), frameworks, and whatever sections change."""
    gpus = tuple(gpus)
    system = System(
        os="linux",
        distribution="ubuntu",
        distribution_version="22.04",
        kernel="5.15.0-91-generic",
        arch="x86_64",
        libc="glibc",
        libc_version="2.35",
        cpu=Cpu(cores=16, flags=("avx", "avx2", "f16c", "fma", "sse4_2")),
        memory_total=64 * GIB,
        memory_available=60 * GIB,
        spaces=tuple(
            Space(path=f"/{purpose}", total=500 * GIB, free=400 * GIB, purpose=purpose)
            for purpose in ("shm", "temp", "home")
        ),
        is_root=False,
    )
    interpreter = Interpreter(
        executable="/home/someone/venv/bin/python",
        chosen_by="VIRTUAL_ENV",
        version=python,
        implementation="cpython",
        bits=64,
        abi=f"cp{''.join(python.split('.')[:2])}",
        platform="linux-x86_64",
        environment="venv",
        has_ssl=True,
        externally_managed=False,
    )
    sections = {
        "doctor": Doctor(version="0.1.0"),
        "host": system,
        "container": Container(kind="none"),
        "gpus": Gpus(devices=gpus) if gpus else None,
        "driver": driver,
        "toolkits": Toolkits(),
        "libraries": Libraries(resolutions=tuple(walked(one) for one in frameworks if one.variant == "cuda")),
        "environ": Environ(),
        "interpreter": interpreter,
        "packages": Packages(
            installed=tuple(Package(name=one.name, version=one.metadata_version or one.version) for one in frameworks)
        ),
        "frameworks": Frameworks(found=tuple(frameworks)) if frameworks else None,
    }
    return Snapshot(**{**sections, **changes})
