"""Thirty broken environments and what is to become of each, written down before gpudoctor saw any of them.

Nineteen are as in a hostile test of an early state, eleven were added. Each says how it is made from the package index,
how it is broken, the cause that is to come first, and a program that runs only where the fault is gone: gpudoctor's own
word on a cure does not count.
"""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.e2e.broken import Built, Copy, Patient
from tests.e2e.ways_to_mend import all_of, content, cut, gone, installed, left_over, of_another_python, uninstalled


class Case(NamedTuple):
    """One environment, broken."""

    make: Callable[[Path], Patient]
    break_it: Callable[[Patient], object]
    #: Names of rules; any of them first.
    truth: tuple[str, ...]
    #: Runs with exit code 0 where it is mended.
    cured: str
    #: A pretended GPU, and its driver.
    gpu: str | None = None
    driver: str = "580.95.05"
    env: dict[str, str] = {}
    #: Only its owner can mend it: what is right is to say so, and change nothing.
    by_hand: bool = False


def pip(*wanted: str, python: int = 11) -> Callable[[Path], Patient]:
    """An environment with pip."""
    return uv("pip", *wanted, python=python)


def uv(*wanted: str, python: int = 11) -> Callable[[Path], Patient]:
    """An environment of uv, without pip."""

    def make(folder: Path) -> Patient:
        patient = Built(folder, (3, python))
        if wanted:
            patient.uv("install", *wanted)
        return patient

    return make


def live(name: str, *only: str) -> Callable[[Path], Patient]:
    """A copy of an environment of the tests."""
    return lambda folder: Copy(name, folder, only=only)


def nothing(_: Patient) -> None:
    """It is broken as it was made."""


def numpy_elsewhere(patient: Patient) -> None:
    """An old NumPy in a folder of the user's, which PYTHONPATH puts first."""
    folder = patient.folder.parent / "old"
    patient.uv("install", "--no-deps", "--target", str(folder), "numpy==1.24.4")
    patient.env["PYTHONPATH"] = str(folder)


def tensorflow_taken_away(patient: Patient) -> None:
    """tensorflow over tensorflow-cpu, and uninstalled again: it takes the files of both."""
    patient.uv("install", "--no-deps", "tensorflow==2.18.1")
    patient.uv("uninstall", "tensorflow")


def imports(*names: str, then: str = "") -> str:
    """A program that imports them."""
    return "\n".join((*(f"import {name}" for name in names), then))


JAX_RUNS = imports("jax", then="import jax.numpy as n\nassert float(n.ones((3, 3)).sum()) == 9")
TF_RUNS = imports("tensorflow", then="assert float(tensorflow.reduce_sum(tensorflow.ones((3, 3)))) == 9")
CUDNN = "import ctypes, glob, sysconfig\n[found] = glob.glob(sysconfig.get_path('purelib') + '/nvidia/cudnn/lib/"
PARTS = "from importlib.metadata import version as v\n"
JAX_CUDA = ("jax[cuda12]==0.6.2",)

#: Made after the classes of the thirty were mended, and run once.
TEN = {
    "pandas compiled for NumPy 1": Case(
        uv("jax==0.4.30", "pandas==2.1.4", "numpy<2"), installed("numpy==2.0.2"),
        ("numpy2-abi", "requirement-unmet"), imports("pandas", then=JAX_RUNS),
    ),
    "Keras without its metadata": Case(
        uv("tensorflow-cpu==2.18.1"), gone("keras-*.dist-info"), ("package-without-record",), PARTS + "v('keras')",
    ),
    "typing_extensions uninstalled": Case(
        uv("tensorflow-cpu==2.18.1"), uninstalled("typing-extensions"), ("dependency-missing",), TF_RUNS,
    ),
    "absl half uninstalled": Case(uv("tensorflow-cpu==2.18.1"), gone("absl/logging"), ("files-damaged",), TF_RUNS),
    "optax newer than JAX": Case(
        uv("jax==0.4.30", "optax==0.2.3"), installed("optax==0.2.6"), ("requirement-unmet",),
        imports("optax", then=JAX_RUNS),
    ),
    "huggingface-hub newer than transformers": Case(
        uv("jax==0.6.2", "transformers==4.57.1"), installed("huggingface-hub==1.1.0"), ("requirement-unmet",),
        imports("transformers", then="from transformers import AutoTokenizer, PreTrainedTokenizerFast"),
    ),
    "NumPy of another Python": Case(
        uv("jax==0.6.2"), of_another_python("numpy==2.2.0"), ("package-of-another-python",), JAX_RUNS,
    ),
    "SciPy left over without metadata": Case(
        uv("jax==0.6.2"), lambda patient: patient.write("~cipy/__init__.py", ""), ("packages-unreadable",),
        "import glob, sysconfig\nassert not glob.glob(sysconfig.get_path('purelib') + '/~*')",
    ),
    "jaxlib cut off": Case(uv("jax==0.6.2"), cut("jaxlib/libjax_common.so"), ("files-damaged",), JAX_RUNS),
    "tf-keras of another TensorFlow": Case(
        uv("tensorflow-cpu==2.18.1"), installed("tf-keras==2.15.0"), ("keras3-tfkeras-version",),
        imports("tf_keras", then="tf_keras.Sequential([tf_keras.layers.Dense(2)])"),
    ),
}  # fmt: skip

THIRTY = {
    # As in the hostile test.
    "CPU torch beside a GPU": Case(
        live("cpu", "torch"), nothing, ("torch-cpu-only",),
        imports("torch", then="assert torch.version.cuda"), gpu="RTX 4090",
    ),
    "torchvision of another torch": Case(
        live("cpu", "torch"), installed("torchvision==0.22.1", "pillow"),
        ("torch-companion-version", "torch-companion-cuda"),
        imports("torch", "torchvision", then="torchvision.ops.nms(torch.zeros(1, 4), torch.zeros(1), 0.5)"),
    ),
    "Keras 2 asked for and not there": Case(
        pip("tensorflow-cpu==2.18.1"), nothing, ("keras3-legacy-model",),
        imports("tensorflow", then="assert 'tf_keras' in tensorflow.keras.Model.__module__"),
        env={"TF_USE_LEGACY_KERAS": "1"},
    ),
    "Keras 3 under TensorFlow 2.15": Case(
        uv("tensorflow-cpu==2.15.1"), lambda patient: patient.uv("install", "keras==3.13.0"),
        ("dependency-version",),
        imports("tensorflow", then="tensorflow.keras.optimizers.legacy.Adam()"),
    ),
    "an old NumPy on PYTHONPATH": Case(
        pip("jax==0.6.2"), numpy_elsewhere, ("py-name-shadow",), "", by_hand=True,
    ),
    "TensorFlow 2.21 on Blackwell": Case(
        uv("tensorflow[and-cuda]==2.21.0"), nothing, ("tf-soname-missing",),
        "import glob, sysconfig\nsite = sysconfig.get_path('purelib')\n"
        "libraries = glob.glob(site + '/nvidia/*/lib/libcusolver.so.11')\n"
        "assert [one for one in libraries if '/nvidia/cusolver/' not in one]",
        gpu="RTX 5090",
    ),
    "a JAX plugin of another release": Case(
        pip(*JAX_CUDA), installed("jax-cuda12-plugin==0.6.0", "jax-cuda12-pjrt==0.6.0"), ("jax-plugin-version",),
        PARTS + "assert v('jax') == v('jaxlib') == v('jax-cuda12-plugin') == v('jax-cuda12-pjrt')", gpu="RTX 4090",
    ),
    "jaxlib of another jax": Case(
        pip("jax==0.6.2", python=10), installed("jaxlib==0.5.3"), ("jax-plugin-version",), JAX_RUNS,
    ),
    "NumPy's RECORD cut off": Case(
        pip("jax==0.6.2"), content("numpy-*.dist-info/RECORD", b"numpy/a.py,,1\n\xff\x00"), ("packages-unreadable",),
        PARTS + "import importlib.metadata as m\nassert len(m.files('numpy')) > 500",
    ),
    "torch half uninstalled": Case(
        live("cpu", "torch"), gone("torch/nn"), ("files-damaged",), imports("torch", then="torch.nn.Linear(2, 2)"),
    ),
    "left over from an install": Case(
        pip("jax==0.6.2"), left_over, ("packages-unreadable",),
        "import glob, sysconfig\nassert not glob.glob(sysconfig.get_path('purelib') + '/~*')",
    ),
    "NumPy without its metadata": Case(
        pip("jax==0.6.2"), gone("numpy-*.dist-info"), ("package-without-record",), PARTS + "v('numpy')",
    ),
    "NumPy 2 under TensorFlow 2.12": Case(
        uv("tensorflow-cpu==2.12.0", python=10), installed("numpy==2.0.2"), ("numpy2-abi",), TF_RUNS,
    ),
    "protobuf 6 under TensorFlow 2.15": Case(
        pip("tensorflow-cpu==2.15.1"), installed("protobuf==6.32.0"), ("tf-protobuf",), TF_RUNS,
    ),
    "cuBLAS uninstalled": Case(
        uv(*JAX_CUDA), uninstalled("nvidia-cublas-cu12"), ("torch-nvidia-deps-missing", "dependency-missing"),
        "import sysconfig, ctypes\nctypes.CDLL(sysconfig.get_path('purelib') + '/nvidia/cublas/lib/libcublasLt.so.12')",
        gpu="RTX 4090",
    ),
    "cuDNN deleted": Case(
        pip(*JAX_CUDA), gone("nvidia/cudnn/lib/libcudnn.so.9"), ("files-damaged",),
        CUDNN + "libcudnn.so.9')\nctypes.CDLL(found)", gpu="RTX 3090",
    ),
    "cuDNN for CUDA 13 over that for 12": Case(
        uv(*JAX_CUDA), installed("nvidia-cudnn-cu13==9.13.0.50"), ("files-overwritten",),
        "import importlib.metadata as m, hashlib, base64, os\n"
        "files = [f for f in m.files('nvidia-cudnn-cu12') if f.name.startswith('libcudnn')]\n"
        "assert files and all(os.path.getsize(f.locate()) == f.size for f in files)",
        gpu="RTX 4090",
    ),
    "tensorflow uninstalled from above tensorflow-cpu": Case(
        pip("tensorflow-cpu==2.18.1"), tensorflow_taken_away, ("files-damaged",), TF_RUNS,
    ),
    "NumPy too old for JAX": Case(
        uv("jax==0.6.2"), installed("numpy==1.24.4"), ("dependency-version",), JAX_RUNS,
    ),
    # Our own.
    "ml_dtypes of JAX under TensorFlow 2.17": Case(
        pip("tensorflow-cpu==2.17.1"), lambda patient: patient.uv("install", "jax==0.6.2"),
        ("dependency-version", "requirement-unmet"), TF_RUNS + "\n" + JAX_RUNS,
    ),
    "flax newer than JAX": Case(
        uv("jax==0.4.30", "flax==0.8.5"), installed("flax==0.10.6"), ("requirement-unmet",),
        imports("flax.linen", then=JAX_RUNS),
    ),
    "tokenizers of another transformers": Case(
        pip("jax==0.6.2", "transformers==4.57.1"), installed("tokenizers==0.15.2"), ("requirement-unmet",),
        imports("transformers", then="from transformers import AutoTokenizer, PreTrainedTokenizerFast"),
    ),
    "NumPy newer than numba takes": Case(
        pip("jax==0.6.2", "numba==0.60.0"), installed("numpy==2.2.6"), ("requirement-unmet",),
        imports("numba", then=JAX_RUNS),
    ),
    "scipy compiled for NumPy 1": Case(
        uv("jax==0.4.30", "scipy==1.11.4", "numpy<2"), installed("numpy==2.0.2"),
        ("numpy2-abi", "dependency-version", "requirement-unmet"), imports("scipy.linalg", then=JAX_RUNS),
    ),
    "setuptools without pkg_resources": Case(
        pip("tensorflow-cpu==2.12.1", "setuptools<70", python=10), installed("setuptools==82.0.0"),
        ("dependency-missing", "dependency-version", "requirement-unmet", "framework-import-failed"),
        imports("tensorboard.main", then="import tensorboard.default"),
    ),
    "JAX without its CUDA plugin": Case(
        uv("jax==0.6.2"), nothing, ("jax-cpu-only",),
        PARTS + "import re\nassert [d for d in __import__('importlib.metadata').metadata.distributions() "
        "if re.match('jax-cuda1.-plugin', d.name)]", gpu="RTX 4090",
    ),
    "TensorFlow without CUDA beside a GPU": Case(
        pip("tensorflow-cpu==2.18.1"), nothing, ("tf-cpu-only",),
        imports("tensorflow", then="assert tensorflow.test.is_built_with_cuda()\n" + PARTS + "v('nvidia-cudnn-cu12')"),
        gpu="RTX 4090",
    ),
    "one of two ONNX Runtimes uninstalled": Case(
        uv("jax==0.6.2", "onnxruntime-gpu==1.22.0"),
        all_of(installed("onnxruntime==1.22.0"), uninstalled("onnxruntime")), ("files-damaged",),
        imports("onnxruntime", then="assert 'CUDAExecutionProvider' in onnxruntime.get_available_providers()"),
        gpu="RTX 4090",
    ),
    "tensorflow-text of another TensorFlow": Case(
        pip("tensorflow-cpu==2.18.1"), installed("tensorflow-text==2.17.0"),
        ("ext-abi-mismatch", "requirement-unmet", "dependency-version"), imports("tensorflow_text"),
    ),
    "cuDNN 8 under JAX": Case(
        pip(*JAX_CUDA), installed("nvidia-cudnn-cu12==8.9.7.29"),
        ("cudnn-too-old", "torch-nvidia-deps-missing", "dependency-version"),
        PARTS + "assert int(v('nvidia-cudnn-cu12').split('.')[0]) == 9", gpu="H100",
    ),
}  # fmt: skip
