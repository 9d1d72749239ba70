"""The rules about XLA, Triton, C++ libraries and Windows' DLLs, as tables."""

import pytest
from msgspec import structs

from gpudoctor.facts.finding import Finding
from gpudoctor.facts.fix import Run, SetEnv
from gpudoctor.facts.libraries import Libraries, LibraryCopy, SymbolNeed, Toolkit, Toolkits
from gpudoctor.facts.live import Live, Symptom
from gpudoctor.facts.python import Framework, Package, Packages
from gpudoctor.facts.system import Space, System
from gpudoctor.facts.versions import CudaVersion, LibraryVersion
from tests.rules.situations import driver, environ, library
from tests.rules.stacks import (
    H100,
    RTX_3090,
    RTX_4090,
    SITE,
    V100,
    WINDOWS,
    copy,
    frameworks,
    interpreter,
    jax,
    jax_plugin,
    libraries,
    packages,
    resolution,
    stack,
    tensorflow,
    toolkit,
    toolkits,
    torch,
)
from tests.rules.table import fires, quiet

PTXAS = "/usr/local/cuda-12.2/bin/ptxas"
JAX_434 = (jax("0.4.34", "cuda"), jax_plugin("0.4.34"))


def settings(finding: Finding) -> dict[str, str | None]:
    return {step.name: step.value for fix in finding.fixes for step in fix.steps if isinstance(step, SetEnv)}


def commands(finding: Finding) -> list[str]:
    return [" ".join(step.argv) for fix in finding.fixes for step in fix.steps if isinstance(step, Run)]


def on_path(version: str, **fields: object) -> Toolkits:
    return toolkits(toolkit(version), ptxas_on_path=f"/usr/local/cuda-{version}/bin/ptxas", **fields)


# xla-ptxas-old


def test_tensorflow_calls_the_ptxas_of_path_too() -> None:
    def machine(release: str, toolkit_version: str, cuda: str = "11.2") -> dict[str, object]:
        return stack(RTX_3090, frameworks=frameworks(tensorflow(release, cuda)), toolkits=on_path(toolkit_version))

    finding = fires("xla-ptxas-old", **machine("2.5.0", "11.0"))
    assert finding.severity == "warning"
    assert finding.summary.startswith("TensorFlow would call ptxas 11.0")
    quiet("xla-ptxas-old", **machine("2.5.0", "11.1"))
    quiet("xla-ptxas-old", **machine("2.3.0", "11.0"))
    quiet("xla-ptxas-old", **machine("2.14.0", "11.0", "11.8"))


def test_a_ptxas_older_than_the_environments() -> None:
    own = packages("nvidia-cuda-nvcc-cu12==12.6.77")
    machine = stack(RTX_4090, frameworks=frameworks(*JAX_434), toolkits=on_path("12.2"), packages=own)
    finding = fires("xla-ptxas-old", **machine)
    assert finding.severity == "error"
    assert "12.6.77" in finding.summary


def test_a_ptxas_that_does_not_know_the_gpu() -> None:
    finding = fires("xla-ptxas-old", **stack(H100, frameworks=frameworks(*JAX_434), toolkits=on_path("11.2")))
    assert "compute capability 9.0" in finding.summary


def test_a_ptxas_that_compiles_wrongly_is_a_warning() -> None:
    old = Framework(name="jaxlib", version="0.1.68+cuda111", variant="cuda", cuda=CudaVersion("11.1"))
    machine = stack(V100, frameworks=frameworks(old), toolkits=on_path("9.2"))
    assert fires("xla-ptxas-old", **machine).severity == "warning"


@pytest.mark.parametrize(
    ("release", "path", "own"),
    [
        ("0.4.34", "12.6", "nvidia-cuda-nvcc-cu12==12.6.77"),
        ("0.4.34", "12.8", "nvidia-cuda-nvcc-cu12==12.6.77"),
        ("0.9.2", "12.2", "nvidia-cuda-nvcc-cu12==12.8.93"),
    ],
)
def test_a_ptxas_that_does(release: str, path: str, own: str) -> None:
    found = frameworks(jax(release, "cuda"), jax_plugin(release))
    quiet("xla-ptxas-old", **stack(RTX_4090, frameworks=found, toolkits=on_path(path), packages=packages(own)))


def test_the_version_beside_ptxas_counts_before_the_toolkits() -> None:
    at = toolkits(ptxas_on_path="/opt/tools/bin/ptxas", ptxas_version="11.2.152")
    assert "11.2.152" in fires("xla-ptxas-old", **stack(H100, frameworks=frameworks(*JAX_434), toolkits=at)).summary
    unknown = toolkits(ptxas_on_path="/opt/tools/bin/ptxas")
    quiet("xla-ptxas-old", **stack(H100, frameworks=frameworks(*JAX_434), toolkits=unknown))


# xla-ptxas-missing, xla-driver-older-than-ptxas, xla-ptxas-hopper-bug


def test_no_ptxas_anywhere() -> None:
    wheels = packages("nvidia-cublas-cu12==12.6.4.1", "jax-cuda12-plugin==0.4.34")
    machine = stack(RTX_4090, frameworks=frameworks(*JAX_434), packages=wheels)
    assert "nvidia-cuda-nvcc-cu12" in commands(fires("xla-ptxas-missing", **machine))[0]
    quiet("xla-ptxas-missing", **machine | {"toolkits": on_path("12.2")})
    more = packages("nvidia-cublas-cu12==12.6.4.1", "nvidia-cuda-nvcc-cu12==12.6.77")
    quiet("xla-ptxas-missing", **machine | {"packages": more})
    quiet("xla-ptxas-missing", **machine | {"packages": packages("jax-cuda12-plugin==0.4.34")})


@pytest.mark.parametrize(("release", "severity"), [("0.4.24", "warning"), ("0.9.2", "info")])
def test_a_driver_older_than_ptxas(release: str, severity: str) -> None:
    found = frameworks(jax(release, "cuda"), jax_plugin(release))
    own = packages("nvidia-cuda-nvcc-cu12==12.6.77")
    machine = stack(RTX_4090, frameworks=found, packages=own, release="535.154.05")
    assert fires("xla-driver-older-than-ptxas", **machine).severity == severity
    quiet("xla-driver-older-than-ptxas", **machine | {"driver": driver("560.35.03")})
    quiet("xla-driver-older-than-ptxas", **machine | {"packages": packages("nvidia-cuda-nvcc-cu12==12.2.140")})


@pytest.mark.parametrize("version", ["12.0.76", "12.6.77"])
def test_ptxas_with_a_fault_on_hopper(version: str) -> None:
    own = packages(f"nvidia-cuda-nvcc-cu12=={version}")
    machine = stack(H100, frameworks=frameworks(*JAX_434), packages=own)
    assert fires("xla-ptxas-hopper-bug", **machine).severity == "warning"
    quiet("xla-ptxas-hopper-bug", **stack(RTX_4090, frameworks=frameworks(*JAX_434), packages=own))


@pytest.mark.parametrize("version", ["11.8.89", "12.6.85", "12.9.86"])
def test_ptxas_without_that_fault(version: str) -> None:
    own = packages(f"nvidia-cuda-nvcc-cu12=={version}")
    quiet("xla-ptxas-hopper-bug", **stack(H100, frameworks=frameworks(*JAX_434), packages=own))


# xla-libdevice-missing


TF_212 = tensorflow("2.12.0", "11.8")


def runtime(origin: str = "conda") -> Libraries:
    return libraries(
        resolution("tensorflow", "libcudart.so.11.0", "cudart", "/opt/lib/libcudart.so.11.0", origin=origin)
    )


def test_no_libdevice() -> None:
    machine = stack(RTX_3090, frameworks=frameworks(TF_212), libraries=runtime())
    assert fires("xla-libdevice-missing", **machine).severity == "error"
    flag = environ(XLA_FLAGS="--xla_gpu_cuda_data_dir=/opt/cuda")
    quiet("xla-libdevice-missing", **machine | {"environ": flag})
    quiet("xla-libdevice-missing", **machine | {"packages": packages("nvidia-cuda-nvcc-cu11==11.8.89")})
    quiet("xla-libdevice-missing", **machine | {"libraries": runtime("toolkit")})
    quiet("xla-libdevice-missing", **machine | {"toolkits": toolkits(toolkit("11.8"))})
    quiet("xla-libdevice-missing", **machine | {"toolkits": toolkits(toolkit("12.4", is_default=True))})


def test_another_toolkit_is_named_in_the_flag() -> None:
    machine = stack(RTX_3090, frameworks=frameworks(TF_212), libraries=runtime(), toolkits=toolkits(toolkit("12.4")))
    assert settings(fires("xla-libdevice-missing", **machine)) == {
        "XLA_FLAGS": "--xla_gpu_cuda_data_dir=/usr/local/cuda-12.4"
    }


def test_libdevice_on_windows() -> None:
    tf = tensorflow("2.9.1", "11.2")
    other = toolkits(toolkit("11.7", root=r"C:\CUDA\v11.7"))
    machine = stack(RTX_3090, frameworks=frameworks(tf), libraries=Libraries(), toolkits=other, host=WINDOWS)
    assert fires("xla-libdevice-missing", **machine).severity == "warning"
    quiet("xla-libdevice-missing", **machine | {"toolkits": toolkits(toolkit("11.2", root=r"C:\CUDA\v11.2"))})
    quiet("xla-libdevice-missing", **machine | {"toolkits": toolkits()})


@pytest.mark.parametrize("release", ["1.15.0", "2.16.1", "2.20.0"])
def test_libdevice_of_releases_that_are_not_judged(release: str) -> None:
    machine = stack(RTX_3090, frameworks=frameworks(tensorflow(release, "12.3")), libraries=runtime())
    quiet("xla-libdevice-missing", **machine)


# tf-cuda-version-unsupported


def lost(*names: str) -> Libraries:
    return libraries(*(resolution("tensorflow", name, "cudart") for name in names))


def test_another_cuda_than_tensorflow_was_built_with() -> None:
    machine = stack(
        V100,
        frameworks=frameworks(tensorflow("2.1.0", "10.1", cudnn="7")),
        libraries=lost("libcudart.so.10.1"),
        toolkits=toolkits(toolkit("10.2")),
    )
    finding = fires("tf-cuda-version-unsupported", **machine)
    assert "CUDA 10.1" in finding.summary
    assert "CUDA 10.2" in finding.summary
    assert "tf-soname-missing" in finding.explains
    quiet("tf-cuda-version-unsupported", **machine | {"toolkits": toolkits(toolkit("10.1"), toolkit("10.2"))})
    quiet("tf-cuda-version-unsupported", **machine | {"toolkits": toolkits()})
    quiet("tf-cuda-version-unsupported", **machine | {"libraries": lost("libcusolver.so.10")})
    text = "Could not dlopen library 'libcublas.so.10.1'; dlerror: libcublas.so.10.1: cannot open shared object file"
    said = Live(symptoms=(Symptom(signature="tf-library-missing", text=text),))
    fires("tf-cuda-version-unsupported", **machine | {"libraries": Libraries(), "live": said})
    quiet("tf-cuda-version-unsupported", **machine | {"libraries": Libraries()})


def test_another_cuda_on_windows() -> None:
    machine = stack(
        V100,
        host=WINDOWS,
        frameworks=frameworks(tensorflow("2.1.0", "10.1", cudnn="7")),
        libraries=Libraries(resolutions=None),
        toolkits=toolkits(toolkit("10.2", root=r"C:\CUDA\v10.2")),
    )
    finding = fires("tf-cuda-version-unsupported", **machine)
    assert "cudart64_101.dll" in str(finding.evidence)
    assert len(finding.fixes) == 1, "no newer TensorFlow brings CUDA along on Windows"
    there = LibraryCopy(family="cudart", soname="cudart64_101.dll", path=r"C:\env\Library\bin\cudart64_101.dll")
    quiet("tf-cuda-version-unsupported", **machine | {"libraries": Libraries(resolutions=None, copies=(there,))})
    quiet("tf-cuda-version-unsupported", **machine | {"toolkits": toolkits()})


def test_within_a_major_from_cuda_11_on() -> None:
    tf = frameworks(tensorflow("2.10.0", "11.2"))
    machine = stack(V100, frameworks=tf, libraries=lost("libcudart.so.11.0"))
    quiet("tf-cuda-version-unsupported", **machine | {"toolkits": toolkits(toolkit("11.8"))})
    fires("tf-cuda-version-unsupported", **machine | {"toolkits": toolkits(toolkit("12.4"))})


# triton-libcuda-link


def triton(link: bool | None, **sections: object) -> dict[str, object]:
    found = frameworks(torch(), Framework(name="triton", version="3.2.0"))
    return stack(RTX_4090, frameworks=found, libraries=Libraries(libcuda_link=link)) | sections


def test_the_link_that_triton_needs() -> None:
    finding = fires("triton-libcuda-link", **triton(False))
    assert finding.severity == "warning"
    assert commands(finding) == ["ln -s libcuda.so.1 /usr/lib/x86_64-linux-gnu/libcuda.so"]


def test_the_link_without_root_names_its_folder_in_full() -> None:
    home = System(os="linux", arch="x86_64", spaces=(Space(path="/home/ada", purpose="home"),))
    library = "/usr/lib/x86_64-linux-gnu/libcuda.so.1"
    finding = fires("triton-libcuda-link", **triton(False, host=home))
    assert commands(finding)[1:] == [
        "mkdir -p /home/ada/.local/lib/libcuda",
        f"ln -s {library} /home/ada/.local/lib/libcuda/libcuda.so",
    ]
    assert finding.fixes[-1].steps[-1] == SetEnv(name="TRITON_LIBCUDA_PATH", value="/home/ada/.local/lib/libcuda")


@pytest.mark.parametrize("link", [True, None])
def test_the_link_is_there_or_not_looked_for(link: bool | None) -> None:
    quiet("triton-libcuda-link", **triton(link))


def test_the_link_is_not_needed() -> None:
    quiet("triton-libcuda-link", **triton(False, environ=environ(TRITON_LIBCUDA_PATH="/opt/cuda")))
    quiet("triton-libcuda-link", **triton(False, frameworks=frameworks(torch())))
    quiet("triton-libcuda-link", **triton(False, gpus=None))
    newer = frameworks(torch(), Framework(name="triton", version="3.6.0"))
    quiet("triton-libcuda-link", **triton(False, frameworks=newer))
    last = frameworks(torch(), Framework(name="triton", version="3.5.1"))
    fires("triton-libcuda-link", **triton(False, frameworks=last))


# ld-path-shadows-*, of what a report tells


def two_copies(family: str, soname: str, first: str, own: str, search: tuple[str, ...]) -> Libraries:
    return Libraries(
        copies=(
            copy(family, soname, f"/opt/cuda/lib64/{soname}", version=LibraryVersion(first), origin="toolkit"),
            copy(family, soname, f"{SITE}/nvidia/x/lib/{soname}", version=LibraryVersion(own), origin="pip"),
        ),
        search_path=search,
    )


@pytest.mark.parametrize(
    ("rule", "family", "soname", "first", "own"),
    [
        ("ld-path-shadows-cudnn", "cudnn", "libcudnn.so.9", "8.9.7", "9.1.0"),
        ("ld-path-shadows-nvidia-wheels", "nvjitlink", "libnvJitLink.so.12", "12.1.105", "12.4.127"),
    ],
)
def test_a_folder_of_the_variable_with_another_copy(rule: str, family: str, soname: str, first: str, own: str) -> None:
    machine = stack(RTX_4090, frameworks=frameworks(torch()))
    older = two_copies(family, soname, first, own, ("/opt/cuda/lib64/",))
    assert "/opt/cuda/lib64" in fires(rule, **machine | {"libraries": older}).fixes[0].title
    quiet(rule, **machine | {"libraries": two_copies(family, soname, first, own, ("/opt/other",))})
    quiet(rule, **machine | {"libraries": two_copies(family, soname, own, own, ("/opt/cuda/lib64",))})
    # Where the loader's search was followed, it knows better.
    followed = structs.replace(older, resolutions=(resolution("torch", soname, family, f"{SITE}/{soname}"),))
    quiet(rule, **machine | {"libraries": followed})


def test_the_version_of_the_own_copy_is_that_of_its_package() -> None:
    taken = resolution(
        "torch", "libnvJitLink.so.12", "nvjitlink", "/opt/cuda/lib64/libnvJitLink.so.12", version="12.1.105",
        via="LD_LIBRARY_PATH",
    )  # fmt: skip
    machine = stack(RTX_4090, frameworks=frameworks(torch()), libraries=libraries(taken, search=("/opt/cuda/lib64",)))
    newer = machine | {"packages": packages("nvidia-nvjitlink-cu12==12.4.127")}
    fires("ld-path-shadows-nvidia-wheels", **newer)
    quiet("ld-path-shadows-nvidia-wheels", **machine)
    quiet("ld-path-shadows-nvidia-wheels", **machine | {"packages": packages("nvidia-nvjitlink-cu12==12.1.105")})


# libcuda-stub


def test_a_stub_under_the_short_name_misleads_numba() -> None:
    stubs = "/usr/local/cuda-12.1/lib64/stubs"
    machine = stack(RTX_4090, libraries=libraries(search=(stubs, "/opt/lib")), packages=packages("numba==0.60.0"))
    assert settings(fires("libcuda-stub", **machine)) == {"LD_LIBRARY_PATH": "/opt/lib"}
    quiet("libcuda-stub", **machine | {"packages": packages("numpy==2.0.0")})
    quiet("libcuda-stub", **machine | {"libraries": libraries(search=("/opt/lib",))})
    real = driver(libraries=(library("libcuda.so.1"), library("libcuda.so", None)))
    quiet("libcuda-stub", **machine | {"driver": real})


# libstdcxx-too-old


def needs(version: str, has: str | None = "3.4.29") -> dict[str, object]:
    wanted = SymbolNeed(file="/x/ext.so", library="libstdc++.so.6", version=LibraryVersion(version))
    return stack(libraries=Libraries(glibcxx=has, libstdcxx="/env/lib/libstdc++.so.6", needs=(wanted,)))


def test_an_older_cpp_library() -> None:
    finding = fires("libstdcxx-too-old", **needs("3.4.32"))
    assert "GLIBCXX_3.4.32" in finding.summary
    conda = interpreter(environment="conda", prefix="/env")
    assert "libstdcxx-ng" in commands(fires("libstdcxx-too-old", **needs("3.4.30") | {"interpreter": conda}))[0]


@pytest.mark.parametrize(("version", "has"), [("3.4.29", "3.4.29"), ("3.4.9", "3.4.29"), ("3.4.32", None)])
def test_a_cpp_library_that_does(version: str, has: str | None) -> None:
    quiet("libstdcxx-too-old", **needs(version, has))


# Windows


TF_210 = tensorflow("2.10.0", "11.2", cudnn="8")
BIN = r"C:\CUDA\v11.2\bin"


def windows(**sections: object) -> dict[str, object]:
    copies = (copy("cudart", "cudart64_110.dll", rf"{BIN}\cudart64_110.dll", origin="toolkit"),)
    given = {"host": WINDOWS, "libraries": Libraries(copies=copies), "environ": environ(PATH=rf"{BIN};C:\Windows")}
    return stack(RTX_3090, frameworks=frameworks(TF_210), **given) | sections


def test_dlls_that_are_not_in_path() -> None:
    finding = fires("win-cudart-not-found", **windows(environ=environ(PATH=r"C:\Windows")))
    assert finding.confidence == "certain"
    quiet("win-cudart-not-found", **windows())
    quiet("win-cudart-not-found", **windows(environ=environ()))
    quiet("win-cudart-not-found", **windows(libraries=Libraries()))


def test_dlls_that_tensorflow_says_it_does_not_find() -> None:
    text = "Could not load dynamic library 'cudart64_110.dll'; dlerror: cudart64_110.dll not found"
    said = Live(symptoms=(Symptom(signature="tf-dll-missing", text=text),))
    assert fires("win-cudart-not-found", **windows(live=said)).confidence == "likely"
    own = toolkits(Toolkit(root=r"C:\CUDA\v11.2", version=CudaVersion("11.2")))
    finding = fires("win-cudart-not-found", **windows(live=said, libraries=Libraries(), toolkits=own))
    assert BIN in finding.evidence[0].value
    other = toolkits(Toolkit(root=r"C:\CUDA\v12.0", version=CudaVersion("12.0")))
    quiet("win-cudart-not-found", **windows(live=said, libraries=Libraries(), toolkits=other))
    sought = Libraries(dlls={"cudart64_110.dll": None})
    fires("win-cudart-not-found", **windows(libraries=sought, toolkits=own))
    quiet("win-cudart-not-found", **windows(libraries=Libraries(dlls={"cudart64_110.dll": BIN}), toolkits=own))


def test_python_of_the_store() -> None:
    store = interpreter(executable=r"C:\Users\me\AppData\Local\Microsoft\WindowsApps\python.exe")
    assert fires("win-cudart-not-found", **windows(interpreter=store)).confidence == "likely"


def test_the_dlls_that_paddle_cannot_locate() -> None:
    """github.com/PaddlePaddle/Paddle/issues/52865"""
    store = interpreter(executable=r"C:\Users\me\AppData\Local\Microsoft\WindowsApps\python.exe")
    paddle = Framework(name="paddle", version="2.4.2", variant="cuda", cuda=CudaVersion("11.6"))
    name = "cudnn_ops_infer64_8.dll"
    text = f"Could not locate {name}. Please make sure it is in your library path!"
    said = Symptom(signature="win-cudnn-dll", text=text, framework="paddle", where="smoke paddle")
    there = Libraries(copies=(copy("cudnn", name, rf"{BIN}\{name}", origin="toolkit"),))
    given = {"frameworks": frameworks(paddle), "live": Live(symptoms=(said,)), "libraries": there}
    finding = fires("win-cudart-not-found", **windows(interpreter=store, **given))
    assert "paddle 2.4.2" in finding.summary and "python.org" in str(finding.fixes)
    assert "closed off" not in fires("win-cudart-not-found", **windows(**given, environ=environ(PATH=r"C:\W"))).summary
    # Its folder is in PATH of a usual Python; it is not there; PyTorch has its own.
    quiet("win-cudart-not-found", **windows(**given))
    quiet("win-cudart-not-found", **windows(interpreter=store, **given | {"libraries": Libraries()}))
    of_torch = Live(symptoms=(structs.replace(said, framework="torch"),))
    both = {"frameworks": frameworks(paddle, torch("2.1.0")), "live": of_torch}
    quiet("win-cudart-not-found", **windows(interpreter=store, **given | both))


def test_dlls_that_are_nowhere() -> None:
    machine = windows(libraries=Libraries(), toolkits=toolkits())
    assert "cudart64_110.dll" in fires("tf-soname-missing", **machine).summary
    quiet("tf-soname-missing", **machine | {"toolkits": toolkits(toolkit("11.2", root=r"C:\CUDA\v11.2"))})
    quiet("tf-soname-missing", **machine | {"frameworks": frameworks(tensorflow("2.15.0", None))})
    quiet("tf-soname-missing", **windows())


def dlls(**found: str | None) -> Libraries:
    return Libraries(dlls={name.replace("__", "."): path for name, path in found.items()})


def test_the_cpp_runtime() -> None:
    gone = dlls(vcruntime140__dll=r"C:\x", vcruntime140_1__dll=None)
    machine = stack(RTX_3090, frameworks=frameworks(torch()), host=WINDOWS, libraries=gone)
    assert "vcruntime140_1.dll" in fires("win-dll-126", **machine).summary
    quiet("win-dll-126", **machine | {"libraries": dlls(vcruntime140__dll=r"C:\x")})
    quiet("win-dll-126", **machine | {"libraries": Libraries()})


def test_libomp140() -> None:
    gone = Libraries(dlls={"libomp140.x86_64.dll": None})
    machine = stack(RTX_3090, frameworks=frameworks(torch("2.4.0+cu124")), host=WINDOWS, libraries=gone)
    assert "torch==2.4.1+cu124" in commands(fires("win-libomp140-missing", **machine))[0]
    quiet("win-libomp140-missing", **machine | {"frameworks": frameworks(torch("2.4.1+cu124"))})
    quiet("win-libomp140-missing", **machine | {"libraries": Libraries(dlls={"libomp140.x86_64.dll": r"C:\x"})})


@pytest.mark.parametrize(("version", "speaks"), [("8.2.1", False), ("8.3.0", True), ("8.9.7", True), ("9.1.0", False)])
def test_zlibwapi(version: str, speaks: bool) -> None:
    cudnn = copy("cudnn", "cudnn64_8.dll", r"C:\cudnn64_8.dll", version=LibraryVersion(version), origin="toolkit")
    machine = windows(libraries=Libraries(copies=(cudnn,), dlls={"zlibwapi.dll": None}))
    (fires if speaks else quiet)("win-zlibwapi-missing", **machine)
    quiet("win-zlibwapi-missing", **windows(libraries=Libraries(copies=(cudnn,), dlls={})))
    paddle = machine | {"frameworks": None, "packages": packages("paddlepaddle-gpu==2.5.1")}
    (fires if speaks else quiet)("win-zlibwapi-missing", **paddle)
    quiet("win-zlibwapi-missing", **paddle | {"packages": packages("numpy==1.26.4")})


def test_two_cudnn_of_one_name_on_windows() -> None:
    def held(version: str, path: str, origin: str) -> object:
        return copy("cudnn", "cudnn64_8.dll", path, version=LibraryVersion(version), origin=origin)

    two = Libraries(copies=(held("8.4.0", r"C:\CUDA\cudnn64_8.dll", "toolkit"), held("8.2.1", r"C:\torch", "bundled")))
    machine = windows(libraries=two, packages=packages("dlib==19.24.0"))
    assert fires("cudnn-two-copies", **machine).severity == "error"
    quiet("cudnn-two-copies", **machine | {"packages": packages("numpy==1.26.0")})
    same = Libraries(copies=(held("8.2.1", r"C:\CUDA\cudnn64_8.dll", "toolkit"), held("8.2.1", r"C:\torch", "bundled")))
    quiet("cudnn-two-copies", **machine | {"libraries": same})


# venv-lib64-split


def split(where: str) -> dict[str, object]:
    installed = (
        Package(name="torch", version="2.6.0", location="/v/lib64/python3.12/site-packages"),
        Package(name="nvidia-cublas-cu12", version="12.4.5.8", location=where),
    )
    gone = libraries(resolution("torch", "libcublas.so.12", "cublas"))
    return stack(RTX_4090, frameworks=frameworks(torch()), packages=Packages(installed=installed), libraries=gone)


def test_an_environment_in_two_folders() -> None:
    machine = split("/v/lib/python3.12/site-packages")
    assert "tf-soname-missing" in fires("venv-lib64-split", **machine).explains
    quiet("venv-lib64-split", **split("/v/lib64/python3.12/site-packages"))
    found = libraries(resolution("torch", "libcublas.so.12", "cublas", f"{SITE}/libcublas.so.12"))
    quiet("venv-lib64-split", **machine | {"libraries": found})
    text = "ImportError: libcudnn.so.9: cannot open shared object file: No such file or directory"
    said = Live(symptoms=(Symptom(signature="cudnn-file-missing", text=text),))
    fires("venv-lib64-split", **machine | {"libraries": found, "live": said})
