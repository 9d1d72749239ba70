"""The data of CUDA toolkits and libraries: each copy found, and which one the dynamic loader would take."""

from typing import Literal

from gpudoctor.facts.base import Fact, Section, Source
from gpudoctor.facts.versions import CudaVersion, LibraryVersion

Origin = Literal["pip", "conda", "toolkit", "system", "driver", "bundled", "environment", "other"]


class Toolkit(Fact, frozen=True, kw_only=True):
    """A CUDA toolkit (or a part of one with nvcc or headers)."""

    root: str
    version: CudaVersion | None = None
    #: The full version of version.json: 12.4.131.
    full_version: str | None = None
    origin: Origin | None = None
    nvcc: str | None = None
    #: /usr/local/cuda leads here.
    is_default: bool = False
    source: Source | None = None


class Toolkits(Section, frozen=True, kw_only=True):
    """All CUDA toolkits found, and which one a build would take."""

    found: tuple[Toolkit, ...] = ()
    #: Only what is stated here is known (a ticket): there may be more toolkits, and a compiler.
    excerpt: bool = False
    nvcc_on_path: str | None = None
    ptxas_on_path: str | None = None
    #: Full version of that ptxas, from the files beside it: 12.4.131.
    ptxas_version: str | None = None
    #: CUDA_HOME or CUDA_PATH as set.
    cuda_home: str | None = None
    #: CUDA_HOME names a folder that exists.
    cuda_home_exists: bool | None = None
    #: The folder that PyTorch's builds take, links followed: CUDA_HOME's or CUDA_PATH's, else the one above nvcc on
    #: PATH, else /usr/local/cuda. None: there is none, or nobody followed the links.
    build_root: str | None = None
    #: C compiler on PATH and its version.
    compiler: str | None = None
    compiler_version: str | None = None


class LibraryCopy(Fact, frozen=True, kw_only=True):
    """One file of a CUDA library."""

    #: cudnn, cublas, cudart, nccl, nvjitlink, cusparse, cusolver, cufft, curand, tensorrt, …
    family: str
    soname: str
    path: str
    version: LibraryVersion | None = None
    cuda_major: int | None = None
    origin: Origin | None = None
    #: The distribution that owns the file.
    dist: str | None = None
    source: Source | None = None


class Resolution(Fact, frozen=True, kw_only=True):
    """Which file the loader takes when a framework opens `soname`, worked out from ELF headers without loading."""

    framework: str
    soname: str
    family: str | None = None
    #: The framework's file that asks for it.
    wanted_by: str
    #: linked (DT_NEEDED) or opened at run time (dlopen).
    how: Literal["linked", "opened"]
    #: None: found nowhere.
    path: str | None = None
    #: Where nothing was found: a file of that name on the way whose ELF headers cannot be read, so it is no library.
    unusable: str | None = None
    via: Literal["rpath", "LD_LIBRARY_PATH", "runpath", "cache", "default", "loaded", "path"] | None = None
    version: LibraryVersion | None = None
    origin: Origin | None = None
    #: The copy the framework brings along, where another one is taken before it.
    shadows: str | None = None
    shadows_version: LibraryVersion | None = None


class SymbolNeed(Fact, frozen=True, kw_only=True):
    """The newest symbol version that a compiled file needs of libc.so.6 or libstdc++.so.6: 2.28 of GLIBC_2.28."""

    file: str
    library: Literal["libc.so.6", "libstdc++.so.6"]
    version: LibraryVersion


class LinkedExtension(Fact, frozen=True, kw_only=True):
    """A compiled Python module, of no framework, that is linked to CUDA libraries."""

    package: str
    version: str | None = None
    file: str
    #: The CUDA libraries that it is linked to.
    needs: tuple[str, ...] = ()
    #: Those of them that neither the loader finds for it nor the environment has a copy of.
    absent: tuple[str, ...] = ()


class Libraries(Section, frozen=True, kw_only=True):
    """Every candidate copy, and for each framework which one it gets."""

    copies: tuple[LibraryCopy, ...] = ()
    #: Only what is stated here is known (a ticket): there may be more copies, and folders that are searched.
    excerpt: bool = False
    #: None where the loader walk does not apply (Windows, macOS, a pasted report).
    resolutions: tuple[Resolution, ...] | None = None
    #: LD_LIBRARY_PATH split; an empty element is the current directory, written as ".".
    search_path: tuple[str, ...] = ()
    #: Compiled modules of packages that are linked to CUDA libraries. None: not looked, or no ELF loader here.
    extensions: tuple[LinkedExtension, ...] | None = None
    #: Newest GLIBCXX_ symbol version of the libstdc++ found first.
    glibcxx: str | None = None
    libstdcxx: str | None = None
    #: What compiled extensions need of the C and C++ libraries.
    needs: tuple[SymbolNeed, ...] = ()
    #: A file libcuda.so lies beside a libcuda.so.1 that the loader knows; compilers look for that name.
    libcuda_link: bool | None = None
    #: Where the cuDNN 8 of a framework finds libcuda.so, which it opens by this name without a version; None: nowhere.
    libcuda_of_cudnn: dict[str, str | None] | None = None
    #: On Windows: DLLs that frameworks need of the system, and where each is found; None there: nowhere.
    dlls: dict[str, str | None] | None = None

    def resolution(self, framework: str, soname: str) -> Resolution | None:
        """What `framework` gets for `soname`."""
        return next((r for r in self.resolutions or () if r.framework == framework and r.soname == soname), None)

    def missing(self, framework: str) -> tuple[Resolution, ...]:
        """What `framework` asks for and would not find."""
        return tuple(r for r in self.resolutions or () if r.framework == framework and r.path is None)
