"""DRV003: the driver is installed, and the running kernel has no module of it."""

from gpudoctor.facts.driver import DkmsState
from gpudoctor.rules._driver_fixes import headers_command, keep_nouveau_out
from gpudoctor.rules._driver_state import brings_kernel_module, discrete, is_loaded, log_lines, module_is_built
from gpudoctor.rules._situation import is_contained, wsl_of
from gpudoctor.rules.sections import Container, Driver, Gap, Gpus, System
from gpudoctor.rules.terms import (
    Ask,
    Evidence,
    Fix,
    Iterator,
    Problem,
    Run,
    by_hand,
    log_seen,
    problem,
    rule,
    run,
    seen,
)


@rule("DRV003", name="drv-dkms-not-built", severity="error", when="gpus.nvidia, not driver.module_release")
def drv_dkms_not_built(
    gpus: Gpus, driver: Driver, host: System, container: Container | Gap | None
) -> Iterator[Problem]:
    """The driver is installed, but not its module for the running kernel.

    What it means:
    A kernel module fits one kernel only. The NVIDIA driver is installed, but there is no module for the kernel that
    runs now, so the driver cannot start.

    Why it breaks:
    After a kernel update the module must be built anew (DKMS or akmods does this) or installed as a package. The build
    fails when the kernel's headers are missing, when the driver is too old for the kernel, or when left-overs of an
    earlier driver confuse DKMS. Or the machine was not restarted into the kernel that has the module.

    How to fix it:
    Install the headers of the running kernel and build the module again. If the build fails, start the distribution's
    standard kernel, or install a newer driver branch.

    When to ignore it:
    When the driver is built into the kernel itself, which hardly any distribution does.

    Sources:
    dkms(8); NVIDIA driver installation guide, https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/
    """
    if not discrete(gpus) or is_contained(container) or wsl_of(container) or is_loaded(driver) is not False:
        return
    others = driver.module_files or ()
    # A link to another kernel's module, as weak-updates makes them, is no module of this kernel.
    foreign = log_lines(driver, "nvidia: version magic")
    built = False if foreign else module_is_built(driver, host.kernel)
    if built is not False or not (brings_kernel_module(driver) or others):
        return
    yield problem(
        f"The NVIDIA driver is installed, but not its module for the running kernel {host.kernel}.",
        seen("running kernel", host.kernel),
        *_built(driver),
        *_headers(driver),
        *log_seen(foreign),
        confidence="certain" if driver.module_files is not None else "likely",
        fixes=(*_fixes(host, driver), *_without_nouveau(gpus, driver, host, container)),
    )


def _without_nouveau(gpus: Gpus, driver: Driver, host: System, container: Container | Gap | None) -> tuple[Fix, ...]:
    """Nouveau took the GPU over, and would come first again after the restart."""
    held = any(gpu.bound_driver == "nouveau" for gpu in discrete(gpus))
    return (keep_nouveau_out(host, container),) if held and "nouveau" not in (driver.blacklisted or ()) else ()


def _built(driver: Driver) -> Iterator[Evidence]:
    if driver.module_files is not None:
        kernels = sorted({file.kernel for file in driver.module_files})
        yield seen("kernels with an NVIDIA module", ", ".join(kernels) or "none")
    for row in driver.dkms or ():
        where = f"{row.version}, kernel {row.kernel}" if row.kernel else row.version
        state = f"{where}: {row.state or 'state not known'}"
        yield seen(f"DKMS {row.module}", state)


def _headers(driver: Driver) -> Iterator[Evidence]:
    if driver.kernel_headers is not None:
        yield seen("headers of the running kernel", "present" if driver.kernel_headers else "missing")


def _left_over(driver: Driver) -> tuple[DkmsState, ...]:
    """Trees of drivers that are no longer installed: their source is gone."""
    return tuple(row for row in driver.dkms or () if row.state == "broken" and row.module.startswith("nvidia"))


def _is_prebuilt(driver: Driver) -> bool:
    """The module comes ready made in a package (AlmaLinux, RHEL's precompiled streams); nothing is built here."""
    names = {package.name for package in driver.packages or ()}
    return any(name.startswith("kmod-nvidia") for name in names) and not any("akmod" in name for name in names)


def _fixes(host: System, driver: Driver) -> tuple[Fix, ...]:
    headers = headers_command(host) if driver.kernel_headers is False else ()
    # DKMS stops at a driver whose source is gone, and then builds no other one either.
    stale = tuple(run("rm", "-r", f"/var/lib/dkms/{row.module}/{row.version}") for row in _left_over(driver))
    family = {host.distribution, *host.distribution_like}
    if driver.dkms:
        build: tuple[Run | Ask, ...] = (run("dkms", "autoinstall", "-k", str(host.kernel)),)
    elif "fedora" in family and not _is_prebuilt(driver):
        build = (run("akmods", "--force", "--kernels", str(host.kernel)),)
    else:
        build = (Ask(text=f"Install the driver's kernel module for kernel {host.kernel}, with the package manager."),)
    rebuild = by_hand(
        "Build the module for the running kernel", *stale, *headers, *build, run("modprobe", "nvidia"), needs_root=True
    )
    text = "Restart into a kernel that has the module, or install a newer driver branch if the build reports errors."
    return (rebuild, by_hand("Use another kernel or driver", text))
