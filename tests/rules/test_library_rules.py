"""The rules about libraries and the loader, as tables."""

import pytest
from msgspec import structs

from gpudoctor.facts.base import Gap
from gpudoctor.facts.driver import Answer
from gpudoctor.facts.finding import Finding
from gpudoctor.facts.fix import Run, SetEnv
from gpudoctor.facts.gpus import Gpu
from gpudoctor.facts.libraries import Libraries, LibraryCopy, Resolution
from gpudoctor.facts.python import Damage, Framework, Overlap
from gpudoctor.facts.versions import LibraryVersion
from tests.rules.situations import driver, library
from tests.rules.stacks import (
    RTX_3090,
    RTX_4090,
    SITE,
    V100,
    copy,
    frameworks,
    interpreter,
    jax_plugin,
    libraries,
    packages,
    resolution,
    stack,
    tensorflow,
    torch,
)
from tests.rules.table import fires, judge, quiet, skips

TF = tensorflow("2.20.0", cudnn="9.3.0")
CUSOLVER = f"{SITE}/nvidia/cusolver/lib/libcusolver.so.11"


def settings(finding: Finding) -> dict[str, str | None]:
    return {step.name: step.value for fix in finding.fixes for step in fix.steps if isinstance(step, SetEnv)}


def commands(finding: Finding) -> list[str]:
    return [" ".join(step.argv) for fix in finding.fixes for step in fix.steps if isinstance(step, Run)]


def cudnn(framework: str, version: str | None, path: str = "/usr/lib/libcudnn.so.9", **fields: object) -> Resolution:
    given = {"version": version} if version else {}
    return resolution(framework, "libcudnn.so.9", "cudnn", path, **given, **fields)


# cudnn-too-old


@pytest.mark.parametrize("version", ["9.2.1", "9.0.0", "8.9.7"])
def test_an_older_cudnn_or_another_major(version: str) -> None:
    finding = fires(
        "cudnn-too-old", **stack(RTX_4090, frameworks=frameworks(TF), libraries=libraries(cudnn("tensorflow", version)))
    )
    assert version in finding.summary
    assert "9.3" in finding.summary


@pytest.mark.parametrize("version", ["9.3.0", "9.3.1", "9.28.0.42", None])
def test_a_newer_minor_is_fine(version: str | None) -> None:
    taken = libraries(cudnn("tensorflow", version))
    quiet("cudnn-too-old", **stack(RTX_4090, frameworks=frameworks(TF), libraries=taken))


def test_cudnn_too_old_is_a_warning_without_a_gpu_and_quiet_without_need() -> None:
    old = libraries(cudnn("tensorflow", "8.9.7"))
    assert fires("cudnn-too-old", **stack(frameworks=frameworks(TF), libraries=old)).severity == "warning"
    quiet("cudnn-too-old", **stack(RTX_4090, frameworks=frameworks(tensorflow("2.20.0", None)), libraries=old))
    unknown = tensorflow("2.99.0", "12.5", cudnn="9")
    quiet("cudnn-too-old", **stack(RTX_4090, frameworks=frameworks(unknown), libraries=old))
    gone = libraries(resolution("tensorflow", "libcudnn.so.9", "cudnn"))
    quiet("cudnn-too-old", **stack(RTX_4090, frameworks=frameworks(TF), libraries=gone))


def test_of_copies_alone_each_must_be_too_old() -> None:
    """A report tells which there are, and not which one is taken."""

    def copies(*versions: str | None) -> Libraries:
        return Libraries(
            copies=tuple(
                LibraryCopy(family="cudnn", soname="libcudnn.so.9", path=f"/{place}/libcudnn.so.9", version=parsed)
                for place, version in enumerate(versions)
                for parsed in (version and LibraryVersion(version),)
            )
        )

    finding = fires("cudnn-too-old", **stack(RTX_4090, frameworks=frameworks(TF), libraries=copies("9.0.0", "9.1.0")))
    assert (finding.confidence, "9.1.0" in finding.summary) == ("likely", True)
    for found in (copies("9.0.0", "9.3.0"), copies("9.0.0", None), copies()):
        quiet("cudnn-too-old", **stack(RTX_4090, frameworks=frameworks(TF), libraries=found))
    quiet("cudnn-too-old", **stack(RTX_4090, frameworks=frameworks(torch()), libraries=copies("8.0.0")))


def test_the_matrix_knows_the_cudnn_of_torch() -> None:
    machine = stack(
        RTX_4090, frameworks=frameworks(torch()), libraries=libraries(cudnn("torch", "9.0.0", origin="pip"))
    )
    assert "9.1.0.70" in fires("cudnn-too-old", **machine).summary
    assert "nvidia-cudnn-cu12==9.1.0.70" in commands(fires("cudnn-too-old", **machine))[0]


@pytest.mark.parametrize(("gpu", "wanted"), [(RTX_4090, ">=9.3,<10"), (V100, "==9.10.2.21")])
def test_the_cudnn_proposed_has_code_for_the_gpu(gpu: Gpu, wanted: str) -> None:
    machine = stack(gpu, frameworks=frameworks(TF), libraries=libraries(cudnn("tensorflow", "9.2.1", origin="pip")))
    assert f"nvidia-cudnn-cu12{wanted}" in commands(fires("cudnn-too-old", **machine))[0]


# tf-soname-missing


def missing(*sonames: tuple[str, str], framework: str = "tensorflow") -> tuple[Resolution, ...]:
    return tuple(resolution(framework, soname, family) for soname, family in sonames)


def test_an_installed_library_off_the_path_is_told_from_one_that_is_not_installed() -> None:
    lost = missing(("libcusolver.so.11", "cusolver"))
    there = copy("cusolver", "libcusolver.so.11", CUSOLVER, dist="nvidia-cusolver-cu12")
    broken = frameworks(tensorflow("2.21.0"))
    cublas = f"{SITE}/nvidia/cublas/lib"
    found = resolution("tensorflow", "libcublas.so.12", "cublas", f"{cublas}/libcublas.so.12", via="runpath")
    machine = stack(RTX_4090, frameworks=broken, libraries=libraries(*lost, found, copies=(there,)))
    finding = fires("tf-soname-missing", **machine)
    assert "is installed, but not where it looks" in finding.summary
    assert any("nvidia-cusolver-cu12" in one.value for one in finding.evidence)
    assert any(f"{SITE}/nvidia/cublas/lib" in one.value for one in finding.evidence)
    assert settings(finding) == {"LD_LIBRARY_PATH": f"{SITE}/nvidia/cusolver/lib"}
    assert "tensorflow[and-cuda]==2.20.0" in commands(finding)[-1]
    link, *_ = finding.fixes
    (step,) = link.steps
    assert step.argv == (
        "ln",
        "-sf",
        "../../cusolver/lib/libcusolver.so.11",
        f"{SITE}/nvidia/cublas/lib/libcusolver.so.11",
    )

    finding = fires("tf-soname-missing", **(machine | {"libraries": libraries(*lost, found)}))
    assert "not found" in finding.summary
    assert any("nvidia-cusolver-cu12" in one.value for one in finding.evidence)


@pytest.mark.parametrize(
    ("where", "found"),
    [
        # No folder of the environment in which it looks; one that another variable leads to; a copy of a toolkit.
        (CUSOLVER, {}),
        (CUSOLVER, {"via": "LD_LIBRARY_PATH"}),
        ("/usr/local/cuda-12.5/lib64/libcusolver.so.11", {"via": "runpath"}),
    ],
)
def test_where_a_link_would_not_help_the_folder_is_named(where: str, found: dict[str, str]) -> None:
    other = resolution("tensorflow", "libcublas.so.12", "cublas", f"{SITE}/nvidia/cublas/lib/libcublas.so.12", **found)
    copies = (copy("cusolver", "libcusolver.so.11", where, origin="pip" if where == CUSOLVER else "toolkit"),)
    lost = missing(("libcusolver.so.11", "cusolver"))
    machine = stack(
        RTX_4090, frameworks=frameworks(tensorflow("2.21.0")), libraries=libraries(*lost, other, copies=copies)
    )
    assert fires("tf-soname-missing", **machine).fixes[0].title == "Add the folder for this program"


def test_tensorflow_without_its_libraries() -> None:
    lost = missing(("libcudart.so.12", "cudart"), ("libcudnn.so.9", "cudnn"), ("libcublas.so.12", "cublas"))
    machine = stack(RTX_4090, frameworks=frameworks(TF), libraries=libraries(*lost))
    finding = fires("tf-soname-missing", **machine)
    assert commands(finding) == ["/home/me/env/bin/python -m pip install tensorflow[and-cuda]==2.20.0"]
    quiet("tf-soname-missing", **stack(frameworks=frameworks(TF), libraries=libraries(*lost)))


def test_without_a_gpu_only_what_was_installed_in_vain_is_a_note() -> None:
    lost = missing(("libcusolver.so.11", "cusolver"))
    there = copy("cusolver", "libcusolver.so.11", CUSOLVER)
    machine = stack(frameworks=frameworks(tensorflow("2.21.0")), libraries=libraries(*lost, copies=(there,)))
    assert fires("tf-soname-missing", **machine).severity == "info"


def test_what_is_not_needed_or_not_ours_is_not_missed() -> None:
    optional = missing(("libnvinfer.so.8", "tensorrt"), ("libcuda.so.1", "cuda"), ("libnccl.so.2", "nccl"))
    quiet("tf-soname-missing", **stack(RTX_4090, frameworks=frameworks(TF), libraries=libraries(*optional)))
    lost = missing(("libcudnn.so.9", "cudnn"))
    cpu = frameworks(tensorflow("2.20.0", None))
    quiet("tf-soname-missing", **stack(RTX_4090, frameworks=cpu, libraries=libraries(*lost)))
    assert skips(
        "tf-soname-missing", **(stack(RTX_4090, frameworks=frameworks(TF)) | {"libraries": Gap(reason="not Linux")})
    )


def test_old_tensorflow_asks_for_its_toolkit() -> None:
    lost = missing(("libcudart.so.10.0", "cudart"))
    machine = stack(RTX_3090, frameworks=frameworks(tensorflow("1.15.0", "10.0")), libraries=libraries(*lost))
    asked = "conda install --channel conda-forge cudatoolkit=10.0 cudnn=7.6"
    in_conda = machine | {"interpreter": interpreter(environment="conda")}
    assert commands(fires("tf-soname-missing", **in_conda)) == [asked]
    # conda installs into its own environments only.
    assert commands(fires("tf-soname-missing", **machine)) == []


def test_jax_gets_the_packages_of_what_it_lacks() -> None:
    lost = missing(("libcusparse.so.12", "cusparse"), framework="jax-cuda-plugin")
    machine = stack(RTX_3090, frameworks=frameworks(jax_plugin()), libraries=libraries(*lost))
    assert commands(fires("tf-soname-missing", **machine))[0].endswith("install nvidia-cusparse-cu12")


def test_tensorflow_216_beside_its_libraries() -> None:
    names = (("libcudart.so.12", "cudart"), ("libcudnn.so.8", "cudnn"))
    copies = tuple(copy(family, soname, f"{SITE}/nvidia/{family}/lib/{soname}") for soname, family in names)
    old = frameworks(tensorflow("2.16.1", "12.3"))
    machine = stack(RTX_4090, frameworks=old, libraries=libraries(*missing(*names), copies=copies))
    fires("tf216-nvidia-libs-not-found", **machine)
    newer = machine | {"frameworks": frameworks(tensorflow("2.20.0"))}
    quiet("tf216-nvidia-libs-not-found", **newer)
    quiet("tf216-nvidia-libs-not-found", **(machine | {"libraries": libraries(*missing(*names))}))
    quiet("tf216-nvidia-libs-not-found", **(machine | {"gpus": None}))


# LD_LIBRARY_PATH


def shadowed(family: str, soname: str, have: str | None, own: str | None, framework: str = "tensorflow") -> Resolution:
    given = {key: value for key, value in (("version", have), ("shadows_version", own)) if value}
    path, shadows = f"/opt/cuda/lib64/{soname}", f"{SITE}/nvidia/lib/{soname}"
    return resolution(framework, soname, family, path, via="LD_LIBRARY_PATH", shadows=shadows, **given)


def test_another_cudnn_first() -> None:
    older = libraries(shadowed("cudnn", "libcudnn.so.9", "9.1.0", "9.10.2"), search=("/opt/cuda/lib64", "/opt/other"))
    finding = fires("ld-path-shadows-cudnn", **stack(RTX_4090, frameworks=frameworks(TF), libraries=older))
    assert finding.severity == "error"
    assert settings(finding) == {"LD_LIBRARY_PATH": "/opt/other"}
    newer = libraries(shadowed("cudnn", "libcudnn.so.9", "9.20.0", "9.10.2"), search=("/opt/cuda/lib64",))
    note = fires("ld-path-shadows-cudnn", **stack(RTX_4090, frameworks=frameworks(TF), libraries=newer))
    assert note.severity == "info"
    assert settings(note) == {"LD_LIBRARY_PATH": None}


@pytest.mark.parametrize(
    "taken",
    [
        shadowed("cudnn", "libcudnn.so.9", "9.10.2", "9.10.2"),
        shadowed("cudnn", "libcudnn.so.9", None, "9.10.2"),
        cudnn("tensorflow", "9.1.0", via="runpath"),
        cudnn("tensorflow", "9.1.0", via="LD_LIBRARY_PATH"),
    ],
    ids=["the same", "not known", "its own", "nothing hidden"],
)
def test_no_other_cudnn_first(taken: Resolution) -> None:
    quiet("ld-path-shadows-cudnn", **stack(RTX_4090, frameworks=frameworks(TF), libraries=libraries(taken)))


def test_older_cuda_libraries_first() -> None:
    old = shadowed("nvjitlink", "libnvJitLink.so.12", "12.4.99", "12.9.86")
    machine = stack(RTX_4090, frameworks=frameworks(TF), libraries=libraries(old, search=("/opt/cuda/lib64",)))
    fires("ld-path-shadows-nvidia-wheels", **machine)
    quiet("ld-path-shadows-nvidia-wheels", **(machine | {"gpus": None}))
    for fine in (
        shadowed("nvjitlink", "libnvJitLink.so.12", "12.9.99", "12.4.86"),
        shadowed("nvjitlink", "libnvJitLink.so.12", None, "12.4.86"),
        shadowed("cudnn", "libcudnn.so.9", "9.1.0", "9.10.2"),
    ):
        quiet("ld-path-shadows-nvidia-wheels", **(machine | {"libraries": libraries(fine)}))


def test_parts_of_cudnn_from_two_copies() -> None:
    ops = resolution("torch", "libcudnn_ops.so.9", "cudnn", "/usr/lib/libcudnn_ops.so.9", version="9.1.0")
    main = cudnn("torch", "9.10.2")
    machine = stack(RTX_4090, frameworks=frameworks(torch()), libraries=libraries(main, ops))
    fires("cudnn-two-copies", **machine)
    quiet("cudnn-two-copies", **(machine | {"libraries": libraries(main, cudnn("tensorflow", "9.1.0"))}))
    quiet("cudnn-two-copies", **(machine | {"gpus": None}))


# Files and packages.

CUDNN_12, CUDNN_13 = "nvidia-cudnn-cu12", "nvidia-cudnn-cu13"
LIB = f"{SITE}/nvidia/cudnn/lib/libcudnn.so.9"


def overlap(first: str = CUDNN_12, second: str = CUDNN_13, files: int = 28, **fields: object) -> Overlap:
    return Overlap(**{"first": first, "second": second, "files": files, "example": LIB, **fields})


BOTH = frameworks(TF, torch("2.15.0+cu132"))


def own(*overlaps: Overlap, **fields: object) -> dict:
    has = packages("tensorflow==2.20.0", "torch==2.15.0", f"{CUDNN_12}==9.26.0.51", f"{CUDNN_13}==9.26.0.51")
    given = {"installed": has.installed, "overlaps": overlaps, **fields}
    return {"packages": type(has)(**given), "frameworks": BOTH}


def test_two_packages_own_the_same_files() -> None:
    finding = fires("files-overwritten", **stack(RTX_4090, release="580.65.06", **own(overlap(on_disk=CUDNN_13))))
    assert finding.summary == f"{CUDNN_13} has overwritten 28 files of {CUDNN_12}; tensorflow 2.20.0 needs them."
    assert finding.severity == "error"
    listed = commands(finding)
    assert any(
        "gpu-env-tensorflow/bin/python -m pip install tensorflow[and-cuda]==2.20.0" in command for command in listed
    )
    assert listed[-2].endswith(f"uninstall --yes tensorflow {CUDNN_12}")
    assert listed[-1].endswith(f"--force-reinstall --no-deps {CUDNN_13}==9.26.0.51")
    finding = fires("files-overwritten", **stack(RTX_4090, release="580.65.06", **own(overlap(on_disk=CUDNN_12))))
    assert "torch 2.15.0+cu132" in finding.summary
    assert fires("files-overwritten", **stack(**own(overlap(on_disk=CUDNN_12)))).severity == "warning"
    assert fires("files-overwritten", **stack(RTX_4090, **own(overlap()))).confidence == "likely"


def test_all_libraries_of_one_cuda_are_one_fault() -> None:
    nccl = overlap("nvidia-nccl-cu12", "nvidia-nccl-cu13", 57, on_disk="nvidia-nccl-cu12")
    machine = stack(RTX_4090, release="580.65.06", **own(overlap(on_disk=CUDNN_12), nccl))
    (finding,) = judge("files-overwritten", **machine)
    assert "57 files of nvidia-nccl-cu13" in finding.summary
    uninstall, reinstall = commands(finding)[:2]
    assert uninstall.endswith(f"torch {CUDNN_12} {CUDNN_13} nvidia-nccl-cu12 nvidia-nccl-cu13")
    assert "/whl/cu12" in reinstall


def test_an_overlap_without_harm() -> None:
    only_torch = {"frameworks": frameworks(torch("2.15.0+cu132"))}
    for sections in (
        own(overlap(files=1, on_disk=CUDNN_12)),
        own(overlap(on_disk=CUDNN_12, differing=0)),
        own(overlap(first="protobuf", second="grpcio", on_disk="grpcio")),
        own(overlap(on_disk=CUDNN_13)) | only_torch,
        own(overlap()) | only_torch,
        own(),
    ):
        quiet("files-overwritten", **stack(RTX_4090, **sections))
    quiet("files-overwritten", **stack(RTX_4090, **(own() | {"packages": packages(overlaps=Gap(reason="not looked"))})))


def test_two_builds_of_one_thing() -> None:
    pair = overlap("onnxruntime", "onnxruntime-gpu", 100, on_disk="onnxruntime")
    has = packages("onnxruntime==1.20.0", "onnxruntime-gpu==1.20.0", overlaps=(pair,))
    finding = fires("files-overwritten", **stack(RTX_4090, packages=has))
    assert commands(finding)[0].endswith("uninstall --yes onnxruntime onnxruntime-gpu")
    assert commands(finding)[1].endswith("install onnxruntime-gpu==1.20.0")


@pytest.mark.parametrize(
    ("first", "second", "kept", "severity"),
    [
        ("faiss-cpu", "faiss-gpu-cu12", "faiss-gpu-cu12", "error"),
        ("cupy-cuda11x", "cupy-cuda12x", "cupy-cuda11x", "error"),
        ("opencv-python", "opencv-python-headless", "opencv-python", "warning"),
        ("xgboost", "xgboost-cpu", "xgboost", "warning"),
    ],
)
def test_builds_of_one_module_are_told_by_their_files(first: str, second: str, kept: str, severity: str) -> None:
    for most in (True, False):
        has = packages(f"{first}==1.0", f"{second}==1.0", overlaps=(overlap(first, second, 36, most=most),))
        if not most:
            quiet("files-overwritten", **stack(RTX_4090, packages=has))
            continue
        finding = fires("files-overwritten", **stack(RTX_4090, packages=has))
        assert finding.severity == severity
        assert commands(finding)[1].endswith(f"install {kept}==1.0")


def test_damaged_files() -> None:
    lost = Damage(package=CUDNN_12, path=LIB, expected=1000)
    short = Damage(package=CUDNN_12, path=LIB + ".1", expected=1000, found=10)
    has = packages(f"{CUDNN_12}==9.3.0.75", damaged=(lost, short))
    finding = fires("files-damaged", **stack(packages=has))
    assert finding.summary == f"2 files of {CUDNN_12} are not as installed (1 missing, 1 of another size)."
    assert commands(finding) == [
        f"/home/me/env/bin/python -m pip install --force-reinstall --no-deps {CUDNN_12}==9.3.0.75"
    ]
    many = tuple(structs.replace(lost, path=f"{lost.path}{number}") for number in range(100))
    finding = fires("files-damaged", **stack(packages=packages(f"{CUDNN_12}==9.3.0.75", damaged=many)))
    assert finding.summary.startswith("100 or more files"), "not all are listed"
    quiet("files-damaged", **stack(packages=packages(CUDNN_12 + "==9.3.0.75")))
    quiet("files-damaged", **stack(packages=packages(damaged=Gap(reason="not looked"))))


def test_a_stub_in_place_of_the_driver() -> None:
    stub = library("libcuda.so.1", None, stub=True, path="/usr/local/cuda/lib64/stubs/libcuda.so.1")
    fires("libcuda-stub", **stack(RTX_4090, driver=driver(libraries=(stub,))))
    quiet("libcuda-stub", **stack(RTX_4090))
    quiet("libcuda-stub", **stack(driver=driver(libraries=(stub,))))
    answered = driver(cuda_init=Answer(outcome="answered", code=34, name="CUDA_ERROR_STUB_LIBRARY"))
    fires("libcuda-stub", **stack(RTX_4090, driver=answered))
    other = driver(cuda_init=Answer(outcome="answered", code=100, name="CUDA_ERROR_NO_DEVICE"))
    quiet("libcuda-stub", **stack(RTX_4090, driver=other))
    behind = library("libcuda.so.1", None, stub=True, first=False)
    quiet("libcuda-stub", **stack(RTX_4090, driver=driver(libraries=(library("libcuda.so.1"), behind))))


def test_libraries_that_nothing_uses() -> None:
    twice = packages("nvidia-cuda-runtime-cu11==11.7.99", "nvidia-cuda-runtime-cu12==12.1.105")
    machine = stack(RTX_4090, frameworks=frameworks(torch("2.4.1+cu121")), packages=twice)
    assert fires("cuda-major-mix", **machine).severity == "warning"
    both = packages("nvidia-cublas==13.1.0.3", "nvidia-cublas-cu12==12.8.4.1")
    quiet("cuda-major-mix", **stack(RTX_4090, frameworks=BOTH, packages=both))
    unknown = frameworks(torch("2.4.1+cu121"), Framework(name="cupy", variant="cuda"))
    quiet("cuda-major-mix", **stack(RTX_4090, frameworks=unknown, packages=twice))
    quiet("cuda-major-mix", **(machine | {"gpus": None}))
    placeholder = packages("nvidia-cublas==0.0.1", "nvidia-cublas-cu12==12.8.4.1")
    quiet("cuda-major-mix", **stack(RTX_4090, frameworks=frameworks(torch("2.4.1+cu121")), packages=placeholder))


def test_nvjitlink_older_than_the_rest() -> None:
    rest = ("nvidia-cuda-runtime-cu12==12.4.127", "nvidia-cusparse-cu12==12.3.1.170")
    old = packages("nvidia-nvjitlink-cu12==12.1.105", *rest)
    finding = fires("nvidia-wheels-skew", **stack(RTX_4090, frameworks=frameworks(torch()), packages=old))
    assert "nvidia-nvjitlink-cu12>=12.4,<13" in commands(finding)[0]
    for version in ("12.4.99", "12.9.86"):
        fits = packages(f"nvidia-nvjitlink-cu12=={version}", *rest)
        quiet("nvidia-wheels-skew", **stack(RTX_4090, frameworks=frameworks(torch()), packages=fits))
    thirteen = ("nvidia-cuda-runtime==13.1.80", "nvidia-cusparse==12.7.2")
    old_13 = packages("nvidia-nvjitlink==13.0.88", *thirteen, "nvidia-nvjitlink-cu12==12.4.127", *rest)
    finding = fires("nvidia-wheels-skew", **stack(RTX_4090, frameworks=frameworks(torch()), packages=old_13))
    assert "nvidia-nvjitlink>=13.1,<14" in commands(finding)[0]
    # The import fails whether there is a GPU or not.
    fires("nvidia-wheels-skew", **stack(frameworks=frameworks(torch()), packages=old))


@pytest.mark.parametrize(
    ("linker", "sparse", "wanted"),
    [
        ("12.8.93", "12.5.10.65", "12.9"),
        ("12.1.105", "12.3.1.170", "12.4"),
        ("12.4.127", "12.5.4.2", "12.6"),
        ("12.0.140", "12.0.2.55", "12.1"),
        ("12.9.86", "12.5.10.65", None),
        ("12.8.61", "12.5.8.93", None),
        ("12.4.99", "12.3.1.170", None),
        ("12.9.86", "12.1.0.106", None),
    ],
)
def test_cusparse_itself_says_which_nvjitlink_it_asks_for(linker: str, sparse: str, wanted: str | None) -> None:
    both = packages(f"nvidia-nvjitlink-cu12=={linker}", f"nvidia-cusparse-cu12=={sparse}")
    machine = stack(RTX_4090, frameworks=frameworks(torch()), packages=both)
    if wanted is None:
        quiet("nvidia-wheels-skew", **machine)
    else:
        assert f">={wanted},<13" in commands(fires("nvidia-wheels-skew", **machine))[0]
