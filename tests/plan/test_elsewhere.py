"""Where no package index has a build, the maker's own is named; where one has, it is not."""

import pytest
from click.testing import CliRunner

from gpudoctor.cli.main import cli
from gpudoctor.facts.versions import Capability, DriverRelease
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.answer import Wanted
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.solve import fit

LINUX, ARM, MAC = "linux-x86_64", "linux-aarch64", "macos-arm64"


def machine(platform: str = LINUX, gpu: str | None = None, driver: str | None = None, **more: object) -> Machine:
    gpus = (Capability(gpu),) if gpu else ()
    given = DriverRelease(driver) if driver else None
    return Machine(platform=platform, capabilities=gpus, driver=given, **more)  # type: ignore[arg-type]


def named(of: Machine, wanted: Wanted) -> tuple[str, ...]:
    found = fit(of, (wanted,), load_matrix())
    return (*found.elsewhere, *(text for one in found.refusals for text in one.elsewhere))


@pytest.mark.parametrize(
    ("of", "wanted", "names"),
    [
        (machine(MAC), Wanted(framework="tensorflow"), "tensorflow-metal"),
        (machine(ARM, "9.0"), Wanted(framework="tensorflow"), "nvcr.io/nvidia/tensorflow"),
        # The first and the last GPUs that a row is for.
        (machine(ARM, "7.5"), Wanted(framework="tensorflow"), "nvcr.io/nvidia/tensorflow"),
        (machine(gpu="9.0"), Wanted(framework="tensorflow", specifier="==1.15.5"), "23.03-tf1-py3"),
        (machine(gpu="8.0"), Wanted(framework="tensorflow", specifier="==1.15.5"), "23.03-tf1-py3"),
        (machine(gpu="8.6"), Wanted(framework="tensorflow", specifier="==1.15.5"), "23.03-tf1-py3"),
        (machine(gpu="8.0", driver="470.57.02"), Wanted(framework="jax"), "cuda11_pip"),
        (machine(ARM, "8.7", driver="540.3.0", tegra="R36"), Wanted(framework="torch"), "install-pytorch-jetson"),
        (
            machine(ARM, "8.7", tegra="R36.4.3"),
            Wanted(framework="tensorflow"),
            "install-tf-jetson-platform",
        ),
    ],
)
def test_the_makers_own_build_is_named(of: Machine, wanted: Wanted, names: str) -> None:
    assert [text for text in named(of, wanted) if names in text and "https://" in text]


@pytest.mark.parametrize(
    ("of", "wanted"),
    [
        (machine(gpu="8.6", driver="580.65.06"), Wanted(framework="tensorflow")),
        (machine(gpu="12.0"), Wanted(framework="tensorflow", specifier="==1.15.5")),
        (machine(gpu="8.0", driver="450.51.05"), Wanted(framework="jax")),
        (machine(MAC, cpu_only=True), Wanted(framework="tensorflow")),
        (machine(MAC), Wanted(framework="torch")),
        (machine(ARM, cpu_only=True), Wanted(framework="tensorflow")),
    ],
)
def test_nothing_is_named_where_it_serves_nobody(of: Machine, wanted: Wanted) -> None:
    assert named(of, wanted) == ()


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--gpu", "AMD Instinct MI300X", "torch"], 0, "whl/rocm"),
        (["--gpu", "RX 6600", "torch"], 1, "torch[device-gfx1032]"),
        (["--gpu", "RX 6600", "torch"], 1, "HSA_OVERRIDE_GFX_VERSION=10.3.0 it runs the code for gfx1030"),
        (["--gpu", "RX 580", "torch"], 1, "no code for AMD Radeon RX 580"),
        (["--gpu", "RX 7900", "torch"], 2, "its architecture is not known here"),
        (["--gpu", "RX 7900 XTX", "--gpu", "RTX 4090", "torch"], 2, "need different builds"),
    ],
)
def test_amd_gpus_get_builds_for_rocm_or_where_to_go(arguments: list[str], code: int, says: str) -> None:
    result = CliRunner().invoke(cli, ["matrix", "fit", *arguments])
    assert result.exit_code == code and says in " ".join(result.output.split())


def test_a_jetson_gets_a_general_build_where_it_has_code_for_its_gpu_and_the_driver_is_of_its_branch():
    thor = machine(ARM, "11.0", driver="580.00", python="3.12", tegra="as described")
    assert fit(thor, (Wanted(framework="torch"),), load_matrix()).environments[0].proposals[0].cuda == "13.2"
    assert not fit(
        machine(ARM, "7.2", driver="580.00", tegra="R35"), (Wanted(framework="torch"),), load_matrix()
    ).environments


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--gpu", "Jetson AGX Thor", "--driver", "580.00", "--python", "3.12"], "pip install torch=="),
        (["--gpu", "Jetson Orin Nano", "--driver", "540.4.0", "--python", "3.10"], "build for this JetPack release"),
        (["--gpu", "Jetson AGX Thor", "--arch", "x86_64"], "build for this JetPack release"),
    ],
)
def test_a_jetson_is_an_arm_machine_unless_it_is_said_not_to_be(arguments: list[str], says: str) -> None:
    result = CliRunner().invoke(cli, ["plan", "torch", *arguments])
    assert says in " ".join(result.output.split()), result.output


def test_of_jax_for_cuda_11_kepler_has_no_use():
    assert not any(
        "cuda11_pip" in one for one in named(machine(gpu="3.7", driver="470.57.02"), Wanted(framework="jax"))
    )
