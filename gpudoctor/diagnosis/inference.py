"""What stated facts imply of one another, where a snapshot that somebody wrote states only one of them.

Our own look states them all. A report that was put into this form by hand names a GPU and not its maker, a library and
not its family, LD_LIBRARY_PATH and not the folders in it.
"""

import posixpath
from typing import Any

from msgspec import structs

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.libraries import Libraries, Resolution
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Environ
from gpudoctor.sources.libraries_names import family_of

_NVIDIA = re.compile(r"nvidia|geforce|quadro|tesla|titan|\b[rg]tx\b", re.IGNORECASE)


def with_implied(snapshot: Snapshot) -> Snapshot:
    """The snapshot with what its facts imply; the same one where they imply nothing that it does not state."""
    changes: dict[str, Any] = {}
    if isinstance(snapshot.gpus, Gpus):
        changes["gpus"] = _of_gpus(snapshot.gpus, snapshot.driver if isinstance(snapshot.driver, Driver) else None)
    if isinstance(snapshot.libraries, Libraries):
        environ = snapshot.environ if isinstance(snapshot.environ, Environ) else None
        changes["libraries"] = _of_libraries(snapshot.libraries, environ)
    changes = {name: value for name, value in changes.items() if value is not getattr(snapshot, name)}
    return structs.replace(snapshot, **changes) if changes else snapshot


def _of_gpus(gpus: Gpus, driver: Driver | None) -> Gpus:
    """Makers; and numbers, where NVML lists as many GPUs as there are, told of each, and none has one."""
    devices = tuple(_with_maker(gpu) for gpu in gpus.devices)
    own = [gpu for gpu in devices if gpu.vendor == "nvidia"]
    nvml = driver.nvml if driver is not None else None
    counted = nvml is not None and nvml.ok and nvml.device_count == len(own)
    if counted and all(gpu.index is None and _is_told_by_nvml(gpu) for gpu in own):
        numbers = iter(range(len(own)))
        devices = tuple(structs.replace(gpu, index=next(numbers)) if gpu.vendor == "nvidia" else gpu for gpu in devices)
    return gpus if devices == gpus.devices else structs.replace(gpus, devices=devices)


def _is_told_by_nvml(gpu: Gpu) -> bool:
    """What the PCI bus alone does not tell, of a GPU that its driver holds."""
    if gpu.bound_driver not in (None, "nvidia"):
        return False
    return None not in (gpu.capability, gpu.memory_total_mib) or gpu.uuid is not None


def _with_maker(gpu: Gpu) -> Gpu:
    known = (gpu.pci_id or "").startswith("10de:") or _NVIDIA.search(gpu.name or "")
    return structs.replace(gpu, vendor="nvidia") if gpu.vendor is None and known else gpu


def _of_libraries(libraries: Libraries, environ: Environ | None) -> Libraries:
    """The folders of LD_LIBRARY_PATH, the families of libraries, and that one was found by the variable."""
    value = environ.get("LD_LIBRARY_PATH") if environ is not None else None
    folders = libraries.search_path or tuple(entry or "." for entry in (value.split(":") if value else ()))
    resolutions = libraries.resolutions and tuple(_with_family(one, folders) for one in libraries.resolutions)
    if folders == libraries.search_path and resolutions == libraries.resolutions:
        return libraries
    return structs.replace(libraries, search_path=folders, resolutions=resolutions)


def _with_family(one: Resolution, folders: tuple[str, ...]) -> Resolution:
    changes: dict[str, Any] = {}
    if one.family is None and (family := family_of(one.soname)):
        changes["family"] = family
    if one.via is None and one.path and posixpath.dirname(one.path) in {posixpath.normpath(entry) for entry in folders}:
        changes["via"] = "LD_LIBRARY_PATH"
    return structs.replace(one, **changes) if changes else one
