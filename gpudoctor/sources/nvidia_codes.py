"""What NVML and the CUDA driver mean by their return codes.

Names and numbers: nvml.h (nvmlReturn_t) and cuda.h (CUresult) of CUDA 13.5, read 2026-11. Meanings in our own words.
"""

from typing import NamedTuple

from gpudoctor.facts.base import Source

#: nvidia-smi, which tells NVML's codes in words.
SMI = Source(kind="command", where="nvidia-smi")


class Code(NamedTuple):
    """A return code's name and one sentence of meaning; `meaning` is None for a code we do not know."""

    name: str
    meaning: str | None


def nvml_code(code: int) -> Code:
    """The name and meaning of an nvmlReturn_t."""
    known = _NVML.get(code)
    return Code(f"NVML_{known[0]}", known[1]) if known else Code(f"NVML error {code}", None)


def cuda_code(code: int) -> Code:
    """The name and meaning of a CUresult."""
    known = _CUDA.get(code)
    return Code(f"CUDA_{known[0]}", known[1]) if known else Code(f"CUDA error {code}", None)


#: NVML says with these that a GPU, a driver or this release of the library has no such fact: unknown, nothing wrong.
NVML_UNSUPPORTED = (3, 13)

#: NVML's codes on a machine without a GPU: NOT_FOUND, DRIVER_NOT_LOADED, GPU_NOT_FOUND.
NVML_NO_GPU = (6, 9, 28)

#: The CUDA driver says with these that it has no such function, or this GPU no such fact.
CUDA_UNSUPPORTED = (500, 801)

#: Stands where a call raised something else than a return code, or a program said it in words.
NO_CODE = -1

_NVML: dict[int, tuple[str, str]] = {
    0: ("SUCCESS", "The call succeeded."),
    1: ("ERROR_UNINITIALIZED", "NVML was used before it was initialized, or its initialization was lost."),
    2: ("ERROR_INVALID_ARGUMENT", "NVML rejects an argument of the call."),
    3: ("ERROR_NOT_SUPPORTED", "This GPU or its driver does not offer this."),
    4: ("ERROR_NO_PERMISSION", "This user may not ask this, or may not open the device nodes."),
    5: ("ERROR_ALREADY_INITIALIZED", "NVML was already initialized; only old releases say this."),
    6: ("ERROR_NOT_FOUND", "What was asked for was not found."),
    7: ("ERROR_INSUFFICIENT_SIZE", "The buffer of the call is too small for the answer."),
    8: ("ERROR_INSUFFICIENT_POWER", "The external power cables of a GPU are not attached properly."),
    9: ("ERROR_DRIVER_NOT_LOADED", "The NVIDIA kernel module is not loaded."),
    10: ("ERROR_TIMEOUT", "The driver gave up waiting."),
    11: ("ERROR_IRQ_ISSUE", "The kernel has a problem with the interrupts of a GPU."),
    12: ("ERROR_LIBRARY_NOT_FOUND", "The NVML library cannot be found or loaded."),
    13: ("ERROR_FUNCTION_NOT_FOUND", "This release of the NVML library does not have this function."),
    14: ("ERROR_CORRUPTED_INFOROM", "The memory in which the GPU keeps its own settings (infoROM) is damaged."),
    15: ("ERROR_GPU_IS_LOST", "The GPU has fallen off the bus or cannot be reached any more."),
    16: ("ERROR_RESET_REQUIRED", "The GPU must be reset before it can be used again."),
    17: ("ERROR_OPERATING_SYSTEM", "The operating system refused a request of the driver."),
    18: ("ERROR_LIB_RM_VERSION_MISMATCH", "The driver library and the loaded kernel module are of different releases."),
    19: ("ERROR_IN_USE", "The GPU is in use, and the call needs it to be free."),
    20: ("ERROR_MEMORY", "There is not enough memory for the call."),
    21: ("ERROR_NO_DATA", "The driver has no data for this."),
    22: ("ERROR_VGPU_ECC_NOT_SUPPORTED", "A virtual GPU cannot do this while ECC is on."),
    23: ("ERROR_INSUFFICIENT_RESOURCES", "The driver ran out of a resource other than memory."),
    24: ("ERROR_FREQ_NOT_SUPPORTED", "The GPU does not support the clock frequency."),
    25: ("ERROR_ARGUMENT_VERSION_MISMATCH", "The driver does not know this version of the call's structure."),
    26: ("ERROR_DEPRECATED", "The driver no longer offers this."),
    27: ("ERROR_NOT_READY", "The system is not ready for the request yet."),
    28: ("ERROR_GPU_NOT_FOUND", "The driver found no GPU."),
    29: ("ERROR_INVALID_STATE", "The GPU is not in a state that allows this."),
    30: ("ERROR_RESET_TYPE_NOT_SUPPORTED", "The GPU does not support this kind of reset."),
    999: ("ERROR_UNKNOWN", "The driver failed internally and does not say why."),
}

_CUDA: dict[int, tuple[str, str]] = {
    0: ("SUCCESS", "The call succeeded."),
    1: ("ERROR_INVALID_VALUE", "The driver rejects an argument of the call."),
    2: ("ERROR_OUT_OF_MEMORY", "The driver could not get enough memory."),
    3: ("ERROR_NOT_INITIALIZED", "The CUDA driver is not initialized, or its initialization failed."),
    4: ("ERROR_DEINITIALIZED", "The CUDA driver is shutting down."),
    34: ("ERROR_STUB_LIBRARY", "The libcuda that was loaded is a stub for linking, not the driver."),
    36: ("ERROR_CALL_REQUIRES_NEWER_DRIVER", "The call needs a newer driver."),
    46: ("ERROR_DEVICE_UNAVAILABLE", "The GPU is not available now, often because of its compute mode."),
    100: ("ERROR_NO_DEVICE", "The driver sees no GPU that this process may use."),
    101: ("ERROR_INVALID_DEVICE", "There is no GPU with the number that was asked for."),
    102: ("ERROR_DEVICE_NOT_LICENSED", "The virtual GPU has no licence."),
    200: ("ERROR_INVALID_IMAGE", "The GPU code is not valid."),
    201: ("ERROR_INVALID_CONTEXT", "There is no valid CUDA context."),
    209: ("ERROR_NO_BINARY_FOR_GPU", "The program holds no GPU code for this GPU."),
    214: ("ERROR_ECC_UNCORRECTABLE", "The memory of the GPU had an error that ECC could not correct."),
    218: ("ERROR_INVALID_PTX", "The driver could not compile the program's PTX code."),
    220: ("ERROR_NVLINK_UNCORRECTABLE", "An NVLink had an error that could not be corrected."),
    221: ("ERROR_JIT_COMPILER_NOT_FOUND", "The driver's PTX compiler library was not found."),
    222: ("ERROR_UNSUPPORTED_PTX_VERSION", "The program's PTX code is newer than the driver understands."),
    223: ("ERROR_JIT_COMPILATION_DISABLED", "Compiling PTX code is switched off."),
    300: ("ERROR_INVALID_SOURCE", "The GPU source code is not valid."),
    301: ("ERROR_FILE_NOT_FOUND", "A file that the driver needs was not found."),
    302: ("ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND", "A library that the driver loads lacks a function."),
    303: ("ERROR_SHARED_OBJECT_INIT_FAILED", "A library that the driver loads could not start."),
    304: ("ERROR_OPERATING_SYSTEM", "The operating system refused a request of the driver."),
    500: ("ERROR_NOT_FOUND", "A function or a symbol was not found."),
    700: ("ERROR_ILLEGAL_ADDRESS", "GPU code used a memory address that is not its own."),
    702: ("ERROR_LAUNCH_TIMEOUT", "GPU code ran longer than the display allows."),
    719: ("ERROR_LAUNCH_FAILED", "GPU code failed while it ran."),
    800: ("ERROR_NOT_PERMITTED", "This is not permitted."),
    801: ("ERROR_NOT_SUPPORTED", "This system or GPU does not support this."),
    802: ("ERROR_SYSTEM_NOT_READY", "A service that the driver needs is not running, usually NVIDIA Fabric Manager."),
    803: ("ERROR_SYSTEM_DRIVER_MISMATCH", "The CUDA driver library and the kernel module are of different releases."),
    804: (
        "ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
        "A forward-compatibility libcuda is in use, and this GPU does not support forward compatibility.",
    ),
    805: ("ERROR_MPS_CONNECTION_FAILED", "The process could not reach the multi-process service (MPS)."),
    806: ("ERROR_MPS_RPC_FAILURE", "A call to the multi-process service (MPS) failed."),
    807: ("ERROR_MPS_SERVER_NOT_READY", "The multi-process service (MPS) is not ready for new clients."),
    808: ("ERROR_MPS_MAX_CLIENTS_REACHED", "The multi-process service (MPS) has no room for another client."),
    809: ("ERROR_MPS_MAX_CONNECTIONS_REACHED", "The multi-process service (MPS) has no connection left."),
    919: ("ERROR_FABRIC_NOT_READY", "The NVLink fabric of the GPU is not ready yet."),
    999: ("ERROR_UNKNOWN", "The driver failed internally and does not say why."),
}
