import shutil
from pathlib import Path

import pytest

from gpudoctor.facts.libraries import Libraries, LibraryCopy, Resolution
from gpudoctor.facts.python import Framework, Frameworks, Packages
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.host.real import RealHost
from gpudoctor.host.recorded import RecordedHost
from gpudoctor.probes.libraries import probe as libraries
from gpudoctor.probes.libraries.copies import parse_header
from gpudoctor.probes.libraries.opened import Preloads, parse_preloads, sonames_for
from gpudoctor.sources.library_names import cuda_major_of, family_of, soname_of, version_in
from tests.probes.compiled import COMPILER, build_library, needs_compiler
from tests.probes.site_tree import interpreter_of, packages_of, write

#: The libraries of a CUDA 12 build: folder below nvidia, file.
CUDA_12 = (
    *(("cuda_runtime", "libcudart.so.12"), ("cublas", "libcublas.so.12"), ("cublas", "libcublasLt.so.12")),
    *(("cufft", "libcufft.so.11"), ("cusolver", "libcusolver.so.11"), ("cusparse", "libcusparse.so.12")),
    *(("cudnn", "libcudnn.so.9"), ("cudnn", "libcudnn_ops.so.9"), ("nvjitlink", "libnvJitLink.so.12")),
)
PACKAGES = (
    *("nvidia-cuda-runtime-cu12==12.4.127", "nvidia-cublas-cu12==12.4.5.8", "nvidia-cufft-cu12==11.2.1.3"),
    *("nvidia-cusolver-cu12==11.6.1.9", "nvidia-cusparse-cu12==12.3.1.170", "nvidia-cudnn-cu12==9.1.0.70"),
    "nvidia-nvjitlink-cu12==12.4.127",
)
HEADER = "#define CUDNN_MAJOR {}\n#define CUDNN_MINOR {}\n#define CUDNN_PATCHLEVEL {}\n"


class Tree:
    """An environment with TensorFlow and torch in small: real ELF files where the real ones are."""

    def __init__(self, root: Path) -> None:
        self.site = root / "site"
        nvidia = self.site / "nvidia"
        for folder, name in CUDA_12:
            needs = (nvidia / "nvjitlink/lib/libnvJitLink.so.12",) if name.startswith("libcusparse") else ()
            runpath = "$ORIGIN/../../nvjitlink/lib" if needs else "$ORIGIN" if folder == "cudnn" else ""
            if needs:
                build_library(needs[0])
            build_library(nvidia / folder / "lib" / name, runpath=runpath, needs=needs)
        paths = [f"$ORIGIN/../nvidia/{folder}/lib" for folder, _ in CUDA_12 if folder != "nvjitlink"]
        build_library(self.site / "tensorflow/libtensorflow_framework.so.2", runpath=":".join(paths))
        lost = [path for path in paths if "cusolver" not in path]
        build_library(root / "defect/libtensorflow_framework.so.2", runpath=":".join(lost))
        linked = tuple(nvidia / folder / "lib" / name for folder, name in CUDA_12[:-2] if name != "libcublasLt.so.12")
        rpath = ":".join(path.replace("..", "../..", 1) for path in paths)
        build_library(self.site / "torch/lib/libtorch_python.so", rpath=rpath, needs=linked)
        write(self.site, {"nvidia/cudnn/include/cudnn_version.h": HEADER.format(9, 1, 0)})
        self.other = root / "other"
        for name in ("libcudnn.so.9", "libcudnn_ops.so.9", "libnvJitLink.so.12"):
            build_library(self.other / "lib" / name)
        write(self.other, {"include/cudnn_version.h": HEADER.format(9, 28, 0)})


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    return Tree(tmp_path_factory.mktemp("built"))


@pytest.fixture
def tree(built: Tree, tmp_path: Path) -> Path:
    """A copy of the built site folder, to be changed at will."""
    shutil.copytree(built.site, tmp_path / "site")
    return tmp_path / "site"


def framework(site: Path, name: str, **fields) -> Framework:
    given = {"variant": "cuda", "cuda": CudaVersion("12.5"), "cudnn": "9", "version": "2.21.0", **fields}
    return Framework(name=name, location=str(site / name), **given)


def look(site: Path, *found: Framework, packages: Packages | None = None, **env: str) -> Libraries:
    interpreter = interpreter_of(site)
    result = libraries.probe(
        RealHost(env=env), interpreter, packages or packages_of(site, *PACKAGES), Frameworks(found=found)
    )
    assert isinstance(result, Libraries)
    return result


def got(result: Libraries, name: str, soname: str) -> Resolution:
    resolution = result.resolution(name, soname)
    assert resolution is not None, [(r.framework, r.soname) for r in result.resolutions or ()]
    return resolution


def copy_at(result: Libraries, path: Path) -> LibraryCopy:
    return next(copy for copy in result.copies if copy.path == str(path))


@needs_compiler
def test_tensorflow_finds_all_of_its_libraries(tree: Path) -> None:
    result = look(tree, framework(tree, "tensorflow"))
    assert result.missing("tensorflow") == ()
    cudnn = got(result, "tensorflow", "libcudnn.so.9")
    assert (cudnn.path, cudnn.via, cudnn.origin) == (str(tree / "nvidia/cudnn/lib/libcudnn.so.9"), "runpath", "pip")
    assert (str(cudnn.version), cudnn.how, cudnn.shadows) == ("9.1.0.70", "opened", None)
    assert {r.soname for r in result.resolutions or ()} == {name for _, name in CUDA_12}


@needs_compiler
def test_a_folder_left_out_of_runpath_is_found_missing(tree: Path, built: Tree) -> None:
    shutil.copy(built.site.parent / "defect/libtensorflow_framework.so.2", tree / "tensorflow")
    result = look(tree, framework(tree, "tensorflow"))
    assert [one.soname for one in result.missing("tensorflow")] == ["libcusolver.so.11"]
    assert copy_at(result, tree / "nvidia/cusolver/lib/libcusolver.so.11").dist == "nvidia-cusolver-cu12"
    mended = look(tree, framework(tree, "tensorflow"), LD_LIBRARY_PATH=str(tree / "nvidia/cusolver/lib"))
    assert mended.missing("tensorflow") == ()
    assert got(mended, "tensorflow", "libcusolver.so.11").shadows is None


@needs_compiler
def test_what_a_library_needs_in_turn_is_missed_too(tree: Path) -> None:
    (tree / "nvidia/nvjitlink/lib/libnvJitLink.so.12").unlink()
    missing = look(tree, framework(tree, "tensorflow")).missing("tensorflow")
    assert [(one.soname, one.how) for one in missing] == [("libnvJitLink.so.12", "linked")]
    assert missing[0].wanted_by == str(tree / "nvidia/cusparse/lib/libcusparse.so.12")


@needs_compiler
def test_ld_library_path_comes_before_runpath(tree: Path, built: Tree) -> None:
    result = look(tree, framework(tree, "tensorflow"), LD_LIBRARY_PATH=str(built.other / "lib"))
    cudnn = got(result, "tensorflow", "libcudnn.so.9")
    assert (cudnn.path, cudnn.via) == (str(built.other / "lib/libcudnn.so.9"), "LD_LIBRARY_PATH")
    assert str(cudnn.version) == "9.28.0"
    assert (cudnn.shadows, str(cudnn.shadows_version)) == (str(tree / "nvidia/cudnn/lib/libcudnn.so.9"), "9.1.0.70")
    assert result.search_path == (str(built.other / "lib"),)


@needs_compiler
def test_ld_library_path_does_not_come_before_rpath_but_reaches_what_is_opened_in_turn(tree: Path, built: Tree) -> None:
    result = look(tree, framework(tree, "torch"), LD_LIBRARY_PATH=str(built.other / "lib"))
    cudnn = got(result, "torch", "libcudnn.so.9")
    assert (cudnn.via, cudnn.how, cudnn.shadows) == ("rpath", "linked", None)
    part = got(result, "torch", "libcudnn_ops.so.9")
    assert (part.via, str(part.version), str(part.shadows_version)) == ("LD_LIBRARY_PATH", "9.28.0", "9.1.0.70")
    linker = got(result, "torch", "libnvJitLink.so.12")
    assert (linker.via, linker.shadows) == ("LD_LIBRARY_PATH", str(tree / "nvidia/nvjitlink/lib/libnvJitLink.so.12"))


PRELOADING = """
def _load_global_deps():
    try:
        ctypes.CDLL(global_deps_lib_path, mode=ctypes.RTLD_GLOBAL)
        if "libcudart.so" not in _maps:
            return
        _preload_cuda_deps("nvjitlink", "libnvJitLink.so.*[0-9]")
    except OSError as err:
        cuda_libs = {"cublas": "libcublas.so.*[0-9]", "cudnn": "libcudnn.so.*[0-9]"}
        for lib_folder, lib_name in cuda_libs.items():
            _preload_cuda_deps(lib_folder, lib_name)
"""
ALL_PRELOADING = """
def _preload_cuda_deps(err=None, required=True):
    cuda_libs = [("cublas", "libcublasLt.so.*[0-9]"), ("cusparse", "libcusparse.so.*[0-9]")]
    for lib_folder, lib_name in cuda_libs:
        _preload_cuda_lib(lib_folder, lib_name, required=required)
def _load_global_deps():
            _preload_cuda_deps(required=False)
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Preloads()),
        (
            PRELOADING,
            Preloads(
                afterwards=(("nvjitlink", "libnvJitLink.so.*[0-9]"),),
                condition="libcudart.so",
                as_help=(("cublas", "libcublas.so.*[0-9]"), ("cudnn", "libcudnn.so.*[0-9]")),
            ),
        ),
        (
            ALL_PRELOADING,
            Preloads(
                afterwards=(("cublas", "libcublasLt.so.*[0-9]"), ("cusparse", "libcusparse.so.*[0-9]")),
                required=False,
                as_help=(("cublas", "libcublasLt.so.*[0-9]"), ("cusparse", "libcusparse.so.*[0-9]")),
            ),
        ),
    ],
)
def test_parse_preloads(text: str, expected: Preloads) -> None:
    assert parse_preloads(text) == expected


@needs_compiler
@pytest.mark.parametrize("has_runtime", [True, False])
def test_what_torch_preloads_is_not_shadowed(tree: Path, built: Tree, has_runtime: bool) -> None:
    write(tree, {"torch/__init__.py": PRELOADING})
    runtime = (tree / "nvidia/cuda_runtime/lib/libcudart.so.12",) if has_runtime else ()
    rpath = "$ORIGIN/../../nvidia/cuda_runtime/lib"
    build_library(tree / "torch/lib/libtorch_global_deps.so", rpath=rpath, needs=runtime)
    result = look(tree, framework(tree, "torch"), LD_LIBRARY_PATH=str(built.other / "lib"))
    linker = got(result, "torch", "libnvJitLink.so.12")
    assert linker.via == ("path" if has_runtime else "LD_LIBRARY_PATH")
    assert (linker.shadows is None) == has_runtime
    if has_runtime:
        assert linker.wanted_by == str(tree / "torch/__init__.py")


@needs_compiler
def test_torch_helps_itself_where_its_own_path_does_not_lead(tree: Path) -> None:
    write(tree, {"torch/__init__.py": PRELOADING})
    build_library(tree / "torch/lib/libtorch_global_deps.so", needs=(tree / "nvidia/cublas/lib/libcublas.so.12",))
    result = look(tree, framework(tree, "torch"))
    assert got(result, "torch", "libcublas.so.12").via == "path"
    assert result.missing("torch") == ()


@needs_compiler
def test_torch_preloads_from_another_cuda_major(tree: Path) -> None:
    """CUDA 12 and 13 both have a libcusparse.so.12, and torch looks in CUDA 12's folder first."""
    write(tree, {"torch/__init__.py": ALL_PRELOADING})
    own = build_library(tree / "nvidia/cu13/lib/libcusparse.so.12")
    build_library(tree / "torch/lib/libtorch_global_deps.so")
    build_library(tree / "torch/lib/libtorch_python.so", rpath="$ORIGIN/../../nvidia/cu13/lib", needs=(own,))
    result = look(tree, framework(tree, "torch", cuda=CudaVersion("13.2")))
    taken = got(result, "torch", "libcusparse.so.12")
    assert taken.path == str(tree / "nvidia/cusparse/lib/libcusparse.so.12")
    assert copy_at(result, tree / "nvidia/cusparse/lib/libcusparse.so.12").cuda_major == 12


@needs_compiler
@pytest.mark.parametrize("through_link", [False, True])
def test_the_same_file_by_another_way_is_no_shadow(tree: Path, tmp_path: Path, through_link: bool) -> None:
    folder = tree / "nvidia/cudnn/lib"
    if through_link:
        (tmp_path / "link").symlink_to(folder)
        folder = tmp_path / "link"
    result = look(tree, framework(tree, "tensorflow"), LD_LIBRARY_PATH=str(folder))
    cudnn = got(result, "tensorflow", "libcudnn.so.9")
    assert (cudnn.via, cudnn.shadows) == ("LD_LIBRARY_PATH", None)


@needs_compiler
def test_preloading_shadows_even_rpath(tree: Path, built: Tree) -> None:
    other = built.other / "lib/libcudnn.so.9"
    result = look(tree, framework(tree, "torch"), LD_PRELOAD=str(other))
    assert got(result, "torch", "libcudnn.so.9").path == str(other)
    assert got(result, "torch", "libcudnn.so.9").shadows == str(tree / "nvidia/cudnn/lib/libcudnn.so.9")


@needs_compiler
def test_jax_loads_by_path_what_its_plugin_names(tree: Path, built: Tree) -> None:
    write(
        tree,
        {"jax_plugins/xla_cuda12/__init__.py": '  _load("cudnn", ["libcudnn.so.9"])\n  _load("cu13", ["libx.so.1"])\n'},
    )
    build_library(tree / "jax_plugins/xla_cuda12/xla_cuda_plugin.so", rpath="$ORIGIN/../../nvidia/cublas/lib")
    plugin = framework(tree, "jax-cuda-plugin", cuda=CudaVersion("12"), cudnn=None)
    result = look(tree, plugin, LD_LIBRARY_PATH=str(built.other / "lib"))
    cudnn = got(result, "jax-cuda-plugin", "libcudnn.so.9")
    assert (cudnn.via, cudnn.path, cudnn.shadows) == ("path", str(tree / "nvidia/cudnn/lib/libcudnn.so.9"), None)
    assert got(result, "jax-cuda-plugin", "libcublas.so.12").via == "rpath"
    assert "libcufft.so.11" in {one.soname for one in result.missing("jax-cuda-plugin")}


@needs_compiler
def test_builds_without_cuda_have_no_resolutions(tree: Path) -> None:
    result = look(tree, framework(tree, "torch", variant="cpu"), framework(tree, "tensorflow", variant="rocm"))
    assert result.resolutions == ()
    assert result.copies != ()


@needs_compiler
@pytest.mark.parametrize(
    ("driver", "beside", "expected"),
    [
        (("libcuda.so.1",), (), {"torch": None}),
        (("libcuda.so.1", "libcuda.so"), (), {"torch": "driver/libcuda.so"}),
        (("libcuda.so.1",), ("libcuda.so",), {"torch": "site/nvidia/cudnn/lib/libcuda.so"}),
        ((), (), None),
    ],
)
def test_where_cudnn_8_finds_the_driver_without_a_version(
    tmp_path: Path, driver: tuple[str, ...], beside: tuple[str, ...], expected: dict[str, str | None] | None
) -> None:
    cudnn = tmp_path / "site/nvidia/cudnn/lib"
    for name in ("libcudnn.so.8", "libcudnn_cnn_infer.so.8", *beside):
        build_library(cudnn / name, runpath="$ORIGIN")
    needs = (cudnn / "libcudnn.so.8",)
    build_library(tmp_path / "site/torch/lib/libtorch_python.so", rpath="$ORIGIN/../../nvidia/cudnn/lib", needs=needs)
    for name in driver:
        build_library(tmp_path / "driver" / name)
    result = look(tmp_path / "site", framework(tmp_path / "site", "torch"), LD_LIBRARY_PATH=str(tmp_path / "driver"))
    found = result.libcuda_of_cudnn
    assert (found and {name: path and path.removeprefix(f"{tmp_path}/") for name, path in found.items()}) == expected


@needs_compiler
@pytest.mark.parametrize(
    ("version", "named", "expected"),
    [("13.6.0", False, [None]), ("13.6.0", True, ["site/nvidia/cuda_nvrtc/lib/libnvrtc.so.12"]), ("14.0.1", False, [])],
)
def test_cupy_opens_its_compiler_where_the_loader_looks(
    tmp_path: Path, version: str, named: bool, expected: list[str | None]
) -> None:
    """Up to 13 it does not know of pip's packages: that the file is installed does not help."""
    site = tmp_path / "site"
    lib = site / "nvidia/cuda_nvrtc/lib"
    build_library(lib / "libnvrtc.so.12")
    cupy = framework(site, "cupy", version=version, cuda=CudaVersion("12"), cudnn=None)
    result = look(site, cupy, **({"LD_LIBRARY_PATH": str(lib)} if named else {}))
    assert [one.path and one.path.removeprefix(f"{tmp_path}/") for one in result.resolutions or ()] == expected
    assert [copy.soname for copy in result.copies if copy.family == "nvrtc"] == ["libnvrtc.so.12"]


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_no_walk_where_there_is_no_elf_loader(tmp_path: Path, platform: str) -> None:
    host = RealHost(env={})
    host.platform = platform
    result = libraries.probe(host, interpreter_of(tmp_path), Packages(), None)
    assert isinstance(result, Libraries)
    assert (result.resolutions, result.glibcxx) == (None, None)


def test_two_owners_are_told_apart_by_the_header(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"nvidia/cudnn/lib/libcudnn.so.9": "", "nvidia/cudnn/include/cudnn_version.h": HEADER.format(9, 28, 0)},
    )
    packages = packages_of(tmp_path, "nvidia-cudnn-cu12==9.28.0.42", "nvidia-cudnn-cu13==9.26.0.51")
    copy = copy_at(look(tmp_path, packages=packages), tmp_path / "nvidia/cudnn/lib/libcudnn.so.9")
    assert (copy.dist, str(copy.version), copy.cuda_major) == ("nvidia-cudnn-cu12", "9.28.0.42", 12)


@pytest.mark.parametrize(
    ("packages", "version", "dist"),
    [
        (("nvidia-cudnn-cu12==9.1.0.70",), "9.1.0.70", "nvidia-cudnn-cu12"),
        (("nvidia-cudnn-cu12==9.1.0.70", "nvidia-cudnn-cu13==9.1.0.70"), "9.1.0.70", None),  # cannot be told
        (("nvidia-cudnn-cu12==9.3.0.75",), "9.1.0", None),  # the file is of another installation
        ((), "9.1.0", None),
    ],
)
def test_version_of_cudnn(tmp_path: Path, packages: tuple[str, ...], version: str, dist: str | None) -> None:
    write(
        tmp_path, {"nvidia/cudnn/lib/libcudnn.so.9": "", "nvidia/cudnn/include/cudnn_version.h": HEADER.format(9, 1, 0)}
    )
    copy = copy_at(
        look(tmp_path, packages=packages_of(tmp_path, *packages)), tmp_path / "nvidia/cudnn/lib/libcudnn.so.9"
    )
    assert (str(copy.version), copy.dist) == (version, dist)


def test_folders_of_cuda_13(tmp_path: Path) -> None:
    write(tmp_path, {"nvidia/cu13/lib/libcublas.so.13": "", "nvidia/cu13/lib/libcusparse.so.12": ""})
    packages = packages_of(
        tmp_path, "nvidia-cublas==13.4.1.3", "nvidia-cusparse==12.7.10.12", "nvidia-cusparse-cu12==12.5.10.65"
    )
    result = look(tmp_path, packages=packages)
    cublas = copy_at(result, tmp_path / "nvidia/cu13/lib/libcublas.so.13")
    cusparse = copy_at(result, tmp_path / "nvidia/cu13/lib/libcusparse.so.12")
    assert (cublas.dist, str(cublas.version), cublas.cuda_major) == ("nvidia-cublas", "13.4.1.3", 13)
    assert (cusparse.dist, str(cusparse.version), cusparse.cuda_major) == ("nvidia-cusparse", "12.7.10.12", 13)


def test_copies_of_a_toolkit_and_of_ld_library_path(tmp_path: Path) -> None:
    folder = tmp_path / "cuda-12.4/lib64"
    write(
        folder,
        {"libcublas.so.12.4.5.8": "", "stubs/libcuda.so": "", "libcudnn.so.9.1.0": "", "libcudnn_ops.so.9.1.0": ""},
    )
    for name, target in (("libcublas.so.12", "libcublas.so.12.4.5.8"), ("libcublas.so", "libcublas.so.12")):
        (folder / name).symlink_to(target)
    result = look(tmp_path / "site", LD_LIBRARY_PATH=f"{folder}:{folder}/stubs")
    cublas = copy_at(result, folder / "libcublas.so.12")
    assert (str(cublas.version), cublas.origin, cublas.cuda_major) == ("12.4.5.8", "toolkit", 12)
    cudnn = copy_at(result, folder / "libcudnn.so.9.1.0")
    assert (str(cudnn.version), cudnn.soname) == ("9.1.0", "libcudnn.so.9")
    stub = copy_at(result, folder / "stubs/libcuda.so")
    assert (stub.family, stub.version) == ("cuda", None)
    assert len([copy for copy in result.copies if str(folder) in copy.path]) == 3


def test_copies_of_a_conda_environment(tmp_path: Path) -> None:
    write(tmp_path, {"lib/libcudnn.so.9.3.0": "", "lib/libcudart.so.12.6.77": ""})
    (tmp_path / "lib/libcudnn.so.9").symlink_to("libcudnn.so.9.3.0")
    interpreter = interpreter_of(tmp_path / "lib/python3.12/site-packages", prefix=str(tmp_path), environment="conda")
    result = libraries.probe(RealHost(env={}), interpreter, Packages(), None)
    assert isinstance(result, Libraries)
    cudnn = copy_at(result, tmp_path / "lib/libcudnn.so.9")
    assert (str(cudnn.version), cudnn.origin) == ("9.3.0", "conda")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ()),
        ("", ()),
        ("/a:/b", ("/a", "/b")),
        ("/a::/b", ("/a", ".", "/b")),
        ("/a:", ("/a", ".")),
        ("/a;/b", ("/a", "/b")),
    ],
)
def test_search_path(tmp_path: Path, value: str | None, expected: tuple[str, ...]) -> None:
    env = {} if value is None else {"LD_LIBRARY_PATH": value}
    assert look(tmp_path, **env).search_path == expected


@pytest.mark.skipif(COMPILER is None or not Path("/usr/bin/env").exists(), reason="needs a C++ library")
def test_the_cpp_library(tmp_path: Path) -> None:
    result = look(tmp_path)
    if result.libstdcxx is not None:
        assert result.glibcxx is not None
        assert result.glibcxx.startswith("3.4.")


@pytest.mark.parametrize(
    ("name", "family", "soname", "version", "major"),
    [
        ("libcublas.so.12", "cublas", "libcublas.so.12", None, 12),
        ("libcublas.so.12.4.5.8", "cublas", "libcublas.so.12", "12.4.5.8", 12),
        ("libcublasLt.so.13", "cublaslt", "libcublasLt.so.13", None, 13),
        ("libcudart.so.11.0", "cudart", "libcudart.so.11.0", None, 11),
        ("libcudart.so.12.6.77", "cudart", "libcudart.so.12", "12.6.77", 12),
        ("libcusolver.so.11", "cusolver", "libcusolver.so.11", None, None),  # CUDA 11 and 12
        ("libcusparse.so.12", "cusparse", "libcusparse.so.12", None, None),  # CUDA 12 and 13
        ("libcusparseLt.so.0", "cusparselt", "libcusparseLt.so.0", None, None),
        ("libcurand.so.10", "curand", "libcurand.so.10", None, None),
        ("libcufft.so.11", "cufft", "libcufft.so.11", None, 12),
        ("libcudnn.so.9", "cudnn", "libcudnn.so.9", None, None),
        ("libcudnn_engines_precompiled.so.9", "cudnn", "libcudnn_engines_precompiled.so.9", None, None),
        ("libcudnn.so.8.9.7", "cudnn", "libcudnn.so.8", "8.9.7", None),
        ("libnccl.so.2.21.5", "nccl", "libnccl.so.2", "2.21.5", None),
        ("libnvJitLink.so.12", "nvjitlink", "libnvJitLink.so.12", None, 12),
        ("libnvinfer.so.10", "tensorrt", "libnvinfer.so.10", None, None),
        ("cudnn64_9.dll", "cudnn", "cudnn64_9.dll", None, None),
        ("cublas64_12.dll", "cublas", "cublas64_12.dll", None, None),
        ("libtorch_cuda.so", None, "libtorch_cuda.so", None, None),
        ("libcudadevrt.a", None, "libcudadevrt.a", None, None),
        ("libcurl.so.4", None, "libcurl.so.4", None, None),
        ("", None, "", None, None),
    ],
)
def test_names(name: str, family: str | None, soname: str, version: str | None, major: int | None) -> None:
    found = version_in(name)
    assert (family_of(name), soname_of(name), cuda_major_of(name)) == (family, soname, major)
    if family:
        assert (str(found) if found else None) == version


@pytest.mark.parametrize(
    ("cuda", "cudnn", "curand", "expected"),
    [
        (
            "12.5",
            "9",
            False,
            "cudart.so.12 cublas.so.12 cublasLt.so.12 cufft.so.11 cusolver.so.11 cusparse.so.12 cudnn.so.9",
        ),
        (
            "13.0",
            "9",
            False,
            "cudart.so.13 cublas.so.13 cublasLt.so.13 cufft.so.12 cusolver.so.12 cusparse.so.12 cudnn.so.9",
        ),
        # The eight names TensorFlow 2.4 prints when it does not find them.
        (
            "11.0",
            "8",
            True,
            (
                "cudart.so.11.0 cublas.so.11 cublasLt.so.11 cufft.so.10 cusolver.so.10 cusparse.so.11 curand.so.10 "
                "cudnn.so.8"
            ),
        ),
        (
            "11.2",
            "8.1",
            False,
            "cudart.so.11.0 cublas.so.11 cublasLt.so.11 cufft.so.10 cusolver.so.11 cusparse.so.11 cudnn.so.8",
        ),
        ("9.0", "7", True, ""),
        (None, "9", False, ""),
    ],
)
def test_sonames(cuda: str | None, cudnn: str, curand: bool, expected: str) -> None:
    names = sonames_for(CudaVersion(cuda) if cuda else None, cudnn, curand=curand)
    assert names == tuple(f"lib{name}" for name in expected.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HEADER.format(9, 28, 0), "9.28.0"),
        ("  #  define CUDNN_MAJOR 8\n#define CUDNN_MINOR 9\n#define CUDNN_PATCHLEVEL 7 // x", "8.9.7"),
        ("#define CUDNN_MAJOR 8\n", None),
        ("", None),
    ],
)
def test_parse_header(text: str, expected: str | None) -> None:
    found = parse_header(text, ("CUDNN_MAJOR", "CUDNN_MINOR", "CUDNN_PATCHLEVEL"))
    assert (str(found) if found else None) == expected


def test_a_recording_without_the_environments_files_is_survived() -> None:
    interpreter = interpreter_of(Path("/opt/env/lib/python3.12/site-packages"))
    packages = packages_of(Path("/opt/env/lib/python3.12/site-packages"), "torch==2.6.0+cu124", *PACKAGES)
    torch = Framework(
        name="torch", version="2.6.0+cu124", variant="cuda", cuda=CudaVersion("12.4"), location="/opt/env/torch"
    )
    for host in (
        RecordedHost({}),
        RecordedHost({}, gaps={"/opt": "permission denied"}),
        RecordedHost({}, platform="win32"),
    ):
        result = libraries.probe(host, interpreter, packages, Frameworks(found=(torch,)))
        assert isinstance(result, Libraries)
        assert result.missing("torch") == ()
        assert result.copies == ()


def test_an_interpreter_that_is_no_elf_file_says_nothing_of_the_cpp_library(tmp_path: Path) -> None:
    write(tmp_path, {"python": "#!/bin/sh\n"})
    interpreter = interpreter_of(tmp_path).__class__(executable=str(tmp_path / "python"), chosen_by="--python")
    result = libraries.probe(RealHost(env={}), interpreter, Packages(), None)
    assert isinstance(result, Libraries)
    assert (result.libstdcxx, result.glibcxx) == (None, None)


@needs_compiler
def test_modules_of_every_package_that_are_linked_to_cuda(tree: Path, built: Tree, tmp_path: Path) -> None:
    lost = build_library(tmp_path / "gone/libcudart.so.11.0")
    here = tree / "nvidia/cuda_runtime/lib/libcudart.so.12"
    ending = "cpython-311-x86_64-linux-gnu.so"
    for name, needs in (("rasteriser", lost), ("splat", here)):
        build_library(tree / name / f"_ops.{ending}", needs=(needs,))
        build_library(tree / name / f"_plain.{ending}")
        (tree / f"{name}-0.1.dist-info").mkdir()
        lines = [f"{name}/{part}.{ending},sha256=x,1" for part in ("_ops", "_plain")]
        (tree / f"{name}-0.1.dist-info/RECORD").write_text("\n".join(lines) + "\n")
    lost.unlink()
    packages = packages_of(tree, *PACKAGES, "rasteriser==0.1", "splat==0.1")
    result = look(tree, framework(tree, "torch"), packages=packages)
    found = {one.package: (one.needs, one.absent) for one in result.extensions or ()}
    assert found == {
        "rasteriser": (("libcudart.so.11.0",), ("libcudart.so.11.0",)),
        "splat": (("libcudart.so.12",), ()),
    }
    # A package that is known by name, but whose libraries are not played, is looked at like any other.
    known = look(tree, framework(tree, "torch"), Framework(name="rasteriser", variant="cuda"), packages=packages)
    assert known.extensions == result.extensions


@needs_compiler
@pytest.mark.parametrize(
    ("folder", "variables", "absent"),
    [
        ("usr/local/cuda-11.8/lib64", {}, True),
        ("usr/local/cuda-11.8/lib64", {"LD_LIBRARY_PATH": "{folder}"}, False),
        ("site/nvidia/cuda_runtime/lib", {}, False),
    ],
    ids=["a toolkit's, off the path", "a toolkit's, on the path", "of the environment"],
)
def test_a_copy_counts_where_the_module_would_get_it(
    tree: Path, built: Tree, tmp_path: Path, folder: str, variables: dict[str, str], absent: bool
) -> None:
    """By the loader, or because the package may open what lies in its own environment. The module has a plain name."""
    where = tree / folder.removeprefix("site/") if folder.startswith("site/") else tmp_path / folder
    wanted = build_library(where / "libcudart.so.11.0")
    build_library(tree / "rasteriser/_scatter_cuda.so", needs=(wanted,))
    (tree / "rasteriser-0.1.dist-info").mkdir()
    (tree / "rasteriser-0.1.dist-info/RECORD").write_text("rasteriser/_scatter_cuda.so,sha256=x,1\n")
    env = {name: value.format(folder=where) for name, value in variables.items()}
    result = look(tree, framework(tree, "torch"), packages=packages_of(tree, *PACKAGES, "rasteriser==0.1"), **env)
    (found,) = result.extensions or ()
    assert found.needs == ("libcudart.so.11.0",)
    assert bool(found.absent) is absent


@needs_compiler
def test_a_module_that_was_built_for_another_torch(tree: Path, built: Tree, tmp_path: Path) -> None:
    """It is linked to a library that this torch does not have; without a torch that is played nobody can tell."""
    gone = build_library(tmp_path / "gone/libtorch_cuda_cpp.so")
    build_library(tree / "flash_attn_2_cuda.cpython-311-x86_64-linux-gnu.so", needs=(gone,))
    (tree / "flash_attn-2.5.9.dist-info").mkdir()
    record = "flash_attn_2_cuda.cpython-311-x86_64-linux-gnu.so,sha256=x,1\n"
    (tree / "flash_attn-2.5.9.dist-info/RECORD").write_text(record)
    gone.unlink()
    packages = packages_of(tree, *PACKAGES, "flash-attn==2.5.9")
    (found,) = look(tree, framework(tree, "torch"), packages=packages).extensions or ()
    assert found.absent == ("libtorch_cuda_cpp.so",)
    assert look(tree, packages=packages).extensions == ()
