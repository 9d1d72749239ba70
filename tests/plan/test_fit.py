"""Which builds fit: known machines by hand, and for any machine, that what is returned satisfies every constraint."""

from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from gpudoctor.facts.versions import Capability, CudaVersion, DriverRelease
from gpudoctor.knowledge.matrix.kernels import likely_code
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import PLATFORMS, JaxBuild
from gpudoctor.plan.constraints import driver_can_compile
from gpudoctor.plan.fit import ranked, tensorflow_releases_that_fit, torch_builds_that_fit
from gpudoctor.plan.machine import Machine

MATRIX = load_matrix()


def machine(
    driver: str | None, *gpus: str, python: str | None = "3.12", platform: str | None = "linux-x86_64"
) -> Machine:
    return Machine(
        driver=DriverRelease(driver) if driver else None,
        capabilities=tuple(map(Capability, gpus)),
        python=python,
        platform=platform,
    )


GTX_1080_TI, V100, RTX_5090, T4, K80, A100, RTX_4090, GB10 = "6.1", "7.0", "12.0", "7.5", "3.7", "8.0", "8.9", "12.1"


CU13 = {"cu130", "cu132", "cu134"}


@pytest.mark.parametrize(
    ("where", "offered", "never"),
    [
        # the Linux builds of cu128 and cu13x have no Pascal
        (machine("580.65.06", GTX_1080_TI), {"cu126"}, {"cu128", "cu129", *CU13}),
        # cu128 had Volta from 2.8 to 2.10
        (machine("580.65.06", V100), {"cu126", "cu128"}, CU13),
        (machine("570.124.06", RTX_5090), {"cu128"}, {"cu118", "cu121", "cu124", "cu126", *CU13}),
        (machine("450.80.02", T4, python="3.9"), {"cu118"}, {"cu121", "cu124", "cu126", *CU13}),
        (machine("440.100", T4, python="3.8"), {"cu102"}, {"cu110", "cu111", "cu118", "cu121"}),
        (machine("470.256.02", K80, python="3.9"), {"cu118"}, {"cu121", "cu124", "cu126"}),
    ],
)
def test_torch_variants(where: Machine, offered: set[str], never: set[str]) -> None:
    found = {build.variant for build in torch_builds_that_fit(where, MATRIX)}
    assert offered <= found
    assert not never & found


@pytest.mark.parametrize(
    "where",
    [
        machine("580.65.06", RTX_5090, GTX_1080_TI),  # no Linux build has code for both
        machine("390.157", "2.0", python="3.6"),
        machine("580.65.06", RTX_4090, platform="macos-arm64"),
        machine("580.65.06", RTX_4090, python="3.16"),
        machine("535.104.05", "8.7", python="3.10", platform="linux-aarch64"),
    ],
)
def test_no_torch(where: Machine) -> None:
    assert torch_builds_that_fit(where, MATRIX) == ()


@pytest.mark.parametrize(
    ("where", "best"),
    [
        (machine("580.65.06", GTX_1080_TI), "2.14.1+cu126"),
        (machine("580.65.06", V100), "2.14.1+cu126"),
        (machine("570.124.06", RTX_5090), "2.11.0+cu128"),
        (machine("572.61", RTX_5090, platform="windows-x86_64"), "2.11.0+cu128"),
        (machine("450.80.02", T4, python="3.9"), "2.7.1+cu118"),
        (machine("440.100", T4, python="3.9"), "1.12.1+cu102"),
        (machine("470.256.02", K80, python="3.9"), "2.3.1+cu118"),
        (machine("535.104.05", RTX_4090), "2.14.1+cu126"),
        (machine("615.61", "9.0"), "2.15.0+cu132"),
        (machine("580.95.05", GB10, platform="linux-aarch64"), "2.15.0+cu132"),
        (machine("525.60.13", A100, python="3.8"), "2.4.1+cu121"),
        # not known to the matrix: newer than any branch
        (machine("999.1", A100), "2.15.0+cu132"),
        # not known of the machine
        (machine(None, RTX_4090), "2.15.0+cu132"),
        (machine("580.65.06"), "2.15.0+cu132"),
    ],
)
def test_the_best_torch(where: Machine, best: str) -> None:
    first = torch_builds_that_fit(where, MATRIX)[0]
    assert f"{first.version}+{first.variant}" == best


def test_ptx_whose_libraries_do_not_know_the_gpu_is_no_fit() -> None:
    """Windows builds for CUDA 11.8 carry PTX for 3.7; their cuBLAS and cuDNN end before Blackwell."""
    where = machine("572.83", RTX_5090, python="3.10", platform="windows-x86_64")
    assert {build.variant for build in torch_builds_that_fit(where, MATRIX)}.isdisjoint({"cu117", "cu118"})
    assert torch_builds_that_fit(where, MATRIX, "2.2.2") == ()
    older = machine("572.83", RTX_4090, python="3.10", platform="windows-x86_64")
    assert torch_builds_that_fit(older, MATRIX, "2.2.2")


def test_one_release_of_torch() -> None:
    where = machine("550.54.14", RTX_4090)
    assert [build.variant for build in torch_builds_that_fit(where, MATRIX, "2.6.0")] == ["cu124", "cu118", "cu126"]
    assert torch_builds_that_fit(where, MATRIX, "99.0") == ()


def test_builds_of_which_only_others_speak_are_for_wishes_that_nothing_else_meets() -> None:
    blackwell = machine("570.86.16", RTX_5090)
    assert torch_builds_that_fit(blackwell, MATRIX)[0].variant == "cu128"
    assert [build.variant for build in torch_builds_that_fit(blackwell, MATRIX, "2.13.0")] == ["cu129"]


@pytest.mark.parametrize(
    ("where", "best"),
    [
        (machine("580.65.06", A100), "2.20.0"),  # 2.21.0 does not find cuSOLVER
        (machine("580.65.06", GTX_1080_TI), "2.20.0"),  # with a cuDNN that has Pascal
        (machine("450.80.02", T4, python="3.9"), "2.14.1"),
        (machine("470.256.02", K80, python="3.9"), "2.14.1"),
        (machine("528.33", "8.6", python="3.10", platform="windows-x86_64"), "2.10.1"),
    ],
)
def test_the_best_tensorflow(where: Machine, best: str) -> None:
    assert tensorflow_releases_that_fit(where, MATRIX)[0].last == best


@pytest.mark.parametrize("capability", ["10.0", "12.0"])
def test_one_tensorflow_fits_blackwell(capability: str) -> None:
    """Up to 2.20 most of its PTX is for Hopper only (sm_90a); 2.21.0 does not find cuSOLVER, which a link mends."""
    (row,) = tensorflow_releases_that_fit(machine("580.65.06", capability), MATRIX)
    assert row.last == "2.21.0"
    assert row.links


@pytest.mark.parametrize(
    "where",
    [
        machine("530.30.02", RTX_5090),  # the driver cannot compile PTX made by CUDA 12.5
        machine("580.65.06", A100, python="3.14"),
        machine("580.65.06", A100, platform="macos-arm64"),
        machine("440.100", T4, python="3.9"),
    ],
)
def test_no_tensorflow(where: Machine) -> None:
    assert tensorflow_releases_that_fit(where, MATRIX) == ()


def jax_releases_that_fit(where: Machine, matrix: Matrix) -> tuple[JaxBuild, ...]:
    return tuple(one.row for one in ranked("jax", where, matrix) if one.processor == "cuda")


def test_jax() -> None:
    newest = jax_releases_that_fit(machine("580.65.06", RTX_5090), MATRIX)[0]
    assert (newest.version, newest.variant) == (MATRIX.newest("jax"), "cuda13")
    older = jax_releases_that_fit(machine("550.54.14", A100), MATRIX)[0]
    assert older.variant == "cuda12"
    assert jax_releases_that_fit(machine("580.65.06", A100, platform="windows-x86_64"), MATRIX) == ()
    assert jax_releases_that_fit(machine("440.33.01", A100), MATRIX) == (), "only builds for the CPU are left"
    assert {row.variant for row in jax_releases_that_fit(machine("580.65.06", GTX_1080_TI), MATRIX)} == {"cuda12"}


@pytest.mark.parametrize(
    ("cuda", "driver", "can"),
    [
        ("12.5", "555.42.06", True),
        ("12.5", "550.54.14", False),
        ("11.2", "580.65.06", True),
        ("13.2", "580.65.06", False),
        ("13.2", "999.1", True),
        ("99.0", "999.1", None),
    ],
)
def test_compiling_ptx(cuda: str, driver: str, can: bool | None) -> None:
    assert driver_can_compile(CudaVersion(cuda), DriverRelease(driver), "linux", MATRIX) is can


def test_what_was_not_judged_is_said() -> None:
    assert Machine().not_judged == ("driver", "GPU", "Python version", "platform")
    assert machine("580.65.06", A100).not_judged == ()


# Any machine. The constraints are written out again here, plainly, so that both can be wrong only together.

CAPABILITIES = [row.capabilities[0] for row in MATRIX.table("cuda_arch") if hasattr(row, "first_branch")]
BRANCHES = [row.first for row in MATRIX.table("cuda_driver") if hasattr(row, "first") and row.os == "linux"]

releases = st.builds("{}.{}".format, st.sampled_from([*BRANCHES, 999]), st.integers(0, 200)).map(DriverRelease)
machines = st.builds(
    Machine,
    driver=st.none() | releases,
    capabilities=st.lists(st.sampled_from(CAPABILITIES), max_size=2).map(tuple),
    python=st.none() | st.sampled_from([f"3.{minor}" for minor in range(6, 17)]),
    platform=st.none() | st.sampled_from(PLATFORMS),
)

FLOORS = {
    "linux": {11: "450.80.02", 12: "525.60.13", 13: "580.65.06"},
    "windows": {11: "452.39", 12: "527.41", 13: "580"},
}


def runs(archs: tuple[str, ...], gpu: Capability) -> bool:
    """Some code in the list can run on the GPU, by the loosest reading of the rules."""
    for arch in archs:
        kind, _, number = arch.partition("_")
        target = Capability(f"{number.rstrip('af')[:-1]}.{number.rstrip('af')[-1]}")
        if target <= gpu and (kind == "compute" or target.major == gpu.major):
            return True
    return False


def code_of(release: JaxBuild) -> tuple[str, ...]:
    """Its architectures; those of its neighbours where they are not known."""
    likely = likely_code(release, MATRIX.jax_builds())
    return likely.archs if likely else release.archs or ()


def check_driver(cuda: CudaVersion, where: Machine) -> None:
    if where.driver is not None and cuda.major >= 11:
        assert where.driver >= DriverRelease(FLOORS[where.os][cuda.major])


@given(machines)
def test_every_torch_build_returned_fits(where: Machine) -> None:
    builds = torch_builds_that_fit(where, MATRIX)
    kinds = groupby(builds, key=lambda build: build.confidence == "secondhand")
    for versions in ([Version(build.version) for build in found] for _, found in kinds):
        assert versions == sorted(versions, reverse=True)
    for build in builds:
        assert build.cuda is not None
        assert where.platform is None or where.platform in build.platforms
        assert where.python is None or where.python in build.pythons
        assert build.index_suffix or where.platform in build.default_on
        archs = build.archs.get(where.platform or "linux-x86_64", ())
        assert all(runs(archs, gpu) for gpu in where.capabilities)
        check_driver(build.cuda, where)


@given(machines)
def test_every_tensorflow_and_jax_returned_fits(where: Machine) -> None:
    for build in tensorflow_releases_that_fit(where, MATRIX):
        assert build.build == "gpu"
        assert where.platform in (None, build.platform)
        assert where.python is None or where.python in build.pythons
        assert all(runs(build.archs or (), gpu) for gpu in where.capabilities)
        check_driver(build.cuda, where)
    for release in jax_releases_that_fit(where, MATRIX):
        assert where.platform is None or where.platform in release.platforms
        assert where.python is None or where.python in release.pythons
        assert all(runs(code_of(release), gpu) for gpu in where.capabilities)
        check_driver(release.cuda, where)


@given(machines, st.sampled_from([row.capabilities[0] for row in MATRIX.table("cuda_arch") if hasattr(row, "chips")]))
def test_another_gpu_never_adds_a_build(where: Machine, gpu: Capability) -> None:
    more = Machine(
        driver=where.driver, python=where.python, platform=where.platform, capabilities=(*where.capabilities, gpu)
    )
    assert set(map(id, torch_builds_that_fit(more, MATRIX))) <= set(map(id, torch_builds_that_fit(where, MATRIX)))
