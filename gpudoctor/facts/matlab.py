"""The data of one MATLAB installation, and whether it can compute on a GPU here."""

from typing import Literal

from gpudoctor.facts.base import Fact
from gpudoctor.facts.versions import Capability, CudaVersion, DriverRelease


class Matlab(Fact, frozen=True, kw_only=True):
    """A MATLAB as its folder shows it. What is None could not be seen."""

    root: str
    #: R2023b
    release: str | None = None
    #: Of the CUDA toolkit that lies in it.
    cuda: CudaVersion | None = None
    #: Parallel Computing Toolbox, without which MATLAB uses no GPU.
    has_toolbox: bool | None = None
    #: It is what `matlab` starts.
    on_path: bool = False


class Matlabs(Fact, frozen=True, kw_only=True):
    """The MATLABs that were found, and the folders in which they were looked for."""

    found: tuple[Matlab, ...] = ()
    places: tuple[str, ...] = ()


#: compiles: the driver compiles for the GPU, unasked. enable: it does once forward compatibility is enabled.
Outcome = Literal["yes", "compiles", "enable", "no", "not known"]
Stop = Literal["no-toolbox", "no-gpu", "gpu-too-old", "no-driver", "driver-too-old"]
Doubt = Literal[
    "toolbox-not-seen",
    "gpus-not-seen",
    "gpu-not-known",
    "driver-not-known",
    "driver-older-than-its-cuda",
    "release-not-known",
]
Reason = Stop | Doubt


class OnGpu(Fact, frozen=True, kw_only=True):
    """One MATLAB on one kind of GPU; no GPU: there is none, or none was seen."""

    matlab: Matlab
    gpu: str | None = None
    capability: Capability | None = None
    #: The CUDA by which it was judged: its own, else the release's.
    cuda: CudaVersion | None = None
    outcome: Outcome
    #: All that stands against it, or is not known.
    reasons: tuple[Reason, ...] = ()
    #: From this driver on nothing of its CUDA is missing; where the driver is in the way.
    driver: DriverRelease | None = None
    #: The newest release that is known to serve a GPU that is too old for this one.
    instead: str | None = None
