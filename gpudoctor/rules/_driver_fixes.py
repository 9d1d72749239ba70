"""Fixes that install, update or rebuild the driver; all are steps for a person.

Package names only where the distribution's own documents give them: help.ubuntu.com (ubuntu-drivers),
wiki.debian.org/NvidiaGraphicsDrivers, rpmfusion.org/Howto/NVIDIA, wiki.archlinux.org/title/NVIDIA; read 2026-11.
"""

import re

from gpudoctor.facts.fix import Write
from gpudoctor.plan.system_packages import install_command, names_for
from gpudoctor.rules._situation import is_contained, known, place, wsl_of
from gpudoctor.rules.sections import Gap, Scene, System
from gpudoctor.rules.terms import Ask, Fix, Run, by_hand, run

WINDOWS_DRIVER = Ask(text="Get the driver for your GPU from https://www.nvidia.com/drivers and install it on Windows.")
VENDOR_GUIDE = "https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/"

REBOOT = by_hand("Restart the machine when no job runs on it", run("reboot"), needs_root=True, needs_reboot=True)

RELOAD_MODULES = by_hand(
    "Without a restart: end every program that uses the GPU, then reload the kernel modules",
    "End every program that uses the GPU, the graphical desktop included.",
    run("modprobe", "-r", "nvidia_uvm", "nvidia_drm", "nvidia_modeset", "nvidia"),
    run("modprobe", "nvidia"),
    needs_root=True,
)


def start_image(host: System | Gap | None) -> Run | Ask:
    """Make the start image (initramfs) anew, which holds copies of modules and their settings."""
    machine = known(host)
    family = {machine.distribution, *machine.distribution_like} if machine else set()
    if family & {"debian", "ubuntu"}:
        return run("update-initramfs", "-u")
    if family & {"fedora", "rhel", "centos"}:
        return run("dracut", "--force")
    if "arch" in family:
        return run("mkinitcpio", "-P")
    return Ask(text="Rebuild the start image (initramfs) with your distribution's tool.")


def keep_nouveau_out(scene: Scene, held_by: str | None = "nouveau") -> Fix:
    """Blacklist nouveau, or its successor nova where that holds the GPU; also in the start image."""
    name = "nova" if (held_by or "").lower().startswith("nova") else "nouveau"
    lines = {
        "nouveau": "blacklist nouveau\noptions nouveau modeset=0\n",
        "nova": "blacklist nova_core\nblacklist nova_drm\n",
    }
    blacklist = Write(path=f"/etc/modprobe.d/blacklist-{name}.conf", text=lines[name])
    return by_hand(
        f"Keep {name} from starting{place(scene.container)}",
        blacklist,
        start_image(scene.host),
        needs_root=True,
        needs_reboot=True,
        undo=f"Remove {blacklist.path} and rebuild the start image.",
    )


def update_driver(scene: Scene, need: str) -> tuple[Fix, ...]:
    """Bring the driver to what is needed ("branch 570 or newer"); names no release."""
    if wsl_of(scene.container) or scene.os == "windows":
        steps: tuple[Run | Ask, ...] = (WINDOWS_DRIVER,)
    else:
        outside = (Ask(text="Install it on the host of this container."),) if is_contained(scene.container) else ()
        steps = (*outside, Ask(text=f"Take it from your distribution, or from NVIDIA's repository ({VENDOR_GUIDE})."))
    floor = re.search(r"\d+(?:\.\d+)*", need)
    return (
        by_hand(
            f"Install a driver of {need}",
            *steps,
            needs_root=True,
            needs_reboot=True,
            driver=f">={floor.group()}" if floor else ">=0",
        ),
    )


def newer_driver(scene: Scene, comparisons: tuple[tuple[str, str], ...]) -> tuple[Fix, ...]:
    """Bring the driver to what the user demands; nothing where an older one is demanded than some that would do."""
    floor = next((version for sign, version in comparisons if sign == ">="), None)
    if floor is None:
        return ()
    return update_driver(scene, f"release {floor} or newer" if "." in floor else f"branch {floor} or newer")


def install_driver(scene: Scene, *, needs_open: bool = False) -> tuple[Fix, ...]:
    """Install the distribution's NVIDIA driver."""
    if wsl_of(scene.container) or scene.os == "windows":
        return (by_hand("Install the NVIDIA driver on Windows", WINDOWS_DRIVER, driver=">=0"),)
    title, steps = "Install the NVIDIA driver", _install_steps(known(scene.host), needs_open=needs_open)
    if is_contained(scene.container):
        title = "Install the NVIDIA driver on the host, never inside the container"
        steps = (Ask(text=f"On the host, follow its distribution's guide, or NVIDIA's: {VENDOR_GUIDE}"),)
    return (by_hand(title, *steps, needs_root=True, needs_reboot=True, driver=">=0"),)


def legacy_driver(scene: Scene, branch: int) -> tuple[Run | Ask, ...]:
    """Install the last branch for an old GPU, as the distribution calls it, and keep it.

    rpmfusion.org/Howto/NVIDIA and github.com/fady-saied/Nvidia-Fedora-Guide/issues/20; archlinux.org/news, driver 590;
    github.com/NixOS/nixos-hardware/issues/1828. Read 2026-11-23. 470 on Ubuntu and Mint:
    github.com/linuxmint/mintdrivers/issues/111. Read 2026-11-27.
    """
    machine = known(scene.host)
    distribution = machine.distribution if machine and not is_contained(scene.container) else None
    if distribution == "fedora":
        return (
            run("dnf", "remove", "akmod-nvidia*", "xorg-x11-drv-nvidia*"),
            run("dnf", "install", f"akmod-nvidia-{branch}xx", f"xorg-x11-drv-nvidia-{branch}xx-cuda"),
            Ask(text="Both are of RPM Fusion. Wait until the module is built (some minutes) before you restart."),
        )
    if machine is not None and distribution is not None and "ubuntu" in (distribution, *machine.distribution_like):
        # The desktop's package of 470 has become a name for 535.
        package = f"nvidia-driver-{branch}" + ("-server" if branch == 470 else "")
        return (run("apt", "install", package), run("apt-mark", "hold", package))
    if machine is not None and distribution is not None and "arch" in (distribution, *machine.distribution_like):
        names = f"nvidia-{branch}xx-dkms and nvidia-{branch}xx-utils"
        return (Ask(text=f"Install {names} from the AUR in place of the current driver's packages."),)
    if distribution == "nixos":
        line = f"hardware.nvidia.package = config.boot.kernelPackages.nvidiaPackages.legacy_{branch};"
        return (Ask(text=f"Put into the system's configuration, and rebuild it: {line}"),)
    return (Ask(text=f"Install the driver of branch {branch} from your distribution's legacy packages, and hold it."),)


def _install_steps(host: System | None, *, needs_open: bool) -> tuple[Run | Ask, ...]:
    distribution = host.distribution if host else None
    flavour = ' This GPU needs the open kernel modules: take the flavour with "open" in its name.' if needs_open else ""
    if distribution == "ubuntu" and not needs_open:
        return (run("ubuntu-drivers", "install"),)
    if distribution == "ubuntu":
        listing = run("ubuntu-drivers", "list")
        return (listing, Ask(text="Install the newest listed package whose name ends in -open, with apt install."))
    if distribution == "debian" and not needs_open and host is not None and host.kernel:
        return (
            Ask(text="Enable the components contrib, non-free and non-free-firmware in the APT sources."),
            run("apt", "update"),
            run("apt", "install", *names_for(host, "driver")),
        )
    if distribution == "fedora":
        return (
            Ask(text="Enable the RPM Fusion repositories: https://rpmfusion.org/Configuration"),
            run("dnf", "install", *names_for(host, "driver")),
            Ask(text="Wait until the module is built (some minutes) before you restart."),
        )
    if distribution == "arch":
        module = "nvidia-open" if host and "-arch" in (host.kernel or "") else "nvidia-open-dkms"
        return (
            run("pacman", "-S", module, "nvidia-utils"),
            Ask(text="For GPUs older than Turing (GTX 10 series and before) use a legacy driver of the AUR instead."),
        )
    return (Ask(text=f"Follow your distribution's guide for the NVIDIA driver, or NVIDIA's: {VENDOR_GUIDE}{flavour}"),)


def _arch_headers(kernel: str) -> str:
    """Arch names a kernel's packages after its flavour: 6.2.6-zen1-1-zen belongs to linux-zen."""
    flavour = next((name for name in ("zen", "lts", "hardened", "rt") if kernel.endswith(f"-{name}")), None)
    return f"linux-{flavour}-headers" if flavour else "linux-headers"


def headers_command(host: System | Gap | None) -> tuple[Run | Ask, ...]:
    """Install the headers of the running kernel."""
    machine = known(host)
    kernel = machine.kernel if machine else None
    family = {machine.distribution, *machine.distribution_like} if machine else set()
    command = install_command(host, "kernel-headers")
    if command is not None:
        return (command,)
    if "arch" in family:
        return (run("pacman", "-S", _arch_headers(kernel or "")),)
    return (Ask(text=f"Install the headers (or -devel package) of kernel {kernel or 'that is running'}."),)
