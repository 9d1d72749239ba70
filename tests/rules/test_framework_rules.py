"""The rules about framework builds, as tables."""

import msgspec
import pytest

from gpudoctor.facts.base import Gap
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.finding import Finding
from gpudoctor.facts.fix import Ask, Run
from gpudoctor.facts.gpus import Gpu
from gpudoctor.facts.libraries import Libraries, Resolution
from gpudoctor.facts.python import Framework, Frameworks, Package, Packages, Unmet
from gpudoctor.facts.system import Container, Slurm, System, Wsl
from gpudoctor.facts.versions import CudaVersion, DriverRelease
from tests.rules.situations import driver, environ, library
from tests.rules.stacks import (
    ARM,
    GT_710,
    GTX_1080_TI,
    H100,
    JETSON,
    K80,
    MACOS,
    RADEON,
    RTX_3090,
    RTX_4090,
    RTX_5090,
    T4,
    V100,
    WINDOWS,
    card,
    framework,
    frameworks,
    interpreter,
    jax,
    jax_plugin,
    libraries,
    packages,
    resolution,
    stack,
    tensorflow,
    torch,
    wish,
)
from tests.rules.table import fires, judge, quiet, skips


def commands(finding: Finding) -> list[str]:
    return [" ".join(step.argv) for fix in finding.fixes for step in fix.steps if isinstance(step, Run)]


def words(finding: Finding) -> str:
    return " ".join(step.text for fix in finding.fixes for step in fix.steps if isinstance(step, Ask))


# torch-cpu-only


def test_a_processor_build_beside_a_gpu_is_the_same_release_from_the_cuda_index() -> None:
    finding = fires("torch-cpu-only", **stack(RTX_4090, frameworks=frameworks(torch("2.6.0+cpu"))))
    uninstall, install = commands(finding)
    assert uninstall == "/home/me/env/bin/python -m pip uninstall --yes torch"
    assert install.startswith("/home/me/env/bin/python -m pip install torch==2.6.0+cu124 --index-url")
    assert install.split("/whl/")[1] in ("cu124", "cu126", "cu118")
    assert finding.fixes[0].undo == "install again: torch==2.6.0+cpu"


@pytest.mark.parametrize(
    "machine",
    [
        stack(frameworks=frameworks(torch("2.6.0+cpu"))),
        stack(RTX_4090, frameworks=frameworks(torch("2.6.0+cu124"))),
        stack(RTX_4090, frameworks=frameworks(torch("2.6.0", variant=None))),
        stack(RADEON, frameworks=frameworks(torch("2.6.0+cpu"))),
        stack(RTX_4090, host=JETSON, frameworks=frameworks(torch("2.6.0+cpu"))),
        stack(
            RTX_4090, frameworks=frameworks(torch("2.6.0+cpu")), packages=packages("torch==2.6.0", installer="conda")
        ),
    ],
    ids=["no GPU", "CUDA build", "not known", "AMD only", "Jetson", "conda"],
)
def test_torch_cpu_only_is_quiet(machine: dict) -> None:
    quiet("torch-cpu-only", **machine)


def test_torch_cpu_only_without_sight_of_the_gpus_is_not_judged() -> None:
    machine = stack(frameworks=frameworks(torch("2.6.0+cpu"))) | {"gpus": Gap(reason="NVML hung")}
    assert skips("torch-cpu-only", **machine) == "NVML hung"


def test_conda_is_asked_for_its_own_cuda_build() -> None:
    conda = interpreter(environment="conda", prefix="/opt/conda/envs/ai", executable="/opt/conda/envs/ai/bin/python")
    has = packages("pytorch==2.6.0", "cpuonly==2.0", installer="conda")
    machine = stack(RTX_4090, on=conda, frameworks=frameworks(torch("2.6.0", variant="cpu")), packages=has)
    assert commands(fires("torch-cpu-only-conda", **machine)) == [
        "conda remove --prefix /opt/conda/envs/ai cpuonly",
        "conda install --prefix /opt/conda/envs/ai --channel conda-forge pytorch-gpu",
    ]
    quiet("torch-cpu-only-conda", **stack(RTX_4090, frameworks=frameworks(torch("2.6.0+cpu"))))
    quiet("torch-cpu-only-conda", **(machine | {"gpus": None}))


def test_conda_is_asked_for_the_companions_that_it_installed() -> None:
    """Their builds for the processor fit the new torch by version, and it would leave them."""
    conda = interpreter(environment="conda", prefix="/c", executable="/c/bin/python")
    pip = packages("torchaudio==2.6.0", installer="pip").installed
    has = packages("pytorch==2.6.0", "torchvision==0.21.0", installer="conda")
    has = msgspec.structs.replace(has, installed=(*has.installed, *pip))
    machine = stack(RTX_4090, on=conda, frameworks=frameworks(torch("2.6.0", variant="cpu")), packages=has)
    assert commands(fires("torch-cpu-only-conda", **machine)) == [
        "conda install --prefix /c --channel conda-forge pytorch-gpu torchvision",
    ]


def test_tensorflow_for_the_processor_is_replaced_on_linux() -> None:
    cpu = tensorflow("2.18.0", None, dist="tensorflow-cpu")
    uninstall, install = commands(fires("tf-cpu-only", **stack(RTX_4090, frameworks=frameworks(cpu))))
    assert uninstall.endswith("uninstall --yes tensorflow-cpu")
    assert "tensorflow[and-cuda]==2." in install
    assert "2.21.0" not in install
    beside = stack(RTX_4090, frameworks=frameworks(cpu, torch()))
    assert fires("tf-cpu-only", **beside).severity == "info"
    both = packages("tensorflow==1.14.0", "tensorflow-gpu==1.14.0")
    unknown = fires("tf-cpu-only", **stack(RTX_4090, frameworks=frameworks(tensorflow("1.14.0", None)), packages=both))
    assert unknown.confidence == "likely"
    assert any("tensorflow-gpu==1.14.0" in line for line in commands(unknown))
    quiet("tf-cpu-only", **stack(frameworks=frameworks(cpu)))
    quiet("tf-cpu-only", **stack(RTX_4090, host=WINDOWS, frameworks=frameworks(cpu)))
    quiet("tf-cpu-only", **stack(RTX_4090, frameworks=frameworks(tensorflow())))
    for_windows = frameworks(tensorflow("2.3.0", None))
    mkl = Packages(installed=(Package(name="tensorflow", version="2.3.0", installer="conda", build="mkl_py38"),))
    found = fires("tf-cpu-only", **stack(RTX_4090, host=WINDOWS, frameworks=for_windows, packages=mkl))
    assert "conda search tensorflow" in words(found) and "with pip" in words(found)
    found = fires("tf-cpu-only", **stack(RTX_4090, host=WINDOWS, frameworks=for_windows))
    assert "package index" in words(found)
    quiet("tf-cpu-only", **stack(RTX_4090, host=WINDOWS, frameworks=frameworks(tensorflow("2.11.0", None))))


def test_tensorflow_on_arm_gets_words_and_no_command() -> None:
    cpu = tensorflow("2.20.0", None)
    finding = fires("tf-cpu-only", **stack(H100, host=ARM, frameworks=frameworks(cpu)))
    assert commands(finding) == []
    assert "No build of TensorFlow" in words(finding)


def test_jax_without_plugin() -> None:
    finding = fires("jax-cpu-only", **stack(RTX_4090, frameworks=frameworks(jax())))
    assert finding.severity == "error"
    assert "jax[cuda12]==0.12.0" in commands(finding)[0]
    newer = fires("jax-cpu-only", **stack(RTX_4090, release="580.65.06", frameworks=frameworks(jax())))
    assert "jax[cuda13]==0.12.0" in commands(newer)[0]
    beside = frameworks(jax(), torch())
    assert fires("jax-cpu-only", **stack(RTX_4090, frameworks=beside)).severity == "info"
    quiet("jax-cpu-only", **stack(frameworks=frameworks(jax())))
    quiet("jax-cpu-only", **stack(RTX_4090, frameworks=frameworks(jax(), jax_plugin())))
    old = Framework(name="jaxlib", version="0.4.13+cuda12.cudnn89", variant="cuda")
    quiet("jax-cpu-only", **stack(RTX_4090, frameworks=frameworks(jax("0.4.13"), old)))


# driver-too-old


@pytest.mark.parametrize(
    ("version", "release"),
    [
        ("2.6.0+cu124", "535.183.01"),
        ("2.9.0+cu128", "525.60.13"),
        ("2.6.0+cu118", "450.80.02"),
        ("2.9.0+cu130", "580.65.06"),
    ],
)
def test_a_driver_serves_every_build_of_its_cuda_major(version: str, release: str) -> None:
    quiet("driver-too-old", **stack(RTX_3090, release=release, frameworks=frameworks(torch(version))))


@pytest.mark.parametrize(
    ("version", "release", "floor"),
    [
        ("2.6.0+cu124", "525.60.12", "525.60.13"),
        ("2.9.0+cu130", "575.57.08", "580.65.06"),
        ("2.6.0+cu118", "440.100", "450.80.02"),
        ("1.13.1+cu117", "390.157", "450.80.02"),
    ],
)
def test_a_driver_below_the_floor_of_the_major(version: str, release: str, floor: str) -> None:
    finding = fires("driver-too-old", **stack(T4, release=release, frameworks=frameworks(torch(version))))
    assert floor in finding.summary
    assert release in finding.summary
    assert finding.fixes[0].needs_reboot


def test_data_centres_may_keep_the_driver() -> None:
    """cuda-compat is the last way, on the GPUs and for the drivers that it is published for."""

    def ways(gpu: Gpu, release: str) -> list[str]:
        found = fires("driver-too-old", **stack(gpu, release=release, frameworks=frameworks(torch("2.15.0+cu132"))))
        return [fix.title for fix in found.fixes]

    h100 = card("NVIDIA H100 80GB HBM3", "9.0")
    assert ways(h100, "535.183.01")[-1] == "Install cuda-compat-13-0"
    assert not [title for title in ways(RTX_4090, "535.183.01") if "cuda-compat" in title]
    assert not [title for title in ways(h100, "530.30.02") if "cuda-compat" in title]


def test_no_driver_update_is_proposed_that_drops_the_gpu() -> None:
    finding = fires("driver-too-old", **stack(K80, release="470.256.02", frameworks=frameworks(torch("2.6.0+cu124"))))
    assert not any(fix.needs_reboot for fix in finding.fixes)


def test_windows_drivers_have_windows_floors() -> None:
    machine = stack(RTX_3090, release="522.06", host=WINDOWS, frameworks=frameworks(torch("2.6.0+cu124")))
    assert "527.41" in fires("driver-too-old", **machine).summary
    quiet("driver-too-old", **stack(RTX_3090, release="551.61", host=WINDOWS, frameworks=frameworks(torch())))
    wsl = Container(kind="none", wsl=Wsl(version=2))
    under_wsl = stack(RTX_3090, release="522.06", container=wsl, frameworks=frameworks(torch("2.6.0+cu124")))
    assert "527.41" in fires("driver-too-old", **under_wsl).summary
    # Of a Jetson the release is that of its system.
    jetson = {"host": System(os="linux", arch="aarch64", tegra="R32.3.1"), "frameworks": frameworks(torch())}
    quiet("driver-too-old", **stack(RTX_3090, release="36.4.3", **jetson))


@pytest.mark.parametrize(
    ("in_job", "is_root", "theirs"), [(True, False, False), (True, True, True), (False, False, True)]
)
def test_in_a_job_of_a_cluster_the_build_comes_before_the_driver(in_job: bool, is_root: bool, theirs: bool) -> None:
    host = System(os="linux", arch="x86_64", libc="glibc", libc_version="2.35", is_root=is_root)
    around = Container(kind="none", slurm=Slurm(in_job=in_job))
    build = frameworks(torch("2.8.0+cu128"))
    found = fires("driver-too-old", **stack(V100, release="470.82.01", host=host, container=around, frameworks=build))
    assert ("driver" in found.fixes[0].title) is theirs
    assert any("driver" in fix.title for fix in found.fixes)


def test_a_driver_known_by_its_cuda_alone() -> None:
    tells = msgspec.structs.replace(driver(), release=None, cuda=CudaVersion("11.4"))
    machine = stack(RTX_3090, driver=tells, frameworks=frameworks(torch()))
    fires("driver-too-old", **machine)
    tells = msgspec.structs.replace(tells, cuda=CudaVersion("12.0"))
    quiet("driver-too-old", **(machine | {"driver": tells}))
    quiet("driver-too-old", **(machine | {"driver": msgspec.structs.replace(tells, cuda=None)}))


def test_forward_compatibility_is_not_judged_by_the_kernel_driver() -> None:
    compat = library("libcuda.so.1", "550.54.15", compat=True)
    machine = stack(H100, driver=driver("470.57.02", libraries=(compat,)), frameworks=frameworks(torch()))
    quiet("driver-too-old", **machine)


def test_ptx_needs_a_driver_of_its_own_cuda() -> None:
    hopper = tensorflow("2.16.1", "12.3", archs=("sm_60", "sm_70", "sm_80", "compute_90"))
    finding = fires("driver-too-old", **stack(H100, release="525.125.06", frameworks=frameworks(hopper)))
    assert "PTX" in finding.summary
    quiet("ptx-jit-slow-start", **stack(H100, release="525.125.06", frameworks=frameworks(hopper)))
    quiet("driver-too-old", **stack(H100, release="545.23.08", frameworks=frameworks(hopper)))
    assert fires("ptx-jit-slow-start", **stack(H100, release="545.23.08", frameworks=frameworks(hopper)))


def test_driver_too_old_is_quiet_without_gpu_or_knowledge() -> None:
    quiet("driver-too-old", **stack(release="440.100", frameworks=frameworks(torch())))
    unknown = torch("2.6.0", variant="cuda", cuda=None)
    quiet("driver-too-old", **stack(RTX_3090, release="440.100", frameworks=frameworks(unknown)))
    quiet("driver-too-old", **(stack(RTX_3090, frameworks=frameworks(torch())) | {"driver": None}))


# The two architecture rules.


@pytest.mark.parametrize(
    ("gpu", "version"),
    [
        (RTX_4090, "2.6.0+cu124"),
        (RTX_3090, "2.9.0+cu130"),
        (GTX_1080_TI, "2.9.0+cu126"),
        (H100, "2.6.0+cu126"),
        (V100, "2.8.0+cu128"),
        (RTX_5090, "2.8.0+cu128"),
        (card("NVIDIA GB10", "12.1"), "2.8.0+cu128"),
        (card("NVIDIA B200", "10.0"), "2.8.0+cu128"),
        (card("NVIDIA B300", "10.3"), "2.8.0+cu128"),
    ],
)
def test_a_build_with_code_for_the_gpu(gpu: object, version: str) -> None:
    machine = stack(gpu, release="580.65.06", frameworks=frameworks(torch(version)))
    quiet("arch-too-new-for-build", **machine)
    quiet("arch-too-old-for-build", **machine)


def test_blackwell_needs_a_newer_build() -> None:
    machine = stack(RTX_5090, release="570.86.10", frameworks=frameworks(torch("2.6.0+cu124")))
    finding = fires("arch-too-new-for-build", **machine)
    quiet("arch-too-old-for-build", **machine)
    assert "12.0" in finding.summary
    assert "sm_90" in finding.evidence[-1].value
    assert finding.evidence[-1].source is not None
    assert finding.evidence[-1].source.kind == "matrix"
    tag = commands(finding)[-1].split("/whl/")[1]
    assert tag in ("cu128", "cu129")


@pytest.mark.parametrize("gpu", [GTX_1080_TI, V100])
def test_pascal_and_volta_need_an_older_cuda(gpu: object) -> None:
    machine = stack(gpu, release="580.65.06", frameworks=frameworks(torch("2.9.0+cu130")))
    finding = fires("arch-too-old-for-build", **machine)
    quiet("arch-too-new-for-build", **machine)
    expected = ("cu126",) if gpu is GTX_1080_TI else ("cu126", "cu128")
    assert commands(finding)[-1].split("/whl/")[1] in expected
    assert "torch==2.9.0" in commands(finding)[-1]


def test_what_the_file_says_outranks_the_matrix() -> None:
    own = torch("2.6.0+cu124", archs=("sm_90", "sm_120"))
    machine = stack(RTX_5090, release="570.86.10", frameworks=frameworks(own))
    quiet("arch-too-new-for-build", **machine)
    nightly = torch("2.99.0.dev20261101+cu132", archs=("sm_75", "sm_80"))
    fires("arch-too-new-for-build", **stack(RTX_5090, release="610.43.02", frameworks=frameworks(nightly)))


def test_an_unknown_build_is_not_judged() -> None:
    unknown = torch("2.99.0+cu134")
    machine = stack(RTX_5090, release="610.43.02", frameworks=frameworks(unknown))
    quiet("arch-too-new-for-build", **machine)
    quiet("arch-too-old-for-build", **machine)
    odd = torch("2.6.0+cu124", archs=("gfx1100", ""))
    quiet("arch-too-new-for-build", **stack(RTX_5090, frameworks=frameworks(odd)))
    from_conda = torch("2.6.0", variant="cuda", cuda=CudaVersion("12.6"))
    of_conda = packages("torch==2.6.0", installer="conda")
    quiet("arch-too-new-for-build", **stack(RTX_5090, frameworks=frameworks(from_conda), packages=of_conda))


def test_the_system_need_not_be_seen_where_it_makes_no_difference() -> None:
    unseen = {"host": Gap(reason="the text does not state it"), "container": Gap(reason="the text does not state it")}
    old = stack(RTX_3090, release="470.86", frameworks=frameworks(torch("2.1.0+cu121"))) | unseen
    assert fires("driver-too-old", **old).confidence == "likely"
    between = stack(RTX_3090, release="526.00", frameworks=frameworks(torch("2.1.0+cu121"))) | unseen
    quiet("driver-too-old", **between)
    l4t = stack(RTX_3090, release="32.3.1", frameworks=frameworks(torch("2.1.0+cu121"))) | unseen
    quiet("driver-too-old", **l4t)
    dropped = card("Tesla V100-SXM2-16GB", "7.0")
    fires("arch-too-old-for-build", **(stack(dropped, frameworks=frameworks(torch("2.12.0+cu130"))) | unseen))
    # The wheels for Windows have code that those for Linux have not.
    pascal = card("NVIDIA GeForce GTX 1080", "6.1")
    quiet("arch-too-old-for-build", **(stack(pascal, frameworks=frameworks(torch("2.7.1+cu128"))) | unseen))


@pytest.mark.parametrize(
    ("rule", "gpu", "installed"),
    [
        ("arch-too-new-for-build", RTX_5090, packages("torch==2.6.0")),
        ("arch-too-new-for-build", RTX_5090, packages("torch==2.6.0", installer="uv")),
        ("arch-too-old-for-build", card("NVIDIA GeForce GTX 660 Ti", "3.0"), packages("torch==2.6.0")),
    ],
)
def test_a_wheel_without_a_tag_is_of_the_cuda_that_it_names(rule: str, gpu: Gpu, installed: Packages) -> None:
    plain = torch("2.6.0", variant="cuda", cuda=CudaVersion("12.4"))
    machine = stack(gpu, release="570.133.07", frameworks=frameworks(plain), packages=installed)
    found = fires(rule, **machine)
    assert found.confidence == "likely"
    assert any("PyTorch's own build of that release" in one.fact for one in found.evidence)
    quiet(rule, **stack(RTX_4090, frameworks=frameworks(plain), packages=installed))
    nobodys = torch("2.6.0", variant="cuda", cuda=CudaVersion("12.2"))
    quiet("arch-too-new-for-build", **stack(gpu, frameworks=frameworks(nobodys), packages=installed))


def test_the_first_builds_of_conda_were_pytorchs_own() -> None:
    old = torch("1.3.1", variant="cuda", cuda=CudaVersion("10.1"))
    kepler = stack(card("NVIDIA GeForce GTX 660 Ti", "3.0"), release="418.87.00", frameworks=frameworks(old))
    fires("arch-too-old-for-build", **kepler | {"packages": packages("pytorch==1.3.1", installer="conda")})
    newer = torch("1.13.1", variant="cuda", cuda=CudaVersion("11.7"))
    tesla = stack(card("Tesla K40c", "3.5"), release="470.57.02", frameworks=frameworks(newer))
    quiet("arch-too-old-for-build", **tesla | {"packages": packages("pytorch==1.13.1", installer="conda")})


def test_wheels_for_windows_of_which_no_list_is_known() -> None:
    old = torch("1.2.0+cu92", variant="cuda", cuda=CudaVersion("9.2"))
    machine = stack(
        card("NVIDIA GeForce GTX 660 Ti", "3.0"), release="441.22", frameworks=frameworks(old), host=WINDOWS
    )
    finding = fires("arch-too-old-for-build", **machine)
    assert any("PyTorch's build for Linux" in one.fact for one in finding.evidence)
    volta = stack(card("NVIDIA TITAN V", "7.0"), release="441.22", frameworks=frameworks(old), host=WINDOWS)
    quiet("arch-too-old-for-build", **volta)
    quiet("arch-too-new-for-build", **volta)


def test_old_wheels_for_windows_by_their_own_list() -> None:
    old = torch("1.7.1+cu101", variant="cuda", cuda=CudaVersion("10.1"))
    kepler, turing = card("NVIDIA GeForce GTX 660 Ti", "3.0"), card("NVIDIA GeForce RTX 2070", "7.5")
    for gpu, judged in ((kepler, fires), (turing, quiet)):
        judged("arch-too-old-for-build", **stack(gpu, release="441.22", frameworks=frameworks(old), host=WINDOWS))


def test_a_gpu_between_those_of_a_build() -> None:
    gaps = torch("1.9.0+cu111", archs=("sm_50", "sm_70", "sm_80"), variant="cuda", cuda=CudaVersion("11.1"))
    between = stack(card("NVIDIA GeForce GTX 1070 Ti", "6.1"), release="460.39", frameworks=frameworks(gaps))
    assert "compiled for others only" in fires("arch-too-old-for-build", **between).summary
    quiet("arch-too-new-for-build", **between)
    thor = torch("2.8.0+cu128", archs=("sm_90", "sm_100", "sm_120"))
    beyond = stack(card("NVIDIA Thor", "11.0"), release="580.95.05", frameworks=frameworks(thor))
    assert "older and for newer GPUs" in fires("arch-too-new-for-build", **beyond).summary
    quiet("arch-too-old-for-build", **beyond)
    newer = stack(RTX_5090, release="570.133.07", frameworks=frameworks(gaps))
    assert "older GPUs only" in fires("arch-too-new-for-build", **newer).summary


def test_an_unlisted_build_has_no_code_that_its_cuda_cannot_make() -> None:
    nightly = frameworks(torch("2.6.0.dev20241112+cu121", cuda=CudaVersion("12.1")))
    found = fires("arch-too-new-for-build", **stack(RTX_5090, release="570.133.07", frameworks=nightly))
    assert found.confidence == "likely"
    assert any(one.fact == "CUDA 12.1 compiles for" for one in found.evidence)
    quiet("arch-too-new-for-build", **stack(RTX_4090, release="570.133.07", frameworks=nightly))
    newer = torch("2.16.0.dev20261101+cu130", cuda=CudaVersion("13.0"))
    pascal = card("NVIDIA GeForce GTX 1080", "6.1")
    machine = stack(pascal, release="580.65.06", frameworks=frameworks(newer))
    assert "begins at 7.5" in fires("arch-too-old-for-build", **machine).summary
    quiet("arch-too-new-for-build", **machine)
    quiet("arch-too-old-for-build", **stack(RTX_4090, release="580.65.06", frameworks=frameworks(newer)))


def test_an_old_torch_names_the_gpu_to_a_compiler_that_does_not_know_it() -> None:
    archs = ("sm_37", "sm_50", "sm_60", "sm_70", "sm_75", "sm_80", "sm_86")
    old = frameworks(torch("1.10.0+cu113", archs=archs))
    finding = fires("arch-too-new-for-build", **stack(RTX_4090, on=interpreter("3.8.18"), frameworks=old))
    assert finding.severity == "warning"
    assert "torch==2.4.1" in commands(finding)[-1]
    quiet("arch-too-new-for-build", **stack(RTX_3090, frameworks=old))
    newer = frameworks(torch("1.13.1+cu117", archs=archs))
    quiet("arch-too-new-for-build", **stack(RTX_4090, frameworks=newer))
    too_old = fires("arch-too-new-for-build", **stack(RTX_4090, on=interpreter("3.6.9"), frameworks=old))
    assert commands(too_old) == []
    assert "Python 3.7" in words(too_old)


def test_every_gpu_of_a_mixed_machine_is_looked_at() -> None:
    old = card("NVIDIA GeForce GTX 1080", "6.1", index=1)
    machine = stack(RTX_4090, old, release="580.65.06", frameworks=frameworks(torch("2.9.0+cu130")))
    finding = fires("arch-too-old-for-build", **machine)
    assert "GPU 1" in finding.summary
    assert "GPU 0" not in finding.summary
    assert finding.severity == "error"
    display = stack(RTX_4090, GT_710, release="470.256.02", frameworks=frameworks(torch("2.6.0+cu118")))
    assert fires("arch-too-old-for-build", **display).severity == "info"


def test_gpus_that_programs_do_not_get_to_see_are_not_looked_at() -> None:
    build = {"release": "580.65.06", "frameworks": frameworks(torch("2.9.0+cu130"))}
    kept_out = card("NVIDIA GeForce GTX 1080", "6.1", index=None, bound_driver="nvidia")
    quiet("arch-too-old-for-build", **stack(RTX_4090, kept_out, **build))
    handed_on = card("NVIDIA GeForce GTX 1080", "6.1", index=None, bound_driver="vfio-pci")
    quiet("arch-too-old-for-build", **stack(handed_on, **build))
    fires("arch-too-old-for-build", **stack(kept_out, **build))


@pytest.mark.parametrize("gpu", [card("NVIDIA B200", "10.0"), RTX_5090])
@pytest.mark.parametrize(
    ("version", "confidence", "reason"),
    [
        ("2.15.1", "likely", "cuDNN"),
        ("2.16.1", "certain", "sm_90a"),
        ("2.20.0", "certain", "sm_90a"),
        ("2.20.0.dev20250314", "likely", "sm_90a"),
        ("2.21.0.dev20250722", "likely", "sm_90a"),
        ("2.22.0rc0", "likely", "XLA"),
    ],
)
def test_the_ptx_of_tensorflow_does_not_help_blackwell(gpu: Gpu, version: str, confidence: str, reason: str) -> None:
    build = tensorflow(version, archs=("sm_60", "sm_70", "sm_80", "compute_90"))
    sections = stack(gpu, release="570.86.10", frameworks=frameworks(build))
    quiet("ptx-jit-slow-start", **sections)
    finding = fires("arch-too-new-for-build", **sections)
    assert (finding.severity, finding.confidence) == ("error", confidence)
    assert reason in finding.summary
    install, container = finding.fixes
    assert "tensorflow[and-cuda]==2.21.0 nvidia-cuda-nvcc-cu12>=12.8" in " ".join(install.steps[-2].argv)
    assert install.steps[-1].argv[:2] == ("ln", "-sf")
    assert "container" in container.title
    elsewhere = stack(gpu, release="570.86.10", on=interpreter("3.9.1"), frameworks=frameworks(build))
    assert "container" in fires("arch-too-new-for-build", **elsewhere).fixes[0].title


def test_the_ptx_of_tensorflow_on_other_gpus() -> None:
    newest = stack(RTX_5090, release="580.65.06", frameworks=frameworks(tensorflow("2.21.0")))
    quiet("arch-too-new-for-build", **newest)
    assert fires("ptx-jit-slow-start", **newest).severity == "warning"
    own_build = tensorflow("2.20.0", archs=("sm_80", "sm_90", "sm_120"))
    quiet("arch-too-new-for-build", **stack(RTX_5090, release="570.86.10", frameworks=frameworks(own_build)))
    own = fires("ptx-jit-slow-start", **stack(RTX_3090, frameworks=frameworks(tensorflow("2.15.1", "12.2"))))
    assert own.severity == "info"
    both = stack(RTX_3090, card(H100.name, "9.0", index=1), frameworks=frameworks(tensorflow("2.15.1", "12.2")))
    assert fires("ptx-jit-slow-start", **both).severity == "warning"
    quiet("ptx-jit-slow-start", **stack(RTX_4090, frameworks=frameworks(tensorflow("2.20.0"))))
    quiet("ptx-jit-slow-start", **stack(RTX_5090, release="570.86.10", frameworks=frameworks(torch("2.8.0+cu128"))))
    quiet("ptx-jit-slow-start", **stack(frameworks=frameworks(tensorflow("2.20.0"))))


def test_a_switched_off_cache_matters_where_it_is_not_known_that_all_is_compiled() -> None:
    off = {"environ": environ(CUDA_CACHE_DISABLE="1")}
    maybe = fires("cuda-jit-cache-off", **(stack(RTX_4090) | off))
    assert (maybe.severity, maybe.confidence) == ("warning", "possible")
    own = torch("2.99.0+git1234", variant="cuda", cuda=CudaVersion("12.4"))
    assert "2.99.0" in fires("cuda-jit-cache-off", **(stack(RTX_4090, frameworks=frameworks(own)) | off)).summary
    quiet("cuda-jit-cache-off", **(stack() | off))


def test_a_switched_off_cache_matters_only_with_ptx() -> None:
    off = {"environ": environ(CUDA_CACHE_DISABLE="1")}
    fires("cuda-jit-cache-off", **(stack(RTX_5090, frameworks=frameworks(tensorflow("2.20.0"))) | off))
    quiet("cuda-jit-cache-off", **(stack(RTX_4090, frameworks=frameworks(tensorflow("2.20.0"))) | off))
    on = {"environ": environ(CUDA_CACHE_DISABLE="0")}
    quiet("cuda-jit-cache-off", **(stack(RTX_5090, frameworks=frameworks(tensorflow("2.20.0"))) | on))


# Companions and extensions.


def test_companions_of_another_build() -> None:
    pair = frameworks(torch(), framework("torchvision", "0.21.0+cpu"))
    finding = fires("torch-companion-cuda", **stack(RTX_4090, frameworks=pair))
    assert commands(finding)[-1].endswith(
        "torchvision==0.21.0+cu124 --index-url https://download.pytorch.org/whl/cu124"
    )
    pair = frameworks(torch("2.0.1+cu118"), framework("torchaudio", "2.0.2+cu117"))
    assert fires("torch-companion-cuda", **stack(RTX_4090, frameworks=pair)).severity == "error"
    # Free of one torch release, torchaudio still compares the CUDA versions.
    pair = frameworks(torch("2.11.0+cu130"), framework("torchaudio", "2.11.0+cu128"))
    newest = fires("torch-companion-cuda", **stack(RTX_4090, frameworks=pair))
    assert newest.severity == "error"
    assert commands(newest)[-1].endswith("torchaudio==2.11.0+cu130 --index-url https://download.pytorch.org/whl/cu130")
    pair = frameworks(torch(), framework("torchvision", "0.21.0+cu126"))
    assert fires("torch-companion-cuda", **stack(RTX_4090, frameworks=pair)).severity == "warning"
    fires("torch-companion-cuda", **stack(frameworks=frameworks(torch(), framework("torchvision", "0.21.0+cpu"))))
    for tag, kind in (("cpu", "the CPU"), ("rocm6.2", "AMD GPUs (ROCm)"), ("cu118", "CUDA 11.8")):
        pair = frameworks(torch(), framework("torchvision", f"0.21.0+{tag}"))
        found = fires("torch-companion-cuda", **stack(RTX_4090, frameworks=pair))
        assert f"is built for {kind}, but torch is built for CUDA 12.4." in found.summary
        assert found.severity == "error"


@pytest.mark.parametrize(
    ("ours", "name", "theirs"),
    [
        ("2.6.0+cu124", "torchvision", "0.21.0+cu124"),
        ("2.6.0+cpu", "torchvision", "0.21.0+cpu"),
        ("2.6.0+cu124", "torchvision", "0.21.0"),
        ("2.14.1+cu130", "torchaudio", "2.11.0+cpu"),
    ],
)
def test_companions_that_fit(ours: str, name: str, theirs: str) -> None:
    machine = stack(RTX_4090, frameworks=frameworks(torch(ours), framework(name, theirs)))
    quiet("torch-companion-cuda", **machine)
    quiet("torch-companion-version", **machine)


def test_companions_of_another_release() -> None:
    pair = frameworks(torch("2.6.0+cu124"), framework("torchvision", "0.20.1+cu124"))
    finding = fires("torch-companion-version", **stack(RTX_4090, frameworks=pair))
    assert finding.severity == "error"
    assert "2.5.1" in finding.summary
    pair = frameworks(torch("2.7.1+cu126"), framework("torchvision", "0.22.0+cu126"))
    assert fires("torch-companion-version", **stack(RTX_4090, frameworks=pair)).severity == "warning"
    newer = frameworks(torch("2.16.0+cu134"), framework("torchvision", "0.30.0+cu134"))
    quiet("torch-companion-version", **stack(RTX_4090, frameworks=newer))
    free = frameworks(torch("2.15.0+cu132"), framework("torchvision", "0.29.1+cu132"))
    quiet("torch-companion-version", **stack(RTX_4090, frameworks=free))


def test_a_companion_newer_than_the_matrix_is_judged_by_its_own_metadata() -> None:
    pair = frameworks(torch("2.6.0+cu124"), framework("torchaudio", "2.10.5+cu124"))
    says = packages(unmet=(Unmet(package="torchaudio", requirement="torch", wanted="==2.10.5", found="2.6.0"),))
    assert "2.10.5" in fires("torch-companion-version", **stack(RTX_4090, frameworks=pair, packages=says)).summary


def flash(**fields: object) -> Framework:
    given = {"name": "flash-attn", "version": "2.7.4.post1", "built_for_torch": "2.6", "cuda": CudaVersion("12")}
    return Framework(**{**given, **fields})


@pytest.mark.parametrize(
    ("version", "url", "speaks"),
    [
        ("2.5.8", "https://x/flash_attn-2.5.8+cu122torch2.3cxx11abiFALSE-cp311-cp311-linux_x86_64.whl", True),
        ("2.5.8", "https://x/flash_attn-2.5.8+cu122torch2.6cxx11abiFALSE-cp311-cp311-linux_x86_64.whl", False),
        ("2.5.8+pt21cu121", None, True),
        ("2.5.8+pt26cu124", None, False),
        ("2.5.8", None, False),
    ],
)
def test_an_extension_of_which_only_the_package_tells(version: str, url: str | None, speaks: bool) -> None:
    package = Package(name="flash-attn", version=version, direct_url=url)
    machine = stack(RTX_4090, frameworks=frameworks(torch("2.6.0+cu124")), packages=Packages(installed=(package,)))
    (fires if speaks else quiet)("ext-abi-mismatch", **machine)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (torch("2.7.0+cu128"), flash()),
        (torch("2.6.0+cu118"), flash()),
        (torch("2.6.0+cu124", cxx11_abi=False), flash(cxx11_abi=True)),
        # Compiled here, so that no tag says for what; the functions that it calls do.
        (torch("2.7.0+cu128", cxx11_abi=True), flash(built_for_torch=None, cuda=None, cxx11_abi=False)),
    ],
)
def test_an_extension_for_another_torch(ours: Framework, theirs: Framework) -> None:
    fires("ext-abi-mismatch", **stack(RTX_4090, frameworks=frameworks(ours, theirs)))


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (torch("2.6.0+cu124"), flash()),
        (torch("2.6.1+cu126"), flash(built_for_torch="2.6.0")),
        (torch("2.7.0+cu128"), flash(built_for_torch=None)),
        (torch("2.6.0+cu124", cxx11_abi=None), flash(cxx11_abi=True)),
        (torch("2.7.0+cu128", cxx11_abi=True), flash(built_for_torch=None, cuda=None, cxx11_abi=True)),
        (torch("2.7.0+cu128", cxx11_abi=True), flash(built_for_torch=None, cuda=None, cxx11_abi=None)),
        (torch("2.7.0+cu128"), framework("torchvision", "0.21.0+cu124", built_for_torch="2.6.0")),
    ],
)
def test_an_extension_that_fits_or_is_not_known(ours: Framework, theirs: Framework) -> None:
    quiet("ext-abi-mismatch", **stack(RTX_4090, frameworks=frameworks(ours, theirs)))


@pytest.mark.parametrize(
    ("torch_there", "wanted"),
    [("2.5.1+cu121", "xformers==0.0.29.post1"), ("2.9.0+cu130", "xformers==0.0.33")],
)
def test_the_release_made_for_the_torch_that_is_there(torch_there: str, wanted: str) -> None:
    ours, theirs = (
        torch(torch_there),
        flash(built_for_torch="2.4.1", name="xformers", dist="xformers", version="0.0.28"),
    )
    (fix,) = fires("ext-abi-mismatch", **stack(RTX_4090, frameworks=frameworks(ours, theirs))).fixes
    assert [step.argv[-1] for step in fix.steps] == [wanted]


# Platforms.


def test_native_windows_has_no_gpu_tensorflow() -> None:
    unused = frameworks(tensorflow("2.16.1", None))
    found = fires("tf-windows-native", **stack(RTX_4090, host=WINDOWS, frameworks=unused))
    assert [fix.title for fix in found.fixes] == ["Use TensorFlow inside WSL2", "Stay on Windows, with TensorFlow 2.10"]
    old = fires("tf-windows-native", **stack(card("NVIDIA GeForce GTX 960M", "5.0"), host=WINDOWS, frameworks=unused))
    assert "tensorflow[and-cuda]==2.16" in words(old)
    newest = fires("tf-windows-native", **stack(RTX_5090, host=WINDOWS, frameworks=unused))
    assert [fix.title for fix in newest.fixes] == ["Use TensorFlow inside WSL2"]
    for machine in (
        stack(RTX_4090, host=WINDOWS, frameworks=frameworks(tensorflow("2.10.1", "11.2"))),
        stack(RTX_4090, frameworks=frameworks(tensorflow("2.16.1"))),
        stack(host=WINDOWS, frameworks=frameworks(tensorflow("2.16.1", None))),
    ):
        quiet("tf-windows-native", **machine)


def test_macos_is_a_note() -> None:
    finding = fires("macos-no-cuda", **stack(host=MACOS, frameworks=frameworks(torch("2.6.0"))))
    assert finding.severity == "info"
    fires("macos-no-cuda", wish=wish("gpu"), **stack(host=MACOS))
    quiet("macos-no-cuda", **stack(host=MACOS))
    quiet("macos-no-cuda", **stack(frameworks=frameworks(torch("2.6.0"))))


def test_a_macos_older_than_the_gpu_support() -> None:
    def mac(release: str, arch: str = "arm64") -> System:
        return System(os="macos", arch=arch, distribution_version=release)

    name = "macos-too-old-for-mps"
    for release, version, older in [
        ("12.2.1", "1.13.0", None),
        ("12.7.6", "2.5.1", "torch==2.4.1"),
        ("13.7.4", "2.10.0.dev20251008", "torch==2.8.0"),
    ]:
        finding = fires(name, **stack(host=mac(release), frameworks=frameworks(torch(version))))
        typed = [one for step in finding.fixes[0].steps if isinstance(step, Run) for one in step.argv]
        assert older in typed if older else not typed
    for host, version in [
        (mac("12.3"), "2.4.1"),
        (mac("13.0"), "2.8.0"),
        (mac("14.0"), "2.15.0"),
        (mac("12.2.1"), "1.11.0"),
        (mac("12.2.1", "x86_64"), "2.2.2"),
        (System(os="macos", arch="arm64"), "2.15.0"),
        (WINDOWS, "2.15.0"),
    ]:
        quiet(name, **stack(host=host, frameworks=frameworks(torch(version))))


def test_a_jetson_needs_builds_of_its_own() -> None:
    fires("jetson-generic-wheel", **stack(RTX_4090, host=JETSON, frameworks=frameworks(torch("2.6.0+cpu"))))
    quiet("jetson-generic-wheel", **stack(RTX_4090, host=JETSON, frameworks=frameworks(torch("2.6.0", variant="cuda"))))
    quiet("jetson-generic-wheel", **stack(RTX_4090, host=ARM, frameworks=frameworks(torch("2.6.0+cpu"))))


def test_a_jetson_wheel_of_another_jetpack() -> None:
    orin = card("Orin", "8.7", pci_bus_id=None)
    of_jetpack_5 = torch("2.0.0+nv23.5", variant="cuda", cuda=CudaVersion("11.4"), archs=("sm_87",))
    jetpack_6 = Driver(release=DriverRelease("540.4.0"), cuda=CudaVersion("12.6"))
    lost = Resolution(framework="torch", soname="libcublas.so.11", family="cublas", wanted_by="x", how="linked")
    own = Resolution(
        framework="torch", soname="libcublas.so.11", family="cublas", wanted_by="x", how="linked", path="/y"
    )
    machine = stack(orin, host=JETSON, frameworks=frameworks(of_jetpack_5)) | {"driver": jetpack_6}
    found = fires("jetson-generic-wheel", **machine | {"libraries": Libraries(resolutions=(lost,))})
    assert "CUDA 12.6" in found.summary
    quiet("jetson-generic-wheel", **machine | {"libraries": Libraries(resolutions=(own,))})
    quiet("jetson-generic-wheel", **machine | {"libraries": Gap(reason="not looked")})
    newer = frameworks(torch("2.9.0", variant="cuda", cuda=CudaVersion("13.0"), archs=("sm_87",)))
    fires("jetson-generic-wheel", **machine | {"frameworks": newer, "libraries": Gap(reason="not looked")})


@pytest.mark.parametrize(("built", "there"), [("10.0", "10.2"), ("10.2", "10.0"), ("9.0", "10.0")])
def test_up_to_cuda_10_each_jetpack_has_libraries_of_its_own_name(built: str, there: str) -> None:
    nano = card("NVIDIA Tegra X1", "5.3", pci_bus_id=None)
    wheel = frameworks(torch("1.4.0", variant="cuda", cuda=CudaVersion(built), archs=("sm_53",)))
    lost = Resolution(framework="torch", soname=f"libcudart.so.{built}", family="cudart", wanted_by="x", how="linked")
    machine = stack(nano, host=JETSON, frameworks=wheel, libraries=Libraries(resolutions=(lost,)))
    jetpack = Driver(release=DriverRelease("32.4.2"), cuda=CudaVersion(there))
    assert f"CUDA {there}" in fires("jetson-generic-wheel", **machine | {"driver": jetpack}).summary
    same = Driver(release=DriverRelease("32.4.2"), cuda=CudaVersion(built))
    quiet("jetson-generic-wheel", **machine | {"driver": same})


def test_code_for_servers_does_not_run_on_a_jetson() -> None:
    orin, thor = card("Orin", "8.7", pci_bus_id=None), card("NVIDIA Thor", "11.0", pci_bus_id=None)
    server = torch("2.7.0+cu124", archs=("sm_80", "sm_86", "sm_90"))
    found = fires("jetson-generic-wheel", **stack(orin, host=JETSON, frameworks=frameworks(server)))
    assert "no code for the GPU" in found.summary
    assert "JetPack" in found.fixes[0].title and "jp6/cu126" in str(found.fixes[0].steps)
    own = torch("2.5.0a0+872d972e41.nv24.8", variant="cuda", archs=("sm_87",))
    quiet("jetson-generic-wheel", **stack(orin, host=JETSON, frameworks=frameworks(own)))
    newest = torch("2.15.0+cu132", archs=("sm_80", "sm_90", "sm_110"))
    quiet("jetson-generic-wheel", **stack(orin, host=JETSON, frameworks=frameworks(newest)))
    old = torch("2.9.1+cu128", archs=("sm_80", "sm_90", "sm_100", "sm_120"))
    found = fires("jetson-generic-wheel", **stack(thor, host=JETSON, frameworks=frameworks(old)))
    assert "whl/cu130" in words(found)
    fit = torch("2.9.1+cu130", archs=("sm_80", "sm_90", "sm_100", "sm_110", "sm_120"))
    quiet("jetson-generic-wheel", **stack(thor, host=JETSON, frameworks=frameworks(fit)))


def test_the_libraries_of_a_torch_may_be_older_than_the_gpu_its_ptx_serves() -> None:
    archs = ("sm_80", "sm_90", "compute_90")
    older = frameworks(torch("2.6.0+cu126", archs=archs))
    found = fires("ptx-jit-slow-start", **stack(RTX_5090, release="580.65.06", frameworks=older))
    assert (found.severity, found.confidence) == ("warning", "likely")
    assert "cuDNN" in found.summary
    newer = frameworks(torch("2.8.0+cu128", archs=archs))
    found = fires("ptx-jit-slow-start", **stack(RTX_5090, release="580.65.06", frameworks=newer))
    assert found.confidence == "certain"


def test_the_code_of_tensorflow_1_is_compiled_in_minutes_and_kept() -> None:
    p100 = card("Tesla P100-SXM2-16GB", "6.0")
    build = frameworks(tensorflow("1.10.0", "9.0", archs=("sm_35", "sm_52", "compute_35")))
    sections = {"release": "384.145", "frameworks": build}
    assert fires("ptx-jit-slow-start", **stack(p100, **sections)).severity == "info"
    bare = Container(kind="none")
    assert fires("ptx-jit-slow-start", **stack(p100, container=bare, **sections)).severity == "info"
    inside = Container(kind="docker")
    assert fires("ptx-jit-slow-start", **stack(p100, container=inside, **sections)).severity == "warning"


def test_ptx_does_not_replace_libraries_that_do_not_know_the_gpu() -> None:
    """Windows builds up to 2.7 carry PTX for 3.7; the cuBLAS and cuDNN of CUDA 11.8 end before Blackwell."""
    archs = ("sm_50", "sm_60", "sm_75", "sm_80", "sm_86", "sm_90", "compute_37")
    windows = {"host": WINDOWS, "release": "576.52"}
    eleven = frameworks(torch("2.7.0+cu118", archs=archs))
    found = fires("arch-too-new-for-build", **stack(RTX_5090, frameworks=eleven, **windows))
    assert "cu12" in str([fix.steps for fix in found.fixes]) or "cu13" in str([fix.steps for fix in found.fixes])
    quiet("ptx-jit-slow-start", **stack(RTX_5090, frameworks=eleven, **windows))
    quiet("arch-too-new-for-build", **stack(RTX_4090, frameworks=eleven, **windows))
    twelve = frameworks(torch("2.7.0+cu128", archs=("sm_90", "compute_90")))
    quiet("arch-too-new-for-build", **stack(RTX_5090, frameworks=twelve, **windows))
    fires("ptx-jit-slow-start", **stack(RTX_5090, frameworks=twelve, **windows))
    unheard_of = frameworks(torch("2.99.0+cu149", archs=archs))
    quiet("arch-too-new-for-build", **stack(RTX_5090, frameworks=unheard_of, **windows))


def test_packages_with_kernels_for_newer_gpus_only() -> None:
    p100, torch_for_it = card("Tesla P100-PCIE-16GB", "6.0"), frameworks(torch("2.1.2+cu121"))
    on_p100 = {"frameworks": torch_for_it, "packages": packages("torch==2.1.2", "vllm==0.4.0")}
    found = fires("arch-too-old-for-build", **stack(p100, **on_p100))
    assert (found.subject, found.severity) == ("vllm 0.4.0", "error")
    quiet("arch-too-old-for-build", **stack(V100, **on_p100))
    quiet("arch-too-old-for-build", **stack(p100, V100, **on_p100))
    quiet("arch-too-old-for-build", **stack(**on_p100))
    newer = {"frameworks": frameworks(torch("2.6.0+cu124")), "packages": packages("torch==2.6.0", "vllm==0.21.0")}
    fires("arch-too-old-for-build", **stack(V100, **newer))
    quiet("arch-too-old-for-build", **stack(T4, **newer))
    flash = {"frameworks": frameworks(torch("2.6.0+cu124")), "packages": packages("torch==2.6.0", "flash-attn==2.7.4")}
    assert fires("arch-too-old-for-build", **stack(T4, **flash)).severity == "warning"
    quiet("arch-too-old-for-build", **stack(RTX_4090, **flash))
    first = flash | {"packages": packages("torch==2.6.0", "flash-attn==1.0.9")}
    quiet("arch-too-old-for-build", **stack(T4, **first))
    both = {"frameworks": frameworks(torch("2.12.0+cu130")), "packages": packages("torch==2.12.0", "vllm==0.21.0")}
    assert [one.subject for one in judge("arch-too-old-for-build", **stack(V100, **both))] == ["torch 2.12.0+cu130"]


def test_builds_for_another_maker() -> None:
    rocm = frameworks(torch("2.6.0+rocm6.2"))
    assert fires("torch-backend-gpu-vendor", **stack(RTX_4090, frameworks=rocm)).severity == "error"
    cuda_on_amd = stack(RADEON, frameworks=frameworks(torch()))
    assert fires("torch-backend-gpu-vendor", **cuda_on_amd).severity == "error"
    for card_of_amd, severity in (
        (Gpu(vendor="amd", pci_id="1002:744c"), "error"),
        (Gpu(vendor="amd", pci_id="1002:740f"), "error"),
        (Gpu(vendor="amd", name="AMD Radeon PRO W7900"), "error"),
        (Gpu(vendor="amd", pci_id="1002:164e"), "info"),
        (Gpu(vendor="amd", name="AMD Radeon 780M Graphics"), "info"),
        (Gpu(vendor="amd", name="Radeon RX 580 Series"), "info"),
    ):
        machine = stack(card_of_amd, frameworks=frameworks(torch()))
        assert fires("torch-backend-gpu-vendor", **machine).severity == severity
    quiet("torch-backend-gpu-vendor", **stack(RADEON, frameworks=rocm))
    quiet("torch-backend-gpu-vendor", **stack(RTX_4090, RADEON, frameworks=frameworks(torch())))
    quiet("torch-backend-gpu-vendor", **stack(RTX_4090, frameworks=frameworks(torch("2.6.0+cpu"))))
    quiet("torch-backend-gpu-vendor", **(stack(frameworks=rocm)))


def test_tensorflow_of_cuda_10_on_ampere() -> None:
    old = tensorflow("1.15.0", "10.0", archs=("sm_35", "sm_70", "compute_70"))
    fires("tf1-on-new-gpu", **stack(RTX_3090, frameworks=frameworks(old)))
    quiet("tf1-on-new-gpu", **stack(V100, frameworks=frameworks(old)))
    second = fires("tf1-on-new-gpu", **stack(RTX_3090, frameworks=frameworks(tensorflow("2.1.0", "10.1"))))
    assert not any("1.15" in fix.title for fix in second.fixes)
    quiet("tf1-on-new-gpu", **stack(RTX_3090, frameworks=frameworks(tensorflow("2.4.4", "11.0"))))


# The rest.


def test_no_framework_is_a_note_with_commands_that_fit() -> None:
    finding = fires("no-framework", **stack(GTX_1080_TI, release="580.65.06"))
    assert finding.severity == "info"
    assert any("/whl/cu126" in command for command in commands(finding))
    newest = "tensorflow[and-cuda]==2.20.0 nvidia-cudnn-cu12==9.10.2.21"
    assert any(newest in command for command in commands(finding))
    (anyone,) = fires("no-framework", **stack()).fixes
    assert "gpudoctor install torch" in anyone.steps[0].text
    quiet("no-framework", **stack(frameworks=frameworks(torch())))


def test_a_release_that_the_matrix_does_not_know() -> None:
    assert fires("release-not-in-matrix", **stack(frameworks=frameworks(torch("9.1.0+cu150")))).severity == "info"
    quiet("release-not-in-matrix", **stack(frameworks=frameworks(torch(), tensorflow("2.20.0"), jax())))
    quiet("release-not-in-matrix", **stack(frameworks=frameworks(torch("nightly", variant=None))))


def test_parts_of_jax() -> None:
    mixed = packages("jax==0.6.0", "jaxlib==0.6.0", "jax-cuda12-plugin==0.6.2", "jax-cuda12-pjrt==0.6.2")
    finding = fires("jax-plugin-version", **stack(RTX_4090, frameworks=frameworks(jax("0.6.0")), packages=mixed))
    assert "jax-cuda12-plugin 0.6.2" in finding.summary
    first = [step.argv for step in finding.fixes[0].steps]
    assert {"jaxlib==0.6.0", "jax-cuda12-plugin==0.6.0", "jax-cuda12-pjrt==0.6.0"} <= set(first[0]), first
    assert "jax[" in str(finding.fixes[1].steps)
    # Their libraries are missing, too: one command for both.
    mixed = packages("jax==0.6.0", "jaxlib==0.6.0", "jax-cuda12-plugin==0.6.2", "jax-cuda12-pjrt==0.6.2")
    lost = libraries(resolution("jax-cuda-plugin", "libcudnn.so.9", "cudnn"))
    parts = frameworks(jax("0.6.0"), jax_plugin("0.6.2"))
    machine = stack(RTX_4090, frameworks=parts, packages=mixed, libraries=lost)
    both = [fires(name, **machine).fixes[0].steps for name in ("jax-plugin-version", "tf-soname-missing")]
    assert [step.argv[-1] for step in both[0]] == ["jax[cuda12]==0.6.0"]
    assert both[0] == both[1]
    # A cuDNN 8 that nobody else asks for: the same command brings the one that JAX needs. With torch it is torch's.
    old = ("jax==0.6.0", "jaxlib==0.6.0", "jax-cuda12-plugin==0.6.0", "nvidia-cudnn-cu12==8.9.7.29")
    parts = frameworks(jax("0.6.0"), jax_plugin("0.6.0"))
    for beside, command in (((), "jax[cuda12]==0.6.0"), (("torch==2.3.0",), None)):
        machine = stack(RTX_4090, frameworks=parts, packages=packages(*old, *beside), libraries=lost)
        (step,) = fires("tf-soname-missing", **machine).fixes[0].steps
        assert (step.argv[-1] if isinstance(step, Run) else None) == command
    newer = packages("jax==0.6.0", "jaxlib==0.6.2")
    finding = fires("jax-plugin-version", **stack(frameworks=frameworks(jax("0.6.0")), packages=newer))
    assert "jaxlib==0.6.0" in finding.fixes[0].steps[0].argv
    unknown = packages("jax==9.6.0", "jaxlib==9.6.0", "jax-cuda12-plugin==9.6.2")
    finding = fires("jax-plugin-version", **stack(RTX_4090, frameworks=frameworks(jax("9.6.0")), packages=unknown))
    assert "9.6" not in str([fix.steps for fix in finding.fixes]), "nobody knows that there are such packages"
    for fine in (
        packages("jax==0.6.2", "jaxlib==0.6.2", "jax-cuda12-plugin==0.6.2", "jax-cuda12-pjrt==0.6.2"),
        packages("jax==0.6.2", "jaxlib==0.6.0"),
        packages("jax==0.6.2"),
    ):
        quiet("jax-plugin-version", **stack(RTX_4090, frameworks=frameworks(jax("0.6.2")), packages=fine))


def test_tensorflow_gpu_is_gone() -> None:
    asked = wish("tensorflow-gpu")
    fires("tf-gpu-package-removed", wish=asked, **stack(RTX_4090))
    fires("tf-gpu-package-removed", **stack(RTX_4090, packages=packages("tensorflow-gpu==2.12.0")))
    quiet("tf-gpu-package-removed", **stack(RTX_4090, packages=packages("tensorflow-gpu==2.11.0")))
    quiet("tf-gpu-package-removed", wish=asked, **stack(RTX_4090, packages=packages("tensorflow-gpu==2.10.1")))
    quiet("tf-gpu-package-removed", **stack(RTX_4090))


def test_required_packages() -> None:
    has = stack(frameworks=frameworks(torch("2.6.0+cu124")))
    for met in (wish("torch"), wish("torch", (">=", "2.6")), wish("torch", ("==", "2.6")), wish("gpu")):
        quiet("package-required", wish=met, **has)
    fires("package-required", wish=wish("torch", (">=", "2.7")), **has)
    fires("package-required", wish=wish("tensorflow"), **has)
    fires("package-required", wish=wish("torch"), **(has | {"packages": None, "frameworks": None}))
    unseen = has | {"packages": Gap(reason="no permission")}
    assert skips("package-required", **unseen) == "no permission"


def test_a_jaxlib_that_jax_refuses():
    """Older than what jax asks for, with no part for CUDA about: only jaxlib is put right."""
    refused = Unmet(package="jax", requirement="jaxlib", wanted="<=0.10.2,>=0.10.1", found="0.8.1")
    two = (Package(name="jax", version="0.10.2"), Package(name="jaxlib", version="0.8.1"))
    sections = {"frameworks": Frameworks(), "gpus": None, "interpreter": None, "host": None}
    sections |= {"container": None, "driver": None}
    found = fires("jax-plugin-version", packages=Packages(installed=two, unmet=(refused,)), **sections)
    assert any("jaxlib<=0.10.2,>=0.10.1" in step.argv for fix in found.fixes for step in fix.steps)
    quiet("jax-plugin-version", packages=Packages(installed=two), **sections)
