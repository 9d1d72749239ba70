"""Frameworks and libraries, against answers written by hand from the cited pages."""

import pytest

from gpudoctor.facts.versions import Capability, DriverRelease, LibraryVersion
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.matrix.types import Os

MATRIX = load_matrix()


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
    assert MATRIX.torch_for("torchvision", "0.29.2") == ("2.15.0", "2.14.1", "2.14.0")
    assert MATRIX.torch_for("torchvision", "99.0") == ()
    assert MATRIX.torch_companions("99.0") is None
    newest = MATRIX.torch_companions(MATRIX.newest("torch") or "")
    assert newest is not None
    assert newest.torchaudio == ("2.11.0",)  # from it on each goes with every newer torch


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
    assert [one.first for one in MATRIX.tensorflow_builds() if one.defect] == ["2.21.0", "2.16.1"]


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


def test_nightly_builds_have_no_row_and_are_judged_by_their_own_files() -> None:
    for line in {row.line for row in MATRIX.tensorflow_builds()}:
        nightly = f"{line}.0.dev20250101"
        assert MATRIX.tensorflow_builds(nightly) == ()
        assert MATRIX.tf_protobuf(nightly) is None
        assert MATRIX.keras_for(nightly) is None
        assert MATRIX.works_with_numpy2("tensorflow", nightly, "linux") is None
        assert MATRIX.pythons("tensorflow", nightly, "linux-x86_64") is None
    for version in {row.version for row in MATRIX.torch_builds()}:
        assert MATRIX.torch_builds(f"{version}.dev20250101+cu128") == ()
        assert MATRIX.pythons("torch", f"{version}.dev20250101+cu128", "linux-x86_64") is None
