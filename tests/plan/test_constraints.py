"""What keeps a build from running on a machine, and the change that would do: build by build."""

import pytest

from gpudoctor.facts.versions import Capability, CudaVersion, DriverRelease, LibraryVersion
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.builds import builds_of
from gpudoctor.plan.constraints import (
    JETSON,
    driver_can_compile,
    fits,
    is_older,
    is_wanted_kind,
    obstacles,
    pinned_cudnn,
    runs,
    span,
)
from gpudoctor.plan.machine import Machine

MATRIX = load_matrix()
WINDOWS, MAC, ARM = "windows-x86_64", "macos-arm64", "linux-aarch64"


def where(driver=None, *gpus, platform="linux-x86_64", python="3.12", **facts):
    return Machine(
        driver=driver and DriverRelease(driver),
        capabilities=tuple(map(Capability, gpus)),
        python=python,
        platform=platform,
        **facts,
    )


def build(label, platform="linux-x86_64"):
    name = label.split()[0].split("[")[0].removesuffix("-cpu")
    return next(one for one in builds_of(name, platform, MATRIX) if one.label == label)


TORCH_126, TORCH_132, TORCH_CPU = "torch 2.14.1+cu126", "torch 2.15.0+cu132", "torch 2.15.0+cpu"
TF_220, TF_CPU, JAX_13 = "tensorflow[and-cuda] 2.20.0", "tensorflow-cpu 2.21.0", "jax[cuda13] 0.10.0"
GLIBC = {"libc": "glibc"}
RADEON = {"gfx": ("gfx1100",), "gpu_names": ("RX 7900",)}
JETPACK = "NVIDIA's own build for this JetPack"


@pytest.mark.parametrize(
    ("label", "machine", "found"),
    [
        (TORCH_126, where("535.54", "8.9"), []),
        (TORCH_126, where(), []),
        # The driver.
        (TORCH_132, where("535.54", "8.9"), [("driver", "driver >= 580.65.06")]),
        (TORCH_132, where("580.65.06", "8.9"), []),
        (TORCH_132, where("579.99", "8.9"), [("driver", "driver >= 580.65.06")]),
        (TORCH_126, where("525.60.13", "8.9"), []),
        (TORCH_126, where("525.60.12", "8.9"), [("driver", "driver >= 525.60.13")]),
        (TORCH_126, where("527.41", "8.9", wsl=True), []),
        (TORCH_126, where("527.40", "8.9", wsl=True), [("driver", "driver >= 527.41")]),
        # A data center's card can have the newer one's library beside it.
        (
            TORCH_132,
            where("535.54", "9.0", gpu_names=("NVIDIA H100 PCIe",)),
            [("driver", "or cuda-compat-13-0 beside this one")],
        ),
        # The GPU: each of them.
        (TORCH_132, where("580.65.06", "7.0"), [("gpu", "a GPU of compute capability 7.5 to 12.0 instead")]),
        (TORCH_132, where("580.65.06", "8.9", "6.1", "7.0"), [("gpu", "7.5 to 12.0"), ("gpu", "7.5 to 12.0")]),
        (TORCH_126, where("580.65.06", "12.0"), [("gpu", "a GPU of compute capability 5.0 to 9.0 instead")]),
        (JAX_13, where("580.65.06", "7.0"), [("gpu", "a GPU of compute capability 7.5")]),
        # Neither counts where no GPU is to be used, or another maker's is there.
        (TORCH_132, where("535.54", "6.1", cpu_only=True), []),
        (TORCH_132, where(**RADEON), [("gpu", None)]),
        (TORCH_132, where(cpu_only=True, **RADEON), []),
        (TORCH_CPU, where(**RADEON), []),
        (TORCH_CPU, where("470.82.01", "3.5"), []),
        # A Jetson's GPU takes no code that is made for others; the general builds have that of the newest.
        (TORCH_132, where("580.00", "11.0", tegra="R38", platform=ARM), []),
        (TORCH_132, where(None, "8.7", tegra="R36", platform=ARM), [("platform", JETPACK)]),
        (TORCH_132, where("535.54", "8.7", tegra="R36", platform=ARM), [("driver", JETPACK)]),
        # The Python, and the system.
        (TORCH_132, where(python="3.10"), [("python", "Python 3.11 to 3.15")]),
        (TF_220, where(python="3.14"), [("python", "Python 3.9 to 3.13")]),
        (TORCH_126, where(platform="linux-ppc64le"), [("platform", "linux-x86_64 or linux-aarch64 or windows-x86_64")]),
        (TF_220, where(platform=WINDOWS), [("platform", "WSL 2, which is linux-x86_64")]),
        (JAX_13, where(platform=WINDOWS), [("platform", "WSL 2, which is linux-x86_64")]),
        (TF_CPU, where(platform=ARM), [("platform", "linux-x86_64")]),
        ("jax 0.10.0", where(platform="linux-ppc64le"), [("platform", "linux")]),
        # The C library.
        (TORCH_126, where(libc_version=LibraryVersion("2.27"), **GLIBC), [("libc", "glibc >= 2.28")]),
        (TORCH_126, where(libc_version=LibraryVersion("2.28"), **GLIBC), []),
        (TORCH_126, where(libc="musl"), [("libc", "a system with glibc")]),
        # What no index has, what was withdrawn, what has a fault.
        ("torch 2.15.0+cu126", where(), [("index", None)]),
        ("jax[cuda12] 0.4.32", where(), [("withdrawn", None)]),
        ("tensorflow[and-cuda] 2.16.1", where(), [("defect", None)]),
        # PyTorch's own index cannot be reached.
        (TORCH_126, where(package_index_only=True), [("index", None)]),
        (TORCH_132, where(package_index_only=True), []),
        (TF_220, where(package_index_only=True), []),
    ],
)
def test_what_keeps_a_build_away(label, machine, found):
    made = build(label, machine.platform)
    there = list(obstacles(made, machine, MATRIX))
    assert [one.constraint for one in there] == [constraint for constraint, _ in found], there
    for one, (_, change) in zip(there, found, strict=True):
        assert (one.change is None) if change is None else (change in one.change)
    assert fits(made, machine, MATRIX) is (not found)
    hard = {"driver", "gpu", "cudnn"} | ({"platform"} if machine.tegra else set())
    assert runs(made, machine, MATRIX) is (not hard & {constraint for constraint, _ in found})


@pytest.mark.parametrize(
    ("label", "release", "found"),
    [
        (TORCH_CPU, "13.6", "macOS >= 14"),
        (TORCH_CPU, "14.0", None),
        ("torch 2.8.0+cpu", "13.6", None),
        # Before that no release uses the GPU, and each computes.
        ("torch 2.8.0+cpu", "12.2", None),
        ("torch 2.8.0+cpu", "12.3", "macOS >= 13"),
    ],
)
def test_a_mac(label, release, found):
    machine = where(platform=MAC, macos=LibraryVersion(release))
    changes = [one.change for one in obstacles(build(label, MAC), machine, MATRIX) if "GPU" in one.text]
    assert len(changes) == (found is not None)
    assert found is None or changes[0].startswith(found)
    on_processor = where(platform=MAC, macos=LibraryVersion(release), cpu_only=True)
    assert not any("GPU" in one.text for one in obstacles(build(label, MAC), on_processor, MATRIX))


def test_a_release_that_a_link_mends_fits():
    made = build("tensorflow[and-cuda] 2.21.0")
    (one,) = obstacles(made, where("580.65.06", "8.9"), MATRIX)
    assert one.mended and "link" in one.change
    assert fits(made, where("580.65.06", "8.9"), MATRIX)


@pytest.mark.parametrize(
    ("label", "machine", "wanted"),
    [
        (TORCH_126, where("535.54", "8.9"), True),
        (TORCH_CPU, where("535.54", "8.9"), False),
        (TORCH_CPU, where(cpu_only=True), True),
        (TORCH_126, where(cpu_only=True), False),
        # The package index may have no torch for the CPU.
        (TORCH_126, where(cpu_only=True, package_index_only=True), True),
        (TF_220, where(cpu_only=True, package_index_only=True), False),
        (TORCH_CPU, where("535.54", "8.9", package_index_only=True), False),
    ],
)
def test_what_is_for_the_gpu_and_what_for_the_processor(label, machine, wanted):
    assert is_wanted_kind(build(label), machine) is wanted


@pytest.mark.parametrize(
    ("driver", "tegra", "floor", "older"),
    [
        ("535.54", None, "535.54.03", True),
        ("535.54.03", None, "535.54.03", False),
        (None, None, "535.54.03", False),
        # A Jetson's states its branch only.
        ("580.00", "R38", "580.65.06", False),
        ("540.4.0", "R36", "580.65.06", True),
    ],
)
def test_whether_the_driver_is_known_to_be_older(driver, tegra, floor, older):
    assert is_older(where(driver, tegra=tegra), DriverRelease(floor)) is older


@pytest.mark.parametrize(
    ("cuda", "driver", "can"),
    [
        ("12.2", "535.54", True),
        ("12.4", "535.54", False),
        ("12.0", "535.54", True),
        # A branch that no table has: by the floor of the toolkit.
        ("12.0", "540.10", True),
        ("12.4", "540.10", False),
    ],
)
def test_a_driver_compiles_what_its_own_cuda_or_an_older_one_made(cuda, driver, can):
    assert driver_can_compile(CudaVersion(cuda), DriverRelease(driver), "linux", MATRIX) is can


def test_the_cudnn_that_tensorflow_pins():
    assert str(pinned_cudnn(build("tensorflow[and-cuda] 2.19.1"))) == "9.3.0.75"
    assert pinned_cudnn(build(TF_220)) is None
    assert pinned_cudnn(build(TORCH_126)) is None


@pytest.mark.parametrize(("pythons", "words"), [(("3.10", "3.9", "3.12"), "3.9 to 3.12"), (("3.9",), "3.9"), ((), "")])
def test_pythons_in_words(pythons, words):
    assert span(pythons) == words


def test_the_page_of_a_jetsons_builds():
    assert JETSON.startswith(JETPACK)
