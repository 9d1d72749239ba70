"""Looks up an undefined symbol: which library should define it, and the C++ ABI of its caller.

Name mangling: https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling; the two string types:
https://gcc.gnu.org/onlinedocs/libstdc++/manual/using_dual_abi.html (2026-11-22).
"""

from gpudoctor.facts import lazy_re as re
from gpudoctor.look_up.answer import Found, Row

SOURCE = "itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling; gcc.gnu.org, libstdc++ manual, Dual ABI"
#: Beginning of the name, the library that has it, whose it is.
_OWNERS: tuple[tuple[str, str, str], ...] = (
    (r"_ZNK?3c104cuda|_ZNK?3c10\d*cuda", "libc10_cuda.so", "torch"),
    (r"_ZN?K?3c10|_ZT[VIS]N3c10|_ZN6caffe2", "libc10.so or libtorch_cpu.so", "torch"),
    (r"_ZNK?2at4cuda|_ZNK?2at6native.*cuda", "libtorch_cuda.so", "torch"),
    (r"_ZNK?2at|_ZT[VIS]N2at|_ZNK?5torch3jit|_ZNK?5torch8autograd|_ZNK?5torch7Library", "libtorch_cpu.so", "torch"),
    (r"THP[A-Z]|_Z\d+THP|_ZNK?8pybind11", "libtorch_python.so", "torch"),
    (r"_ZNK?5torch", "libtorch_cpu.so or libtorch_python.so", "torch"),
    (r"_ZNK?10tensorflow|TF_|_ZNK?4tsl|_ZNK?3tsl", "libtensorflow_framework.so.2", "tensorflow"),
    (r"_ZNK?4absl", "libtensorflow_framework.so.2, or the library that was compiled with it", "tensorflow"),
    (r"nccl[A-Z]", "libnccl.so.2", "NCCL"),
    (r"cublasLt", "libcublasLt.so", "cuBLAS"),
    (r"cublas", "libcublas.so", "cuBLAS"),
    (r"cudnn", "libcudnn.so", "cuDNN"),
    (r"cusparse", "libcusparse.so", "cuSPARSE"),
    (r"cusolver", "libcusolver.so", "cuSOLVER"),
    (r"cufft", "libcufft.so", "cuFFT"),
    (r"__nvJitLink|nvJitLink", "libnvJitLink.so", "nvJitLink"),
    (r"__cudaRegister|cuda[A-Z]", "libcudart.so", "the CUDA runtime"),
    (r"cu[A-Z]", "libcuda.so.1", "the driver"),
    (r"iJIT_|__itt_", "ITT, which MKL had until 2024.0", "MKL"),
    (r"mkl_|vml[A-Z]", "libmkl_core.so or libmkl_rt.so", "MKL"),
    (r"Py[A-Z]|_Py", "the Python interpreter", "Python"),
)
_NAMED = re.compile(r"(?:undefined symbol|symbol lookup error|symbol)\b[^_A-Za-z]*(?:.*?:\s*)?([_A-Za-z][\w@.]{3,600})")
_SYMBOL = re.compile(r"_Z[\w.]{3,600}|__?[a-zA-Z]\w{4,200}|[a-zA-Z]+[A-Z_]\w{3,200}")
_NVJITLINK = re.compile(r"_(\d+)_(\d+)$")
_VERSIONED = re.compile(r"(GLIBCXX_[\d.]+|CXXABI_[\d.]+|GLIBC_[\d.]+)")


def symbol(text: str) -> Found | None:
    """What a symbol, or a line that names one, says; None where there is none."""
    version = _VERSIONED.search(text)
    if version and "_Z" not in text:
        return _version(version[1])
    named = _NAMED.search(text)
    word = named[1] if named else text.strip().rstrip(".,;:")
    if not _SYMBOL.fullmatch(word):
        return None
    owner = next(((library, whose) for start, library, whose in _OWNERS if re.match(start, word)), None)
    abi = _abi(word)
    if owner is None and abi is None:
        return None
    rows = [Row(name="should be in", value=owner[0]), Row(name="of", value=owner[1])] if owner else []
    if abi:
        rows.append(Row(name="C++ ABI of the caller", value=abi))
    link = _NVJITLINK.search(word) if "nvJitLink" in word else None
    if link:
        rows.append(Row(name="needs at least", value=f"nvJitLink {link[1]}.{link[2]}"))
    return Found(
        kind="symbol",
        subject=word[:120],
        says=tuple(_says(owner, abi)),
        rows=tuple(rows),
        source=SOURCE,
        confidence="derived",
    )


def _abi(word: str) -> str | None:
    """Which of the two string types it names; None: none."""
    if "__cxx11" in word or "B5cxx11" in word:
        return "new"
    # Ss is std::string of the old ABI; a name ends in it, or a parameter follows: ...RKSs, ...SsEE.
    return (
        "old"
        if word.startswith("_Z") and re.search(r"(?:RK|R|P|PK|j|i|E|S_|^)Ss(?:$|[A-Zijmlbfdxyhv])", word)
        else None
    )


def _says(owner: tuple[str, str] | None, abi: str | None) -> list[str]:
    if owner is None:
        return []
    library, whose = owner
    if whose == "torch":
        found = ["The extension was compiled for another torch than the one that is installed."]
        if abi == "old":
            found.append("It expects the old C++ ABI: torch up to 2.6 (its build for CUDA 12.6 has the new one).")
        if abi == "new":
            found.append("It expects the new C++ ABI: torch from 2.7 on, and 2.6 built for CUDA 12.6.")
        return found
    if whose == "the driver":
        return ["The NVIDIA driver is older than the program expects."]
    if whose == "MKL":
        return ["MKL 2024.1 and newer no longer have it; conda's older builds of PyTorch need an older MKL."]
    return [f"The {library.split(' ')[0]} that was loaded is another release than the one it was linked to."]


def _version(name: str) -> Found:
    library = "the C library" if name.startswith("GLIBC_") else "libstdc++.so.6"
    text = f"{library[0].upper()}{library[1:]} that was loaded is older than what the program was compiled with."
    return Found(
        kind="symbol", subject=name, says=(text,), rows=(Row(name="should be in", value=library),), source=SOURCE
    )
