"""Tables for every text of the machine that is read."""

from typing import Any

import pytest

from gpudoctor.facts.system import Space
from gpudoctor.host.recorded import RecordedHost
from gpudoctor.probes.system import probe as system
from gpudoctor.probes.system.cpu import parse_cpu_list, parse_meminfo, parse_memlock
from gpudoctor.probes.system.probe import parse_apk_musl, parse_loader, read_libc
from gpudoctor.probes.system.spaces import filesystem_of, parse_mountinfo, read_spaces
from gpudoctor.sources.system import parse_cpuinfo, parse_os_release


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            'ID=ubuntu\nID_LIKE=debian\nPRETTY_NAME="Ubuntu 22.04.4 LTS"\n',
            {"ID": "ubuntu", "ID_LIKE": "debian", "PRETTY_NAME": "Ubuntu 22.04.4 LTS"},
        ),
        ("ID='arch'\n# comment\nbroken", {"ID": "arch"}),
        ('NAME="a \\"b\\" \\$c"', {"NAME": 'a "b" $c'}),
        ("", {}),
        ("\0\0=\n", {}),
    ],
)
def test_os_release(text: str, expected: dict[str, str]) -> None:
    assert parse_os_release(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("BOOT_IMAGE=/vmlinuz root=UUID=secret ro quiet", ()),
        ("ro nomodeset nvidia-drm.modeset=1 root=/dev/sda", ("nomodeset", "nvidia-drm.modeset=1")),
        ("intel_iommu=on iommu=pt", ("intel_iommu=on", "iommu=pt")),
        ("module.sig_enforce=1 lockdown=integrity", ("module.sig_enforce=1", "lockdown=integrity")),
        (
            "nouveau.modeset=0 rd.driver.blacklist=nouveau modprobe.blacklist=nouveau",
            ("nouveau.modeset=0", "rd.driver.blacklist=nouveau", "modprobe.blacklist=nouveau"),
        ),
        ("xnomodeset password=iommu=pt", ()),
    ],
)
def test_kernel_options(text: str, expected: tuple[str, ...]) -> None:
    assert system.parse_kernel_options(text) == expected


X86 = (
    "processor\t: 0\nmodel name\t: AMD Ryzen 9\nflags\t\t: fpu pni sse4_2 avx avx2 fma hypervisor\n\n"
    "processor\t: 1\nmodel name\t: other\n"
)
ARM = "processor\t: 0\nBogoMIPS\t: 62.50\nFeatures\t: fp asimd evtstrm atomics\nCPU implementer\t: 0x41\n"


@pytest.mark.parametrize(
    ("text", "model", "flags", "hypervisor"),
    [
        (X86, "AMD Ryzen 9", ("sse3", "sse4_2", "avx", "fma", "avx2"), True),
        (X86.replace(" hypervisor", ""), "AMD Ryzen 9", ("sse3", "sse4_2", "avx", "fma", "avx2"), False),
        (ARM, None, ("asimd", "atomics"), None),
        ("processor\t: 0\ncpu\t\t: POWER9, altivec supported\n", "POWER9, altivec supported", None, None),
        ("", None, None, None),
    ],
)
def test_cpuinfo(text: str, model: Any, flags: Any, hypervisor: Any) -> None:
    cpu, under = parse_cpuinfo(text)
    assert (cpu.model, cpu.flags, under) == (model, flags, hypervisor)


@pytest.mark.parametrize(
    ("text", "expected"), [("0", 1), ("0-15", 16), ("0-7,16-23", 16), ("", None), ("a-b", None), ("0-", None)]
)
def test_cpu_list(text: str, expected: int | None) -> None:
    assert parse_cpu_list(text) == expected


def test_cores_are_counted_where_the_kernel_does_not_list_them() -> None:
    assert system.probe(RecordedHost({"/proc/cpuinfo": X86})).cpu == parse_cpuinfo(X86)[0].__class__(
        model="AMD Ryzen 9", cores=2, flags=("sse3", "sse4_2", "avx", "fma", "avx2")
    )


def test_meminfo() -> None:
    assert parse_meminfo("MemTotal: 100 kB\nMemFree: 1 kB\nMemAvailable:  50 kB\n") == (102400, 51200)
    assert parse_meminfo("MemTotal: 100 kB\n") == (102400, None)
    assert parse_meminfo("") == (None, None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Max locked memory         8388608              8388608              bytes     \n", 8388608),
        (
            "Max cpu time   unlimited\nMax locked memory         unlimited            unlimited     bytes\n",
            -1,
        ),
        ("Max cpu time   unlimited\n", None),
    ],
)
def test_memlock(text: str, expected: int | None) -> None:
    assert parse_memlock(text) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"\0ld.so (Debian GLIBC 2.36-9+deb12u14) stable release version 2.36.\n\0", "2.36"),
        (b"GNU C Library (GNU libc) stable release version 2.17, by Roland McGrath et al.", "2.17"),
        (b"\x7fELF", None),
    ],
)
def test_glibc(raw: bytes, expected: str | None) -> None:
    assert parse_loader(raw) == expected


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (
            RecordedHost({"/lib64/ld-2.31.so": "ELF"}, links={"/lib64/ld-linux-x86-64.so.2": "ld-2.31.so"}),
            ("glibc", "2.31", "x86_64"),
        ),
        (RecordedHost({"/lib/ld-linux-aarch64.so.1": "stable release version 2.35."}), ("glibc", "2.35", "aarch64")),
        (RecordedHost({"/lib64/ld-linux-x86-64.so.2": "nothing"}), ("glibc", None, "x86_64")),
        (
            RecordedHost(
                {"/lib/ld-musl-x86_64.so.1": "ELF", "/lib/apk/db/installed": "C:Q1\nP:musl\nV:1.2.4-r2\nA:x86_64\n"}
            ),
            ("musl", "1.2.4", "x86_64"),
        ),
        (RecordedHost(), (None, None, None)),
    ],
)
def test_libc_of_a_machine(host: RecordedHost, expected: tuple[Any, ...]) -> None:
    assert read_libc(host) == expected


def test_musl_is_not_musl_utils() -> None:
    assert parse_apk_musl("P:musl-utils\nV:1.2.5-r0\n") is None


MOUNTS = (
    "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
    "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n"
    "28 27 0:30 / /home rw - nfs4 server:/home rw\n"
    "29 27 0:31 / /mnt/my\\040disk rw shared:1 - xfs /dev/sdb rw\n"
    "30 27 0:32 / /mnt/my\\040disk rw - tmpfs tmpfs rw\n"
    "broken line\n"
)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/", "ext4"),
        ("/homework", "ext4"),
        ("/home/ada", "nfs4"),
        ("/home", "nfs4"),
        ("/mnt/my disk/x", "tmpfs"),
        ("/proc/1", "proc"),
    ],
)
def test_filesystem(path: str, expected: str) -> None:
    assert filesystem_of(path, parse_mountinfo(MOUNTS)) == expected


def test_a_file_server_is_not_asked_for_room() -> None:
    """statvfs(2) on a server that is gone does not return."""
    room = {path: Space(path=path, total=9, free=5) for path in ("/home/ada", "/tmp", "/work")}
    host = RecordedHost({"/proc/self/mountinfo": MOUNTS}, spaces=room, env={"HOME": "/home/ada"}, cwd="/work")
    spaces = {space.purpose: (space.free, space.filesystem) for space in read_spaces(host)}
    assert spaces == {"temp": (5, "ext4"), "work": (5, "ext4"), "home": (None, "nfs4"), "cache": (None, "nfs4")}


def test_a_cache_that_is_not_there_yet() -> None:
    host = RecordedHost(spaces={"/root": Space(path="/root", total=9, free=4)}, env={"HOME": "/root"})
    assert system.probe(host).space("cache") == Space(path="/root/.cache", purpose="cache", total=9, free=4)


STATUS = "Name:\tx\nUid:\t1000\t0\t1000\t1000\nGid:\t1000\t1000\t1000\t1000\nGroups:\t4 44 1000 \n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (STATUS, (0, (1000, 4, 44))),
        ("Uid:\t5\t5\t5\t5\nGid:\t7\t7\t7\t7\nGroups:\t\n", (5, (7,))),
        ("Name:\tx\n", (None, None)),
    ],
)
def test_status(text: str, expected: tuple[Any, ...]) -> None:
    assert system.parse_status(text) == expected


def test_group_names() -> None:
    assert system.name_groups((44, 1000, 70001), "video:x:44:ada\nada:x:1000:\n") == ("video", "ada", "70001")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("QEMU Standard PC (i440FX + PIIX, 1996)", "kvm"),
        ("VMware, Inc. VMware7,1", "vmware"),
        ("Amazon EC2 g5.xlarge", "kvm"),
        ("Microsoft Corporation Virtual Machine", "hyperv"),
        ("Microsoft Corporation Surface Laptop", None),
        ("Xen HVM domU", "xen"),
        ("innotek GmbH VirtualBox", "virtualbox"),
        ("ASUS ROG", None),
        ("", None),
    ],
)
def test_dmi(words: str, expected: str | None) -> None:
    assert system.parse_dmi(words) == expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"/proc/cpuinfo": "flags: fpu\n", "/sys/class/dmi/id/sys_vendor": "Amazon EC2\n"}, "none"),  # a metal instance
        ({"/proc/cpuinfo": "flags: fpu hypervisor\n", "/sys/class/dmi/id/sys_vendor": "Amazon EC2\n"}, "kvm"),
        ({"/proc/cpuinfo": "flags: fpu hypervisor\n"}, "other"),
        ({"/proc/cpuinfo": "Features: fp\n"}, None),
        ({}, None),
    ],
)
def test_virtualization(files: dict[str, str], expected: str | None) -> None:
    assert system.probe(RecordedHost(files)).virtualization == expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"/etc/nv_tegra_release": "# R35 (release), REVISION: 4.1\nsha\n"}, "# R35 (release), REVISION: 4.1"),
        ({"/proc/sys/kernel/osrelease": "5.10.120-tegra\n"}, "kernel 5.10.120-tegra"),  # in a container
        ({"/etc/nv_tegra_release": "# R35\n", "/proc/sys/kernel/osrelease": "5.10.120-tegra\n"}, "# R35"),
        ({"/proc/sys/kernel/osrelease": "6.8.0-45-generic\n"}, None),
        ({}, None),
    ],
)
def test_tegra(files: dict[str, str], expected: str | None) -> None:
    assert system.probe(RecordedHost(files)).tegra == expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"/sys/fs/selinux/enforce": "1"}, True),
        ({"/sys/fs/selinux/enforce": "0"}, False),
        ({"/proc/filesystems": "nodev\tsysfs\n"}, False),
        ({"/proc/filesystems": "nodev\tselinuxfs\n"}, None),
        ({}, None),
    ],
)
def test_selinux(files: dict[str, str], expected: bool | None) -> None:
    assert system.probe(RecordedHost(files)).selinux_enforcing is expected


@pytest.mark.parametrize(
    ("text", "version", "name"),
    [
        ("\r\nMicrosoft Windows [Version 10.0.22631.3447]\r\n", "10.0.22631.3447", "Windows 11 (10.0.22631.3447)"),
        ("Microsoft Windows [versión 10.0.19045.4291]", "10.0.19045.4291", "Windows 10 (10.0.19045.4291)"),
        ("Microsoft Windows [Version 6.1.7601]", "6.1.7601", "Windows 6.1.7601"),
        ("", None, None),
    ],
)
def test_windows_version(text: str, version: str | None, name: str | None) -> None:
    assert system.parse_ver(text) == version
    assert system.name_windows(version) == name


def test_other_platforms() -> None:
    assert system.probe(RecordedHost(platform="freebsd14")).os == "other"
    assert system.probe(RecordedHost(platform="win32")).kernel is None
    assert system.probe(RecordedHost(platform="darwin")).arch is None
