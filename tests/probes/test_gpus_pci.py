"""GPUs on the bus, with and without a driver, and on machines whose GPUs are on none."""

import pytest

from gpudoctor.facts.base import Gap
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.host.recorded import Machine, RecordedHost
from gpudoctor.probes.gpus import probe as gpus
from gpudoctor.probes.gpus.merge import merge
from gpudoctor.probes.gpus.pci import BUS, name_in_list, parse_information, read_bus
from gpudoctor.probes.gpus.platform import parse_pnputil
from gpudoctor.sources.nvidia_codes import SMI
from tests.machines import parts

PCI_IDS = """\
# List of PCI ID's
1002  Advanced Micro Devices, Inc. [AMD/ATI]
\t744c  Navi 31 [Radeon RX 7900 XT]
\t\t1002 0e3b  a subsystem
10de  NVIDIA Corporation
\t2684  AD102 [GeForce RTX 4090]
\t\t10de 16f4  another
\t2b85  GB202 [GeForce RTX 5090]
8086  Intel Corporation
\t56a0  DG2 [Arc A770]
C 03  Display controller
"""


def device(address: str, numbers: str, kind: str, driver: str | None = None) -> tuple[dict[str, str], dict[str, str]]:
    folder = f"{BUS}/{address}"
    vendor, number = numbers.split(":")
    files = {
        f"{folder}/class": f"0x{kind}00\n",
        f"{folder}/vendor": f"0x{vendor}\n",
        f"{folder}/device": f"0x{number}\n",
    }
    return files, {f"{folder}/driver": f"../../drivers/{driver}"} if driver else {}


def machine_with(*devices: tuple[dict[str, str], dict[str, str]], **more: str) -> RecordedHost:
    files, links = dict(more), {}
    for its_files, its_links in devices:
        files |= its_files
        links |= its_links
    return RecordedHost(files, links=links)


#: Class, numbers, driver; and vendor, driver as read, or None where it is no GPU.
DEVICES = [
    ("0300", "10de:2684", "nvidia", ("nvidia", "nvidia")),
    ("0302", "10de:2331", None, ("nvidia", "none")),
    ("0300", "10de:1b06", "nouveau", ("nvidia", "nouveau")),
    ("0300", "10de:1b06", "vfio-pci", ("nvidia", "vfio-pci")),
    ("0300", "1002:744c", "amdgpu", ("amd", "amdgpu")),
    ("1200", "1002:74a1", "amdgpu", ("amd", "amdgpu")),
    ("0380", "8086:56a0", "i915", ("intel", "i915")),
    ("1200", "8086:7d1d", "intel_vpu", None),
    ("0300", "1a03:2000", "ast", None),
    ("0300", "1234:1111", None, None),
    ("0403", "10de:22ba", "snd_hda_intel", None),
    ("0280", "8086:2725", "iwlwifi", None),
]


@pytest.mark.parametrize(("kind", "numbers", "driver", "expected"), DEVICES)
def test_what_is_a_gpu(kind: str, numbers: str, driver: str | None, expected: tuple[str, str] | None) -> None:
    seen = read_bus(machine_with(device("0000:01:00.0", numbers, kind, driver)))
    assert not isinstance(seen, Gap)
    assert [(gpu.vendor, gpu.bound_driver) for gpu in seen.gpus] == ([expected] if expected else [])
    if expected:
        gpu = seen.gpus[0]
        assert (gpu.pci_bus_id, gpu.pci_id, gpu.pci_class, gpu.index) == ("0000:01:00.0", numbers, kind, None)


def test_nvswitches_are_counted() -> None:
    switches = [device(f"0000:{n:02x}:00.0", "10de:22a3", "0680", "nvidia-nvswitch") for n in range(4)]
    seen = read_bus(machine_with(*switches, device("0000:05:00.0", "8086:1234", "0680")))
    assert not isinstance(seen, Gap) and (seen.gpus, seen.nvswitches) == ((), 4)


def test_a_gpu_is_called_as_its_kernel_module_calls_it() -> None:
    text = "Model: \t\t NVIDIA GeForce RTX 4090\nIRQ:   \t\t 120\nGPU UUID: \t GPU-12\nBus Location: \t 0000:01:00.0\n"
    information = {"/proc/driver/nvidia/gpus/0000:01:00.0/information": text}
    seen = read_bus(machine_with(device("0000:01:00.0", "10de:2684", "0300", "nvidia"), **information))
    assert not isinstance(seen, Gap) and (seen.gpus[0].name, seen.gpus[0].uuid) == ("NVIDIA GeForce RTX 4090", "GPU-12")


INFORMATION = [
    ("Model: \t Unknown\nGPU UUID: \t GPU-????????-????-????\n", (None, None)),
    ("", (None, None)),
    ("garbage\n:::\n", (None, None)),
]


@pytest.mark.parametrize(("text", "expected"), INFORMATION)
def test_a_gpu_its_module_could_not_open(text: str, expected: tuple[None, None]) -> None:
    assert parse_information(text) == expected


NAMES = [
    ("10de:2684", "AD102 [GeForce RTX 4090]"),
    ("10de:2b85", "GB202 [GeForce RTX 5090]"),
    ("1002:744c", "Navi 31 [Radeon RX 7900 XT]"),
    ("10de:744c", None),
    ("8086:56a0", "DG2 [Arc A770]"),
    ("10de:16f4", None),
    ("ffff:0001", None),
    ("", None),
]


@pytest.mark.parametrize(("numbers", "name"), NAMES)
def test_names_of_the_list(numbers: str, name: str | None) -> None:
    assert name_in_list(PCI_IDS, numbers) == name


def test_a_gpu_without_a_driver_is_there_and_named() -> None:
    host = machine_with(device("0000:01:00.0", "10de:2684", "0300"), **{"/usr/share/misc/pci.ids": PCI_IDS})
    seen, nvml, cuda = gpus.probe(host)
    assert isinstance(seen, Gpus) and (seen.devices[0].name, seen.devices[0].bound_driver) == (
        "AD102 [GeForce RTX 4090]",
        "none",
    )
    assert (nvml.nvml.outcome, cuda.cuda_init.outcome) == ("no-library", "no-library")


# Whether one can know -------------------------------------------------------------------------------------------------

EMPTY_BUS = {BUS: ()}
PRESENCE = [
    ("an empty bus", {"directories": EMPTY_BUS}, "absent"),
    ("no PCI bus among the others", {"directories": {"/sys/bus": ("platform", "usb")}}, "absent"),
    ("no sysfs", {}, "gap"),
    ("a closed bus", {"gaps": {BUS: "permission denied"}}, "gap"),
    (
        "WSL by its kernel",
        {"directories": EMPTY_BUS, "files": {"/proc/sys/kernel/osrelease": "5.15.1-microsoft-standard-WSL2"}},
        "gap",
    ),
    ("WSL by its device", {"directories": EMPTY_BUS, "files": {"/dev/dxg": ""}}, "gap"),
    ("Windows", {"platform": "win32"}, "gap"),
    ("an Intel Mac", {"platform": "darwin"}, "gap"),
    (
        "a Jetson",
        {"directories": EMPTY_BUS, "files": {"/proc/device-tree/compatible": "nvidia,p3737\0nvidia,tegra234\0"}},
        "nvidia",
    ),
    (
        "an Apple chip",
        {"platform": "darwin", "commands": {("sysctl", "-n", "machdep.cpu.brand_string"): "Apple M2 Pro\n"}},
        "apple",
    ),
]


@pytest.mark.parametrize(("host", "expected"), [row[1:] for row in PRESENCE], ids=[row[0] for row in PRESENCE])
def test_absent_is_not_unseen(host: dict, expected: str) -> None:
    seen, _, _ = gpus.probe(RecordedHost(**host))
    assert (seen.devices[0].vendor if isinstance(seen, Gpus) else "absent" if seen is None else "gap") == expected


PNPUTIL = r"""
Microsoft PnP Utility
Instanz-ID:                 PCI\VEN_10DE&DEV_2684&SUBSYS_16F410DE&REV_A1\4&1FC990D7&0&0019
Gerätebeschreibung:         NVIDIA GeForce RTX 4090
Instanz-ID:                 PCI\VEN_8086&DEV_A780&SUBSYS_7D251462&REV_04\3&11583659&0&10
Instanz-ID:                 ROOT\BASICDISPLAY\0000
"""


def test_the_adapters_of_windows_in_any_language() -> None:
    seen = [(gpu.vendor, gpu.pci_id) for gpu in parse_pnputil(PNPUTIL, SMI)]
    assert seen == [("nvidia", "10de:2684"), ("intel", "8086:a780")]


# Merging --------------------------------------------------------------------------------------------------------------


def listed(index: int, address: str | None, **more) -> Gpu:
    return Gpu(vendor="nvidia", index=index, pci_bus_id=address, **more)


def bus(address: str, driver: str = "nvidia") -> Gpu:
    return Gpu(vendor="nvidia", pci_bus_id=address, pci_id="10de:2684", pci_class="0300", bound_driver=driver)


A, B, C = "0000:01:00.0", "0000:02:00.0", "0000:03:00.0"
MERGES = [
    ("each finds its own", [listed(0, A), listed(1, B)], [bus(A), bus(B)], [(0, A), (1, B)]),
    ("the bus knows one more", [listed(0, A)], [bus(A), bus(B)], [(0, A), (None, B)]),
    ("a mute one is the one left over", [listed(0, A), listed(1, None)], [bus(A), bus(B)], [(0, A), (1, B)]),
    (
        "a mute one between",
        [listed(0, A), listed(1, None), listed(2, C)],
        [bus(A), bus(B), bus(C)],
        [(0, A), (1, B), (2, C)],
    ),
    ("one of another driver is not it", [listed(0, None)], [bus(A, "vfio-pci"), bus(B)], [(0, B), (None, A)]),
    ("two could be it", [listed(0, None)], [bus(A), bus(B)], [(0, None), (None, A), (None, B)]),
    ("it is gone from the bus", [listed(0, A), listed(1, None)], [bus(A)], [(0, A), (1, None)]),
    ("there is no bus", [listed(0, A)], [], [(0, A)]),
    ("there is no list", [], [bus(A)], [(None, A)]),
]


@pytest.mark.parametrize(("nvml", "on_bus", "expected"), [row[1:] for row in MERGES], ids=[row[0] for row in MERGES])
def test_merging(nvml: list[Gpu], on_bus: list[Gpu], expected: list[tuple[int | None, str | None]]) -> None:
    assert [(gpu.index, gpu.pci_bus_id) for gpu in merge(nvml, on_bus)] == expected


def test_windows_lists_adapters_without_an_address() -> None:
    adapters = [Gpu(vendor="nvidia", pci_id="10de:2684"), Gpu(vendor="intel", pci_id="8086:a780")]
    nvml = [listed(0, A, pci_id="10de:2684"), listed(1, B, pci_id="10de:1b06")]
    assert [(gpu.index, gpu.pci_id) for gpu in merge(nvml, adapters)] == [
        (0, "10de:2684"),
        (1, "10de:1b06"),
        (None, "8086:a780"),
    ]
    twice = merge([listed(0, A, pci_id="10de:2684"), listed(1, B, pci_id="10de:2684")], adapters[:1] * 2)
    assert [gpu.index for gpu in twice] == [0, 1]
    by_cuda = Gpu(vendor="nvidia", pci_bus_id=A)
    assert [gpu.pci_id for gpu in merge([by_cuda], adapters)] == ["10de:2684", "8086:a780"]


def test_the_gpu_inside_a_tegra_chip_is_listed_once() -> None:
    tree = Gpu(vendor="nvidia", name="NVIDIA Jetson AGX Xavier", bound_driver="nvgpu")
    (gpu,) = merge([Gpu(vendor="nvidia", name="Xavier", pci_bus_id="0000:00:00.0")], [tree])
    assert (gpu.name, gpu.bound_driver) == ("Xavier", "nvgpu")


def test_what_nvml_says_is_not_overruled_by_the_bus() -> None:
    (gpu,) = merge([listed(0, A, name="NVIDIA GeForce RTX 4090", pci_id="10de:2685")], [bus(A)])
    assert (gpu.name, gpu.pci_id, gpu.bound_driver) == ("NVIDIA GeForce RTX 4090", "10de:2685", "nvidia")


def test_the_architecture_of_amds_gpus_is_that_of_the_kernels_compute_driver():
    """Node 0 is the processor; a GPU without a node keeps what its name says."""
    nodes = "/sys/class/kfd/kfd/topology/nodes"
    card = "gfx_target_version 110000\nvendor_id 4098\nlocation_id 768\ndomain 0\n"
    host = RecordedHost.of(
        parts.merge(
            parts.linux("ubuntu", "24.04", "6.8.0-45-generic"),
            parts.pci("0000:03:00.0", "1002:744c", driver="amdgpu"),
            parts.pci("0000:0f:00.0", "1002:164e", driver="amdgpu"),
            Machine(
                files={f"{nodes}/0/properties": "cpu_cores_count 16\n", f"{nodes}/1/properties": card},
                directories={nodes: ("0", "1")},
            ),
        )
    )
    found = read_bus(host)
    assert [gpu.architecture for gpu in found.gpus] == ["gfx1100", None]
