"""DRV003: the driver is installed, but not its module for the running kernel."""

from gpudoctor.facts.driver import DkmsState
from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.rules._driver_fixes import headers_command, keep_nouveau_out
from gpudoctor.rules._driver_state import (
    architecture_of,
    brings_kernel_module,
    discrete,
    is_loaded,
    log_lines,
    module_is_built,
)
from gpudoctor.rules._situation import is_contained, wsl_of
from gpudoctor.rules.sections import Driver, Gpus, Matrix, Scene, System
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


@rule(
    "DRV003",
    name="drv-dkms-not-built",
    severity="error",
    when="gpus.nvidia, not driver.module_release, known driver.modules_loaded",
)
def drv_dkms_not_built(gpus: Gpus, driver: Driver, host: System, scene: Scene, matrix: Matrix) -> Iterator[Problem]:
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
    standard kernel, or install a newer release of the driver. Branches that NVIDIA ended (470 and older) know no newer
    kernels: they need an older one, or a package that the distribution patches.

    When to ignore it:
    When the driver is built into the kernel itself, which hardly any distribution does.

    Sources:
    dkms(8); NVIDIA driver installation guide, https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/
    """
    if not discrete(gpus) or is_contained(scene.container) or wsl_of(scene.container) or is_loaded(driver) is not False:
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
        fixes=(*_fixes(host, driver, _last_branch(gpus, matrix)), *_without_nouveau(gpus, driver, host, scene)),
    )


def _without_nouveau(gpus: Gpus, driver: Driver, host: System, scene: Scene) -> tuple[Fix, ...]:
    """Nouveau took the GPU over, and would come first again after the restart. Without a module it is what works."""
    if any(row.state == "failed" and row.kernel == host.kernel for row in driver.dkms or ()):
        return ()
    held = any(gpu.bound_driver == "nouveau" for gpu in discrete(gpus))
    return (keep_nouveau_out(scene),) if held and "nouveau" not in (driver.blacklisted or ()) else ()


def _built(driver: Driver) -> Iterator[Evidence]:
    if driver.module_files is not None:
        kernels = sorted({file.kernel for file in driver.module_files})
        yield seen("kernels with an NVIDIA module", ", ".join(kernels) or "none")
    for row in driver.dkms or ():
        where = f"{row.version}, kernel {row.kernel}" if row.kernel else row.version
        state = "the build failed" if row.state == "failed" else row.state or "state not known"
        yield seen(f"DKMS {row.module}", f"{where}: {state}")
        if row.error:
            yield seen("its log", row.error)


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


def _last_branch(gpus: Gpus, matrix: Matrix) -> int | None:
    """The newest branch that serves all of these GPUs, where it is known to be the last."""
    known = [one for gpu in discrete(gpus) if (one := architecture_of(gpu, matrix)) is not None]
    return min((one.last_branch for one in known if one.last_branch is not None), default=None)


def _fixes(host: System, driver: Driver, last: int | None) -> tuple[Fix, ...]:
    failed = any(row.state == "failed" and row.kernel == host.kernel for row in driver.dkms or ())
    other = _other_kernel_or_driver(host, driver, last)
    return (other,) if failed else (_rebuild(host, driver), other)


def _other_kernel_or_driver(host: System, driver: Driver, last: int | None) -> Fix:
    """What helps where the module cannot be built for this kernel."""
    ready = sorted({file.kernel for file in driver.module_files or () if file.kernel != host.kernel})
    restart = f"Restart into kernel {ready[-1]}, which has the module" if ready else "Restart into an older kernel"
    branch = _branch(driver)
    if branch is not None and branch <= numbers_of("driver-branch-ended")[0]:
        ended = f"NVIDIA ended branch {branch}: no release of it knows newer kernels"
        alone = f", and no newer branch serves this GPU ({last} is the last)" if last and last <= branch else ""
        patched = f"Or take a package of branch {branch} that the distribution patches for its kernels."
        kept = "and keep that kernel (a long-term one)."
        return by_hand(
            "Use another kernel, one that the driver was made for", f"{ended}{alone}.", f"{restart}, {kept}", patched
        )
    if branch is not None and last is not None and branch >= last:
        newer = f"or install the newest release of branch {last}, the last that serves this GPU"
    else:
        newer = "or install a newer release of the driver"
    return by_hand("Use another kernel or driver", f"{restart}, {newer}, if the build reports errors.")


def _branch(driver: Driver) -> int | None:
    """That of DKMS's newest tree, else of the libraries."""
    trees = [row.version for row in driver.dkms or () if row.module.startswith("nvidia") and row.state != "broken"]
    releases = trees or [library.release.text for library in driver.libraries or () if library.release]
    heads = [int(head) for text in releases if (head := text.partition(".")[0]).isdigit()]
    return max(heads, default=None)


def _rebuild(host: System, driver: Driver) -> Fix:
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
    steps = (*stale, *headers, *build, run("modprobe", "nvidia"))
    return by_hand("Build the module for the running kernel", *steps, needs_root=True)
