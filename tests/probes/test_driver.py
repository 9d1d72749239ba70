"""Tables for every text of the driver that is read; the machines test how the facts come together."""

import os
from typing import Any

import pytest

from gpudoctor.host.real import RealHost
from gpudoctor.host.recorded import RecordedHost
from gpudoctor.model.driver import Answer, DkmsState, Driver, SystemPackage
from gpudoctor.model.versions import CudaVersion
from gpudoctor.probes import driver, driver_module
from gpudoctor.probes.driver_libraries import parse_ld_conf, parse_library_release, read_libraries
from gpudoctor.probes.driver_nodes import read_nodes
from gpudoctor.probes.driver_packages import parse_dpkg, parse_pacman, user_space_packages
from gpudoctor.probes.driver_services import parse_fabric_version, read_resumed, read_suspend_services
from gpudoctor.probes.nvidia_answers import CudaFacts, NvmlFacts
from tests.machines import parts

NO_NVML = NvmlFacts(nvml=Answer(outcome="no-library"))
NO_CUDA = CudaFacts(cuda_init=Answer(outcome="no-library"))


@pytest.mark.parametrize(
    ("text", "release", "flavour"),
    [
        (
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.161.07  Sat Feb 17 22:55:48\nGCC version: 1\n",
            "535.161.07",
            "proprietary",
        ),
        (
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build  (dvs-builder@U22)\n",
            "580.65.06",
            "open",
        ),
        (
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  525.60.11  Release Build (x@y)  \n",
            "525.60.11",
            "open",
        ),
        (
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  555.58  Release Build  (x)  29 2024\n",
            "555.58",
            "open",
        ),
        ("NVRM version: NVIDIA UNIX aarch64 Kernel Module  470.256.02  Thu\n", "470.256.02", "proprietary"),
        # A Jetson's L4T release, which a comparison with driver releases would call ancient.
        (
            "NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  35.3.1  Release Build  (buildbrain)\n",
            None,
            "open",
        ),
        ("NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  540.4.0  Release Build\n", "540.4.0", "open"),
        ("garbage", None, None),
        ("", None, None),
    ],
)
def test_module_version(text: str, release: str | None, flavour: str | None) -> None:
    seen, kind = driver_module.parse_nvrm_version(text)
    assert (seen and str(seen), kind) == (release, flavour)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nvidia_uvm 1 0 - Live 0x0 (POE)\nnvidia 1 2 nvidia_uvm, Live\next4 1 1\n", ("nvidia", "nvidia_uvm")),
        ("nouveau 1 0\n", ("nouveau",)),
        ("nvidiafb 1 0\ni2c_nvidia_gpu 1 0\n", ()),
        ("", ()),
    ],
)
def test_modules(text: str, expected: tuple[str, ...]) -> None:
    assert driver_module.parse_modules(text) == expected


def test_parameters() -> None:
    text = 'EnableGpuFirmware: 18\nRegistryDwords: ""\nTemporaryFilePath: "/var/tmp"\n'
    assert driver_module.parse_params(text) == {"EnableGpuFirmware": "18", "TemporaryFilePath": "/var/tmp"}


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (b"a.ko: b.ko\nupdates/dkms/nvidia.ko:\n", "updates/dkms/nvidia.ko"),
        (b"updates/dkms/nvidia-current.ko.xz: b.ko\n", "updates/dkms/nvidia-current.ko.xz"),
        (b"kernel/nvidia-535/nvidia.ko:\n", "kernel/nvidia-535/nvidia.ko"),
        (b"extra/nvidia/nvidia.ko.xz:\n", "extra/nvidia/nvidia.ko.xz"),
        (b"updates/dkms/nvidia-legacy-390xx.ko:\n", "updates/dkms/nvidia-legacy-390xx.ko"),
        (b"updates/dkms/nvidia-uvm.ko: updates/dkms/nvidia.ko\n", None),
        (b"kernel/drivers/video/fbdev/nvidia/nvidiafb.ko:\nkernel/x/nvidia-wmi-ec-backlight.ko:\n", None),
        (b"", None),
    ],
)
def test_module_file(index: bytes, expected: str | None) -> None:
    assert driver_module.parse_modules_dep(index) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [(b"\x06\0\0\0\x01", True), (b"\x06\0\0\0\0", False), (b"\x06\0\0\0", None), (b"", None)],
)
def test_secure_boot(raw: bytes, expected: bool | None) -> None:
    assert driver_module.parse_secure_boot(raw) is expected


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (RecordedHost(directories={"/sys/firmware": ("acpi", "dmi")}), False),
        (RecordedHost(directories={"/sys/firmware": ()}), None),
        (RecordedHost(directories={"/sys/firmware": ("acpi", "efi")}), None),
        (RecordedHost(), None),
    ],
)
def test_without_the_variable(host: RecordedHost, expected: bool | None) -> None:
    assert driver_module.read_secure_boot(host) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("none [integrity] confidentiality\n", "integrity"), ("[none] integrity\n", "none"), ("", None)],
)
def test_lockdown(text: str, expected: str | None) -> None:
    assert driver_module.parse_lockdown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("blacklist nouveau\n", {"nouveau"}),
        ("# blacklist nouveau\n", set()),
        ("  blacklist nvidia-drm  \n", {"nvidia_drm"}),
        ("alias nouveau off\nalias lbm-nouveau off\n", {"nouveau"}),
        ("install nvidia /bin/false\ninstall nvidia_uvm /usr/bin/true\n", {"nvidia", "nvidia_uvm"}),
        ("install nvidia PATH=$PATH:/bin modprobe nvidia-current\n", set()),
        ("blacklist pcspkr\noptions nvidia NVreg_DeviceFileMode=0660\n", set()),
    ],
)
def test_blacklist(text: str, expected: set[str]) -> None:
    assert driver_module.parse_modprobe(text) == expected


def _dkms(module: str, version: str, kernel: str | None, state: str) -> DkmsState:
    return DkmsState(module=module, version=version, kernel=kernel, state=state)


BUILT = RecordedHost(
    directories={"/var/lib/dkms/nvidia/550.67/6.5.0-26/x86_64/module": (), "/usr/src/nvidia-550.67": ()},
    links={"/var/lib/dkms/nvidia/550.67/source": "/usr/src/nvidia-550.67"},
)
STALE = RecordedHost(links={"/var/lib/dkms/nvidia/390.48/source": "/usr/src/nvidia-390.48"})


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (RecordedHost(), None),
        (RecordedHost(directories={"/var/lib/dkms/v4l2loopback/0.12": ()}), ()),
        (RecordedHost.of(parts.dkms("550.67", "6.5.0-26")), (_dkms("nvidia", "550.67", "6.5.0-26", "installed"),)),
        (
            RecordedHost.of(parts.dkms("550.67", module="nvidia-current")),
            (_dkms("nvidia-current", "550.67", None, "added"),),
        ),
        (BUILT, (_dkms("nvidia", "550.67", "6.5.0-26", "built"),)),
        (STALE, (_dkms("nvidia", "390.48", None, "broken"),)),
    ],
)
def test_dkms(host: RecordedHost, expected: Any) -> None:
    assert driver_module.read_dkms(host) == expected


def _status(*rows: tuple[str, str, str]) -> bytes:
    text = (
        f"Package: {name}\nStatus: {status}\nVersion: {version}\nDescription: x\n .\n" for name, status, version in rows
    )
    return "\n".join(text).encode()


OK = "install ok installed"
DPKG = _status(
    ("nvidia-driver-535", OK, "535.161.07-0ubuntu0.22.04.1"),
    ("libnvidia-compute-470", "deinstall ok config-files", "470.1"),
    ("nvidia-cuda-toolkit", OK, "11.5"),
    ("nvidia-cudnn", OK, "8.2"),
    ("linux-modules-nvidia-535-generic", OK, "5.15.0-101.111"),
    ("libcuda1", "hold ok installed", "535.1"),
    ("cuda-compat-12-4", OK, "550.54"),
    ("nvidia-container-toolkit", OK, "1.15.0-1"),
    ("libcuda12", OK, "1"),
    ("fonts-nvidia", OK, "1"),
)


def test_dpkg() -> None:
    assert [(package.name, package.version) for package in parse_dpkg(DPKG)] == [
        ("nvidia-driver-535", "535.161.07-0ubuntu0.22.04.1"),
        ("linux-modules-nvidia-535-generic", "5.15.0-101.111"),
        ("libcuda1", "535.1"),
        ("cuda-compat-12-4", "550.54"),
        ("nvidia-container-toolkit", "1.15.0-1"),
    ]


@pytest.mark.parametrize("raw", [b"", b"Package: nvidia-driver-535", b"\xff\xfe" * 50, b"\n\n\n"])
def test_a_broken_dpkg_database(raw: bytes) -> None:
    assert parse_dpkg(raw) == ()


def test_pacman() -> None:
    names = (
        "nvidia-550.78-5",
        "nvidia-utils-550.78-1",
        "lib32-nvidia-utils-550.78-1",
        "linux-6.8-1",
        "ALPM_DB_VERSION",
    )
    assert [package.name for package in parse_pacman(names)] == ["nvidia", "nvidia-utils", "lib32-nvidia-utils"]


def test_user_space_packages() -> None:
    assert user_space_packages(parse_dpkg(DPKG)) == ("nvidia-driver-535", "libcuda1")


@pytest.mark.parametrize(
    ("name", "version", "expected"),
    [
        ("nvidia-fabricmanager-535", "535.161.07-0ubuntu0.22.04.1", "535.161.07"),
        ("nvidia-fabricmanager", "1:580.65.06-1", "580.65.06"),
        ("nvidia-fabricmanager-dev-535", "535.161.07-1", None),
        ("nvidia-fabricmanager-535", "garbage", None),
    ],
)
def test_fabric_manager(name: str, version: str, expected: str | None) -> None:
    seen = parse_fabric_version((SystemPackage(name=name, version=version),))
    assert (seen and str(seen)) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/usr/lib/x86_64-linux-gnu/libcuda.so.535.161.07", "535.161.07"),
        ("/usr/lib64/libnvidia-ml.so.580.65.06", "580.65.06"),
        ("/usr/lib/libcuda.so.555.58", "555.58"),
        ("/usr/lib/aarch64-linux-gnu/tegra/libcuda.so.1.1", None),
        ("/usr/lib/wsl/lib/libcuda.so.1", None),
    ],
)
def test_library_release(path: str, expected: str | None) -> None:
    release = parse_library_release(path)
    assert (release and str(release)) == expected


def test_ld_conf() -> None:
    text = "include /etc/ld.so.conf.d/*.conf\n# /no\n/usr/local/lib/ # yes\n\n/opt/x\n"
    assert parse_ld_conf(text) == ("/usr/local/lib", "/opt/x")


SYSTEM = "/usr/lib/x86_64-linux-gnu/libcuda.so.535.1"
COPIES = {
    SYSTEM: "ELF",
    "/usr/local/cuda-12.4/compat/libcuda.so.550.54.15": "ELF",
    "/usr/local/cuda-12.4/lib64/stubs/libcuda.so": "ELF",
}
COPY_LINKS = {
    "/usr/lib/x86_64-linux-gnu/libcuda.so.1": "libcuda.so.535.1",
    "/usr/local/cuda-12.4/compat/libcuda.so.1": "libcuda.so.550.54.15",
    "/usr/local/cuda": "cuda-12.4",
}


@pytest.mark.parametrize(
    ("path", "files", "links", "chosen"),
    [
        (None, {}, {}, SYSTEM),
        ("", {}, {}, SYSTEM),
        ("/usr/local/cuda/compat:/x", {}, {}, "/usr/local/cuda-12.4/compat/libcuda.so.550.54.15"),
        # A stub is met only where somebody gave it the name that programs ask for.
        ("/usr/local/cuda/lib64/stubs", {}, {}, SYSTEM),
        (
            "/usr/local/cuda/lib64/stubs",
            {},
            {"/usr/local/cuda-12.4/lib64/stubs/libcuda.so.1": "libcuda.so"},
            "/usr/local/cuda-12.4/lib64/stubs/libcuda.so",
        ),
        # An empty entry means the working directory.
        ("/x:", {"/home/ada/libcuda.so.1": "ELF"}, {}, "/home/ada/libcuda.so.1"),
        (
            None,
            {"/etc/ld.so.conf.d/00-compat.conf": "/usr/local/cuda-12.4/compat\n"},
            {},
            "/usr/local/cuda-12.4/compat/libcuda.so.550.54.15",
        ),
    ],
)
def test_which_copy_the_loader_takes(path: str | None, files: Any, links: Any, chosen: str) -> None:
    env = {} if path is None else {"LD_LIBRARY_PATH": path}
    host = RecordedHost({**COPIES, **files}, links={**COPY_LINKS, **links}, env=env, cwd="/home/ada")
    copies = read_libraries(host, "x86_64")
    assert [copy.real_path for copy in copies if copy.first] == [chosen]
    assert [copy.stub for copy in copies if "stubs" in copy.path] == [True]
    assert [copy.compat for copy in copies if "compat" in copy.path] == [True]
    assert len({copy.real_path for copy in copies}) == len(copies)


@pytest.mark.parametrize(
    ("files", "log", "expected"),
    [
        ({"/sys/power/suspend_stats/success": "0\n"}, "", False),
        ({"/sys/power/suspend_stats/success": "2\n"}, "", True),
        ({}, "[ 1.0] PM: suspend exit\n", True),
        ({}, "[ 1.0] NVRM: loading\n", None),
    ],
)
def test_resumed(files: dict[str, str], log: str, expected: bool | None) -> None:
    from gpudoctor.probes.kernel_log import parse_kernel_log

    assert read_resumed(RecordedHost(files), parse_kernel_log(log)) is expected


def test_suspend_services() -> None:
    units = "/etc/systemd/system"
    enabled = RecordedHost(directories={f"{units}/systemd-suspend.service.wants": ("nvidia-suspend.service",)})
    assert read_suspend_services(enabled) is True
    assert read_suspend_services(RecordedHost(directories={units: ()})) is False
    assert read_suspend_services(RecordedHost()) is None


def test_nodes_that_are_not_the_drivers() -> None:
    assert read_nodes(RecordedHost(directories={"/dev": ("null", "nvme0", "nvram", "nvidia")})) == ()
    assert read_nodes(RecordedHost()) is None


def test_no_trace() -> None:
    assert driver.probe(RecordedHost(), NO_NVML, NO_CUDA) is None
    assert driver.probe(RecordedHost(directories={"/dev": ("dxg",)}), NO_NVML, NO_CUDA) is None
    assert driver.probe(RecordedHost(platform="darwin"), NO_NVML, NO_CUDA) is None
    assert driver.probe(RecordedHost(platform="win32"), NO_NVML, NO_CUDA) is None


@pytest.mark.parametrize(
    "host",
    [
        RecordedHost({"/proc/driver/nvidia/version": "?"}),
        RecordedHost({"/proc/modules": "nvidia 1 0\n"}),
        RecordedHost({"/usr/lib/libcuda.so.1": ""}),
        RecordedHost({"/dev/nvidiactl": ""}),
        RecordedHost(directories={"/var/lib/dkms/nvidia/550.67": ()}),
        RecordedHost({"/proc/sys/kernel/osrelease": "6.1", "/lib/modules/6.1/modules.dep": "extra/nvidia.ko:\n"}),
    ],
)
def test_one_trace_is_enough(host: RecordedHost) -> None:
    seen = driver.probe(host, NO_NVML, NO_CUDA)
    assert isinstance(seen, Driver)
    assert seen.release is None


def test_a_cuda_version_alone() -> None:
    cuda = CudaFacts(cuda_init=Answer(outcome="answered", code=100), cuda=CudaVersion("12.4"))
    seen = driver.probe(RecordedHost(), NO_NVML, cuda)
    assert isinstance(seen, Driver)
    assert str(seen.cuda) == "12.4"


def test_this_machine_is_looked_at_without_changing_it(tmp_path: Any) -> None:
    """A tree that looks like a machine with a driver, seen through the real host."""
    for path, text in {
        "proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.161.07  Sat\n",
        "usr/lib/x86_64-linux-gnu/libcuda.so.535.161.07": "ELF",
        "dev/null": "",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    os.symlink("libcuda.so.535.161.07", tmp_path / "usr/lib/x86_64-linux-gnu/libcuda.so.1")
    before = sorted(str(path) for path in tmp_path.rglob("*"))
    seen = driver.probe(RealHost(root=str(tmp_path), env={}), NO_NVML, NO_CUDA)
    assert isinstance(seen, Driver)
    assert str(seen.release) == "535.161.07"
    assert str(seen.libraries and seen.libraries[0].release) == "535.161.07"
    assert sorted(str(path) for path in tmp_path.rglob("*")) == before
