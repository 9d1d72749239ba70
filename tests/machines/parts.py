"""Pieces of which machines are put together: an operating system, a GPU on the bus, a driver, what NVML answers."""

from gpudoctor.facts.system import Space
from gpudoctor.host.machine import Command, Machine
from gpudoctor.host.port import Stat

GIB = 1024**3
#: glibc's loader says its version in the text that --version prints.
_LOADER = "ld.so (GLIBC) stable release version {}.\n"
_TRIPLETS = {"x86_64": "x86_64-linux-gnu", "aarch64": "aarch64-linux-gnu"}
_LOADERS = {"x86_64": "/lib64/ld-linux-x86-64.so.2", "aarch64": "/lib/ld-linux-aarch64.so.1"}


def merge(*parts: Machine) -> Machine:
    """One machine of several; later pieces win."""
    tables = {name: {} for name in Machine.__struct_fields__ if isinstance(getattr(Machine(), name), dict)}
    for part in parts:
        for name, table in tables.items():
            table.update(getattr(part, name))
    commands = tuple(command for part in parts for command in part.commands)
    first = parts[0]
    return Machine(platform=first.platform, cwd=first.cwd, commands=commands, **tables)


def linux(
    distribution: str,
    version: str,
    kernel: str,
    *,
    like: str = "",
    arch: str = "x86_64",
    glibc: str = "2.35",
    uid: int = 1000,
    groups: tuple[int, ...] = (1000, 27),
    flags: str = "fpu sse4_1 sse4_2 avx f16c fma avx2",
    vendor: str = "ASUS",
    shm: int = 16 * GIB,
    cmdline: str = "BOOT_IMAGE=/vmlinuz root=UUID=0 ro quiet splash",
) -> Machine:
    """A Linux machine without anything of a GPU."""
    word = "flags" if arch == "x86_64" else "Features"
    return Machine(
        cwd="/home/ada/work",
        env={"HOME": "/home/ada", "PATH": "/usr/bin:/bin"},
        files={
            "/etc/os-release": f'ID={distribution}\nID_LIKE="{like}"\nVERSION_ID="{version}"\n'
            f'PRETTY_NAME="{distribution} {version}"\n',
            "/proc/sys/kernel/osrelease": f"{kernel}\n",
            "/proc/sys/kernel/arch": f"{arch}\n",
            "/proc/version": f"Linux version {kernel} (builder@host) (gcc 12) #1 SMP\n",
            "/proc/cmdline": f"{cmdline}\n",
            "/proc/modules": "ext4 983040 1 - Live 0x0000000000000000\n",
            "/proc/filesystems": "nodev\tsysfs\nnodev\tproc\n\text4\n",
            "/proc/cpuinfo": f"processor\t: 0\nmodel name\t: Test CPU\n{word}\t\t: {flags}\n\n",
            "/sys/devices/system/cpu/online": "0-15\n",
            "/proc/meminfo": "MemTotal:       65765868 kB\nMemFree:        1 kB\nMemAvailable:   60000000 kB\n",
            "/proc/self/status": f"Name:\tpython3\nUid:\t{uid}\t{uid}\t{uid}\t{uid}\n"
            f"Gid:\t{groups[0]}\t{groups[0]}\t0\t0\nGroups:\t{' '.join(map(str, groups))} \n",
            "/proc/self/limits": "Limit                     Soft Limit           Hard Limit           Units     \n"
            "Max locked memory         8388608              8388608              bytes     \n",
            "/proc/self/cgroup": "0::/user.slice/user-1000.slice/session-2.scope\n",
            "/proc/self/mountinfo": "27 1 259:2 / / rw,relatime - ext4 /dev/nvme0n1p2 rw\n"
            "25 27 0:23 / /dev/shm rw,nosuid,nodev - tmpfs tmpfs rw\n",
            "/proc/1/comm": "systemd\n",
            "/etc/ld.so.conf": "include /etc/ld.so.conf.d/*.conf\n",
            "/etc/group": "root:x:0:\nadm:x:4:ada\nsudo:x:27:ada\nvideo:x:44:\nrender:x:110:\nada:x:1000:\n",
            "/sys/class/dmi/id/sys_vendor": f"{vendor}\n",
            _LOADERS[arch]: _LOADER.format(glibc),
        },
        directories={
            "/dev": ("null", "shm", "tty"),
            "/tmp": (),
            "/home/ada/work": (),
            "/sys/firmware": ("acpi", "dmi"),
        },
        spaces={
            "/dev/shm": Space(path="/dev/shm", total=shm, free=shm),
            **{
                path: Space(path=path, total=900 * GIB, free=400 * GIB)
                for path in ("/tmp", "/home/ada", "/home/ada/work")
            },
        },
    )


def ubuntu(version: str, kernel: str, **more: object) -> Machine:
    """A Ubuntu desktop with the kernel's headers."""
    headers = Machine(
        directories={f"/lib/modules/{kernel}/build": ("Makefile",), "/etc/systemd/system": ("display-manager.service",)}
    )
    return merge(linux("ubuntu", version, kernel, like="debian", **more), headers)


def pci(
    address: str, ids: str, *, pci_class: str = "0x030000", driver: str | None = None, power: str = "D0"
) -> Machine:
    """A device on the PCI bus: `ids` is "10de:2204"."""
    vendor, _, device = ids.partition(":")
    top = f"/sys/bus/pci/devices/{address}"
    files = {
        "vendor": f"0x{vendor}\n",
        "device": f"0x{device}\n",
        "class": f"{pci_class}\n",
        "power_state": f"{power}\n",
    }
    return Machine(
        files={f"{top}/{name}": text for name, text in files.items()},
        links={f"{top}/driver": f"/sys/bus/pci/drivers/{driver}"} if driver else {},
        directories={f"/sys/bus/pci/drivers/{driver}": (address,)} if driver else {},
    )


def module(release: str, *, flavour: str = "proprietary", arch: str = "x86_64", uvm: bool = True) -> Machine:
    """NVIDIA's kernel module, loaded."""
    what = f"Open Kernel Module for {arch}" if flavour == "open" else f"{arch} Kernel Module"
    names = ("nvidia_drm", "nvidia_modeset", "nvidia", *(("nvidia_uvm",) if uvm else ()))
    return Machine(
        files={
            "/proc/driver/nvidia/version": f"NVRM version: NVIDIA UNIX {what}  {release}  Sat Feb 17 22:55:48 UTC 2024"
            "\nGCC version:  gcc version 12.3.0 (Ubuntu 12.3.0-1ubuntu1~22.04)\n",
            "/proc/driver/nvidia/params": "ModifyDeviceFiles: 1\nDeviceFileUID: 0\nDeviceFileMode: 438\n"
            'PreserveVideoMemoryAllocations: 0\nEnableGpuFirmware: 18\nRegistryDwords: ""\n',
            "/sys/module/nvidia/version": f"{release}\n",
            "/proc/modules": "".join(f"{name} 56823808 12 - Live 0x0000000000000000 (POE)\n" for name in names),
        }
    )


def module_file(kernel: str, path: str = "updates/dkms/nvidia.ko") -> Machine:
    """NVIDIA's module on disk for a kernel."""
    return Machine(files={f"/lib/modules/{kernel}/modules.dep": f"kernel/fs/ext4/ext4.ko:\n{path}:\n"})


def dkms(version: str, *kernels: str, module: str = "nvidia", arch: str = "x86_64") -> Machine:
    """DKMS's tree with that version installed for the kernels; without one it is only added."""
    top = f"/var/lib/dkms/{module}"
    return Machine(
        directories={f"/usr/src/{module}-{version}": ("dkms.conf",)}
        | {f"{top}/{version}/{kernel}/{arch}/module": ("nvidia.ko",) for kernel in kernels},
        links={f"{top}/{version}/source": f"/usr/src/{module}-{version}"}
        | {f"{top}/kernel-{kernel}-{arch}": f"{version}/{kernel}/{arch}" for kernel in kernels},
    )


def libraries(release: str, *, arch: str = "x86_64", folder: str | None = None) -> Machine:
    """The driver's user-space libraries, as packages lay them out."""
    folder = folder or f"/usr/lib/{_TRIPLETS[arch]}"
    names = ("libcuda.so", "libnvidia-ml.so")
    return Machine(
        files={f"{folder}/{name}.{release}": "ELF" for name in names},
        links={f"{folder}/{name}.1": f"{name}.{release}" for name in names},
    )


def nodes(*names: str, mode: int = 0o666, group: str = "root", refused: str | None = None) -> Machine:
    """Device nodes; `refused` is the errno's name that opening them for writing gives."""
    paths = [
        f"/dev/{name}" for name in names or ("nvidia0", "nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "nvidia-modeset")
    ]
    return Machine(
        stats={path: Stat(kind="character", mode=mode, owner="root", group=group) for path in paths},
        unwritable=dict.fromkeys(paths, refused) if refused else {},
    )


def dpkg(**packages: str) -> Machine:
    """dpkg's status file; names are written with _ for -."""
    rows = {"base-files": "12", **{name.replace("_", "-"): version for name, version in packages.items()}}
    text = "".join(
        f"Package: {name}\nStatus: install ok installed\nSection: non-free\nArchitecture: amd64\nVersion: {version}\n"
        f"Description: a package\n of several lines\n\n"
        for name, version in rows.items()
    )
    return Machine(files={"/var/lib/dpkg/status": text})


def efi(*, secure_boot: bool) -> Machine:
    """A machine started by EFI."""
    variable = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
    return Machine(
        binaries={variable: bytes([6, 0, 0, 0, int(secure_boot)])},
        files={
            "/sys/kernel/security/lockdown": "none [integrity] confidentiality\n"
            if secure_boot
            else "[none] integrity confidentiality\n"
        },
    )


def kernel_log(*lines: str) -> Machine:
    """Messages since the last start, after some of the start before, as rsyslog writes them."""
    head = (
        "Mar  1 08:00:00 box kernel: [    0.000000] Linux version 5.0\n"
        "Mar  1 09:00:00 box kernel: [   99.000000] NVRM: of the boot before\n"
    )
    now = ("Linux version 5.15.0-101-generic (buildd@lcy02)", *lines)
    text = "".join(
        f"Mar  2 08:00:{second:02} box kernel: [{second:5}.123456] {line}\n" for second, line in enumerate(now)
    )
    return Machine(files={"/var/log/kern.log": head + text})


def docker(*, shm: int = 64 * 1024**2) -> Machine:
    """The marks of a docker container on a version 2 control-group host."""
    return Machine(
        files={
            "/.dockerenv": "",
            "/proc/self/cgroup": "0::/\n",
            "/proc/self/mountinfo": "745 600 0:60 / / rw,relatime - overlay overlay rw,"
            "lowerdir=/var/lib/docker/overlay2/l/A:/var/lib/docker/overlay2/l/B\n"
            "750 748 0:65 / /dev/shm rw,nosuid - tmpfs shm rw,size=65536k\n",
            "/proc/self/uid_map": "         0          0 4294967295\n",
            "/proc/1/comm": "python3\n",
        },
        directories={"/sys/firmware": ()},
        spaces={"/dev/shm": Space(path="/dev/shm", total=shm, free=shm)},
    )


def commands(**outputs: str) -> Machine:
    """Outputs of programs that succeed, by the program's name; its arguments after two underscores are spaces."""
    return Machine(
        commands=tuple(Command(argv=tuple(key.split("__")), code=0, stdout=text) for key, text in outputs.items())
    )
