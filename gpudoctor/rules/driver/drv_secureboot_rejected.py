"""DRV005: Secure Boot is on, and the kernel refuses the NVIDIA module."""

from gpudoctor.rules._driver_state import discrete, is_loaded, log_lines, module_for, module_is_built
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

#: What the kernel writes when it refuses a module: kernel/module/signing.c, certs/system_keyring.c, security/lockdown.
#: "Loading of module with unavailable key is rejected", "Loading of unsigned module is rejected" and their relatives.
REFUSALS = (
    "Key was rejected by service",
    "Required key not available",
    "unsigned module",
    "unavailable key",
    "PKCS#7 signature not",
)
#: Where Debian's and Ubuntu's DKMS keep the key they sign with.
UBUNTU_KEY, DEBIAN_KEY = "/var/lib/shim-signed/mok/MOK.der", "/var/lib/dkms/mok.pub"

OFF = by_hand(
    "Turn Secure Boot off",
    "Turn Secure Boot off in the firmware setup, or for the virtual machine in its settings.",
    needs_reboot=True,
)
BUILT_TOGETHER = by_hand(
    "Install the module that was built with this kernel",
    "Take kernel and driver module from one release of the distribution: they are signed together.",
    needs_root=True,
    needs_reboot=True,
)
#: A driver container builds the module and loads it into the host's kernel.
ON_HOST = by_hand(
    "Let the host's kernel trust the module",
    "Give the driver container a key that is enrolled on the host, use modules that the distribution has "
    "signed, or turn Secure Boot off on the host.",
    needs_root=True,
    needs_reboot=True,
)


@rule(
    "DRV005",
    name="drv-secureboot-rejected",
    severity="error",
    when="gpus.nvidia, not driver.module_release, known driver.modules_loaded",
)
def drv_secureboot_rejected(
    gpus: Gpus, driver: Driver, host: System, container: Container | Gap | None
) -> Iterator[Problem]:
    """Secure Boot is on, and the kernel refuses the NVIDIA module.

    What it means:
    With Secure Boot the kernel loads only modules that were signed with a key it trusts. The NVIDIA module for this
    kernel is on disk, but it is not loaded. modprobe then says "Key was rejected by service".

    Why it breaks:
    The module was built on this machine and signed with the machine's own key (or not signed at all), and that key was
    never confirmed in the blue screen that appears once after a restart.

    How to fix it:
    Register the key and confirm it at the next start, or install a module that the distribution has signed. On a cloud
    machine without a console nobody can confirm the key: use signed modules there, or turn Secure Boot off for the
    virtual machine.

    When to ignore it:
    When the module stays unloaded for another reason; the kernel log tells.

    Sources:
    https://wiki.ubuntu.com/UEFI/SecureBoot/DKMS, https://wiki.debian.org/SecureBoot, kernel documentation
    "Kernel module signing facility"
    """
    if not discrete(gpus) or wsl_of(container) or is_loaded(driver) is not False:
        return
    lines = tuple(line for line in log_lines(driver, *REFUSALS) if "nouveau" not in line.text)
    enforced = tuple(_enforced(driver, host))
    built = module_is_built(driver, host.kernel)
    # What the kernel refused is there.
    if built is False or not (lines or (built and enforced)):
        return
    others = any(gpu.bound_driver not in (None, "none", *_fallbacks(driver, host)) for gpu in discrete(gpus))
    if not lines and (others or "nvidia" in (driver.blacklisted or ())):
        return
    file = module_for(driver, host.kernel)
    yield problem(
        f"{_why(driver)}, and the kernel does not trust the key of the NVIDIA module.",
        *enforced,
        seen("NVIDIA module for this kernel", file.path if file else "present"),
        seen("NVIDIA module loaded", "no"),
        *log_seen(lines),
        confidence="certain" if lines else "likely",
        fixes=(ON_HOST,)
        if is_contained(container)
        else (_register(host), OFF if driver.secure_boot else BUILT_TOGETHER),
    )


def _why(driver: Driver) -> str:
    return "Secure Boot is on" if driver.secure_boot else "This kernel takes signed modules only"


def _fallbacks(driver: Driver, host: System) -> tuple[str, ...]:
    """A blacklisted nouveau did not come first: RPM Fusion's nvidia-fallback.service loads it when nvidia fails."""
    if driver.blacklisted is None and host.kernel_options is None:
        # Not seen; packages of the driver put it there.
        return ("nouveau",) if driver.secure_boot else ()
    options = (word.partition("=") for word in host.kernel_options or ())
    kept_out = any(key.endswith("blacklist") and "nouveau" in value.split(",") for key, _, value in options)
    return ("nouveau",) if kept_out or "nouveau" in (driver.blacklisted or ()) else ()


def _enforced(driver: Driver, host: System) -> Iterator[Evidence]:
    """Why this kernel wants signed modules."""
    if driver.secure_boot:
        yield seen("Secure Boot", "on")
    if driver.lockdown in ("integrity", "confidentiality"):
        yield seen("kernel lockdown", driver.lockdown)
    options = [word for word in host.kernel_options or () if word.startswith("module.sig_enforce")]
    if options and not options[-1].endswith("=0"):
        yield seen("kernel option", options[-1])


def _register(host: System) -> Fix:
    family = {host.distribution, *host.distribution_like}
    confirm = Ask(text="Set a one-time password when asked. Restart, choose Enroll MOK, and enter it.")
    if "ubuntu" in family:
        steps: tuple[Run | Ask, ...] = (run("mokutil", "--import", UBUNTU_KEY), confirm)
    elif "debian" in family:
        steps = (run("mokutil", "--import", DEBIAN_KEY), confirm)
    elif "fedora" in family:
        steps = (run("kmodgenca", "-a"), run("mokutil", "--import", "/etc/pki/akmods/certs/public_key.der"), confirm)
    else:
        steps = (Ask(text="Register the key the module is signed with: mokutil --import KEY."), confirm)
    return by_hand("Register the key of the module", *steps, needs_root=True, needs_reboot=True)
