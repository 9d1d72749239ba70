"""The rules about builds that do not belong together: extensions, lock files, CUDA majors, the user site."""

import pytest
from msgspec import structs

from gpudoctor.facts.finding import Finding
from gpudoctor.facts.fix import Ask, Run, SetEnv
from gpudoctor.facts.gpus import Gpu
from gpudoctor.facts.libraries import Libraries, SymbolNeed, Toolkit
from gpudoctor.facts.python import Framework, Overlap, Package, Packages, Pin, Unmet
from gpudoctor.facts.system import Environ, System
from gpudoctor.facts.versions import CudaVersion, LibraryVersion
from gpudoctor.knowledge.causes import causes_of_packages
from tests.rules.situations import environ, gpus
from tests.rules.stacks import (
    JETSON,
    RADEON,
    RTX_3090,
    RTX_4090,
    SITE,
    V100,
    WINDOWS,
    card,
    copy,
    framework,
    frameworks,
    interpreter,
    libraries,
    packages,
    resolution,
    stack,
    tensorflow,
    toolkit,
    toolkits,
    torch,
    wish,
)
from tests.rules.table import fires, judge, quiet


def commands(finding: Finding) -> list[str]:
    return [" ".join(step.argv) for fix in finding.fixes for step in fix.steps if isinstance(step, Run)]


def words(finding: Finding) -> str:
    return " ".join(step.text for fix in finding.fixes for step in fix.steps if isinstance(step, Ask))


# bnb-cuda-lib


def bnb(version: str = "0.45.0", parts: tuple[str, ...] | None = None, **sections: object) -> dict[str, object]:
    found = Framework(name="bitsandbytes", version=version, cuda_parts=parts)
    given = {"libraries": Libraries(), "environ": environ()}
    return stack(RTX_3090, frameworks=frameworks(torch("2.4.1+cu121"), found), **{**given, **sections})


def test_a_variable_that_names_a_part_that_is_not_there() -> None:
    override = environ(BNB_CUDA_VERSION="124")
    assert fires("bnb-cuda-lib", **bnb(parts=(), environ=override)).severity == "error"
    assert fires("bnb-cuda-lib", **bnb(parts=("118", "121"), environ=override)).severity == "error"
    assert fires("bnb-cuda-lib", **bnb(parts=None, environ=override)).severity == "info"
    quiet("bnb-cuda-lib", **bnb(parts=("121", "124"), environ=override))
    quiet("bnb-cuda-lib", **bnb(parts=None, environ=environ(BNB_CUDA_VERSION="121")))


@pytest.mark.parametrize(
    ("parts", "severity"),
    [((), "error"), (None, None), (("117", "118"), "error"), (("118", "120"), "info"), (("121",), None)],
)
def test_no_part_for_torchs_cuda(parts: tuple[str, ...], severity: str | None) -> None:
    found = judge("bnb-cuda-lib", **bnb(parts=parts))
    assert [one.severity for one in found] == ([severity] if severity else [])


def test_old_releases_on_windows() -> None:
    finding = fires("bnb-cuda-lib", **bnb("0.41.1", host=WINDOWS))
    assert "bitsandbytes>=0.43" in commands(finding)[0]
    quiet("bnb-cuda-lib", **bnb("0.43.0", host=WINDOWS))


def test_old_releases_need_the_runtime_of_torchs_major() -> None:
    other = Libraries(copies=(copy("cudart", "libcudart.so.11.0", "/usr/lib/libcudart.so.11.0", cuda_major=11),))
    fitting = Libraries(copies=(copy("cudart", "libcudart.so.12", "/usr/lib/libcudart.so.12", cuda_major=12),))
    fires("bnb-cuda-lib", **bnb("0.41.1", libraries=other))
    quiet("bnb-cuda-lib", **bnb("0.41.1", libraries=fitting))
    quiet("bnb-cuda-lib", **bnb("0.41.1", libraries=Libraries()))
    quiet("bnb-cuda-lib", **bnb("0.43.0", libraries=other))


@pytest.mark.parametrize(
    ("version", "installed", "more", "speaks"),
    [
        ("0.39.1", toolkit("12.2", root="/usr/local/cuda", is_default=True), {}, True),
        ("0.40.2", toolkit("12.2", root="/usr/local/cuda-12.2", is_default=True), {}, True),
        ("0.39.1", toolkit("12.1", root="/usr/local/cuda", is_default=True), {}, False),
        ("0.39.1", toolkit("12.2", root="/opt/cuda-12.2"), {}, False),
        ("0.41.0", toolkit("12.2", root="/usr/local/cuda", is_default=True), {}, False),
        (
            "0.39.1",
            toolkit("12.2", root="/usr/local/cuda", is_default=True),
            {"environ": environ(LD_LIBRARY_PATH="/opt/cuda-11.8/lib64")},
            False,
        ),
        (
            "0.39.1",
            toolkit("12.2", root="/usr/local/cuda", is_default=True),
            {
                "libraries": Libraries(
                    copies=(copy("cudart", "libcudart.so.12", "/c/lib/x", origin="conda", cuda_major=12),)
                )
            },
            False,
        ),
    ],
)
def test_releases_that_ask_the_toolkit(version: str, installed: Toolkit, more: dict[str, object], speaks: bool) -> None:
    machine = bnb(version, parts=("118", "120", "121"), toolkits=toolkits(installed), **more)
    found = judge("bnb-cuda-lib", **machine)
    assert [one.severity for one in found] == (["error"] if speaks else [])
    assert all("CUDA 12.2 of" in one.summary for one in found)


# torch-rocm-build


ROCM = framework("torch", "2.7.0+rocm6.3")


def test_an_extension_for_cuda_beside_a_rocm_build() -> None:
    machine = stack(RADEON, frameworks=frameworks(ROCM))
    finding = fires("torch-rocm-build", wish=wish("flash-attn"), **machine)
    assert "package-required" in finding.explains
    assert "ROCm" in words(finding)
    quiet("torch-rocm-build", **machine)
    quiet("torch-rocm-build", wish=wish("flash-attn"), **machine | {"frameworks": frameworks(torch())})
    both = frameworks(ROCM, Framework(name="xformers", version="0.0.30", variant="cuda"))
    fires("torch-rocm-build", **machine | {"frameworks": both})


def test_other_requirements_are_not_explained_away() -> None:
    machine = stack(RADEON, frameworks=frameworks(ROCM))
    both = wish("flash-attn").requirements + wish("tensorflow").requirements
    finding = fires("torch-rocm-build", wish=type(wish("x"))(requirements=both), **machine)
    assert "package-required" not in finding.explains


# amd-gpu-not-in-build


def amd(name: str, version: str = "2.7.0+rocm6.3", **variables: str) -> dict[str, object]:
    gpu = Gpu(vendor="amd", name=name)
    return stack(gpu, frameworks=frameworks(framework("torch", version))) | {"environ": Environ(variables=variables)}


OVERRIDE = "HSA_OVERRIDE_GFX_VERSION"


@pytest.mark.parametrize(
    ("machine", "fix"),
    [
        (amd("AMD Radeon RX 6700 XT"), SetEnv(name=OVERRIDE, value="10.3.0")),
        (amd("AMD Radeon RX 7600", "2.1.0+rocm5.6"), SetEnv(name=OVERRIDE, value="11.0.0")),
        (amd("AMD Radeon RX 560", HSA_OVERRIDE_GFX_VERSION="10.3.0"), SetEnv(name=OVERRIDE, value=None)),
        # It hangs with the code of another model of its family.
        (amd("AMD Radeon 780M", HSA_OVERRIDE_GFX_VERSION="11.0.0"), SetEnv(name=OVERRIDE, value=None)),
    ],
)
def test_a_model_that_the_build_has_no_code_for(machine: dict[str, object], fix: SetEnv) -> None:
    assert fires("amd-gpu-not-in-build", **machine).fixes[0].steps == (fix,)


@pytest.mark.parametrize(
    "machine",
    [
        amd("AMD Radeon RX 7900 XTX"),
        amd("AMD Radeon RX 6700 XT", HSA_OVERRIDE_GFX_VERSION="10.3.0"),
        amd("AMD Radeon of a new kind"),
        amd("AMD Radeon RX 6700 XT", "2.7.0+cu126"),
    ],
)
def test_a_model_that_it_has_code_for_or_that_is_not_known(machine: dict[str, object]) -> None:
    quiet("amd-gpu-not-in-build", **machine)


@pytest.mark.parametrize(
    ("name", "archs", "gives"),
    [
        # An old image: it has no code of the family at all (ROCm/pytorch's of 2023).
        ("AMD Radeon RX 7900 XTX", ("gfx906", "gfx90a", "gfx1030"), False),
        ("AMD Radeon RX 7600", ("gfx906", "gfx90a", "gfx1030"), False),
        ("AMD Radeon RX 7600", ("gfx906", "gfx1030", "gfx1100"), True),
    ],
)
@pytest.mark.parametrize("named", [None, "11.0.0"])
def test_the_code_of_the_family_must_be_in_the_build(
    name: str, archs: tuple[str, ...], gives: bool, named: str | None
) -> None:
    build = framework("torch", "2.0.0a0+gitd538466", variant="rocm", archs=archs)
    variables = {OVERRIDE: named} if named else {}
    machine = amd(name, **variables) | {"frameworks": frameworks(build)}
    if gives and named:
        quiet("amd-gpu-not-in-build", **machine)
        return
    steps = [step for fix in fires("amd-gpu-not-in-build", **machine).fixes for step in fix.steps]
    assert (SetEnv(name=OVERRIDE, value="11.0.0") in steps) is gives
    assert SetEnv(name=OVERRIDE, value=None) not in steps


# torch-cpu-only-lock


CPU = torch("2.9.1+cpu")


def locked(*pins: Pin, installer: str = "uv", files: tuple[str, ...] = ("uv.lock",)) -> dict[str, object]:
    on = interpreter(made_by="uv", project_files=files, pins=pins or None)
    return stack(
        RTX_3090,
        frameworks=frameworks(CPU),
        packages=packages("torch==2.9.1", installer=installer),
        release="580.95.05",
        on=on,
    )


def test_a_lock_file_that_asks_for_the_processor() -> None:
    finding = fires("torch-cpu-only-lock", **locked())
    assert finding.confidence == "likely"
    assert "https://download.pytorch.org/whl/cu" in words(finding)
    assert commands(finding) == ["uv lock", "uv sync"]
    pin = Pin(file="uv.lock", package="torch", wanted="2.9.1", is_locked=True, index="whl/cpu")
    assert fires("torch-cpu-only-lock", **locked(pin)).confidence == "certain"


def test_another_hand_installed_the_processor_build() -> None:
    quiet("torch-cpu-only-lock", **locked(installer="pip"))
    quiet("torch-cpu-only-lock", **locked(files=()))
    cuda = Pin(file="uv.lock", package="torch", wanted="2.9.1+cu128", is_locked=True)
    quiet("torch-cpu-only-lock", **locked(cuda))
    quiet("torch-cpu-only-lock", **locked() | {"frameworks": frameworks(torch())})
    quiet("torch-cpu-only-lock", **locked() | {"gpus": None})


# driver-minor-compat-limit, arch-ok-warning-only, torch-backend-gpu-vendor


OWN = Framework(name="torch", version="2.6.0a0+git1234567", variant="cuda", cuda=CudaVersion("12.3"))


def test_kernels_that_an_older_driver_does_not_know() -> None:
    machine = stack(RTX_3090, frameworks=frameworks(OWN), release="525.105.12")
    assert "530" in fires("driver-minor-compat-limit", **machine).summary
    quiet("driver-minor-compat-limit", **stack(RTX_3090, frameworks=frameworks(OWN), release="530.30.02"))
    published = frameworks(torch("2.6.0+cu124"))
    quiet("driver-minor-compat-limit", **machine | {"frameworks": published})


def test_a_warning_that_needs_no_action() -> None:
    spark = card("NVIDIA GB10", "12.1")
    build = torch("2.10.0+cu130", archs=("sm_90", "sm_100", "sm_120"))
    assert fires("arch-ok-warning-only", **stack(spark, frameworks=frameworks(build))).severity == "info"
    quiet("arch-ok-warning-only", **stack(card("RTX 5090", "12.0"), frameworks=frameworks(build)))
    newer = torch("2.11.0+cu130", archs=("sm_90", "sm_100", "sm_120"))
    quiet("arch-ok-warning-only", **stack(spark, frameworks=frameworks(newer)))
    quiet("arch-ok-warning-only", **stack(RTX_3090, frameworks=frameworks(torch(archs=("sm_80", "sm_90")))))


def test_a_processor_build_beside_an_amd_accelerator() -> None:
    instinct = Gpu(vendor="amd", pci_id="1002:740f")
    assert fires("torch-backend-gpu-vendor", **stack(instinct, frameworks=frameworks(CPU))).severity == "warning"
    quiet("torch-backend-gpu-vendor", **stack(RADEON, frameworks=frameworks(CPU)))
    quiet("torch-backend-gpu-vendor", **stack(instinct, RTX_3090, frameworks=frameworks(CPU)))


# cuda-major-mix


CUSPARSE_12 = f"{SITE}/nvidia/cusparse/lib/libcusparse.so.12"


def test_a_library_of_another_major_is_loaded() -> None:
    taken = resolution("torch", "libcusparse.so.12", "cusparse", CUSPARSE_12, via="path")
    held = copy("cusparse", "libcusparse.so.12", CUSPARSE_12, dist="nvidia-cusparse-cu12", cuda_major=12)
    both = packages("nvidia-cusparse==12.7.0", "nvidia-cusparse-cu12==12.5.4.2")
    thirteen = torch("2.15.0+cu132", cuda=CudaVersion("13.2"))
    found = frameworks(thirteen, tensorflow("2.20.0", "12.5"))
    machine = stack(RTX_4090, frameworks=found, packages=both, libraries=libraries(taken, copies=(held,)))
    finding = fires("cuda-major-mix", **machine)
    assert finding.severity == "error"
    assert "nvidia-cusparse-cu12" in words(finding)
    only_12 = {"packages": packages("nvidia-cusparse-cu12==12.5.4.2")}
    quiet("cuda-major-mix", **machine | only_12 | {"frameworks": frameworks(torch(), tensorflow("2.20.0", "12.5"))})
    quiet("cuda-major-mix", **machine | {"host": JETSON})


def test_a_toolkits_library_of_another_major() -> None:
    path = "/usr/local/cuda-12.2/lib64/libcusolver.so.11"
    taken = resolution("tensorflow", "libcusolver.so.11", "cusolver", path, via="LD_LIBRARY_PATH")
    machine = stack(RTX_4090, frameworks=frameworks(tensorflow("2.12.0", "11.8")), libraries=libraries(taken))
    assert "LD_LIBRARY_PATH" in words(fires("cuda-major-mix", **machine))
    curand = resolution("tensorflow", "libcurand.so.10", "curand", "/usr/local/cuda-12.2/lib64/libcurand.so.10")
    quiet("cuda-major-mix", **machine | {"libraries": libraries(curand)})


# ld-path-shadows-cudnn, by its parts


def test_parts_of_cudnn_from_elsewhere() -> None:
    part = resolution(
        "torch",
        "libcudnn_ops.so.9",
        "cudnn",
        "/opt/cudnn/libcudnn_ops.so.9",
        via="LD_LIBRARY_PATH",
        version="9.5.0",
        shadows=f"{SITE}/nvidia/cudnn/lib/libcudnn_ops.so.9",
        shadows_version="9.1.0.70",
    )
    machine = stack(RTX_4090, frameworks=frameworks(torch()), libraries=libraries(part, search=("/opt/cudnn",)))
    finding = fires("ld-path-shadows-cudnn", **machine)
    assert finding.severity == "error"
    assert "libcudnn_ops.so.9" in finding.summary


# py-user-site-shadow


def mixed(*installed: tuple[str, str, bool], unmet: tuple[Unmet, ...] = ()) -> dict[str, object]:
    found = tuple(Package(name=name, version=version, user_site=user) for name, version, user in installed)
    on = interpreter(environment="conda", prefix="/env", user_site_enabled=True)
    return stack(RTX_3090, packages=Packages(installed=found, unmet=unmet), on=on)


@pytest.mark.parametrize(
    ("machine", "explained"),
    [
        (mixed(("tensorflow", "2.13.0", True), ("numpy", "2.1.2", False)), ("numpy2-abi",)),
        (mixed(("torch", "2.6.0+cu124", True), ("torchvision", "0.21.0+cpu", False)), ("torch-companion-cuda",)),
        (
            mixed(
                ("torch", "2.6.0", True),
                ("nvidia-cublas-cu12", "12.4.5.8", True),
                ("nvidia-cublas-cu11", "11.10.3.66", False),
            ),
            ("cuda-major-mix", "files-overwritten"),
        ),
        (
            mixed(
                ("torch", "2.6.0", True),
                ("torchvision", "0.17.0", False),
                unmet=(Unmet(package="torchvision", requirement="torch", wanted="==2.2.0", found="2.6.0"),),
            ),
            ("torch-companion-version", "torch-nvidia-deps-missing", "ext-abi-mismatch", "nvidia-wheels-skew"),
        ),
    ],
)
def test_a_mixture_of_two_places(machine: dict[str, object], explained: tuple[str, ...]) -> None:
    finding = fires("py-user-site-shadow", **machine)
    assert finding.severity == "error"
    assert {*finding.explains} & {*causes_of_packages()} == {*explained}


def test_a_copy_in_the_user_site_that_does_no_harm() -> None:
    machine = mixed(("tensorflow", "2.20.0", True), ("numpy", "2.1.2", False))
    finding = fires("py-user-site-shadow", **machine)
    assert finding.severity == "warning"
    assert not {*finding.explains} & {*causes_of_packages()}


# Python packages


def test_keras_2_is_asked_for_and_not_there() -> None:
    machine = stack(frameworks=frameworks(tensorflow("2.18.0")), environ=environ(TF_USE_LEGACY_KERAS="1"))
    assert "tf-keras~=2.18.0" in commands(fires("keras3-legacy-model", **machine))[0]
    quiet("keras3-legacy-model", **machine | {"packages": packages("tf-keras==2.18.0")})
    quiet("keras3-legacy-model", **machine | {"environ": environ()})
    quiet("keras3-legacy-model", **machine | {"frameworks": frameworks(tensorflow("2.15.0"))})


def test_a_requirements_file_asks_for_a_release_without_this_python() -> None:
    pin = Pin(file="requirements.txt", package="torch", wanted="==1.8.1")
    machine = stack(RTX_3090, on=interpreter("3.11.9", pins=(pin,)))
    assert "requirements.txt" in fires("python-unsupported-by-framework", **machine).summary
    quiet("python-unsupported-by-framework", **stack(RTX_3090, on=interpreter("3.8.10", pins=(pin,))))
    loose = Pin(file="requirements.txt", package="torch", wanted=">=1.8.1")
    quiet("python-unsupported-by-framework", **stack(RTX_3090, on=interpreter("3.11.9", pins=(loose,))))


def test_a_file_asks_for_tensorflow_gpu() -> None:
    for wanted, speaks in (("", True), ("==2.12.0", True), ("==2.10.0", False)):
        pin = Pin(file="requirements.txt", package="tensorflow-gpu", wanted=wanted)
        machine = stack(RTX_3090, on=interpreter(pins=(pin,)))
        (fires if speaks else quiet)("tf-gpu-package-removed", **machine)


# What is known of older releases


def test_directml_is_no_processor_build() -> None:
    build = tensorflow("1.15.8", None, dist="tensorflow-directml")
    machine = stack(RTX_3090, frameworks=frameworks(build), packages=packages("protobuf==4.21.2"))
    quiet("tf-cpu-only", **machine)
    assert "protobuf" in fires("tf-protobuf", **machine).summary


def test_a_jaxlib_with_kernels_of_its_own() -> None:
    own = Framework(name="jaxlib", version="0.4.7+cuda11.cudnn86", variant="cuda", cuda=CudaVersion("11"), cudnn="8.6")
    taken = resolution("jaxlib", "libcudnn.so.8", "cudnn", "/usr/lib/libcudnn.so.8", version="8.5.0")
    fires("cudnn-too-old", **stack(RTX_3090, frameworks=frameworks(own), libraries=libraries(taken)))


@pytest.mark.parametrize(
    ("torch_version", "name", "version", "severity"),
    [
        ("1.10.1+cu111", "torchaudio", "0.10.1+rocm4.1", "warning"),
        ("2.6.0+cu124", "torchaudio", "2.6.0+cpu", "error"),
        ("1.10.0+cu113", "torchvision", "0.11.0+cu117", "error"),
        ("2.6.0+cu124", "torchvision", "0.21.0+cu126", "warning"),
    ],
)
def test_how_grave_a_companion_of_another_build_is(torch_version: str, name: str, version: str, severity: str) -> None:
    found = frameworks(torch(torch_version), framework(name, version))
    assert fires("torch-companion-cuda", **stack(RTX_3090, frameworks=found)).severity == severity


def test_a_kernel_that_names_no_python() -> None:
    from gpudoctor.facts.python import Kernelspec

    def kernel(executable: str) -> dict[str, object]:
        return stack(on=interpreter(kernelspecs=(Kernelspec(name="k", executable=executable, same_interpreter=False),)))

    assert fires("py-kernelspec-mismatch", **kernel("/home/me/env/bin/activate")).severity == "warning"
    assert fires("py-kernelspec-mismatch", **kernel("/usr/bin/python3.11")).severity == "info"


def test_what_keeps_a_package_away_explains_that_it_is_missing() -> None:
    machine = stack(RTX_3090, frameworks=frameworks(torch()), toolkits=None)
    assert "package-required" in fires("cuda-home-missing", wish=wish("flash-attn"), **machine).explains
    with_toolkit = machine | {"toolkits": toolkits(toolkit("12.4", is_default=True))}
    quiet("cuda-home-missing", wish=wish("flash-attn"), **with_toolkit)


def test_without_a_gpu_nothing_is_to_be_done_about_missing_libraries() -> None:
    gone = resolution("tensorflow", "libcusolver.so.11", "cusolver")
    there = copy("cusolver", "libcusolver.so.11", f"{SITE}/nvidia/cusolver/lib/libcusolver.so.11")
    machine = stack(frameworks=frameworks(tensorflow("2.21.0")), libraries=libraries(gone, copies=(there,)))
    finding = fires("tf-soname-missing", **machine | {"gpus": gpus(RADEON)})
    assert finding.severity == "info"
    assert "Too little is known" not in words(finding)


def test_a_library_made_for_a_newer_system() -> None:
    need = SymbolNeed(file="/opt/libnvinfer.so.7", library="libc.so.6", version=LibraryVersion("2.27"))
    old = System(os="linux", arch="x86_64", libc="glibc", libc_version="2.17")
    machine = stack(RTX_3090, host=old, libraries=Libraries(needs=(need,)), frameworks=frameworks(torch("1.5.0+cu101")))
    assert "GLIBC_2.27" in fires("glibc-too-old", **machine).summary
    quiet("glibc-too-old", **machine | {"host": System(os="linux", arch="x86_64", libc="glibc", libc_version="2.27")})


def test_a_torch_that_does_not_run_here_gets_no_libraries_back() -> None:
    clash = Overlap(
        first="nvidia-cudnn-cu12",
        second="nvidia-cudnn-cu13",
        files=28,
        differing=20,
        example="nvidia/cudnn/lib/libcudnn.so.9",
        on_disk="nvidia-cudnn-cu12",
    )
    names = (
        "torch==2.15.0+cu132",
        "tensorflow==2.20.0",
        "nvidia-cudnn-cu12==9.28.0.42",
        "nvidia-cudnn-cu13==9.26.0.51",
    )
    found = frameworks(torch("2.15.0+cu132", cuda=CudaVersion("13.2")), tensorflow("2.20.0", "12.5"))
    on = {"release": "580.95.05", "packages": packages(*names, overlaps=(clash,)), "frameworks": found}
    text = " ".join(commands(fires("files-overwritten", **stack(V100, **on))))
    assert "torch==2.14" in text
    assert "nvidia-cudnn-cu13==" not in text
    assert "nvidia-cudnn-cu13==9.26.0.51" in " ".join(commands(fires("files-overwritten", **stack(RTX_4090, **on))))


def test_tensorflow_whose_ptx_serves_the_gpu_needs_room_for_its_code() -> None:
    older = tensorflow("2.14.0", "11.8", archs=("sm_70", "compute_80"))
    hopper = stack(card("NVIDIA H100 PCIe", "9.0"), frameworks=frameworks(older), release="575.57.08")
    finding = fires("ptx-jit-slow-start", **hopper)
    assert "cache" in finding.fixes[0].title


def test_onnxruntime_needs_its_libraries_somewhere() -> None:
    runtime = Framework(
        name="onnxruntime", dist="onnxruntime-gpu", version="1.22.0", variant="cuda", cuda=CudaVersion("12.8")
    )
    gone = resolution("onnxruntime", "libcudnn.so.9", "cudnn")
    machine = stack(RTX_3090, frameworks=frameworks(runtime), libraries=libraries(gone))
    finding = fires("tf-soname-missing", **machine)
    assert "nvidia-cudnn-cu12" in commands(finding)[0]
    there = copy("cudnn", "libcudnn.so.9", f"{SITE}/nvidia/cudnn/lib/libcudnn.so.9")
    off_its_way = machine | {"libraries": libraries(gone, copies=(there,))}
    # Nothing loads it first: the program has to, from release 1.21 on; before, nothing does.
    assert fires("tf-soname-missing", **off_its_way).severity == "warning"
    older = structs.replace(runtime, version="1.19.0")
    assert fires("tf-soname-missing", **off_its_way | {"frameworks": frameworks(older)}).severity == "error"
    quiet("tf-soname-missing", **off_its_way | {"frameworks": frameworks(runtime, torch())})
    quiet("tf-soname-missing", **machine | {"gpus": None})


@pytest.mark.parametrize(
    ("toolkit_here", "with_torch", "said"),
    [
        ("12.1", False, "onnxruntime-gpu>=1.19"),
        ("11.8", False, "LD_LIBRARY_PATH"),
        (None, False, "LD_LIBRARY_PATH"),
        (None, True, "import torch first"),
    ],
)
def test_an_onnxruntime_for_the_cuda_that_is_here(toolkit_here, with_torch, said) -> None:
    runtime = framework("onnxruntime", "1.16.0", dist="onnxruntime-gpu", variant="cuda", cuda=CudaVersion("11.8"))
    found = frameworks(runtime, *([torch("2.2.0+cu118")] if with_torch else []))
    gone = (
        resolution("onnxruntime", "libcublasLt.so.11", "cublaslt"),
        resolution("onnxruntime", "libcudnn.so.8", "cudnn"),
    )
    there = toolkits(toolkit(toolkit_here)) if toolkit_here else toolkits()
    machine = stack(RTX_3090, frameworks=found, libraries=libraries(*gone), toolkits=there)
    finding = fires("tf-soname-missing", **machine)
    assert said in " ".join((*commands(finding), words(finding)))


def test_no_package_is_named_that_nvidia_does_not_have() -> None:
    gone = resolution("torch", "libcudart.so.9.0", "cudart")
    old = torch("0.4.1", cuda=CudaVersion("9.0"), variant="cuda")
    finding = fires("tf-soname-missing", **stack(V100, frameworks=frameworks(old), libraries=libraries(gone)))
    assert "cu9" not in " ".join(one.value for one in finding.evidence)
