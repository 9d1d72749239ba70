"""Asks the CUDA runtime (libcudart) that a framework has loaded, past the framework."""

import ctypes

from agent_channel import Skip
from driver_query import loaded_path


class CudaError(Exception):
    """The runtime answered with an error code."""


def get_device_count():
    """The number of GPUs as `cudaGetDeviceCount` has it. Raises CudaError with the code, its name and its meaning.

    Raises Skip where the runtime's library is not to be found in this process (linked statically, or not on Linux).
    """
    path = loaded_path("libcudart")
    if path is None:
        raise Skip("the CUDA runtime in this process is not found")
    runtime = ctypes.CDLL(path)
    count = ctypes.c_int()
    code = runtime.cudaGetDeviceCount(ctypes.byref(count))
    if code != 0:
        words = [said(runtime, name, code) for name in ("cudaGetErrorName", "cudaGetErrorString")]
        raise CudaError("cudaGetDeviceCount returned {}, {}: {}".format(code, *words))
    return count.value


def said(runtime, name, code):
    """What the runtime calls an error."""
    function = getattr(runtime, name)
    function.restype = ctypes.c_char_p
    return (function(code) or b"?").decode("utf-8", "replace")


def library_version(number, digits=3):
    """9.20.0 of cuDNN's number 92000, 8.9.2 of 8902; 2.7.8 of NCCL's old 2708 (cudnn_version.h, nccl.h)."""
    thousands = 10000 if number >= 10000 else 1000
    parts = (number // thousands, number % thousands // 100, number % 100)
    return ".".join(str(part) for part in parts[:digits])
