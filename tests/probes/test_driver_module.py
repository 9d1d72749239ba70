"""Tables for what the kernel side of the driver writes, and for what is built or forbidden on disk."""

from typing import Any

import pytest

from gpudoctor.facts.driver import DkmsState
from gpudoctor.host.recorded import RecordedHost
from gpudoctor.probes.driver import module as driver_module
from gpudoctor.sources.nvrm import parse_nvrm_version
from tests.machines import parts


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
    seen, kind = parse_nvrm_version(text)
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


LOG = """DKMS make.log for nvidia-340.108 for kernel 6.8.0-49-generic (x86_64)
  CC [M]  /var/lib/dkms/nvidia/340.108/build/nv-dma.o
/var/lib/dkms/nvidia/340.108/build/nv-dma.c:44:11: error: no previous prototype for 'nv_create' [-Werror]
"""
FAILED = RecordedHost(
    {"/var/lib/dkms/nvidia/340.108/build/make.log": LOG},
    links={"/var/lib/dkms/nvidia/340.108/source": "/usr/src/nvidia-340.108"},
)


def test_a_build_that_failed_is_told_by_its_log():
    (row,) = driver_module.read_dkms(FAILED)
    assert (row.kernel, row.state) == ("6.8.0-49-generic", "failed")
    assert row.error.endswith("error: no previous prototype for 'nv_create' [-Werror]")


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
