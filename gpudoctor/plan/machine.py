"""The machine as the solver sees it: GPUs, driver, Python, platform, glibc."""

from msgspec.structs import replace

from gpudoctor.facts.base import Fact
from gpudoctor.facts.versions import Capability, DriverRelease, LibraryVersion
from gpudoctor.knowledge.matrix.types import Os


class Machine(Fact, frozen=True, kw_only=True):
    """What a build must fit. What is None or empty is not known, and then no build is ruled out by it."""

    driver: DriverRelease | None = None
    #: One for each GPU that is to be used.
    capabilities: tuple[Capability, ...] = ()
    #: "3.12"
    python: str | None = None
    #: linux-x86_64, linux-aarch64, windows-x86_64, macos-arm64, macos-x86_64.
    platform: str | None = None
    #: Names of the GPUs, in the order of `capabilities`; empty: they have none.
    gpu_names: tuple[str, ...] = ()
    #: Architectures of AMD's GPUs, in place of `capabilities`: gfx1100.
    gfx: tuple[str, ...] = ()
    libc: str | None = None
    libc_version: LibraryVersion | None = None
    #: The release of macOS, 14.5.
    macos: LibraryVersion | None = None
    #: No GPU is to be used.
    cpu_only: bool = False
    #: PyTorch's own index cannot be reached: only the builds that the package index has can be installed.
    package_index_only: bool = False
    #: Linux in WSL, where the driver is that of Windows and carries its numbers.
    wsl: bool = False
    #: A Jetson, and its L4T release: its GPU is not one of those that the general builds are made for.
    tegra: str | None = None

    @property
    def os(self) -> Os:
        """The operating system of the platform; Linux where that is not known."""
        platform = self.platform or ""
        return "windows" if platform.startswith("windows") else "macos" if platform.startswith("macos") else "linux"

    @property
    def driver_os(self) -> Os:
        """The operating system that the driver is of."""
        return "windows" if self.wsl else self.os

    @property
    def not_judged(self) -> tuple[str, ...]:
        """What is not known of the machine, in words; a list of builds that fit holds only as far as the rest goes."""
        known = {
            "driver": self.driver,
            "GPU": self.capabilities or self.gfx,
            "Python version": self.python,
            "platform": self.platform,
        }
        return tuple(name for name, value in known.items() if not value)

    @property
    def uses_cuda(self) -> bool:
        """Whether a build with CUDA is wanted: not for the CPU or AMD's GPUs, and not on macOS, which has no driver."""
        return not self.cpu_only and not self.gfx and self.os != "macos"

    def label(self, index: int) -> str:
        """A GPU in words: its name and its compute capability, or AMD's architecture."""
        capability = self.gfx[index] if self.gfx else f"compute capability {self.capabilities[index]}"
        return f"{self.gpu_names[index]} ({capability})" if index < len(self.gpu_names) else capability

    def with_only(self, indices: tuple[int, ...]) -> "Machine":
        """The same machine with some of its GPUs."""
        names = tuple(self.gpu_names[index] for index in indices) if self.gpu_names else ()
        if self.gfx:
            return replace(self, gfx=tuple(self.gfx[index] for index in indices), gpu_names=names)
        capabilities = tuple(self.capabilities[index] for index in indices)
        return replace(self, capabilities=capabilities, gpu_names=names)
