"""Queries of the compatibility matrix. None means that the matrix does not know: never yes, never no."""

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, TypeVar

from gpudoctor.facts.gpus import Gpu
from gpudoctor.facts.versions import (
    Capability,
    CudaVersion,
    DriverRelease,
    LibraryVersion,
    known_version,
    local_tag,
    package_version,
    public,
)
from gpudoctor.knowledge.matrix.gpu_types import Architecture, GpuModel
from gpudoctor.knowledge.matrix.gpus import GpuModels
from gpudoctor.knowledge.matrix.tables import TABLES, decode_table, edition_of, of_version
from gpudoctor.knowledge.matrix.types import (
    Companions,
    Cudnn,
    DriverBranch,
    DriverFloor,
    ForwardCompat,
    FrameworkBuild,
    JaxBuild,
    KerasPairing,
    NumpyAbi,
    Os,
    ProtobufRange,
    Row,
    TensorflowBuild,
    Toolkit,
    TorchBuild,
    TritonAssembler,
)

T = TypeVar("T", bound=Row)


class Matrix:
    """The tables of `compat/`, each decoded when it is first asked."""

    def __init__(self, read: Callable[[str], bytes]) -> None:
        self.read = read
        self._decoded: dict[str, tuple[Row, ...]] = {}
        self._by_kind: dict[type[Row], tuple[Any, ...]] = {}

    def table(self, name: str) -> tuple[Any, ...]:
        """All rows of a table, in the order of its file. Raises MatrixUnreadable."""
        if name not in self._decoded:
            self._decoded[name] = decode_table(name, self.read(name))
        return self._decoded[name]

    def _of(self, name: str, kind: type[T]) -> tuple[T, ...]:
        if kind not in self._by_kind:
            self._by_kind[kind] = tuple(row for row in self.table(name) if isinstance(row, kind))
        return self._by_kind[kind]

    @cached_property
    def edition(self) -> str:
        """The newest date any table was checked on, ISO."""
        return max(edition_of(name, self.read(name)) for name in TABLES)

    # Driver and CUDA.

    def family_floor(self, cuda: CudaVersion, os: Os) -> DriverFloor | None:
        """The oldest driver that starts any program built with CUDA `cuda`.

        From CUDA 11 on that is the floor of the whole major (minor-version compatibility); before, the toolkit's own.
        Source: docs.nvidia.com/deploy/cuda-compatibility, "Minor Version Compatibility".
        """
        if cuda < self.first_family:
            return self.toolkit_floor(cuda, os)
        floors = self._of("cuda_driver", DriverFloor)
        return next((f for f in floors if f.kind == "family" and f.os == os and f.cuda.major == cuda.major), None)

    @cached_property
    def first_family(self) -> CudaVersion:
        """From this CUDA on, one driver floor holds for the whole major (minor-version compatibility)."""
        return min(row.cuda for row in self._of("cuda_driver", DriverFloor) if row.kind == "family")

    def toolkit_floor(self, cuda: CudaVersion, os: Os) -> DriverFloor | None:
        """The driver that CUDA `cuda` came with: from it on, nothing is limited (PTX JIT, new features)."""
        same = [f for f in self._of("cuda_driver", DriverFloor) if (f.kind, f.os, f.cuda) == ("toolkit", os, cuda)]
        return min(same, key=lambda floor: floor.release, default=None)

    def offered_cuda(self, release: DriverRelease, os: Os) -> CudaVersion | None:
        """The newest CUDA a driver release offers."""
        return branch.cuda if (branch := self.driver_branch(release, os)) is not None else None

    def driver_branch(self, release: DriverRelease, os: Os) -> DriverBranch | None:
        """The branch a driver release belongs to; Windows releases carry other numbers than their branch."""
        branches = self._of("cuda_driver", DriverBranch)
        return next((b for b in branches if b.os == os and b.first <= release.branch <= b.last), None)

    def newest_branch(self, os: Os) -> DriverBranch | None:
        """The newest driver branch that is known."""
        branches = (row for row in self._of("cuda_driver", DriverBranch) if row.os == os)
        return max(branches, key=lambda row: row.branch, default=None)

    def forward_compat(self, cuda: CudaVersion) -> ForwardCompat | None:
        """Kernel drivers under which the cuda-compat package of a CUDA version works (data-centre GPUs)."""
        return next((row for row in self.forward_rows() if row.cuda == cuda), None)

    def forward_rows(self) -> tuple[ForwardCompat, ...]:
        """The same of every CUDA version, newest first."""
        return self._of("cuda_driver", ForwardCompat)

    def toolkit(self, cuda: CudaVersion) -> Toolkit | None:
        """What a toolkit compiles for, and the newest compilers it takes."""
        return next((row for row in self._of("cuda_arch", Toolkit) if row.cuda == cuda), None)

    def predates(self, cuda: CudaVersion, capability: Capability) -> bool:
        """All of a CUDA major, with its cuBLAS and cuDNN, is older than a GPU's generation; False if that is not known.

        PTX of a framework's own kernels does not help then. Within a major the libraries may be newer than the CUDA
        that the framework was compiled with. Source: the maintainers' word on RTX 50 cards and torch for CUDA 11.8,
        https://github.com/pytorch/pytorch/issues/153944
        """
        rows = [row for row in self._of("cuda_arch", Toolkit) if row.cuda.major == cuda.major]
        older = [one for row in rows for one in row.capabilities if one <= capability]
        return bool(older) and not any(one.major == capability.major for one in older)

    # GPUs.

    def architecture(self, capability: Capability) -> Architecture | None:
        """The architecture of a compute capability."""
        rows = self._of("cuda_arch", Architecture)
        return next((row for row in rows if capability in row.capabilities), None)

    def first_driver_branch(self, capability: Capability) -> int | None:
        """The first driver branch that serves a GPU; None is not known."""
        row = self.architecture(capability)
        return row.first_branch if row is not None else None

    def last_driver_branch(self, capability: Capability) -> int | None:
        """The last driver branch that serves a GPU; None where its support goes on or is not known."""
        row = self.architecture(capability)
        return row.last_branch if row is not None else None

    @cached_property
    def _models(self) -> GpuModels:
        return GpuModels(self.table("gpus"), lambda: self.table("chips"))

    def models_by_pci_id(self, pci_id: str) -> tuple[GpuModel, ...]:
        """Products with that PCI id, "10de:2684"; several may share one."""
        return self._models.by_pci_id(pci_id)

    def models_by_name(self, name: str) -> tuple[GpuModel, ...]:
        """Products of that name, with or without "NVIDIA" before it; case and spaces do not count."""
        return self._models.by_name(name)

    def capability(self, gpu: Gpu) -> Capability | None:
        """A GPU's compute capability: as it says itself, else by PCI id, else by name; None where models disagree."""
        return gpu.capability or self._models.capability(gpu)

    # PyTorch.

    def torch_builds(self, version: str | None = None) -> tuple[TorchBuild, ...]:
        """All builds of a torch release ("2.6.0", local tag ignored), newest first; of all releases without one."""
        rows = self._of("torch", TorchBuild)
        return rows if version is None else of_version(rows, version)

    def torch_build(self, version: str, platform: str | None = None) -> TorchBuild | None:
        """The build of a version with its tag, "2.6.0+cu124".

        Without a tag: the build that a plain `pip install torch` gives on `platform`.
        """
        tag, rows = local_tag(version), self.torch_builds(version)
        if tag is None:
            return next((row for row in rows if platform in row.default_on), None)
        return next((row for row in rows if row.variant == tag), None)

    def torch_companions(self, version: str) -> Companions | None:
        """The torchvision and torchaudio made for a torch release."""
        wanted = public(version)
        return next((row for row in self._of("companions", Companions) if package_version(row.torch) == wanted), None)

    def torch_for(self, package: str, version: str) -> tuple[str, ...]:
        """The torch releases that a torchvision or torchaudio release was made for, newest first."""
        wanted = public(version)
        rows = self._of("companions", Companions)
        made = {row.torch: row.torchvision if package == "torchvision" else row.torchaudio for row in rows}
        return tuple(
            torch for torch, versions in made.items() if any(package_version(one) == wanted for one in versions)
        )

    @property
    def oldest_torch_with_companions(self) -> str | None:
        """The oldest torch release whose torchvision and torchaudio are known."""
        rows = self._of("companions", Companions)
        versions = [one for row in rows if (one := package_version(row.torch))]
        return str(min(versions)) if versions else None

    # TensorFlow, JAX and what they need.
    def tensorflow_builds(
        self, version: str | None = None, platform: str | None = None, dist: str | None = None
    ) -> tuple[TensorflowBuild, ...]:
        """Rows that cover a TensorFlow version, newest first; of one platform and distribution where given."""
        wanted = None if version is None else public(version)
        if version is not None and wanted is None:
            return ()
        # "1.13" is any of its line.
        return tuple(
            row
            for row in self._of("tensorflow", TensorflowBuild)
            if (platform is None or row.platform == platform)
            and (dist is None or row.dist == dist)
            and (wanted is None or row.line == version or known_version(row.first) <= wanted <= known_version(row.last))
        )

    def tf_protobuf(self, version: str) -> ProtobufRange | None:
        """The protobuf that a TensorFlow release asks for, and what works."""
        wanted = public(version)
        return next(
            (row for row in self._of("protobuf", ProtobufRange) if package_version(row.tensorflow) == wanted), None
        )

    def keras_for(self, version: str) -> KerasPairing | None:
        """The Keras and tf-keras that belong to a TensorFlow release."""
        wanted = public(version)
        return next((row for row in self._of("keras", KerasPairing) if package_version(row.tensorflow) == wanted), None)

    def jax_builds(self, version: str | None = None) -> tuple[JaxBuild, ...]:
        """Rows of a JAX version, newest first."""
        rows = self._of("jax", JaxBuild)
        return rows if version is None else of_version(rows, version)

    def works_with_numpy2(self, package: str, version: str, os: Os) -> bool | None:
        """Whether torch, tensorflow or jax of that version works with NumPy 2."""
        rows = [row for row in self._of("numpy", NumpyAbi) if row.package == package and row.os in (os, None)]
        return next((row.works_with_numpy2 for row in of_version(rows, version)), None)

    def numpy2_by_neighbours(self, package: str, version: str, os: Os) -> bool | None:
        """The same for a release that the table lacks, derived: once a framework works with NumPy 2, it goes on to."""
        wanted = public(version)
        rows = [row for row in self._of("numpy", NumpyAbi) if row.package == package and row.os in (os, None)]
        if wanted is None:
            return None
        if any(row.works_with_numpy2 is False and known_version(row.version) > wanted for row in rows):
            return False
        return True if any(row.works_with_numpy2 and known_version(row.version) < wanted for row in rows) else None

    def framework_builds(self, framework: str, version: str | None = None) -> tuple[FrameworkBuild, ...]:
        """The builds of a framework without a table of its own, newest first; of one release, where it is named."""
        rows = tuple(row for row in self._of("builds", FrameworkBuild) if row.framework == framework)
        return rows if version is None else of_version(rows, version)

    def cudnn(self, cuda_major: int, version: LibraryVersion | None = None) -> Cudnn | None:
        """What is known of a cuDNN minor release for a CUDA major; of the newest one without a version."""
        for row in self._of("cudnn", Cudnn):
            major, minor = row.cudnn.split(".")
            wanted = version is None or (version.major, version.minor) == (int(major), int(minor))
            if wanted and any(int(cuda.split(".")[0]) == cuda_major for cuda in row.cuda):
                return row
        return None

    def triton_assembler(self, version: str, capability: Capability) -> CudaVersion | None:
        """The CUDA of the ptxas that a Triton release calls for a GPU; None is not known.

        From 10.0 on it is ptxas-blackwell, where the release has one (get_ptxas in triton/backends/nvidia/compiler.py).
        """
        rows: tuple[TritonAssembler, ...] = of_version(self._of("triton", TritonAssembler), version)
        if not rows:
            return None
        own = rows[0].ptxas_blackwell if capability.major >= 10 else None
        return CudaVersion(".".join((own or rows[0].ptxas).split(".")[:2]))

    def pythons(self, package: str, version: str, platform: str) -> tuple[str, ...] | None:
        """The Pythons ("3.12") that have a wheel of torch, tensorflow, jax …; None where the release is not known."""
        rows: Iterable[Any] = ()
        if package == "torch":
            tag = local_tag(version)
            builds = [row for row in self.torch_builds(version) if platform in row.platforms]
            names = {one for row in builds if tag in (None, row.variant) for one in row.pythons_for(platform)}
            return tuple(sorted(names, key=known_version)) or None
        if package in ("tensorflow", "tensorflow-gpu", "tensorflow-cpu"):
            rows = self.tensorflow_builds(version, platform, package)
        elif package in ("jax", "jaxlib"):
            rows = self.jax_builds(version)
        found = {python for row in rows for python in row.pythons}
        return tuple(sorted(found, key=known_version)) or None

    def releases(self, package: str) -> tuple[str, ...]:
        """The releases that the matrix knows, newest first."""
        if package == "torch":
            return tuple(row.version for row in self.torch_builds())
        if package in ("tensorflow", "tensorflow-gpu", "tensorflow-cpu"):
            return tuple(row.last for row in self.tensorflow_builds(dist=package) if row.build != "stub")
        if package in ("jax", "jaxlib"):
            return tuple(row.version for row in self.jax_builds())
        return tuple(row.version for row in self.framework_builds(package))

    def newest(self, package: str) -> str | None:
        """The newest release the matrix knows, to tell "too new for the matrix" from "no such release"."""
        return next((version for version in self.releases(package) if not known_version(version).is_prerelease), None)
