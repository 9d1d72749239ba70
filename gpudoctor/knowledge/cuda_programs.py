"""Programs that open versioned CUDA libraries, and their builds by CUDA: cuda_programs.toml."""

from collections.abc import Iterable
from functools import cache
from typing import Literal

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.tables import records_of


class CudaProgram(Fact, frozen=True, kw_only=True):
    """One record of cuda_programs.toml."""

    id: str
    #: As it is told: ONNX Runtime.
    title: str
    #: Folders of site-packages whose files stand in its tracebacks.
    frames: tuple[str, ...] = ()
    #: How people name it, without regard to case.
    named: str
    #: It is linked to PyTorch: the CUDA that counts for it is torch's.
    of_torch: bool = False
    #: Where the matrix has its builds.
    table: Literal["", "tensorflow", "engines", "extensions", "paddle"] = ""
    #: What it is called there.
    package: str = ""
    #: What pip is asked for, by the CUDA, 10.1 or 12, that it is built for.
    packages: dict[str, str] = {}
    #: The other CUDA libraries that it opens, as files without a version.
    libraries: tuple[str, ...] = ()
    #: What else to know or to do, sentence by sentence; of a program without builds the first is what to do.
    say: tuple[str, ...] = ()
    source: str
    #: The ISO date on which the source was read.
    checked: str

    def package_for(self, cuda: CudaVersion) -> str | None:
        """What to ask pip for with that CUDA."""
        return self.packages.get(f"{cuda.major}.{cuda.minor}") or self.packages.get(str(cuda.major))


@cache
def cuda_programs() -> tuple[CudaProgram, ...]:
    """All of them, in the order in which they are tried."""
    return records_of("knowledge/cuda_programs", tuple[CudaProgram, ...])


def cuda_program(id: str) -> CudaProgram | None:  # noqa: A002 - what the record calls it
    """The program of that id; of a package's name, the extensions of PyTorch."""
    own = (one for one in cuda_programs() if one.id == id)
    return next(own, None) or next((one for one in cuda_programs() if id in one.frames), None)


def of_frames(packages: Iterable[str]) -> str | None:
    """Of packages in a traceback, the innermost first, the one that is known; torch only where it is alone."""
    known = [(name, one) for name in packages for one in cuda_programs() if name in one.frames]
    name, one = next((pair for pair in known if pair[1].id != "torch"), known[0] if known else (None, None))
    return None if one is None else name if one.id == "torch-extension" else one.id


def named_in(text: str) -> str | None:
    """The one program that a text names; PyTorch only where no other is, and none where several are."""
    named = [(found.start(), one) for one in cuda_programs() if (found := re.search(one.named, text, re.IGNORECASE))]
    named = [pair for pair in named if pair[1].id != "torch"] or named
    ids = [one.id for _, one in named]
    if "onnxruntime-rust" in ids:
        return "onnxruntime-rust"
    return ids[0] if len(ids) == 1 else None
