"""Tables for every text of the driver that is read; the machines test how the facts come together."""

import os
from typing import Any

import pytest

from gpudoctor.facts.driver import Answer, Driver, SystemPackage
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.host.real import RealHost
from gpudoctor.host.recorded import RecordedHost
from gpudoctor.probes.driver import probe as driver
from gpudoctor.probes.driver.nodes import read_nodes
from gpudoctor.probes.driver.packages import parse_dpkg, parse_pacman, user_space_packages
from gpudoctor.probes.driver.probe import parse_fabric_version, read_resumed, read_suspend_services
from gpudoctor.probes.nvidia.children import CudaFacts, NvmlFacts
from tests.machines import MACHINES

NO_NVML = NvmlFacts(nvml=Answer(outcome="no-library"))
NO_CUDA = CudaFacts(cuda_init=Answer(outcome="no-library"))


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
    ("files", "log", "expected"),
    [
        ({"/sys/power/suspend_stats/success": "0\n"}, "", False),
        ({"/sys/power/suspend_stats/success": "2\n"}, "", True),
        ({}, "[ 1.0] PM: suspend exit\n", True),
        ({}, "[ 1.0] NVRM: loading\n", None),
    ],
)
def test_resumed(files: dict[str, str], log: str, expected: bool | None) -> None:
    from gpudoctor.redact.credentials import excerpt
    from gpudoctor.sources.kernel_log import parse_kernel_log

    assert read_resumed(RecordedHost(files), parse_kernel_log(log, excerpt)) is expected


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


def test_a_machine_without_a_gpu_pays_little() -> None:
    """Some 25 µs a question: 100 are under 3 ms."""
    asked = []

    class Counting(RecordedHost):
        def read(self, path: str, **more: Any) -> Any:
            asked.append(path)
            return super().read(path, **more)

        def stat(self, path: str) -> Any:
            asked.append(path)
            return super().stat(path)

        def list(self, path: str) -> Any:
            asked.append(path)
            return super().list(path)

    assert driver.probe(Counting.of(MACHINES["debian-cloud-without-gpu"].machine), NO_NVML, NO_CUDA) is None
    assert 0 < len(asked) <= 100, asked


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


@pytest.mark.parametrize("outcome", ["stuck", "timed-out"])
def test_a_driver_that_hangs_is_not_touched_again(outcome: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    touched: list[str] = []
    host = RecordedHost.of(MACHINES["ubuntu-3090-healthy"].machine)
    monkeypatch.setattr(host, "openable", lambda path, **_: touched.append(path))
    hanging = NvmlFacts(nvml=Answer(outcome=outcome))
    seen = driver.probe(host, hanging, NO_CUDA)
    assert isinstance(seen, Driver)
    assert seen.device_nodes
    assert touched == []
    assert all(node.accessible is None for node in seen.device_nodes)
    driver.probe(host, NO_NVML, NO_CUDA)
    assert touched
