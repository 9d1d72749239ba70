"""The CUDA and cuDNN releases that a library's file name stands for (libcublas.so.9.0, cudnn64_8.dll).

The name carries the version in the form of its time: libcublas.so.9.0, libcublas.so.10 (10.1 and 10.2),
cudart64_101.dll, nvrtc64_112_0.dll. From the file lists of NVIDIA's toolkits and packages, and as programs ask for
them: github.com/Theano/libgpuarray/issues/472 and 587, and NVIDIA's cuda-python (SUPPORTED_WINDOWS_DLLS),
read 2026-11-23.
"""

from typing import NamedTuple

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.sources.library_names import family_of

#: "Any minor": more than a major of CUDA ever had.
_ANY = 99
#: A number that stands for more or other CUDAs than itself, by family: the first and the last.
_OWN = {
    "cudart": {"11.0": ((11, 0), (11, _ANY)), "110": ((11, 0), (11, _ANY))},
    "cublas": {"10": ((10, 1), (10, 2))},
    "cublaslt": {"10": ((10, 1), (10, 2))},
    "cufft": {"10": ((10, 1), (11, _ANY)), "11": ((12, 0), (12, _ANY)), "12": ((13, 0), (13, _ANY))},
    "curand": {"10": ((10, 1), (_ANY, 0))},
    "cusolver": {"10": ((10, 1), (11, 0)), "11": ((11, 1), (12, _ANY)), "12": ((13, 0), (13, _ANY))},
    "cusparse": {"10": ((10, 1), (10, 2)), "12": ((12, 0), (13, _ANY))},
    "nvrtc": {"11.2": ((11, 2), (11, _ANY)), "112": ((11, 2), (11, _ANY))},
    "cupti": {},
    "nvjitlink": {},
}
#: cuDNN 7 is for these, by NVIDIA's archive of cuDNN; newer ones serve several majors.
_OF_CUDNN = {"7": ((8, 0), (10, 2))}
_NUMBER = re.compile(r"\.so\.(\d+(?:\.\d+)?)|64_(\d+)", re.IGNORECASE)
#: Parts that only cuDNN 8 has, whatever number the name bears; as libcudnn_ops_infer.so.8.
_INFER = re.compile(r"cudnn_\w+_(?:infer|train)")


class CudaSpan(NamedTuple):
    """The CUDA releases whose libraries bear a name, the first and the last of them."""

    first: tuple[int, int]
    last: tuple[int, int]

    def holds(self, cuda: CudaVersion) -> bool:
        """It is one of them, as far as it is stated: "10" may be 10.1."""
        if "." not in cuda.text:
            return self.first[0] <= cuda.major <= self.last[0]
        return self.first <= (cuda.major, cuda.minor) <= self.last

    def overlaps(self, other: "CudaSpan") -> bool:
        """Some CUDA has both names."""
        return self.first <= other.last and other.first <= self.last

    def __str__(self) -> str:
        """10.1, 11, 11.2 or newer of 11, 10.1 to 11.0."""
        (major, minor), (last, newest) = self
        if self.first == self.last:
            return f"{major}.{minor}"
        if newest != _ANY:
            return f"{major}.{minor} or newer" if last == _ANY else f"{major}.{minor} to {last}.{newest}"
        if major == last:
            return f"{major}.{minor} to {major}.x" if minor else str(major)
        return f"{major}.{minor} to {last}.x"


def cuda_of(name: str) -> CudaSpan | None:
    """Of libcublas.so.9.0, cudart64_110.dll; None for a name without a version, or of another library."""
    family, number = family_of(name) or "", _number(name)
    if family == "cudnn":
        return CudaSpan(*_OF_CUDNN[number]) if number in _OF_CUDNN else None
    known = _OWN.get(family)
    if known is None or number is None:
        return None
    if number in known:
        return CudaSpan(*known[number])
    if "." in number:
        major, minor = (int(part) for part in number.split("."))
    elif len(number) > 1 + (number[0] == "1"):
        # A DLL's: 80 is 8.0, 101 is 10.1.
        major, minor = int(number[:-1]), int(number[-1])
    else:
        return CudaSpan((int(number), 0), (int(number), _ANY)) if int(number) > 10 else None
    if major > 11:
        return CudaSpan((major, 0), (major, _ANY))
    return CudaSpan((major, minor), (major, minor))


def cudnn_of(name: str) -> int | None:
    """The major of cuDNN: 8 of libcudnn.so.8, cudnn64_8.dll and libcudnn_ops_infer.so."""
    if family_of(name) != "cudnn":
        return None
    if _INFER.search(name):
        return 8
    number = _number(name)
    return int(number.partition(".")[0]) if number else None


def _number(name: str) -> str | None:
    found = _NUMBER.search(name)
    return (found[1] or found[2]) if found else None


def cudnn_release(number: str) -> str:
    """8.9.2 of what programs print for it: 8902, (8, 9, 2), 8.9.2; 90100 is 9.1.0."""
    number = number.replace(", ", ".").rstrip(".")
    if not number.isdecimal() or len(number) < 4:
        return number
    scale = 1000 if len(number) == 4 else 10_000
    return f"{int(number) // scale}.{int(number) % scale // 100}.{int(number) % 100}"
