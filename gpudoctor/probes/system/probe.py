"""The host: operating system, kernel, C library, CPU, memory, disk space, user."""

from typing import Literal

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Gap
from gpudoctor.facts.system import Cpu, System
from gpudoctor.host.port import Host
from gpudoctor.probes.host_files import exists, names_in, text_of, word_of
from gpudoctor.probes.system.cpu import parse_meminfo, parse_memlock, read_cpu
from gpudoctor.probes.system.spaces import read_spaces
from gpudoctor.sources.system import parse_os_release

#: The paths that the ABI of each architecture fixes for glibc's loader.
_LOADERS = {
    "/lib64/ld-linux-x86-64.so.2": "x86_64",
    "/lib/ld-linux-aarch64.so.1": "aarch64",
    "/lib64/ld64.so.2": "ppc64le",
    "/lib/ld-linux-riscv64-lp64d.so.1": "riscv64",
    "/lib64/ld-linux-loongarch-lp64d.so.1": "loongarch64",
    "/lib/ld-linux-armhf.so.3": "armv7l",
    "/lib/ld-linux.so.2": "i686",
}
_MUSL = re.compile(r"ld-musl-(\w+)\.so\.1")

Libc = Literal["glibc", "musl"]


def read_libc(host: Host) -> tuple[Libc | None, str | None, str | None]:
    """(kind, version, architecture) of the C library that programs of this machine use."""
    for path, arch in _LOADERS.items():
        if exists(host, path):
            return "glibc", _glibc_version(host, path), arch
    for name in names_in(host, "/lib") or ():
        if match := _MUSL.fullmatch(name):
            return "musl", parse_apk_musl(text_of(host, "/lib/apk/db/installed") or ""), match.group(1)
    return None, None, None


def read_arch(host: Host, loader_arch: str | None) -> str | None:
    """The machine's architecture: the kernel's word (since Linux 6.1), else the loader's."""
    return word_of(host, "/proc/sys/kernel/arch") or loader_arch


def _glibc_version(host: Host, loader: str) -> str | None:
    """The loader's version: up to glibc 2.33 it is in the file's name, since 2.33 in its --version text."""
    if match := re.search(r"ld-(\d+\.\d+)\.so$", host.real(loader)):
        return match.group(1)
    raw = host.read(loader)
    return None if raw is None or isinstance(raw, Gap) else parse_loader(raw)


def parse_loader(raw: bytes) -> str | None:
    """The version in the bytes of glibc's loader (or of libc.so.6)."""
    match = re.search(rb"release version (\d+\.\d+)", raw)
    return match.group(1).decode() if match else None


def parse_apk_musl(installed: str) -> str | None:
    """The version of musl in Alpine's package database."""
    match = re.search(r"^P:musl\nV:(\d[\d.]*)", installed, re.MULTILINE)
    return match.group(1) if match else None


#: Words of the kernel command line that decide over GPUs; everything else on it may tell of the owner.
_KERNEL_OPTION = re.compile(
    r"(?:(?:intel_|amd_)?iommu|iommu\.\w+|modprobe\.blacklist|module_blacklist|rd\.driver\.blacklist|module\.sig_enforce|"
    r"lockdown|nvidia[\w.-]*|nouveau\.\w+|nova_core\.\w+|rdblacklist|pci|pcie_\w+|pcie_aspm|nomodule|hugepages|"
    r"default_hugepagesz|amdgpu\.\w+|i915\.\w+|vfio[\w.-]*|mem_encrypt|swiotlb)=\S*|nomodeset|nomodule|noiommu|noapic|noacpi"
)

#: What the firmware's tables say of a virtual machine, by the first vendor or product that holds the word.
_VIRTUAL = (
    ("VMware", "vmware"), ("VirtualBox", "virtualbox"), ("innotek", "virtualbox"), ("Parallels", "parallels"),
    ("Xen", "xen"), ("Virtual Machine", "hyperv"), ("Hyper-V", "hyperv"), ("KVM", "kvm"), ("QEMU", "kvm"),
    ("OpenStack", "kvm"), ("Amazon EC2", "kvm"), ("Google Compute Engine", "kvm"), ("Alibaba Cloud ECS", "kvm"),
    ("DigitalOcean", "kvm"), ("Bochs", "bochs"), ("BHYVE", "bhyve"),
)  # fmt: skip


def probe(host: Host) -> System:
    """Everything of the machine that is not the GPU's own. Never raises; what was not seen is None."""
    if host.platform == "win32":
        return _windows(host)
    if host.platform == "darwin":
        return _macos(host)
    return _linux(host) if host.platform.startswith("linux") else System(os="other")


def _linux(host: Host) -> System:
    release = parse_os_release(text_of(host, "/etc/os-release") or text_of(host, "/usr/lib/os-release") or "")
    options = text_of(host, "/proc/cmdline", limit=8192)
    libc, libc_version, loader_arch = read_libc(host)
    cpu, hypervisor = read_cpu(host)
    total, available = parse_meminfo(text_of(host, "/proc/meminfo") or "")
    uid, groups = parse_status(text_of(host, "/proc/self/status") or "")
    kernel = word_of(host, "/proc/sys/kernel/osrelease") or parse_proc_version(text_of(host, "/proc/version") or "")
    return System(
        os="linux",
        distribution=release.get("ID"),
        distribution_like=tuple(release.get("ID_LIKE", "").split()),
        distribution_version=release.get("VERSION_ID"),
        pretty_name=release.get("PRETTY_NAME"),
        kernel=kernel,
        kernel_options=None if options is None else parse_kernel_options(options),
        arch=read_arch(host, loader_arch),
        libc=libc,
        libc_version=libc_version,
        cpu=cpu,
        memory_total=total,
        memory_available=available,
        locked_memory_limit=parse_memlock(text_of(host, "/proc/self/limits") or ""),
        spaces=read_spaces(host),
        is_root=None if uid is None else uid == 0,
        groups=None if groups is None else name_groups(groups, text_of(host, "/etc/group") or ""),
        virtualization=_virtualization(host, hypervisor),
        tegra=_tegra(host, kernel),
        selinux_enforcing=_selinux(host),
    )


def parse_kernel_options(cmdline: str) -> tuple[str, ...]:
    """The words of the kernel command line that matter to GPUs."""
    return tuple(word for word in cmdline.split() if _KERNEL_OPTION.fullmatch(word))


def parse_proc_version(text: str) -> str | None:
    """The kernel release in /proc/version."""
    match = re.match(r"Linux version (\S+)", text)
    return match.group(1) if match else None


def parse_status(text: str) -> tuple[int | None, tuple[int, ...] | None]:
    """(effective user id, group ids: the effective one and the supplementary ones) of /proc/self/status."""
    uid = re.search(r"^Uid:\s+\d+\s+(\d+)", text, re.MULTILINE)
    gid = re.search(r"^Gid:\s+\d+\s+(\d+)", text, re.MULTILINE)
    groups = re.search(r"^Groups:[ \t]*([\d ]*)$", text, re.MULTILINE)
    if gid is None:
        return (int(uid.group(1)) if uid else None), None
    numbers = [gid.group(1), *(groups.group(1).split() if groups else [])]
    return (int(uid.group(1)) if uid else None), tuple(dict.fromkeys(int(number) for number in numbers))


def name_groups(numbers: tuple[int, ...], etc_group: str) -> tuple[str, ...]:
    """Names of the groups; a number that /etc/group does not know (a directory service's) stays a number."""
    known = {number: name for name, number in re.findall(r"^([^:\n]+):[^:\n]*:(\d+):", etc_group, re.MULTILINE)}
    return tuple(known.get(str(number), str(number)) for number in numbers)


def _tegra(host: Host, kernel: str | None) -> str | None:
    """The release line of a Jetson; a container may lack the file, and has the kernel of its host."""
    line = (text_of(host, "/etc/nv_tegra_release") or "").partition("\n")[0].strip()
    return line or (f"kernel {kernel}" if kernel and kernel.endswith("-tegra") else None)


def _virtualization(host: Host, hypervisor: bool | None) -> str | None:
    """The kind of virtual machine. On x86 the processor's flag decides whether it is one, the firmware names it."""
    if hypervisor is False:
        return "none"
    words = [word_of(host, f"/sys/class/dmi/id/{name}") for name in ("sys_vendor", "product_name", "bios_vendor")]
    named = parse_dmi(" ".join(word for word in words if word))
    if named is None and "microsoft" in (word_of(host, "/proc/sys/kernel/osrelease") or "").lower():
        named = "hyperv"
    return named or ("other" if hypervisor else None)


def parse_dmi(words: str) -> str | None:
    """The virtual machine that the firmware's vendor and product names tell of."""
    return next((kind for word, kind in _VIRTUAL if word.lower() in words.lower()), None)


def _selinux(host: Host) -> bool | None:
    """Whether SELinux enforces. A container often does not mount its file system: then that is not known."""
    enforce = word_of(host, "/sys/fs/selinux/enforce")
    if enforce in ("0", "1"):
        return enforce == "1"
    filesystems = text_of(host, "/proc/filesystems")
    return False if filesystems is not None and "selinuxfs" not in filesystems else None


def _windows(host: Host) -> System:
    version = None
    if shell := host.tool("cmd"):
        version = parse_ver(host.run((shell, "/d", "/c", "ver"), timeout=2.0).text)
    arch = host.env.get("PROCESSOR_ARCHITEW6432") or host.env.get("PROCESSOR_ARCHITECTURE")
    cores = host.env.get("NUMBER_OF_PROCESSORS", "")
    return System(
        os="windows",
        distribution="windows",
        distribution_version=version,
        pretty_name=name_windows(version),
        kernel=version,
        arch=arch.lower().replace("amd64", "x86_64") if arch else None,
        cpu=Cpu(model=host.env.get("PROCESSOR_IDENTIFIER"), cores=int(cores) if cores.isdecimal() else None),
        spaces=read_spaces(host),
    )


def parse_ver(text: str) -> str | None:
    """The build number that `ver` prints, whatever the language: 10.0.22631.3447."""
    match = re.search(r"\b(\d+\.\d+\.\d{4,}(?:\.\d+)?)\b", text)
    return match.group(1) if match else None


def name_windows(version: str | None) -> str | None:
    """Windows 10 or 11: the number stayed 10.0, and builds from 22000 on are Windows 11 (client editions)."""
    if version is None or not version.startswith("10.0."):
        return f"Windows {version}" if version else None
    return f"Windows {11 if int(version.split('.')[2]) >= 22000 else 10} ({version})"


def _macos(host: Host) -> System:
    release = parse_system_version(text_of(host, "/System/Library/CoreServices/SystemVersion.plist") or "")
    facts = _sysctl(
        host, "kern.osrelease", "hw.memsize", "hw.logicalcpu", "machdep.cpu.brand_string", "hw.optional.arm64"
    )
    memory, cores = facts.get("hw.memsize", ""), facts.get("hw.logicalcpu", "")
    model = facts.get("machdep.cpu.brand_string")
    apple = facts.get("hw.optional.arm64") == "1" or (model or "").startswith("Apple")
    return System(
        os="macos",
        distribution="macos",
        distribution_version=release,
        pretty_name=f"macOS {release}" if release else "macOS",
        kernel=facts.get("kern.osrelease"),
        arch=("arm64" if apple else "x86_64") if facts else None,
        cpu=Cpu(model=model, cores=int(cores) if cores.isdecimal() else None),
        memory_total=int(memory) if memory.isdecimal() else None,
        spaces=read_spaces(host),
    )


def parse_system_version(plist: str) -> str | None:
    """ProductVersion in SystemVersion.plist."""
    match = re.search(r"<key>ProductVersion</key>\s*<string>([^<]+)</string>", plist)
    return match.group(1) if match else None


def _sysctl(host: Host, *names: str) -> dict[str, str]:
    """Values of sysctl(8); a name the machine does not know is left out."""
    tool = host.tool("sysctl")
    if tool is None:
        return {}
    return dict(re.findall(r"^([\w.]+): (.*?)\s*$", host.run((tool, *names), timeout=2.0).text, re.MULTILINE))
