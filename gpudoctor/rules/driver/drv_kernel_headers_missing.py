"""DRV020: the running kernel's headers are missing, so the driver's module could not be built."""

from gpudoctor.rules._driver_fixes import headers_command
from gpudoctor.rules._driver_state import discrete, is_loaded, module_is_built
from gpudoctor.rules._situation import is_contained, wsl_of
from gpudoctor.rules.sections import Container, Driver, Gap, Gpus, System
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, run, seen


@rule(
    "DRV020",
    name="drv-kernel-headers-missing",
    severity="error",
    when="gpus.nvidia, driver.dkms, not driver.module_release",
)
def drv_kernel_headers_missing(
    gpus: Gpus, driver: Driver, host: System, container: Container | Gap | None
) -> Iterator[Problem]:
    """The running kernel's headers are missing, so the driver's module could not be built.

    What it means:
    DKMS builds the NVIDIA module for every kernel. For that it needs the headers of that kernel, and these are not
    installed.

    Why it breaks:
    A kernel update does not always bring its headers along, and kernels from elsewhere have packages of their own.

    How to fix it:
    Install the headers of exactly the running kernel, then let DKMS build the module.

    When to ignore it:
    When you start another kernel that has its module.

    Sources:
    dkms(8); NVIDIA driver installation guide, section on kernel headers,
    https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/
    """
    if not discrete(gpus) or is_contained(container) or wsl_of(container) or is_loaded(driver) is not False:
        return
    rows = [row for row in driver.dkms or () if row.module.startswith("nvidia")]
    if not rows or driver.kernel_headers is not False or module_is_built(driver, host.kernel) is not False:
        return
    build = run("dkms", "autoinstall", "-k", str(host.kernel))
    steps = (*headers_command(host), build, run("modprobe", "nvidia"))
    yield problem(
        f"The headers of kernel {host.kernel} are missing, so the NVIDIA module could not be built for it.",
        seen("running kernel", host.kernel),
        seen(f"/lib/modules/{host.kernel}/build", "does not lead to headers"),
        seen("driver in DKMS", ", ".join(sorted({row.version for row in rows}))),
        fix=by_hand("Install the headers and build the module", *steps, needs_root=True),
    )
