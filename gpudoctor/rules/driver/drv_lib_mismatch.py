"""DRV002: the driver's libraries and its kernel module have different versions."""

import posixpath

from gpudoctor.facts.versions import DriverRelease
from gpudoctor.rules._driver_fixes import REBOOT, RELOAD_MODULES, start_image
from gpudoctor.rules._driver_state import CUDA_LIBRARY, NVML_LIBRARY, differ, failed_with, is_loaded, module_for
from gpudoctor.rules._situation import is_contained, kernel_of, known, wsl_of
from gpudoctor.rules.sections import Container, Driver, DriverLibrary, Environ, Gap, Gpus, Scene, System
from gpudoctor.rules.terms import Fix, Iterator, Problem, SetEnv, answer_seen, by_hand, problem, rule, seen

#: NVML_ERROR_LIB_RM_VERSION_MISMATCH.
MISMATCH = 18


@rule(
    "DRV002",
    name="drv-lib-mismatch",
    severity="error",
    when="not driver.nvml.ok or known driver.cuda_init, not driver.nvml.ok or not driver.cuda_init.ok,"
    " driver.nvml or driver.libraries",
)
def drv_lib_mismatch(
    driver: Driver, host: System | Gap, environ: Environ | Gap | None, scene: Scene
) -> Iterator[Problem]:
    """The driver's libraries and its kernel module have different versions.

    What it means:
    The driver has two halves: a module in the kernel and libraries on disk. Both must be of exactly the same release,
    to the last number. Here they are not. nvidia-smi calls it "Driver/library version mismatch".

    Why it breaks:
    Mostly an update replaced the files on disk while the old module stayed loaded. Sometimes one half came from a
    .run installer and the other from packages; or an update of the packages left the module of the release before.
    LD_LIBRARY_PATH may name a folder with another release's libraries (a Nix shell, a copied driver). Where the old
    module comes back after a restart, the start image (initramfs) still holds it.

    How to fix it:
    Restart the machine: the kernel then loads the new module. Without a restart, unload and load the modules. If it
    stays, remove both installations and install the driver once, from one source. Hold back automatic updates of the
    driver on machines that run long jobs. A system container (LXC) has libraries of its own: these must be of the
    release of the host's module, also where host and guest of a vGPU release differ in their last number.

    When to ignore it:
    Never: no CUDA program starts in this state.

    Sources:
    NVML API reference, NVML_ERROR_LIB_RM_VERSION_MISMATCH, https://docs.nvidia.com/deploy/nvml-api/
    https://github.com/negativo17/nvidia-driver/issues/43 (start image)
    """
    # The module is not loaded without a GPU: where none could be seen, NVML that speaks of a mismatch is a sign of one.
    there = (
        scene.gpus.nvidia
        if isinstance(scene.gpus, Gpus)
        else scene.gpus is not None and failed_with(driver.nvml, MISMATCH)
    )
    if not there or wsl_of(scene.container) or (driver.nvml and driver.nvml.ok and _cuda_is_fine(driver)):
        return
    module = driver.module_release
    if module is None and is_loaded(driver) is False:
        yield from _on_disk(driver, host, scene.container)
        return
    apart = [one for one in _in_use(driver) if differ(module, one.release)]
    if not apart and not failed_with(driver.nvml, MISMATCH):
        return
    library = apart[0].release if apart else None
    on_disk = module_for(driver, kernel_of(host))
    evidence = [seen("loaded kernel module", module)] if module else []
    evidence += [seen(one.name, f"{one.release} ({one.real_path or one.path})") for one in apart]
    if on_disk and on_disk.release:
        evidence.append(seen("kernel module on disk", on_disk.release))
    if driver.nvml:
        evidence.append(answer_seen("NVML", driver.nvml))
    yield problem(
        _summary(module, library),
        *tuple(evidence),
        fixes=_past_the_path(driver, apart, module, environ)
        or _fixes(host, scene.container, module, library, on_disk.release if on_disk else None),
    )


def _past_the_path(
    driver: Driver, apart: list[DriverLibrary], module: DriverRelease | None, environ: Environ | Gap | None
) -> tuple[Fix, ...]:
    """The libraries of the module's own release are here, and LD_LIBRARY_PATH puts others before them."""
    path = environ.get("LD_LIBRARY_PATH") if isinstance(environ, Environ) else None
    folders = {posixpath.dirname(one.path) for one in apart}
    entries = (path or "").split(":")
    rest = [entry for entry in entries if posixpath.normpath(entry) not in folders]
    own = {one.name for one in driver.libraries or () if one.release == module}
    if not apart or len(rest) == len(entries) or not all(one.name in own for one in apart):
        return ()
    unset = SetEnv(name="LD_LIBRARY_PATH", value=":".join(rest) or None)
    title = "Take the other release's folder out of LD_LIBRARY_PATH"
    return (Fix(title, "safe", (unset,), undo=f"export LD_LIBRARY_PATH={path}"),)


def _on_disk(driver: Driver, host: System | Gap, container: Container | Gap | None) -> Iterator[Problem]:
    """Nothing is loaded, and what would be loaded is of another release than the libraries."""
    file = module_for(driver, kernel_of(host))
    others = [one for one in _in_use(driver) if file is not None and differ(file.release, one.release)]
    if file is None or file.release is None or not others or is_contained(container):
        return
    library = others[0].release
    packages = [one for one in driver.packages or () if library is not None and library.text in one.version]
    # What the packages brought is what is meant to be there: a module that none of them has was left behind.
    if not packages or any(file.release.text in one.version for one in driver.packages or ()):
        return
    yield problem(
        f"The kernel module on disk is release {file.release}, but the driver's libraries are {library}.",
        seen("kernel module on disk", f"{file.release} ({file.path})"),
        *(seen(one.name, f"{one.release} ({one.real_path or one.path})") for one in others),
        *(seen(f"package {one.name}", one.version) for one in packages[:3]),
        fixes=_fixes(host, container, None, library, file.release),
    )


def _cuda_is_fine(driver: Driver) -> bool:
    return driver.cuda_init is None or driver.cuda_init.outcome == "not-asked" or driver.cuda_init.ok


def _in_use(driver: Driver) -> list[DriverLibrary]:
    """The copies that the loader takes; a forward-compatibility copy may be newer, and a stub is no driver."""
    taken = (driver.library(name) for name in (NVML_LIBRARY, CUDA_LIBRARY))
    return [one for one in taken if one is not None and not one.compat and not one.stub]


def _summary(module: DriverRelease | None, library: DriverRelease | None) -> str:
    if module is None or library is None:
        return "The driver's libraries and its loaded kernel module have different versions."
    return f"The loaded kernel module is release {module}, but the driver's libraries on disk are {library}."


def _in_container(container: Container | Gap | None, module: DriverRelease | None) -> Fix:
    """A system container has libraries of its own; others are given the host's, unless the image brings some."""
    around = known(container)
    if around is None or around.kind != "lxc":
        text = "Remove driver packages from the image if it has any. Then restart the host, or reload its modules."
        return by_hand("Bring host and container to one driver", text, needs_root=True, needs_reboot=True)
    own = f"Install driver {module or 'of the host'} in the container without its kernel module"
    text = f"{own}: the .run installer with --no-kernel-modules, or packages of exactly that release."
    other = "In Incus or LXD, nvidia.runtime=true gives the container the host's libraries in their place."
    return by_hand("Give the container the libraries of the host's driver", text, other, needs_root=True)


def _fixes(
    host: System | Gap,
    container: Container | Gap | None,
    module: DriverRelease | None,
    library: DriverRelease | None,
    on_disk: DriverRelease | None,
) -> tuple[Fix, ...]:
    if is_contained(container):
        return (_in_container(container, module),)
    newer_module = module is not None and library is not None and library < module
    if newer_module or (library is not None and differ(on_disk, library)):
        text = "Remove every NVIDIA driver (packages, and a .run installation), then install it once, from one source."
        again = by_hand("Reinstall the driver", text, needs_root=True, needs_reboot=True)
        return (again, REBOOT)
    if on_disk is None:
        return (REBOOT, RELOAD_MODULES)
    title = "If the old module is loaded again after a restart: make the start image anew, which holds a copy of it"
    return (REBOOT, RELOAD_MODULES, by_hand(title, start_image(host), needs_root=True, needs_reboot=True))
