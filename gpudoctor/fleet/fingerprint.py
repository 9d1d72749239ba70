"""The fields of a node that should be alike on nodes of one kind (driver, GPUs, versions …)."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.libraries import Libraries, Toolkits
from gpudoctor.facts.python import Frameworks, Interpreter, Packages
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Container, System

_GIB = 1 << 30
_STATES = {True: "on", False: "off"}


def fingerprint_of(snapshot: Snapshot) -> dict[str, str]:
    """The fields of a node, the most fundamental first: what differs below may follow from what differs above."""
    fields = (*_hardware(snapshot), *_software(snapshot))
    return {name: str(value) for name, value in fields if value not in (None, "")}


def _hardware(snapshot: Snapshot) -> Iterator[tuple[str, object]]:
    host, gpus = snapshot.host, snapshot.gpus
    if isinstance(host, System):
        yield "processor", host.cpu.model if host.cpu else None
        yield "cores", host.cpu.cores if host.cpu else None
        yield "memory", f"{round(host.memory_total / _GIB)} GiB" if host.memory_total else None
    if gpus is None:
        yield "GPUs", "0"
    if isinstance(gpus, Gpus):
        yield "GPUs", len(gpus.devices)
        for name, read in _OF_A_GPU:
            yield name, _of_all(read(gpu) for gpu in gpus.devices)
        yield "NVSwitches", gpus.nvswitches


def _software(snapshot: Snapshot) -> Iterator[tuple[str, object]]:
    host, driver, container = snapshot.host, snapshot.driver, snapshot.container
    if isinstance(host, System):
        yield "operating system", host.pretty_name
        yield "kernel", host.kernel
        yield "kernel options", " ".join(sorted(host.kernel_options)) if host.kernel_options is not None else None
    if driver is None:
        yield "driver", "none"
    if isinstance(driver, Driver):
        yield "driver", driver.release
        yield "kernel module", driver.module_flavour
        yield "CUDA of the driver", driver.cuda
        yield "fabric manager", driver.fabric_manager.version if driver.fabric_manager else None
    if isinstance(container, Container):
        yield "container", container.kind
    if isinstance(snapshot.toolkits, Toolkits):
        yield "CUDA toolkit", ", ".join(sorted({str(one.version) for one in snapshot.toolkits.found if one.version}))
    yield from _environment(snapshot)


def _environment(snapshot: Snapshot) -> Iterator[tuple[str, object]]:
    if isinstance(snapshot.interpreter, Interpreter):
        yield "Python", snapshot.interpreter.version
    if isinstance(snapshot.frameworks, Frameworks):
        for one in snapshot.frameworks.found:
            yield one.name, one.version
    if isinstance(snapshot.libraries, Libraries):
        for family, name in (("cudnn", "cuDNN"), ("nccl", "NCCL")):
            yield name, ", ".join(sorted(_versions(snapshot.libraries, family)))
    if isinstance(snapshot.packages, Packages) and not snapshot.packages.excerpt:
        yield "packages", _digest(f"{one.name}=={one.version}" for one in snapshot.packages.installed)


def _versions(libraries: Libraries, family: str) -> set[str]:
    """What the frameworks get; where none asks for it, what lies about."""
    taken = {str(one.version) for one in libraries.resolutions or () if one.family == family and one.version}
    return taken or {str(one.version) for one in libraries.copies if one.family == family and one.version}


def _digest(lines: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:12]


def _of_all(values: Iterable[object]) -> str | None:
    """The value that all GPUs of the node have, or how many have which; None where one was not seen."""
    counts = Counter(values)
    if not counts or None in counts:
        return None
    if len(counts) == 1:
        return str(next(iter(counts)))
    return ", ".join(f"{value} on {count}" for value, count in sorted(counts.items(), key=lambda one: -one[1]))


def _power_cap(gpu: Gpu) -> str | None:
    return f"{gpu.power.limit:.0f} W" if gpu.power and gpu.power.limit else None


def _link(gpu: Gpu) -> str | None:
    """The width now and the generation at most: at idle the generation drops by design."""
    link = gpu.pcie
    return f"gen {link.generation_max} x{link.width}" if link and link.generation_max and link.width else None


def _nvlinks(gpu: Gpu) -> int | None:
    return sum(bool(link.active) for link in gpu.nvlinks) if gpu.nvlinks else None


_OF_A_GPU: tuple[tuple[str, Callable[[Gpu], object]], ...] = (
    ("GPU", lambda gpu: gpu.name),
    ("GPU memory", lambda gpu: f"{gpu.memory_total_mib} MiB" if gpu.memory_total_mib else None),
    ("VBIOS", lambda gpu: gpu.vbios),
    ("PCIe", _link),
    ("active NVLinks", _nvlinks),
    ("power cap", _power_cap),
    ("ECC", lambda gpu: _STATES.get(gpu.ecc_enabled) if gpu.ecc_enabled is not None else None),
    ("MIG", lambda gpu: _STATES.get(gpu.mig_enabled) if gpu.mig_enabled is not None else None),
    ("persistence mode", lambda gpu: _STATES.get(gpu.persistence) if gpu.persistence is not None else None),
    ("compute mode", lambda gpu: gpu.compute_mode),
    ("kernel driver", lambda gpu: gpu.bound_driver),
    ("PCIe redirection (ACS)", lambda gpu: _STATES.get(gpu.acs_redirect) if gpu.acs_redirect is not None else None),
)
