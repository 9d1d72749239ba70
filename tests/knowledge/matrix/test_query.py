"""Driver, CUDA and GPUs, against answers written by hand from the cited pages."""

import pytest

from gpudoctor.facts.gpus import Gpu
from gpudoctor.facts.versions import Capability, CudaVersion, DriverRelease
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.matrix.types import Os

MATRIX = load_matrix()


# docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html; CUDA Toolkit release notes, driver table.
@pytest.mark.parametrize(
    ("cuda", "os", "family", "toolkit"),
    [
        ("13.2", "linux", "580.65.06", "595.45.04"),
        ("13.0", "linux", "580.65.06", "580.65.06"),
        ("13.0", "windows", "580", None),  # the driver is not bundled any more
        ("12.8", "linux", "525.60.13", "570.26"),
        ("12.4", "linux", "525.60.13", "550.54.14"),
        ("12.4", "windows", "527.41", "551.61"),
        ("12.0", "windows", "527.41", "527.41"),
        ("11.8", "linux", "450.80.02", "520.61.05"),
        ("11.1", "linux", "450.80.02", "455.23"),
        ("11.0", "windows", "452.39", "451.22"),
        ("10.2", "linux", "440.33", "440.33"),
        ("10.2", "windows", "441.22", "441.22"),
        ("9.0", "linux", "384.81", "384.81"),
        ("8.0", "windows", "369.30", "369.30"),
        ("14.0", "linux", None, None),
    ],
)
def test_driver_floors(cuda: str, os: Os, family: str | None, toolkit: str | None) -> None:
    floors = (MATRIX.family_floor(CudaVersion(cuda), os), MATRIX.toolkit_floor(CudaVersion(cuda), os))
    assert tuple(floor and str(floor.release) for floor in floors) == (family, toolkit)


def test_there_is_no_floor_on_macos() -> None:
    assert MATRIX.family_floor(CudaVersion("12.4"), "macos") is None


# nvidia-smi's CUDA field by driver branch; 528.33 came with CUDA 12.0.1, 527.41 with 12.0.0.
@pytest.mark.parametrize(
    ("release", "os", "cuda"),
    [
        ("615.61", "linux", "13.4"),
        ("610.43.02", "linux", "13.3"),
        ("580.65.06", "linux", "13.0"),
        ("570.86.10", "linux", "12.8"),
        ("565.57.01", "linux", "12.7"),
        ("535.104.05", "linux", "12.2"),
        ("525.147.05", "linux", "12.0"),
        ("470.256.02", "linux", "11.4"),
        ("450.80.02", "linux", "11.0"),
        ("390.157", "linux", "9.1"),
        ("528.33", "windows", "12.0"),
        ("527.41", "windows", "12.0"),
        ("552.22", "windows", "12.4"),
        ("576.80", "windows", "12.9"),
        ("581.42", "windows", "13.0"),
        ("528.33", "linux", None),
        ("999.10", "linux", None),
    ],
)
def test_offered_cuda(release: str, os: Os, cuda: str | None) -> None:
    offered = MATRIX.offered_cuda(DriverRelease(release), os)
    assert (offered and str(offered)) == cuda


# NVIDIA's deprecation schedule; driver installation guide, "Kernel Modules"; product lists of the open kernel modules.
@pytest.mark.parametrize(
    ("capability", "name", "first", "last", "module"),
    [
        ("2.0", "Fermi", None, 390, "proprietary"),
        ("3.5", "Kepler", None, 470, "proprietary"),
        ("3.7", "Kepler", None, 470, "proprietary"),
        ("5.2", "Maxwell", None, 580, "proprietary"),
        ("6.1", "Pascal", 367, 580, "proprietary"),
        ("7.0", "Volta", 384, 580, "proprietary"),
        ("7.5", "Turing", 410, None, "either"),
        ("8.6", "Ampere", 455, None, "either"),
        ("8.9", "Ada", 520, None, "either"),
        ("9.0", "Hopper", 520, None, "either"),
        ("10.0", "Blackwell", 570, None, "open"),
        ("12.0", "Blackwell", 570, None, "open"),
        ("12.1", "Blackwell", 580, None, "open"),
    ],
)
def test_architectures(capability: str, name: str, first: int | None, last: int | None, module: str) -> None:
    row = MATRIX.architecture(Capability(capability))
    assert row is not None
    assert (row.name, row.kernel_module) == (name, module)
    assert not row.tegra
    assert MATRIX.first_driver_branch(Capability(capability)) == first
    assert MATRIX.last_driver_branch(Capability(capability)) == last


def test_an_unknown_capability_is_unknown() -> None:
    assert MATRIX.architecture(Capability("99.0")) is None
    assert MATRIX.last_driver_branch(Capability("99.0")) is None
    assert MATRIX.first_driver_branch(Capability("99.0")) is None


# open-gpu-kernel-modules README; supported-gpus.json.
@pytest.mark.parametrize(
    ("pci_id", "name", "capability"),
    [
        ("10de:2684", "GeForce RTX 4090", "8.9"),
        ("10DE:2204", "NVIDIA GeForce RTX 3090", "8.6"),
        ("10de:2b85", "NVIDIA  GeForce RTX 5090", "12.0"),
        ("10de:1b06", "geforce gtx 1080 ti", "6.1"),
        ("10de:102d", "Tesla K80", "3.7"),
        ("10de:1eb8", "Tesla T4", "7.5"),
        ("10de:2901", "NVIDIA B200", "10.0"),
        ("10de:2e12", "NVIDIA GB10", "12.1"),
    ],
)
def test_gpus(pci_id: str, name: str, capability: str) -> None:
    assert MATRIX.models_by_pci_id(pci_id)
    assert MATRIX.models_by_name(name)
    for gpu in (Gpu(pci_id=pci_id), Gpu(name=name), Gpu(pci_id=pci_id, name=name)):
        assert MATRIX.capability(gpu) == Capability(capability)


def test_a_gpu_knows_itself_best() -> None:
    assert MATRIX.capability(Gpu(pci_id="10de:2684", capability=Capability("9.9"))) == Capability("9.9")


@pytest.mark.parametrize(
    "gpu",
    [
        Gpu(),
        Gpu(pci_id="1002:2684"),  # the same number of another vendor
        Gpu(pci_id="10de:ffff", name="A card of tomorrow"),
        Gpu(pci_id="nonsense"),
        Gpu(name="NVIDIA GeForce GTX 750"),  # sold with two chips
    ],
)
def test_a_gpu_nobody_knows_has_no_capability(gpu: Gpu) -> None:
    assert MATRIX.capability(gpu) is None


def test_toolkits() -> None:
    newest = MATRIX.toolkit(CudaVersion("13.0"))
    assert newest is not None
    assert min(newest.capabilities) == Capability("7.5")
    assert newest.gcc_max == 15
    older = MATRIX.toolkit(CudaVersion("12.4.131"))
    assert older is not None
    assert older.gcc_max == 13
    assert "sm_90a" in older.specific
    assert MATRIX.toolkit(CudaVersion("12.7")) is None


@pytest.mark.parametrize(
    ("cuda", "capability", "predates"),
    [
        ("11.8", "12.0", True),
        ("12.6", "12.0", False),  # cuBLAS 12.8 knows it
        ("12.8", "12.1", False),
        ("12.8", "11.0", True),
        ("11.1", "8.9", False),
        ("10.2", "8.0", True),
        ("11.0", "9.0", False),
        ("13.0", "6.1", False),  # too old for it, which is another question
        ("99.0", "12.0", False),  # not known
    ],
)
def test_a_cuda_major_older_than_a_generation(cuda: str, capability: str, predates: bool) -> None:
    assert MATRIX.predates(CudaVersion(cuda), Capability(capability)) is predates


def test_forward_compat() -> None:
    row = MATRIX.forward_compat(CudaVersion("12.4"))
    assert row is not None
    assert [driver.branch for driver in row.drivers] == [470, 525, 535, 545]
    assert MATRIX.forward_compat(CudaVersion("12.7")) is None
