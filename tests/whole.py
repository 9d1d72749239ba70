"""Whole machines for tests: everything a verdict needs was seen; a test changes what it is about."""

from msgspec.structs import replace

from gpudoctor.facts.gpus import PcieLink
from gpudoctor.facts.libraries import Toolkits
from gpudoctor.facts.snapshot import Doctor, Snapshot
from gpudoctor.facts.system import Cpu, Space, System
from gpudoctor.facts.versions import Capability, CudaVersion, DriverRelease
from gpudoctor.knowledge.matrix.load import load_matrix
from tests.rules import situations, stacks

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
    told = {
        "memory_total_mib": 24576,
        "memory_used_mib": 12,
        "processes": (),
        "compute_mode": "default",
        "persistence": True,
        "mig_enabled": False,
        "pcie": PcieLink(generation=4, generation_max=4, width=16, width_max=16),
    }
    known = capability and Capability(capability)
    return situations.gpu(index, **{"name": name, "pci_id": None, "capability": known, **told, **changes})


def driver(installed, cuda=None, **changes):
    """A driver in good health; what lies on its disk was not looked at."""
    facts = {
        "cuda": CudaVersion(cuda) if cuda else load_matrix().offered_cuda(DriverRelease(installed), "linux"),
        "module_flavour": "open" if installed >= "560" else "proprietary",
        "device_nodes": (*situations.NODES, situations.node("/dev/nvidia-uvm-tools")),
        "secure_boot": False,
        "kernel_headers": True,
        **dict.fromkeys(("module_files", "packages", "blacklisted")),
    }
    return replace(situations.driver(installed, **facts), **changes)


def framework(name, version, **changes):
    """A framework as its own files tell of it; the architectures are left to the matrix."""
    facts = {"dist": name, "metadata_version": version.partition("+")[0]}
    return stacks.framework(name, version, **{**facts, **changes})


def machine(gpus=(), driver=None, frameworks=(), python="3.11.7", **changes):
    """The snapshot of a Linux machine: `gpus`, a driver (None: none), frameworks, and whatever sections change."""
    system = replace(
        situations.UBUNTU,
        distribution_version="22.04",
        kernel="5.15.0-91-generic",
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
    target = stacks.interpreter(
        python,
        abi=f"cp{''.join(python.split('.')[:2])}",
        platform="linux-x86_64",
        has_ssl=True,
        externally_managed=False,
        prefix=None,
        pip_version=None,
    )
    own = (one for one in frameworks if one.variant == "cuda")
    runtime = "libcudart.so.12"
    sections = {
        "doctor": Doctor(version="0.1.0"),
        "host": system,
        "toolkits": Toolkits(),
        "libraries": stacks.libraries(
            *(stacks.resolution(one.name, runtime, "cudart", f"{stacks.SITE}/{one.name}/{runtime}") for one in own)
        ),
        "packages": stacks.packages(*(f"{one.name}=={one.metadata_version or one.version}" for one in frameworks)),
        "driver": driver,
    }
    return Snapshot(
        **stacks.stack(*gpus, on=target, frameworks=stacks.frameworks(*frameworks), **{**sections, **changes})
    )
