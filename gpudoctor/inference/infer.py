"""Adds to a snapshot what its facts imply of one another, before the rules run.

Where sources disagree, this order decides:

1. what our own look measured: it stays as it is;
2. what a tool printed, then what a report repeats of tools, then a person's words under a label, then in passing
   (`tickets/fragment.py` gives each its rank, `tickets/merge.py` weighs them);
3. what follows from these, here: it fills in what none of them states, and its source says what it rests on.

A version's tag names the build, a list of packages the frameworks. A report that was put into this form by hand names a
GPU and not its maker, a library and not its family, LD_LIBRARY_PATH and not the folders in it; our own look states all.
"""

import posixpath
from typing import Any

from msgspec import structs

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Gap, Source
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.libraries import Libraries, Resolution
from gpudoctor.facts.python import Framework, Frameworks, Interpreter, Packages
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Container, Environ, System, Wsl
from gpudoctor.inference.every_build import as_any_build
from gpudoctor.inference.installed_builds import Builds, frameworks_of, with_its_tag
from gpudoctor.inference.opened_libraries import with_opened_libraries
from gpudoctor.inference.same_modules import with_same_modules
from gpudoctor.knowledge.frameworks import computing
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.sources.library_names import family_of
from gpudoctor.sources.system import is_wsl

#: GPUs of machines with ARM processors.
_ON_ARM = re.compile(r"GH200|GB10\b|GB200|GB300|Orin|Xavier|Thor|Tegra|\bnvgpu\b|T4G", re.I)
#: Points in a release of the driver for Linux.
_OF_LINUX = 2
_NVIDIA = re.compile(r"nvidia|geforce|quadro|tesla|titan|\b[rg]tx\b", re.IGNORECASE)


def infer(snapshot: Snapshot, matrix: Matrix) -> Snapshot:
    """The snapshot with what follows from it; the same one where nothing does. What a look of ours saw stays."""
    return with_opened_libraries(_with_builds(_implied(_with_installers(snapshot)), matrix))


def _with_builds(snapshot: Snapshot, matrix: Matrix) -> Snapshot:
    """Frameworks with their builds: a stated one's may follow from the matrix, a seen one's only from its tag."""
    frameworks = snapshot.frameworks
    if isinstance(frameworks, Frameworks):
        builds = _builds(snapshot, matrix)
        tagged = tuple(with_its_tag(one) for one in frameworks.found)
        found = tuple(
            _derived(one, _completed(one, snapshot, builds, matrix)) if _may_lack(one) else one for one in tagged
        )
        if found == frameworks.found:
            return snapshot
        return structs.replace(snapshot, frameworks=structs.replace(frameworks, found=found))
    found = _of_packages(snapshot, matrix)
    # A look that found none of these lists no packages of theirs either.
    if not any(one.name in computing() for one in found):
        return snapshot
    return structs.replace(snapshot, frameworks=Frameworks(found=found))


def _completed(one: Framework, snapshot: Snapshot, builds: Builds, matrix: Matrix) -> Framework:
    made = builds.completed(one)
    # Facts that a person wrote leave out what is usual; that a build is for the processor is never the usual one here.
    if one.source is None and one.variant is None and made.variant == "cpu" and not builds.is_packaged(one, "cpu"):
        made = one
    # Who writes "tensorflow 2.0" names the framework, seldom the processor's build on the package index.
    if made.variant == "cpu" and one.variant is None and not one.metadata_version:
        made = _without_doubtful(made)
        made = one if made.variant is None else made
    return as_any_build(made, snapshot.gpus, matrix) if isinstance(snapshot.gpus, Gpus) else made


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
    builds = _builds(snapshot, matrix)
    rests = Source(kind="derived", where="the list of packages")
    made = (builds.completed(one) for one in frameworks_of(packages, rests))
    return tuple(_without_doubtful(one) for one in made)


def _builds(snapshot: Snapshot, matrix: Matrix) -> Builds:
    packages = snapshot.packages
    known = packages if isinstance(packages, Packages) else None
    return Builds(matrix, known, snapshot.host, snapshot.interpreter)


def _may_lack(one: Framework) -> bool:
    """A report's, or facts that a person wrote without the build: our own look leaves out what is not so."""
    if one.source is None:
        return one.variant is None or (one.variant == "cuda" and one.cuda is None)
    return _is_stated(one.source)


def _is_stated(source: Source | None) -> bool:
    return source is not None and source.kind == "report"


def _derived(one: Framework, completed: Framework) -> Framework:
    """The completed framework, which says that it was, and from what."""
    if completed == one or one.source is None:
        return completed
    return structs.replace(completed, source=Source(kind="derived", where=f"{one.source.where}, and the matrix"))


def _without_doubtful(one: Framework) -> Framework:
    """TensorFlow and JAX may be somebody's own build for GPUs: without its files a list does not tell."""
    doubtful = one.variant == "cpu" and not one.name.startswith("torch")
    return structs.replace(one, variant=None) if doubtful else one


def _implied(snapshot: Snapshot) -> Snapshot:
    """The snapshot with what its facts imply; the same one where they imply nothing that it does not state."""
    changes: dict[str, Any] = {
        "host": _of_host(_of_nvidia(_of_driver(snapshot.host, snapshot.driver), snapshot), snapshot.gpus),
        "container": _of_kernel(snapshot.container, snapshot.host),
        "interpreter": _with_abi(snapshot.interpreter),
    }
    if isinstance(snapshot.packages, Packages):
        changes["packages"] = with_same_modules(snapshot.packages)
    if isinstance(snapshot.gpus, Gpus):
        changes["gpus"] = _of_gpus(snapshot.gpus, snapshot.driver if isinstance(snapshot.driver, Driver) else None)
    if isinstance(snapshot.libraries, Libraries):
        environ = snapshot.environ if isinstance(snapshot.environ, Environ) else None
        changes["libraries"] = _of_libraries(snapshot.libraries, environ)
    changes = {name: value for name, value in changes.items() if value is not getattr(snapshot, name)}
    return structs.replace(snapshot, **changes) if changes else snapshot


def _of_driver(host: System | Gap | None, driver: Driver | Gap | None) -> System | Gap | None:
    """Releases of three numbers, 535.104.05, are of the driver for Linux: those for Windows, WSL's too, have two."""
    stated = isinstance(host, Gap) and isinstance(driver, Driver) and _is_stated(driver.source)
    if not stated or not isinstance(driver, Driver) or driver.release is None:
        return host
    return System(os="linux") if str(driver.release).count(".") == _OF_LINUX else host


def _of_nvidia(host: System | Gap | None, snapshot: Snapshot) -> System | Gap | None:
    """What is not Windows and has NVIDIA's driver, its GPU or a build for CUDA is Linux: macOS has none of them."""
    if not isinstance(host, System) or host.os is not None or not host.is_posix:
        return host
    frameworks = snapshot.frameworks.found if isinstance(snapshot.frameworks, Frameworks) else ()
    has_driver = isinstance(snapshot.driver, Driver) and (snapshot.driver.release or snapshot.driver.cuda)
    has_gpu = isinstance(snapshot.gpus, Gpus) and any(gpu.vendor in ("nvidia", "amd") for gpu in snapshot.gpus.devices)
    is_built = any(one.variant in ("cuda", "rocm") and _is_stated(one.source) for one in frameworks)
    return structs.replace(host, os="linux") if has_driver or has_gpu or is_built else host


def _of_host(host: System | Gap | None, gpus: Gpus | Gap | None) -> System | Gap | None:
    """A discrete GPU whose model is not one of ARM machines is in an x86-64 one."""
    if not isinstance(host, System) or host.arch is not None or host.os not in ("linux", "windows"):
        return host
    named = [gpu.name for gpu in gpus.nvidia if gpu.name] if isinstance(gpus, Gpus) else []
    if not named or any(_ON_ARM.search(name) for name in named):
        return host
    return structs.replace(host, arch="x86_64")


def _of_kernel(container: Container | Gap | None, host: System | Gap | None) -> Container | Gap | None:
    """A kernel of Microsoft's is WSL's."""
    if container is None or not isinstance(host, System) or not is_wsl(host.kernel or ""):
        return container
    known = container if isinstance(container, Container) else Container()
    return container if known.wsl else structs.replace(known, wsl=Wsl(version=2))


def _with_abi(interpreter: Interpreter | Gap | None) -> Interpreter | Gap | None:
    """CPython 3.10 takes wheels of cp310."""
    if not isinstance(interpreter, Interpreter) or interpreter.abi or not interpreter.version:
        return interpreter
    numbers = interpreter.version.split(".")
    if interpreter.implementation not in (None, "cpython") or len(numbers) == 1:
        return interpreter
    return structs.replace(interpreter, abi=f"cp{numbers[0]}{numbers[1]}")


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
    """What the PCI bus alone does not tell, of a GPU that its driver holds; or a mere name, which a person wrote."""
    if gpu.bound_driver not in (None, "nvidia"):
        return False
    is_named = gpu.name is not None and gpu.pci_bus_id is None and gpu.pci_id is None
    return is_named or None not in (gpu.capability, gpu.memory_total_mib) or gpu.uuid is not None


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
