"""Which CUDA library was not found, whose program asked for it, and what is there."""

import pytest

from gpudoctor.tickets.loader_errors import parse_loader_errors
from gpudoctor.tickets.pasted import plain

NONE = "cannot open shared object file: No such file or directory"
FRAME = 'File "/home/u/lib/python3.7/site-packages/{}", line 3, in <module>\n'
DSO = "W tensorflow/stream_executor/platform/default/dso_loader.cc:60] Could not load dynamic library '{}'; dlerror: {}"
#: By text: who asks for what.
ASKED = {
    f"Traceback (most recent call last):\n{FRAME.format('tensorflow/python/pywrap_tensorflow.py')}"
    f"ImportError: libcublas.so.9.0: {NONE}": ("tensorflow", "libcublas.so.9.0"),
    f"training jax says\n{DSO.format('libcudnn.so.8', f'libcudnn.so.8: {NONE}')}": ("jax", "libcudnn.so.8"),
    f"# libcudart.so.10.1\n{DSO.format('cudart64_101.dll', 'cudart64_101.dll not found')}": (
        "tensorflow",
        "cudart64_101.dll",
    ),
    f"Failed to load library libonnxruntime_providers_cuda.so with error: libcublasLt.so.11: {NONE}": (
        "onnxruntime",
        "libcublasLt.so.11",
    ),
    f"the ort crate\n[ONNXRuntimeError] libonnxruntime_providers_cuda.so with error: libcublasLt.so.12: {NONE}": (
        "onnxruntime-rust",
        "libcublasLt.so.12",
    ),
    'onnxruntime_providers_cuda.dll" which depends on "cublasLt64_12.dll" which is missing. (Error 126)': (
        "onnxruntime",
        "cublasLt64_12.dll",
    ),
    f"pip install mxnet-cu112\nOSError: libnvrtc.so.11.2: {NONE}": ("mxnet", "libnvrtc.so.11.2"),
    f"`pip install paddlepaddle-gpu` and `ImportError: libcudart.so.10.2: {NONE}`": ("paddle", "libcudart.so.10.2"),
    'File "pygpu\\gpuarray.pyx", line 1, in pygpu.gpuarray.init\nCould not load "nvrtc64_70.dll": not found.': (
        "pygpu",
        "nvrtc64_70.dll",
    ),
    f"Could not load library libcudnn_ops_infer.so.8. Error: libcudnn_ops_infer.so.8: {NONE}\nfaster-whisper": (
        "ctranslate2",
        "libcudnn_ops_infer.so.8",
    ),
    "CuPy failed to load nvrtc64_120_0.dll: Could not find module 'nvrtc64_120_0.dll'": ("cupy", "nvrtc64_120_0.dll"),
    f"Traceback (most recent call last):\n{FRAME.format('torch_sparse/__init__.py')}{FRAME.format('torch/_ops.py')}"
    f"OSError: libcusparse.so.11: {NONE}": ("torch_sparse", "libcusparse.so.11"),
    f"./reduction: error while loading shared libraries: libcublasLt.so.12: {NONE}": ("reduction", "libcublasLt.so.12"),
    "The third-party dynamic library (cublas64_118.dll;cublas64_11.dll) that Paddle depends on is not": (
        "paddle",
        "cublas64_11.dll",
    ),
    f"my torch is 2.5.0+cu124\nImportError: libcublas.so.13: {NONE}": ("program", "libcublas.so.13"),
}
#: What torch itself misses, a driver's library, an optional one, and a name without an error.
NOT_ASKED = (
    f"Traceback (most recent call last):\n{FRAME.format('torch/__init__.py')}OSError: libcublas.so.11: {NONE}",
    f"import tensorflow\nImportError: libcuda.so.1: {NONE}",
    DSO.format("libnvinfer.so.7", f"libnvinfer.so.7: {NONE}"),
    "TensorFlow uses libcublas.so.11",
)
MISSED = f"mxnet: OSError: libcudart.so.10.0: {NONE}\n"
#: By text after an error: the toolkits, and the files or versions of libraries, that are stated.
HERE = {
    "I use CUDA 10.1": (["10.1"], []),
    "I am using CUDA version 10.1, Cuda 10 that is, on my machine with cuda 10": (["10.1"], []),
    "it wants cuda 12 but i have cuda 13": (["13"], []),
    "do I need CUDA 10.0?": ([], []),
    "I have CUDA 10.1, and another machine with CUDA 11.0.": (["10.1", "11.0"], []),
    "there is no `libcusparse.so.11`, but there is `libcusparse.so.12`": ([], ["libcusparse.so.12"]),
    "/usr/local/cuda-13.1/lib/libcublasLt.so.13.2.0.9": ([], ["/usr/local/cuda-13.1/lib/libcublasLt.so.13.2.0.9"]),
    "libcudnn.so  libcudnn.so.7  libcudnn.so.7.6.0  libcudnn_static.a": ([], ["libcudnn.so.7", "libcudnn.so.7.6.0"]),
}


def stated(text):
    found = {"resolutions": [], "toolkits": [], "copies": []}
    for one in parse_loader_errors(plain(text)):
        libraries, toolkits = one.sections.get("libraries"), one.sections.get("toolkits")
        found["resolutions"] += [
            (row.framework, row.soname) for row in (libraries.resolutions if libraries else ()) or ()
        ]
        found["copies"] += [copy.path for copy in libraries.copies] if libraries else []
        found["toolkits"] += [str(row.version) for row in toolkits.found] if toolkits else []
    return found


@pytest.mark.parametrize(("text", "asked"), ASKED.items(), ids=[name for _, name in ASKED.values()])
def test_who_asks_for_what(text, asked):
    assert stated(text)["resolutions"] == [asked]


@pytest.mark.parametrize("text", NOT_ASKED)
def test_what_no_program_of_these_misses(text):
    assert stated(text)["resolutions"] == []


@pytest.mark.parametrize(("text", "toolkits", "copies"), [(text, *row) for text, row in HERE.items()], ids=HERE)
def test_what_is_there(text, toolkits, copies):
    found = stated(MISSED + text)
    assert (found["toolkits"], found["copies"]) == (toolkits, copies)


def test_a_cudnn_counts_where_one_is_missed():
    error = f"jax: libcudnn.so.8: {NONE}\n"
    assert stated(f"{error}with cuda 11.0 and cudnn7")["copies"] == ["the cuDNN that the reporter names"]
    assert stated(f"{MISSED}with cuda 11.0 and cudnn7")["copies"] == []
