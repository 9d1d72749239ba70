"""CUDA library file names: their family, CUDA major, and the folder and package that bring them."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Source
from gpudoctor.facts.libraries import LibraryCopy
from gpudoctor.facts.versions import LibraryVersion
from gpudoctor.tables import rows_of

_ROWS = tuple(rows_of("sources/libraries_names"))
#: Start of the file name (without "lib"), its family. Parts of a library count to it: libcudnn_ops.so.9 is cuDNN's.
_STEMS = {stem: family for stem, family, _ in _ROWS}
_SHARED_OBJECT = re.compile(r"lib([A-Za-z][A-Za-z0-9_-]*?)(?:\.alt)?\.so((?:\.\d+)*)$")
_DLL = re.compile(r"([A-Za-z]+(?:_[A-Za-z]+)*?)(?:64)?_?((?:\d+(?:_\d+)*_?)?)\.dll$", re.IGNORECASE)
_DLL_STEMS = {stem.lower(): family for stem, family in _STEMS.items()}

#: Majors of SONAMEs that belong to one CUDA major. The others are shared: libcusolver.so.11 is CUDA 11 and 12,
#: libcusparse.so.12 is 12 and 13, libcurand.so.10 is all since 10. From the file lists of NVIDIA's packages.
_ONE_CUDA = {(family, major): major for family in ("cudart", "cublas", "cublaslt") for major in (10, 11, 12, 13)} | {
    ("nvjitlink", 12): 12,
    ("nvjitlink", 13): 13,
    ("nvrtc", 12): 12,
    ("nvrtc", 13): 13,
    ("cupti", 12): 12,
    ("cupti", 13): 13,
    ("cufft", 11): 12,
    ("cufft", 12): 13,
    ("cusolver", 12): 13,
    ("cusparse", 11): 11,
}

#: Distribution without its suffix -cuNN, by family. From CUDA 13 on most have no suffix.
DISTS = {family: dist for _, family, dist in _ROWS if dist}


def family_of(name: str) -> str | None:
    """The family of a library's file name or SONAME; None for files of no interest."""
    match = _SHARED_OBJECT.match(name)
    if match is None:
        dll = _DLL.match(name)
        return _family(_DLL_STEMS, dll.group(1).lower()) if dll else None
    return _family(_STEMS, match.group(1))


def _family(stems: dict[str, str], stem: str) -> str | None:
    return stems.get(stem) or ("cudnn" if stem.startswith("cudnn_") else None)


def nvrtc_name(cuda_major: int) -> str:
    """What the run-time compiler of a CUDA from 11.2 on is called: libnvrtc.so.11.2, libnvrtc.so.12."""
    return f"libnvrtc.so.{'11.2' if cuda_major == 11 else cuda_major}"


def library_at(path: str, source: Source, soname: str | None = None) -> LibraryCopy | None:
    """What the name of a library's file tells of it; None for files of no interest."""
    name = re.split(r"[/\\]", path)[-1]
    family = family_of(soname or name)
    if family is None:
        return None
    return LibraryCopy(
        family=family,
        soname=soname_of(soname or name),
        path=path,
        version=version_in(name),
        cuda_major=cuda_major_of(name),
        source=source,
    )


def number_in(name: str) -> str | None:
    """The numbers behind .so: 12.4.5.8 of libcublas.so.12.4.5.8, 9 of libcudnn.so.9."""
    match = _SHARED_OBJECT.match(name)
    return match.group(2).lstrip(".") or None if match else None


def version_in(name: str) -> LibraryVersion | None:
    """The version in a file name with at least two numbers after .so (libcudart.so.11.0 is a SONAME, not a version)."""
    number = number_in(name)
    if number is None or "." not in number or (family_of(name), number) in {("cudart", "11.0"), ("nvrtc", "11.2")}:
        return None
    return LibraryVersion.parse(number)


def soname_of(name: str) -> str:
    """The SONAME a versioned file name has by custom: libcublas.so.12 of libcublas.so.12.4.5.8."""
    match = _SHARED_OBJECT.match(name)
    if match is None or match.group(2).count(".") < 2 or name.startswith(("libcudart.so.11.0", "libnvrtc-builtins")):
        return name
    return name[: match.start(2)] + "." + match.group(2).split(".")[1]


def is_of_torch(name: str) -> bool:
    """A library of PyTorch's own; which there are changes with its releases (libtorch_cuda_cpp.so: 1.10 to 1.13)."""
    return name.startswith(("libtorch", "libc10"))


def cuda_major_of(name: str) -> int | None:
    """The CUDA major a file name stands for; None where several majors share it."""
    number = number_in(name)
    family = family_of(name)
    if family is None or number is None:
        return None
    return _ONE_CUDA.get((family, int(number.partition(".")[0])))
