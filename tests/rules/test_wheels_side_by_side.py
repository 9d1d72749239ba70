"""Packages that were made for one another's predecessors, or that share files: the rules about them, as tables."""

import pytest

from gpudoctor.facts.fix import Ask, Run, SetEnv
from gpudoctor.facts.live import AgentRun, DeviceList, Live, Stage, Thrown
from gpudoctor.facts.python import Framework, Overlap, Unmet
from gpudoctor.facts.system import Cpu, System
from gpudoctor.facts.versions import CudaVersion, LibraryVersion
from tests.rules.stacks import (
    GTX_1080_TI,
    RTX_3090,
    RTX_4090,
    copy,
    framework,
    frameworks,
    interpreter,
    libraries,
    packages,
    resolution,
    stack,
    tensorflow,
    torch,
)
from tests.rules.table import fires, quiet


def said(finding):
    return [
        " ".join(step.argv) if isinstance(step, Run) else step.text if isinstance(step, Ask) else step.name
        for fix in finding.fixes
        for step in fix.steps
    ]


# Two frameworks, two copies of cuDNN.

SITE = "/opt/conda/envs/ai/lib/python3.11/site-packages"
JAXLIB = Framework(name="jaxlib", version="0.4.23", variant="cuda", cuda=CudaVersion("11.8"), cudnn="8.8")


def cudnn(framework, path, version, soname="libcudnn.so.8"):
    return resolution(framework, soname, "cudnn", f"{path}/{soname}", version=version)


def beside(torchs, jaxs):
    found = libraries(cudnn("torch", *torchs), cudnn("jaxlib", *jaxs))
    return stack(RTX_3090, frameworks=frameworks(torch("2.1.2+cu118", cudnn="8.7.0"), JAXLIB), libraries=found)


def test_the_cudnn_of_the_one_imported_first_is_too_old_for_the_other():
    finding = fires("cudnn-two-copies", **beside((f"{SITE}/torch/lib", "8.7.0"), ("/opt/conda/envs/ai/lib", "8.8.0")))
    assert finding.severity == "warning"
    assert "jaxlib 0.4.23 needs cuDNN 8.8" in finding.summary


@pytest.mark.parametrize(
    ("torchs", "jaxs"),
    [
        (("/same", "8.8.0"), ("/same", "8.8.0")),
        ((f"{SITE}/torch/lib", "8.9.2"), ("/opt/conda/envs/ai/lib", "8.8.0")),
        ((f"{SITE}/torch/lib", "8.6.0"), ("/opt/conda/envs/ai/lib", "8.6.1")),
        ((f"{SITE}/torch/lib", "9.1.0", "libcudnn.so.9"), ("/opt/conda/envs/ai/lib", "8.8.0")),
    ],
    ids=["one copy", "torch's is newer", "both are too old", "another name"],
)
def test_two_copies_that_get_along(torchs, jaxs):
    quiet("cudnn-two-copies", **beside(torchs, jaxs))


def test_parts_of_one_release_may_lie_in_two_folders():
    parts = (cudnn("torch", "/a", "9.1.0.70", "libcudnn.so.9"), cudnn("torch", "/b", "9.1.0", "libcudnn_ops.so.9"))
    machine = stack(RTX_3090, frameworks=frameworks(torch()), libraries=libraries(*parts))
    quiet("cudnn-two-copies", **machine)
    mixed = (*parts[:1], cudnn("torch", "/b", "9.3.0", "libcudnn_ops.so.9"))
    assert fires("cudnn-two-copies", **machine | {"libraries": libraries(*mixed)}).severity == "error"


# Files of a CUDA major that nothing uses.


def nccl(winner="2.14.3", loser="2.27.3", on_disk="nvidia-nccl-cu11"):
    clash = Overlap(
        first="nvidia-nccl-cu11",
        second="nvidia-nccl-cu12",
        files=6,
        differing=2,
        example="nvidia/nccl/lib/libnccl.so.2",
        on_disk=on_disk,
    )
    return packages("torch==2.8.0", f"nvidia-nccl-cu11=={winner}", f"nvidia-nccl-cu12=={loser}", overlaps=(clash,))


def test_an_older_nccl_in_the_place_of_torchs_ends_its_import_with_or_without_a_gpu():
    torchs = frameworks(torch("2.8.0+cu128"))
    for cards in ((), (RTX_4090,)):
        finding = fires("files-overwritten", **stack(*cards, frameworks=torchs, packages=nccl()))
        assert finding.severity == "error"
        uninstall, install = said(finding)
        assert uninstall.endswith("uninstall --yes nvidia-nccl-cu11")
        assert install.endswith("install --force-reinstall --no-deps nvidia-nccl-cu12==2.27.3")
    newer = stack(frameworks=torchs, packages=nccl(winner="2.28.1"))
    assert fires("files-overwritten", **newer).severity == "warning"
    quiet("files-overwritten", **stack(RTX_4090, frameworks=torchs, packages=nccl(on_disk="nvidia-nccl-cu12")))


@pytest.mark.parametrize(
    ("beside", "is_removed"),
    [
        (tensorflow("2.18.0", None, dist="tensorflow-cpu"), True),
        # It may be that one which uses them.
        (Framework(name="cupy", dist="cupy", version="13.0", variant="cuda"), False),
        (Framework(name="cupy", dist="cupy", version="13.0"), True),
    ],
    ids=["processor build", "CUDA not known", "not known what for"],
)
def test_what_nothing_uses_is_removed_only_where_that_is_known(beside, is_removed):
    machine = stack(RTX_4090, frameworks=frameworks(torch("2.8.0+cu128"), beside), packages=nccl())
    (first, *_) = said(fires("files-overwritten", **machine))
    assert first.endswith("uninstall --yes nvidia-nccl-cu11") is is_removed


def test_a_shared_python_is_told_what_to_do_in_words():
    own = interpreter(environment="system", externally_managed=True, executable="/usr/bin/python3")
    finding = fires("files-overwritten", **stack(on=own, frameworks=frameworks(torch("2.8.0+cu128")), packages=nccl()))
    assert said(finding) == [
        "Uninstall nvidia-nccl-cu11; then install again, with --force-reinstall, nvidia-nccl-cu12==2.27.3."
    ]


def test_a_processor_build_over_the_gpu_build_is_told_as_such():
    clash = Overlap(first="tensorflow", second="tensorflow-gpu", files=9, most=True, example="x", on_disk="tensorflow")
    has = packages("tensorflow==1.9.0", "tensorflow-gpu==1.10.0", overlaps=(clash,))
    build = frameworks(tensorflow("1.9.0", None))
    finding = fires("tf-cpu-only", **stack(GTX_1080_TI, frameworks=build, packages=has))
    assert said(finding)[-1].endswith("install tensorflow-gpu==1.10.0")
    alone = fires("tf-cpu-only", **stack(GTX_1080_TI, frameworks=build, packages=packages("tensorflow==1.9.0")))
    assert not any("tensorflow-gpu" in text for text in said(alone))


# What JAX's extras ask for.


def asks(requirement, wanted, found, owner="jax"):
    return Unmet(package=owner, requirement=requirement, wanted=wanted, found=found)


def jax_with(*unmet):
    has = packages("jax==0.4.23", "jaxlib==0.4.23+cuda12.cudnn89", unmet=unmet)
    found = (
        Framework(name=name, dist=name, version="0.4.23", variant="cuda", cuda=CudaVersion("12"))
        for name in ("jax", "jaxlib")
    )
    return stack(RTX_3090, frameworks=frameworks(*found), packages=has)


@pytest.mark.parametrize(
    "unmet",
    [asks("nvidia-cublas-cu12", ">=12.2.5.6", "12.1.3.1"), asks("nvidia-cudnn-cu12", ">=9.8,<10.0", "8.9.7.29")],
    ids=["compared", "a library of another name"],
)
def test_jax_refuses_an_older_library(unmet):
    assert fires("torch-nvidia-deps-missing", **jax_with(unmet)).severity == "error"


@pytest.mark.parametrize(
    "unmet",
    [
        asks("nvidia-cublas-cu12", ">=12.2.5.6,<12.3", "12.4.5.8"),
        asks("nvidia-cublas-cu11", ">=11.11", "11.10.3.66"),
        asks("nvidia-nccl-cu12", ">=2.18.3", "2.18.1"),
        asks("nvidia-cudnn-cu12", ">=8.9,<9.0", "8.7.0"),
    ],
    ids=["newer", "of another CUDA", "not compared", "cudnn-too-old tells"],
)
def test_what_jax_does_not_compare(unmet):
    quiet("torch-nvidia-deps-missing", **jax_with(unmet))


CUBLAS = asks("nvidia-cublas-cu12", "", None, owner="nvidia-cudnn-cu12")


@pytest.mark.parametrize(
    ("found", "fires_here"),
    [
        (libraries(resolution("jax", "libcublas.so.12", "cublas")), True),
        (libraries(resolution("jax", "libcublas.so.12", "cublas", "/usr/local/cuda/lib64/libcublas.so.12")), False),
        (libraries(resolution("jax", "libcufft.so.11", "cufft")), False),
        (libraries(), False),
    ],
    ids=["not found", "found elsewhere", "another one is not found", "not looked"],
)
def test_what_an_installed_library_requires_counts_where_it_is_not_found(found, fires_here):
    machine = jax_with(CUBLAS) | {"libraries": found}
    if not fires_here:
        quiet("torch-nvidia-deps-missing", **machine)
        return
    finding = fires("torch-nvidia-deps-missing", **machine)
    assert finding.severity == "error"
    assert finding.fixes[0].steps[0].argv[-1] == "nvidia-cublas-cu12"


# Extensions and companions of another torch.


@pytest.mark.parametrize("name", ["torch-scatter", "torch-sparse", "mmcv", "detectron2", "pytorch3d", "mamba-ssm"])
def test_an_extension_of_another_cuda_major(name):
    built = Framework(name=name, dist=name, version="1.0", variant="cuda", cuda=CudaVersion("11"))
    machine = stack(RTX_3090, frameworks=frameworks(torch("1.7.1", variant="cuda", cuda=CudaVersion("10.2")), built))
    assert "built for CUDA 11" in fires("ext-abi-mismatch", **machine).summary
    quiet("ext-abi-mismatch", **stack(RTX_3090, frameworks=frameworks(torch("1.10.0+cu113"), built)))


def test_a_package_with_its_own_cuda_is_no_extension_of_torch():
    cupy = Framework(name="cupy", dist="cupy-cuda11x", version="13.0", variant="cuda", cuda=CudaVersion("11"))
    quiet("ext-abi-mismatch", **stack(RTX_3090, frameworks=frameworks(torch(), cupy)))


def test_a_companion_of_another_release_is_the_cause_of_its_other_cuda():
    torchs, old = torch("2.4.1+cu121"), framework("torchvision", "0.12.0+cu113")
    machine = stack(RTX_3090, frameworks=frameworks(torchs, old))
    assert fires("torch-companion-version", **machine).severity == "error"
    quiet(
        "torch-companion-version",
        **stack(RTX_3090, frameworks=frameworks(torchs, framework("torchvision", "0.19.1+cu118"))),
    )


# CTranslate2.

PIP = "/home/me/env/lib/python3.12/site-packages/nvidia/cudnn/lib"


def engine(version="4.5.0", own="9.1.0", *missing, copies=(), of_torch=()):
    found = Framework(
        name="ctranslate2", dist="ctranslate2", version=version, variant="cuda", cuda=CudaVersion("12"), cudnn=own
    )
    asked = tuple(resolution("ctranslate2", soname, "cudnn") for soname in missing)
    torchs = tuple(resolution("torch", soname, "cudnn", f"{PIP}/{soname}") for soname in of_torch)
    return stack(RTX_4090, frameworks=frameworks(found), libraries=libraries(*asked, *torchs, copies=tuple(copies)))


def test_ctranslate2_does_not_look_into_packages():
    held = copy("cudnn", "libcudnn_cnn.so.9", f"{PIP}/libcudnn_cnn.so.9", version=LibraryVersion("9.1.0"))
    finding = fires("tf-soname-missing", **engine("4.5.0", "9.1.0", "libcudnn_cnn.so.9", copies=(held,)))
    assert finding.severity == "error"
    assert [step.value for fix in finding.fixes for step in fix.steps if isinstance(step, SetEnv)] == [PIP]
    with_torch = engine("4.5.0", "9.1.0", "libcudnn_cnn.so.9", copies=(held,), of_torch=("libcudnn_cnn.so.9",))
    assert fires("tf-soname-missing", **with_torch).severity == "warning"


def test_a_ctranslate2_for_cudnn_8_where_there_is_9():
    nine = copy("cudnn", "libcudnn.so.9", "/usr/lib/libcudnn.so.9", version=LibraryVersion("9.2.0"), origin="system")
    finding = fires("tf-soname-missing", **engine("4.3.1", "8.9.7", "libcudnn_ops_infer.so.8", copies=(nine,)))
    assert "ctranslate2>=4.5.0" in said(finding)[0]
    assert "nvidia-cudnn-cu12==8.*" in " ".join(said(finding))
    nothing = fires("tf-soname-missing", **engine("4.5.0", "9.1.0", "libcublas.so.12", "libcudnn_cnn.so.9"))
    assert len(nothing.fixes) == 1


def test_ctranslate2_that_finds_all_or_has_no_gpu_to_use():
    quiet("tf-soname-missing", **engine("4.5.0", "9.1.0"))
    quiet("tf-soname-missing", **engine("4.5.0", "9.1.0", "libcudnn_cnn.so.9") | {"gpus": None})


# Microsoft's C++ runtime.

ALL_THERE = {
    name: f"C:\\Windows\\System32\\{name}" for name in ("msvcp140.dll", "vcruntime140.dll", "vcruntime140_1.dll")
}
NOT_STARTED = (
    "DLL load failed while importing _pywrap_tensorflow_internal: "
    "A dynamic link library (DLL) initialization routine failed."
)


def on_windows(text=NOT_STARTED, flags=None):
    error = Thrown(type="ImportError", text=text)
    stage = Stage(name="import", outcome="failed", error=error)
    run = AgentRun(framework="tensorflow", task="devices", ending="failed", error=error, stages=(stage,))
    found = libraries()
    return stack(
        frameworks=frameworks(tensorflow("2.19.0", None)),
        host=System(os="windows", arch="AMD64", cpu=Cpu(flags=flags)),
        libraries=type(found)(dlls=ALL_THERE),
        live=Live(devices=(DeviceList(framework="tensorflow", run=run),)),
    )


def test_a_dll_that_does_not_start():
    assert "C++ runtime is older" in fires("win-dll-126", **on_windows()).summary
    assert "C++ runtime is older" in fires("win-dll-126", **on_windows("[WinError 1114] c10.dll")).summary
    quiet("win-dll-126", **on_windows("No module named 'six'"))
    quiet("win-dll-126", **on_windows(flags=("sse4_2",)))


# Keras.


@pytest.mark.parametrize(
    ("version", "installer", "told"), [("2.6.0", "conda", True), ("2.9.1", "pip", True), ("2.14.0", "conda", False)]
)
def test_keras_is_imported_at_the_start_of_some_releases(version, installer, told):
    gone = Unmet(package="tensorflow", requirement="keras", wanted="~=2.6", found=None)
    has = packages(f"tensorflow=={version}", installer=installer, unmet=(gone,))
    machine = stack(RTX_3090, frameworks=frameworks(tensorflow(version, "11.2")), packages=has)
    (fires if told else quiet)("dependency-missing", **machine)
