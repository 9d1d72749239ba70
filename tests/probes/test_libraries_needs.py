"""What compiled files need of the C and C++ libraries, the link libcuda.so, and Windows' DLLs."""

from pathlib import Path

import pytest

from gpudoctor.facts.python import Interpreter
from gpudoctor.facts.versions import LibraryVersion
from gpudoctor.host.real import RealHost
from gpudoctor.host.recorded import RecordedHost
from gpudoctor.probes.libraries.places import places
from gpudoctor.probes.libraries.probe import compiled_here, find_dlls, has_libcuda_link, needs_of
from gpudoctor.probes.loader.machine import Machine
from gpudoctor.probes.toolkits.version import read_ptxas_version
from tests.probes.compiled import build_library, needs_compiler

PYTHON = Interpreter(executable="/usr/bin/python3", chosen_by="PATH", version="3.11.4")
WINDOWS = Interpreter(
    executable=r"C:\Py\python.exe", chosen_by="PATH", site_dirs=(r"C:\Py\Lib\site-packages",), base_prefix=r"C:\Py"
)


def test_this_python_needs_some_glibc() -> None:
    import sys

    needs = needs_of(RealHost(), str(Path(sys.executable).resolve()))
    libc = [need for need in needs if need.library == "libc.so.6"]
    if not sys.platform.startswith("linux") or not libc:
        pytest.skip("a static Python, or not on Linux")
    assert LibraryVersion("2.2") < libc[0].version < LibraryVersion("3")


@needs_compiler
def test_a_file_in_c_needs_no_cpp_library(tmp_path: Path) -> None:
    build_library(tmp_path / "libbare.so.1")
    assert {need.library for need in needs_of(RealHost(), str(tmp_path / "libbare.so.1"))} <= {"libc.so.6"}
    assert needs_of(RealHost(), str(tmp_path / "gone.so")) == ()


def test_extensions_that_torch_compiled_for_this_python() -> None:
    names = ("py311_cu124/gym/gym.so", "py310_cu124/old/old.so", "py311_cu124/half/lock")
    host = RecordedHost({f"/home/me/.cache/torch_extensions/{name}": "" for name in names}, env={"HOME": "/home/me"})
    assert compiled_here(host, PYTHON) == ("/home/me/.cache/torch_extensions/py311_cu124/gym/gym.so",)
    assert compiled_here(RecordedHost(env={}), PYTHON) == ()


@pytest.mark.parametrize(
    ("files", "env", "expected"),
    [
        (("/opt/d/libcuda.so.1",), {"LD_LIBRARY_PATH": "/opt/d"}, False),
        (("/opt/d/libcuda.so.1", "/opt/d/libcuda.so"), {"LD_LIBRARY_PATH": "/opt/d"}, True),
        (("/opt/d/libcuda.so.1", "/s/libcuda.so"), {"LD_LIBRARY_PATH": "/opt/d", "LIBRARY_PATH": "/s"}, True),
        (("/opt/d/libcuda.so",), {"LD_LIBRARY_PATH": "/opt/d"}, None),
        ((), {}, None),
    ],
)
def test_the_link(files: tuple[str, ...], env: dict[str, str], expected: bool | None) -> None:
    assert has_libcuda_link(Machine(RecordedHost(dict.fromkeys(files, ""), env=env))) is expected


def test_dlls_of_windows() -> None:
    files = {
        r"C:\Windows\System32\VCRUNTIME140.dll": "",
        r"C:\Py\vcruntime140_1.dll": "",
        r"C:\Py\Lib\site-packages\torch\lib\zlibwapi.dll": "",
        r"D:\tools\msvcp140.dll": "",
    }
    host = RecordedHost(files, env={"PATH": r"D:\tools;", "SYSTEMROOT": r"C:\Windows"}, platform="win32", cwd="C:\\")
    found = find_dlls(host, WINDOWS)
    assert found["vcruntime140.dll"] == r"C:\Windows\System32\VCRUNTIME140.dll"
    assert found["vcruntime140_1.dll"] == r"C:\Py\vcruntime140_1.dll"
    assert found["msvcp140.dll"] == r"D:\tools\msvcp140.dll"
    assert found["zlibwapi.dll"] is not None
    assert found["libomp140.x86_64.dll"] is None


def test_places_on_windows() -> None:
    toolkit = r"C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v11.2\bin"
    host = RecordedHost(
        {rf"{toolkit}\cudart64_110.dll": ""}, env={"PATH": "D:\\cudnn\\bin"}, platform="win32", cwd="C:\\"
    )
    found = {place.directory: place.origin for place in places(host, WINDOWS, Machine(host))}
    assert found[toolkit] == "toolkit"
    assert "D:\\cudnn\\bin" in found


@pytest.mark.parametrize(
    ("ptxas", "files", "expected"),
    [
        (
            "/usr/local/cuda-12.6/bin/ptxas",
            {
                "/usr/local/cuda-12.6/version.json": '{"cuda": {"version": "12.6.3"}, '
                '"cuda_nvcc": {"version": "12.6.85"}}'
            },
            "12.6.85",
        ),
        (
            "/v/lib/python3.12/site-packages/nvidia/cuda_nvcc/bin/ptxas",
            {"/v/lib/python3.12/site-packages/nvidia_cuda_nvcc_cu12-12.8.93.dist-info/METADATA": ""},
            "12.8.93",
        ),
        ("/env/bin/ptxas", {"/env/conda-meta/cuda-nvcc-tools-12.4.131-h02f8991_0.json": ""}, "12.4.131"),
        ("/usr/local/cuda/bin/ptxas", {"/usr/local/cuda/version.txt": "CUDA Version 10.2.89"}, "10.2.89"),
        ("/usr/bin/ptxas", {}, None),
    ],
)
def test_version_of_ptxas(ptxas: str, files: dict[str, str], expected: str | None) -> None:
    assert read_ptxas_version(RecordedHost({ptxas: "", **files}), ptxas) == expected
