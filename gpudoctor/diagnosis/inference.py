"""What stated facts imply of one another: the one stage before the rules.

A version's tag names the build, a list of packages the frameworks. A report that was put into this form by hand names a
GPU and not its maker, a library and not its family, LD_LIBRARY_PATH and not the folders in it; our own look states all.
"""

import posixpath
from typing import Any

from msgspec import structs

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.libraries import Libraries, Resolution
from gpudoctor.facts.python import Framework, Frameworks, Packages
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Environ
from gpudoctor.knowledge.frameworks import computing
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.installed_builds import Builds, framework_of, with_its_tag
from gpudoctor.sources.libraries_names import family_of

_NVIDIA = re.compile(r"nvidia|geforce|quadro|tesla|titan|\b[rg]tx\b", re.IGNORECASE)


def infer(snapshot: Snapshot, matrix: Matrix) -> Snapshot:
    """The snapshot with what follows from it; the same one where nothing does. What a look of ours saw stays."""
    return _implied(_completed(snapshot, matrix))


def _completed(snapshot: Snapshot, matrix: Matrix) -> Snapshot:
    """The snapshot; what a look of ours saw stays as it is."""
    snapshot = _with_installers(snapshot)
    frameworks = snapshot.frameworks
    if isinstance(frameworks, Frameworks):
        found = tuple(with_its_tag(one) for one in frameworks.found)
        if found == frameworks.found:
            return snapshot
        return structs.replace(snapshot, frameworks=structs.replace(frameworks, found=found))
    found = _of_packages(snapshot, matrix)
    # A look that found none of these lists no packages of theirs either.
    if not any(one.name in computing() for one in found):
        return snapshot
    return structs.replace(snapshot, frameworks=Frameworks(found=found))


def _with_installers(snapshot: Snapshot) -> Snapshot:
    """Only conda's packages bear a build string."""
    packages = snapshot.packages
    if not isinstance(packages, Packages) or all(one.installer or not one.build for one in packages.installed):
        return snapshot
    told = tuple(
        structs.replace(one, installer="conda") if one.build and not one.installer else one
        for one in packages.installed
    )
    return structs.replace(snapshot, packages=structs.replace(packages, installed=told))


def _of_packages(snapshot: Snapshot, matrix: Matrix) -> tuple[Framework, ...]:
    packages = snapshot.packages
    if not isinstance(packages, Packages):
        return ()
    builds = Builds(matrix, packages, snapshot.host, snapshot.interpreter)
    named = (framework_of(package, packages) for package in packages.installed)
    made = (builds.completed(one) for one in named if one is not None)
    return tuple(_without_doubtful(one) for one in made)


def _without_doubtful(one: Framework) -> Framework:
    """TensorFlow and JAX may be somebody's own build for GPUs: without its files a list does not tell."""
    doubtful = one.variant == "cpu" and not one.name.startswith("torch")
    return structs.replace(one, variant=None) if doubtful else one


def _implied(snapshot: Snapshot) -> Snapshot:
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
