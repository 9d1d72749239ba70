"""Asks the CUDA driver (libcuda), in a process of its own, whether it starts and which GPUs it offers.

Run by gpudoctor's own Python: `python -I -S -B ask_cuda.py`, with the libraries to try on standard input, one a line.
The answers are written as `driver_query` says.
Nothing is created on a GPU: there is no context, and no memory is taken.
"""

import ctypes
import os
import sys

sys.path.append(os.path.dirname(os.path.abspath(__file__)))

from driver_query import Transcript, believed, load, loaded_path, read_lines

# cuda.h: CUdevice_attribute and CUresult
CAPABILITY_MAJOR, CAPABILITY_MINOR = 75, 76
NOT_FOUND = 500


class Refused(Exception):
    """The driver answered with an error code, `value`."""

    def __init__(self, value):
        Exception.__init__(self, "CUresult {}".format(value))
        self.value = value


class Cuda:
    """Calls functions of libcuda; an error code is raised as Refused."""

    def __init__(self, library):
        self.library = library

    def call(self, name, *arguments):
        """Call `name`; a library that does not have it answers like one that cannot find a symbol."""
        function = getattr(self.library, name, None)
        result = NOT_FOUND if function is None else function(*arguments)
        if result != 0:
            raise Refused(result)

    def number(self, name, *arguments, kind=ctypes.c_int):
        """The number that `name` writes to its first argument."""
        number = kind()
        self.call(name, ctypes.byref(number), *arguments)
        return number.value

    def text(self, name, size, device):
        """The text that `name` writes to its first argument, of at most `size` bytes."""
        text = ctypes.create_string_buffer(size)
        self.call(name, text, size, device)
        return text.value.decode("utf-8", "replace")

    def uuid(self, device):
        """The 16 bytes of a GPU's UUID, or of its MIG device's where it is cut up, in hexadecimal."""
        raw = (ctypes.c_ubyte * 16)()
        # Without _v2 the UUID of a MIG device is that of the whole GPU (cuda.h).
        name = "cuDeviceGetUuid_v2" if hasattr(self.library, "cuDeviceGetUuid_v2") else "cuDeviceGetUuid"
        self.call(name, ctypes.byref(raw), device)
        return "".join("{:02x}".format(byte) for byte in raw)

    def capability(self, device):
        """Major and minor number of the compute capability."""
        attributes = (CAPABILITY_MAJOR, CAPABILITY_MINOR)
        return [self.number("cuDeviceGetAttribute", attribute, device) for attribute in attributes]


DEVICE = (
    ("name", "cuDeviceGetName", lambda cuda, device: cuda.text("cuDeviceGetName", 256, device)),
    ("uuid", "cuDeviceGetUuid", Cuda.uuid),
    ("pci_bus_id", "cuDeviceGetPCIBusId", lambda cuda, device: cuda.text("cuDeviceGetPCIBusId", 32, device)),
    ("capability", "cuDeviceGetAttribute", Cuda.capability),
    (
        "memory",
        "cuDeviceTotalMem",
        lambda cuda, device: cuda.number("cuDeviceTotalMem_v2", device, kind=ctypes.c_size_t),
    ),
)


def main(transcript, libraries):
    """Ask everything; stop where libcuda cannot be loaded or does not start."""
    code, library = transcript.ask("system", "library", "dlopen", lambda: load(libraries))
    if code == 0:
        cuda = Cuda(library)
        transcript.ask("system", "cuda_version", "cuDriverGetVersion", lambda: cuda.number("cuDriverGetVersion"))
        code, _ = transcript.ask("system", "init", "cuInit", lambda: cuda.call("cuInit", 0))
        transcript.ask("system", "library_path", "/proc/self/maps", lambda: loaded_path("libcuda.so"))
    if code == 0:
        ask_devices(cuda, transcript)
    transcript.finish()


def ask_devices(cuda, transcript):
    """Who each GPU is, in the driver's own order."""
    _, count = transcript.ask("system", "count", "cuDeviceGetCount", lambda: cuda.number("cuDeviceGetCount"))
    for ordinal in range(believed(count)):
        ask_device(cuda, transcript, ordinal)


def ask_device(cuda, transcript, ordinal):
    """Who one GPU is."""
    subject = "gpu {}".format(ordinal)
    code, device = transcript.ask(subject, "handle", "cuDeviceGet", lambda: cuda.number("cuDeviceGet", ordinal))
    if code == 0:
        for fact, call, answer in DEVICE:
            transcript.ask(subject, fact, call, lambda answer=answer: answer(cuda, device))


if __name__ == "__main__":
    main(Transcript(), read_lines())
