"""What is said of real environments of several gigabytes, against what the real programs do in them.

The variable GPUDOCTOR_TEST_ENVS names a folder with virtual environments in it; see ENVIRONMENTS for what each holds.
"""

import os
import re
import subprocess
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import pytest

from gpudoctor.facts.libraries import Libraries
from gpudoctor.facts.python import Frameworks, Interpreter, Packages
from gpudoctor.host.real import RealHost
from gpudoctor.probes.elf import reader
from gpudoctor.probes.fatbin import architectures, sample
from gpudoctor.probes.frameworks import probe as frameworks
from gpudoctor.probes.libraries import probe as libraries
from gpudoctor.probes.packages import probe as packages
from gpudoctor.probes.target import probe as target

pytestmark = pytest.mark.full

#: Folder, and what is installed in it.
ENVIRONMENTS = {
    "tf221": "tensorflow[and-cuda]==2.21.0",
    "tf220torch": "tensorflow[and-cuda]==2.20.0 torch==2.15.0",
    "torchcpu": "torch==2.13.0+cpu tensorflow-cpu",
    "torch26": "torch==2.6.0",
    "jax": "jax[cuda12]",
}


class Seen(NamedTuple):
    interpreter: Interpreter
    packages: Packages
    frameworks: Frameworks
    libraries: Libraries


def python_of(name: str) -> str:
    folder = os.environ.get("GPUDOCTOR_TEST_ENVS")
    path = Path(folder or "/nonexistent") / name / "bin/python"
    if not path.exists():
        pytest.skip(f"GPUDOCTOR_TEST_ENVS has no {name} ({ENVIRONMENTS[name]})")
    return str(path)


@lru_cache
def look(name: str, **env: str) -> Seen:
    host = RealHost(env={"PATH": os.environ["PATH"], **env})
    interpreter = target.probe(host, target.choose(host, python_of(name)))
    assert isinstance(interpreter, Interpreter)
    installed = packages.probe(host, interpreter)
    assert isinstance(installed, Packages)
    found = frameworks.probe(host, interpreter, installed)
    assert isinstance(found, Frameworks)
    copies = libraries.probe(host, interpreter, installed, found)
    assert isinstance(copies, Libraries)
    return Seen(interpreter, installed, found, copies)


def mapped(name: str, script: str, **env: str) -> dict[str, str]:
    """The NVIDIA libraries that a real Python has mapped after `script`: file name → path."""
    told = "import sys\nfor line in open('/proc/self/maps'):\n    if '/' in line: print('MAP', line.split()[-1])\n"
    child = subprocess.run(
        [python_of(name), "-c", f"{script}\n{told}"],
        env={"PATH": os.environ["PATH"], **env},
        capture_output=True,
        text=True,
        check=True,
    )
    paths = {line[4:] for line in child.stdout.splitlines() if line.startswith("MAP ")}
    return {os.path.basename(path): path for path in paths if re.match(r"lib(cu|nv|nccl)", os.path.basename(path))}


def test_cusolver_is_missing_for_tensorflow_2_21_and_nothing_else() -> None:
    seen = look("tf221")
    assert [one.soname for one in seen.libraries.missing("tensorflow")] == ["libcusolver.so.11"]
    assert any(copy.soname == "libcusolver.so.11" and copy.origin == "pip" for copy in seen.libraries.copies)


def test_one_folder_in_ld_library_path_mends_tensorflow_2_21() -> None:
    copies = look("tf221").libraries.copies
    folder = next(os.path.dirname(copy.path) for copy in copies if copy.soname == "libcusolver.so.11")
    assert look("tf221", LD_LIBRARY_PATH=folder).libraries.missing("tensorflow") == ()


def test_torch_gets_the_cudnn_of_the_other_framework() -> None:
    seen = look("tf220torch")
    torch = seen.frameworks.get("torch")
    taken = seen.libraries.resolution("torch", "libcudnn.so.9")
    assert torch is not None
    assert taken is not None
    copy = next(copy for copy in seen.libraries.copies if copy.path == taken.path)
    assert (torch.version, torch.metadata_version) == ("2.15.0+cu132", "2.15.0")
    assert copy.dist == "nvidia-cudnn-cu12"
    assert str(copy.version) != torch.cudnn


def test_torch_for_the_processor() -> None:
    seen = look("torchcpu")
    torch, tensorflow = seen.frameworks.get("torch"), seen.frameworks.get("tensorflow")
    assert torch is not None
    assert tensorflow is not None
    assert (torch.variant, torch.cuda, torch.archs, tensorflow.variant) == ("cpu", None, None, "cpu")
    assert tensorflow.dist == "tensorflow-cpu"
    assert seen.libraries.resolutions == ()


def test_every_library_of_jax_is_found() -> None:
    assert look("jax").libraries.missing("jax-cuda-plugin") == ()


@pytest.mark.parametrize("name", ["tf220torch", "torch26"])
def test_torch_maps_what_we_say(name: str) -> None:
    real = mapped(name, "import torch")
    ours = {r.soname: r for r in look(name).libraries.resolutions or () if r.framework == "torch"}
    assert "libcudart.so.12" in real or "libcudart.so.13" in real
    for soname, path in real.items():
        if soname in ours:
            assert ours[soname].path == path
    unexplained = set(real) - set(ours) - {"libnvrtc-builtins.so.12"}
    assert not {one for one in unexplained if one.startswith(("libcud", "libcub", "libcus", "libcuf", "libnccl"))}


def test_torch_reports_the_architectures_we_read() -> None:
    script = "import torch; print('ARCHS', torch._C._cuda_getArchFlags())"
    child = subprocess.run([python_of("torch26"), "-c", script], capture_output=True, text=True, check=True)
    torch = look("torch26").frameworks.get("torch")
    assert torch is not None
    assert list(torch.archs or ()) == child.stdout.split()[1:]


def test_a_cudnn_in_ld_library_path_reaches_the_parts_of_torchs_own(tmp_path: Path) -> None:
    other = Path(python_of("tf221")).parent.parent
    folder = next(other.glob("lib/python3*/site-packages/nvidia/cudnn/lib"))
    for file in folder.glob("libcudnn*"):
        (tmp_path / file.name).symlink_to(file)
    real = mapped("torch26", "import torch; torch.backends.cudnn.version()", LD_LIBRARY_PATH=str(tmp_path))
    ours = look("torch26", LD_LIBRARY_PATH=str(tmp_path)).libraries
    for soname in ("libcudnn.so.9", "libcudnn_graph.so.9"):
        taken = ours.resolution("torch", soname)
        assert taken is not None
        assert os.path.realpath(taken.path or "") == os.path.realpath(real[soname])
    graph = ours.resolution("torch", "libcudnn_graph.so.9")
    assert graph is not None
    assert graph.shadows is not None


@pytest.mark.parametrize(
    ("name", "file"), [("torch26", "torch/lib/libtorch_cuda.so"), ("tf221", "tensorflow/libtensorflow_cc.so.2")]
)
def test_a_sample_of_the_kernels_tells_what_all_of_them_tell(name: str, file: str) -> None:
    path = next(Path(python_of(name)).parent.parent.glob(f"lib/python3*/site-packages/{file}"))
    read = reader(RealHost(), str(path))
    assert architectures(sample(read)) == architectures(sample(read, 1_000_000))


@pytest.mark.timed
@pytest.mark.parametrize("name", ["tf220torch", "tf221", "jax"])
def test_budget(name: str) -> None:
    seen, host = look(name), RealHost()
    spent = {
        "frameworks": median_ms(lambda: frameworks.probe(host, seen.interpreter, seen.packages)),
        "libraries": median_ms(lambda: libraries.probe(host, seen.interpreter, seen.packages, seen.frameworks)),
    }
    # Processor time, with room for slow machines; 2 and 8 ms were measured.
    assert spent["frameworks"] < 24, spent
    assert spent["libraries"] < 30, spent


def median_ms(work: Callable[[], object]) -> float:
    times = []
    for _ in range(7):
        start = time.process_time()
        work()
        times.append(1000 * (time.process_time() - start))
    return sorted(times)[3]
