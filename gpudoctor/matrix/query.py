"""The questions asked of the matrix. An answer of None means the matrix does not know: never yes, never no."""

from gpudoctor.matrix.types import (
    Architecture,
    DriverFloor,
    GpuModel,
    JaxBuild,
    Os,
    TensorflowBuild,
    Toolkit,
    TorchBuild,
)
from gpudoctor.model.gpus import Gpu
from gpudoctor.model.versions import Capability, CudaVersion, DriverRelease


class Matrix:
    """The tables of `compat/`, each decoded when it is first asked."""

    @property
    def edition(self) -> str:
        """The newest date any table was checked on, ISO."""
        raise NotImplementedError

    def family_floor(self, cuda: CudaVersion, os: Os) -> DriverFloor | None:
        """The oldest driver that starts any program built with CUDA `cuda`.

        From CUDA 11 on that is the floor of the whole major (minor-version compatibility); before, the toolkit's own.
        """
        raise NotImplementedError

    def toolkit_floor(self, cuda: CudaVersion, os: Os) -> DriverFloor | None:
        """The driver that CUDA `cuda` came with: from it on, nothing is limited (PTX JIT, new features)."""
        raise NotImplementedError

    def offered_cuda(self, release: DriverRelease, os: Os) -> CudaVersion | None:
        """The newest CUDA a driver release offers."""
        raise NotImplementedError

    def architecture(self, capability: Capability) -> Architecture | None:
        """The architecture of a compute capability."""
        raise NotImplementedError

    def models_by_pci_id(self, pci_id: str) -> tuple[GpuModel, ...]:
        """Products with that PCI id, "10de:2684"; several may share one."""
        raise NotImplementedError

    def models_by_name(self, name: str) -> tuple[GpuModel, ...]:
        """Products of that name, with or without "NVIDIA" before it; case and spaces do not count."""
        raise NotImplementedError

    def capability(self, gpu: Gpu) -> Capability | None:
        """A GPU's compute capability: as it says itself, else by PCI id, else by name; None where models disagree."""
        raise NotImplementedError

    def toolkit(self, cuda: CudaVersion) -> Toolkit | None:
        """What a toolkit compiles for, and the newest gcc it takes."""
        raise NotImplementedError

    def torch_builds(self, version: str | None = None) -> tuple[TorchBuild, ...]:
        """All builds of a torch release ("2.6.0", local tag ignored), newest first; of all releases without one."""
        raise NotImplementedError

    def torch_build(self, version: str) -> TorchBuild | None:
        """The build of a version with its tag, "2.6.0+cu124"."""
        raise NotImplementedError

    def tensorflow_builds(self, version: str | None = None, platform: str | None = None) -> tuple[TensorflowBuild, ...]:
        """Rows that cover a TensorFlow version, newest first."""
        raise NotImplementedError

    def jax_builds(self, version: str | None = None) -> tuple[JaxBuild, ...]:
        """Rows of a JAX version, newest first."""
        raise NotImplementedError

    def works_with_numpy2(self, package: str, version: str, os: Os) -> bool | None:
        """Whether torch, tensorflow or jax of that version works with NumPy 2."""
        raise NotImplementedError

    def pythons(self, package: str, version: str, platform: str) -> tuple[str, ...] | None:
        """The Pythons ("3.12") that have a wheel of torch, tensorflow, jax …; None where the release is not known."""
        raise NotImplementedError

    def newest(self, package: str) -> str | None:
        """The newest release the matrix knows, to tell "too new for the matrix" from "no such release"."""
        raise NotImplementedError
