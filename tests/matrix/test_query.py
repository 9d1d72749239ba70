"""The questions, against answers written by hand from the cited pages."""

import pytest

from gpudoctor.matrix.load import load_matrix
from gpudoctor.matrix.types import Os
from gpudoctor.model.gpus import Gpu
from gpudoctor.model.versions import Capability, CudaVersion, DriverRelease, LibraryVersion

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


# torch.


def test_torch_builds_of_a_release() -> None:
    assert [row.variant for row in MATRIX.torch_builds("2.6.0+cu124")] == ["cu126", "cu124", "cu118", "cpu"]
    assert MATRIX.torch_builds()[0].version == MATRIX.newest("torch")
    for unknown in ("2.6.0a0+ecf3bae.nv25.01", "99.0", "two"):
        assert MATRIX.torch_builds(unknown) == ()


@pytest.mark.parametrize(
    ("version", "platform", "variant"),
    [
        ("2.6.0+cu124", None, "cu124"),
        ("2.6.0+cpu", None, "cpu"),
        ("2.3.1+cu121.with.pypi.cudnn", None, "cu121"),
        ("2.6.0+rocm6.2.4", None, None),
        ("2.6.0", None, None),
        ("2.6.0", "linux-x86_64", "cu124"),
        ("2.6.0", "windows-x86_64", "cpu"),
        ("2.6.0", "macos-arm64", "cpu"),
        ("2.6.0", "macos-x86_64", None),
        ("2.2.2", "macos-x86_64", "cpu"),
        ("2.10.0", "linux-aarch64", "cpu"),
        ("2.11.0", "linux-aarch64", "cu130"),
        ("99.0+cu124", None, None),
    ],
)
def test_torch_build(version: str, platform: str | None, variant: str | None) -> None:
    build = MATRIX.torch_build(version, platform)
    assert (build.variant if build else None) == variant


LEGACY = "sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90"


# Lists printed by torch (pytorch issue 182250; pull requests 158700, 164470, 146378) and read out of wheels.
@pytest.mark.parametrize(
    ("version", "platform", "archs"),
    [
        ("2.6.0+cu124", "linux-x86_64", LEGACY),
        ("2.11.0+cu126", "linux-x86_64", LEGACY),
        ("2.8.0+cu128", "linux-x86_64", "sm_70 sm_75 sm_80 sm_86 sm_90 sm_100 sm_120"),
        ("2.10.0+cu128", "linux-x86_64", "sm_70 sm_75 sm_80 sm_86 sm_90 sm_100 sm_120"),
        ("2.11.0+cu128", "linux-x86_64", "sm_75 sm_80 sm_86 sm_90 sm_100 sm_120"),
        ("2.11.0+cu130", "linux-x86_64", "sm_75 sm_80 sm_86 sm_90 sm_100 sm_120"),
        ("2.6.0+cu124", "windows-x86_64", "sm_50 sm_60 sm_61 sm_70 sm_75 sm_80 sm_86 sm_90"),
        ("2.12.1+cu102", "linux-x86_64", ""),
        ("1.12.1+cu102", "linux-x86_64", "sm_37 sm_50 sm_60 sm_70"),
        ("2.7.1+cu118", "linux-x86_64", "sm_37 " + LEGACY),
        ("2.8.0+cu128", "windows-x86_64", "sm_61 sm_70 sm_75 sm_80 sm_86 sm_90 sm_100 sm_120"),
        ("2.10.0+cu128", "windows-x86_64", "sm_70 sm_75 sm_80 sm_86 sm_90 sm_100 sm_120"),
        ("2.7.0+cu128", "linux-aarch64", "sm_90 sm_100 sm_120"),
        ("2.11.0+cu130", "linux-aarch64", "sm_80 sm_90 sm_100 sm_110 sm_120"),
    ],
)
def test_torch_architectures(version: str, platform: str, archs: str) -> None:
    build = MATRIX.torch_build(version)
    found = build.archs.get(platform, ()) if build else ()
    assert " ".join(found) == archs


def test_companions() -> None:
    row = MATRIX.torch_companions("2.4.0+cu121")
    assert row is not None
    assert (row.torchvision, row.torchaudio) == (("0.19.0",), ("2.4.0",))
    assert MATRIX.torch_for("torchvision", "0.19.0+cu121") == ("2.4.0",)
    assert MATRIX.torch_for("torchaudio", "2.4.1") == ("2.4.1",)
    assert MATRIX.torch_for("torchvision", "0.29.2") == ("2.15.0", "2.14.1")
    assert MATRIX.torch_for("torchvision", "99.0") == ()
    assert MATRIX.torch_companions("99.0") is None
    newest = MATRIX.torch_companions("2.15.0")
    assert newest is not None
    assert newest.torchaudio == ()


# TensorFlow: tensorflow.org/install/source tested configurations; build_info.py and device code of the wheels.


@pytest.mark.parametrize(
    ("version", "platform", "dist", "build", "cuda", "cudnn"),
    [
        ("2.20.0", "linux-x86_64", "tensorflow", "gpu", "12.5", "9.3"),
        ("2.15.0.post1", "linux-x86_64", "tensorflow", "gpu", "12.2", "8.9"),
        ("2.10.1", "windows-x86_64", "tensorflow", "gpu", "11.2", "8.1"),
        ("2.11.0", "windows-x86_64", "tensorflow", "cpu", None, None),
        ("1.15.0", "linux-x86_64", "tensorflow", "gpu", "10.0", "7.4"),
        ("1.15.5", "linux-x86_64", "tensorflow", "cpu", None, None),
        ("1.15.5", "linux-x86_64", "tensorflow-gpu", "gpu", "10.0", "7.4"),
        ("2.4.4", "linux-x86_64", "tensorflow-cpu", "cpu", None, None),
        ("2.12.0", "any", "tensorflow-gpu", "stub", None, None),
    ],
)
def test_tensorflow_build(
    version: str, platform: str, dist: str, build: str, cuda: str | None, cudnn: str | None
) -> None:
    (row,) = MATRIX.tensorflow_builds(version, platform, dist)
    assert (row.build, row.cuda and str(row.cuda), row.cudnn) == (build, cuda, cudnn)


def test_tensorflow_without_a_row() -> None:
    assert MATRIX.tensorflow_builds("99.0") == ()
    assert MATRIX.tensorflow_builds("not a version") == ()
    assert MATRIX.tensorflow_builds("2.20.0", "linux-x86_64", "tensorflow-gpu") == ()


def test_the_release_that_misses_cusolver_says_so() -> None:
    (row,) = MATRIX.tensorflow_builds("2.21.0", "linux-x86_64", "tensorflow")
    assert row.defect is not None
    assert "libcusolver" in row.defect
    assert [one.first for one in MATRIX.tensorflow_builds() if one.defect] == ["2.21.0"]


# Metadata of the wheels; protobuf.dev/news/2022-05-06.
@pytest.mark.parametrize(
    ("version", "required", "works"),
    [
        ("2.20.0", ">=5.28.0", None),
        ("2.9.1", "<3.20,>=3.9.2", None),
        ("2.8.0", ">=3.9.2", ">=3.9.2,<3.21"),
        ("2.4.0", ">=3.9.2", ">=3.9.2,<3.21"),
    ],
)
def test_protobuf(version: str, required: str, works: str | None) -> None:
    row = MATRIX.tf_protobuf(version)
    assert row is not None
    assert (row.required, row.works) == (required, works)


def test_keras() -> None:
    row = MATRIX.keras_for("2.16.1")
    assert row is not None
    assert (row.keras, row.major, row.tf_keras) == ("keras>=3.0.0", 3, ("2.16.0",))
    assert MATRIX.keras_for("2.15.0").major == 2
    assert MATRIX.keras_for("99.0") is None


# Import paths compiled into the wheels; JAX 0.4.26 changelog.
@pytest.mark.parametrize(
    ("package", "version", "os", "works"),
    [
        ("torch", "2.2.2", "linux", False),
        ("torch", "2.3.0", "linux", True),
        ("torch", "2.3.0+cu121", "windows", False),
        ("torch", "2.4.1", "windows", True),
        ("tensorflow", "2.17.1", "linux", False),
        ("tensorflow", "2.10.1", "windows", False),
        ("tensorflow", "2.18.0", "linux", True),
        ("jax", "0.4.25", "linux", False),
        ("jax", "0.4.26", "linux", True),
        ("torch", "99.0", "linux", None),
        ("cupy", "13.0", "linux", None),
    ],
)
def test_numpy2(package: str, version: str, os: Os, works: bool | None) -> None:
    assert MATRIX.works_with_numpy2(package, version, os) is works


def test_jax() -> None:
    assert [row.variant for row in MATRIX.jax_builds("0.7.2")] == ["cuda13", "cuda12"]
    assert MATRIX.jax_builds("99.0") == ()
    (row,) = (row for row in MATRIX.jax_builds("0.12.0") if row.variant == "cuda13")
    assert "sm_110" in (row.archs or ())
    assert row.driver_linux == DriverRelease("580")


# Device code in the wheels: 9.11 for CUDA 12 lost everything before Turing.
@pytest.mark.parametrize(
    ("cuda", "version", "oldest"),
    [(12, "9.10.2.21", "5.0"), (12, "9.11.0.98", "7.5"), (13, "9.12.0.46", "7.5"), (12, "8.9.7.29", "5.0")],
)
def test_cudnn(cuda: int, version: str, oldest: str) -> None:
    row = MATRIX.cudnn(cuda, LibraryVersion(version))
    assert row is not None
    assert row.min_capability == Capability(oldest)


def test_cudnn_that_is_not_known() -> None:
    assert MATRIX.cudnn(13, LibraryVersion("8.9.7.29")) is None
    newest = MATRIX.cudnn(12)
    assert newest is not None
    assert newest.cudnn == "9.28"


def test_forward_compat() -> None:
    row = MATRIX.forward_compat(CudaVersion("12.4"))
    assert row is not None
    assert [driver.branch for driver in row.drivers] == [470, 525, 535, 545]
    assert MATRIX.forward_compat(CudaVersion("13.0")) is None


@pytest.mark.parametrize(
    ("package", "version", "platform", "ends"),
    [
        ("torch", "2.6.0+cu124", "linux-x86_64", ("3.9", "3.13")),
        ("torch", "2.15.0", "linux-x86_64", ("3.11", "3.15")),
        ("tensorflow", "2.21.0", "linux-x86_64", ("3.10", "3.13")),
        ("tensorflow", "2.10.1", "windows-x86_64", ("3.7", "3.10")),
        ("tensorflow-gpu", "1.15.0", "linux-x86_64", ("2.7", "3.7")),
        ("jax", "0.12.0", "linux-x86_64", ("3.12", "3.15")),
    ],
)
def test_pythons(package: str, version: str, platform: str, ends: tuple[str, str]) -> None:
    pythons = MATRIX.pythons(package, version, platform)
    assert pythons is not None
    assert (pythons[0], pythons[-1]) == ends


@pytest.mark.parametrize(
    ("package", "version", "platform"),
    [("torch", "99.0", "linux-x86_64"), ("tensorflow", "2.20.0", "solaris"), ("cupy", "13.0", "linux-x86_64")],
)
def test_pythons_not_known(package: str, version: str, platform: str) -> None:
    assert MATRIX.pythons(package, version, platform) is None


def test_newest_is_a_release() -> None:
    assert MATRIX.newest("torch") == "2.15.0"
    assert MATRIX.newest("tensorflow") == "2.21.0"  # 2.22.0rc0 is known and no release
    assert MATRIX.newest("tensorflow-gpu") == "2.11.0"
    assert MATRIX.newest("jax") == "0.12.0.1"
    assert MATRIX.newest("cupy") is None
