"""Which release of an extension (xformers, flash-attn, vllm …) goes with the torch, CUDA and Python that are there."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby

from msgspec.structs import replace

from gpudoctor.facts.base import Fact
from gpudoctor.facts.python import Framework
from gpudoctor.facts.scene import Scene
from gpudoctor.facts.versions import Capability, LibraryVersion, local_tag
from gpudoctor.knowledge.matrix.offer_types import Extension, ReadyWheel
from gpudoctor.knowledge.matrix.pairs import has_new_abi, pair_of, pairs_of
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.specifiers import agree, meets
from gpudoctor.plan.this_machine import machine_here


class Beside(Fact, frozen=True, kw_only=True):
    """What an extension meets. What is None or empty is not known, and rules no release out."""

    #: With its local tag, where it has one: 2.5.1+cu121.
    torch: str | None = None
    #: CUDA major of the builds beside it; 0: builds for the CPU.
    cuda: int | None = None
    #: "3.12"
    python: str | None = None
    #: linux-x86_64
    platform: str | None = None
    capabilities: tuple[Capability, ...] = ()
    #: Whether torch has the new C++ ABI.
    new_abi: bool | None = None
    glibc: LibraryVersion | None = None
    #: Specifiers of NumPy that others ask for.
    numpy: tuple[str, ...] = ()


class Fitting(Fact, frozen=True, kw_only=True):
    """A release of an extension that fits."""

    row: Extension
    version: str
    #: The address of a wheel on the project's release page, where the package index has its source only.
    wheel: str | None = None

    @property
    def requirement(self) -> str:
        """What an installer is asked for."""
        name = self.row.dist or self.row.package
        return f"{name} @ {self.wheel}" if self.wheel else f"{name}=={self.version}"

    @property
    def is_compiled(self) -> bool:
        """Whether it is compiled on the spot, against the torch that is there."""
        return self.row.is_compiled and self.wheel is None

    @property
    def options(self) -> tuple[str, ...]:
        """Options of pip and uv: what is compiled must see the torch that is there."""
        return ("--no-build-isolation",) if self.is_compiled else ()


def extension_for(name: str, beside: Beside, matrix: Matrix, specifier: str = "") -> Fitting | None:
    """The newest release of an extension that goes with what is there, by package or distribution.

    One with a wheel on its project's release page comes before a newer one that must be compiled. None: none is known.
    """
    found = [
        Fitting(row=row, version=version)
        for row in rows_of(name, matrix)
        if against(row, beside) is None
        for version in row.versions
        if meets(version, specifier)
    ]
    if not found or not found[0].is_compiled:
        return found[0] if found else None
    wheels = ready_wheels(found[0].row.package, beside, matrix)
    ready = next((one for one in found if one.version in wheels), None)
    return replace(ready, wheel=wheels[ready.version]) if ready is not None else found[0]


def ready_wheels(package: str, beside: Beside, matrix: Matrix) -> dict[str, str]:
    """The addresses of the wheels made for what is there, by release; none where that is not known well enough."""
    if beside.torch is None or beside.python is None or beside.new_abi is None:
        return {}
    line = ".".join(beside.torch.partition("+")[0].split(".")[:2])
    rows: tuple[ReadyWheel, ...] = matrix.table("ready_wheels")
    return {
        row.version: row.url(line, beside.python, new_abi=beside.new_abi)
        for row in rows
        if row.package == package
        and row.platform == beside.platform
        and row.cuda_major == beside.cuda
        and line in row.torch
        and beside.python in row.pythons
        and beside.new_abi in row.abis
        and (beside.glibc is None or row.glibc <= beside.glibc)
    }


@lru_cache(maxsize=128)
def rows_of(name: str, matrix: Matrix) -> tuple[Extension, ...]:
    """The rows of an extension, newest first, each with the torch it is made for, whoever says it."""
    rows: tuple[Extension, ...] = matrix.table("extensions")
    mine = (row for row in rows if name in (row.package, row.dist))
    return tuple(split for row in mine for split in _by_torch(row, matrix))


def _by_torch(row: Extension, matrix: Matrix) -> Iterator[Extension]:
    """The row; where a table of its makers pairs its releases with torch, one for each torch."""
    if row.torch or not pairs_of(row.package, matrix):
        yield row
        return
    made = ((version, pair_of(row.package, version, matrix)) for version in row.versions)
    for pair, group in groupby(made, key=lambda one: one[1]):
        versions = tuple(version for version, _ in group)
        yield replace(row, versions=versions, torch=pair.made_for if pair is not None else "")


def against(row: Extension, beside: Beside) -> str | None:
    """Why a release does not suit what is beside it; None: nothing known is against it."""
    if row.min_capability is not None and any(one < row.min_capability for one in beside.capabilities):
        return f"needs a GPU of compute capability {row.min_capability} or newer"
    if row.platforms and beside.platform is not None and beside.platform not in row.platforms:
        return f"is for {' and '.join(row.platforms)} only"
    if row.requires_python and beside.python is not None and not meets(f"{beside.python}.99", row.requires_python):
        return f"needs Python {row.requires_python}"
    if row.torch and beside.torch is not None and not meets(beside.torch.partition("+")[0], row.torch):
        return f"is made for torch{row.torch}"
    if row.cuda and beside.cuda is not None and beside.cuda not in row.cuda:
        return f"is built for CUDA {' or '.join(map(str, row.cuda))}"
    return f"needs numpy{row.numpy}" if row.numpy and not agree(row.numpy, *beside.numpy) else None


def beside_torch(torch: Framework, scene: Scene, matrix: Matrix) -> Beside:
    """What an extension meets in the environment that was looked at, where that torch stays."""
    machine = machine_here(scene, matrix)
    build = matrix.torch_build(torch.version, machine.platform) if torch.version else None
    known = torch.cuda or (build.cuda if build is not None else None)
    is_cpu = local_tag(torch.version or "") == "cpu"
    return Beside(
        torch=torch.version,
        cuda=0 if is_cpu else known.major if known is not None else None,
        python=machine.python,
        platform=machine.platform,
        capabilities=machine.capabilities,
        new_abi=torch.cxx11_abi if torch.cxx11_abi is not None or build is None else has_new_abi(build),
        glibc=machine.libc_version,
    )
