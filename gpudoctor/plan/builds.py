"""All published builds of all frameworks, in one form for the solver."""

from bisect import bisect_left, bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from gpudoctor.facts.base import Fact
from gpudoctor.facts.versions import Capability, CudaVersion, DriverRelease, known_version, package_version
from gpudoctor.knowledge.matrix.kernels import LikelyCode, likely_code
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import (
    FrameworkBuild,
    JaxBuild,
    NumpyAbi,
    ProtobufRange,
    Release,
    Row,
    TensorflowBuild,
    TorchBuild,
)
from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.plan.wheels import releases_of

if TYPE_CHECKING:
    from packaging.version import Version

Processor = Literal["cuda", "mps", "cpu"]
Fault = tuple[Literal["index", "withdrawn", "defect"], str]
#: torch builds for macOS use Apple's GPUs from this release on (pytorch.org/blog/pytorch-1.12-released).
FIRST_MPS = numbers_of("torch-apple-gpus")
#: Extras of JAX whose plugins are on the package index; the older ones are kept elsewhere.
JAX_EXTRAS = ("cuda12", "cuda13")
#: What no version is written as.
_AFTER_ALL = "~"


class Build(Fact, frozen=True, kw_only=True):
    """One release of a framework, built one way, for one platform."""

    framework: str
    #: The distribution to install: torch, tensorflow, tensorflow-cpu, jax.
    dist: str
    version: str
    #: cu126, cpu; and-cuda, plain; cuda12.
    variant: str
    processor: Processor
    #: Where it exists.
    platforms: tuple[str, ...]
    #: None: any platform.
    platform: str | None
    pythons: tuple[str, ...]
    row: Row
    cuda: CudaVersion | None = None
    #: None is not known.
    archs: tuple[str, ...] | None = None
    #: The releases that `archs` were read from, where it is not this one: likely, not sure.
    archs_of: str | None = None
    #: Why it cannot be had, or should not: no index offers it, withdrawn, a fault of its own.
    fault: Fault | None = None
    #: Links that mend the fault, and what each leads to: both below site-packages.
    links: dict[str, str] = {}
    min_driver: DriverRelease | None = None
    min_capability: Capability | None = None

    @property
    def label(self) -> str:
        """As people write it: torch 2.6.0+cu126, tensorflow[and-cuda] 2.19.1, jax[cuda12] 0.12.0."""
        if self.framework == "torch":
            return f"torch {self.version}+{self.variant}"
        if isinstance(self.row, FrameworkBuild):
            return f"{self.dist} {self.version}" + (f" ({self.variant})" if self.variant != "plain" else "")
        return f"{self.dist}[{self.variant}] {self.version}" if self.has_extra else f"{self.dist} {self.version}"

    @property
    def is_hearsay(self) -> bool:
        """Only other people speak of it: it is for wishes that no other build meets."""
        return isinstance(self.row, TorchBuild) and self.row.confidence == "secondhand"

    @property
    def has_extra(self) -> bool:
        """Whether the variant is an extra that the requirement names."""
        return isinstance(self.row, TensorflowBuild | JaxBuild) and self.variant not in ("plain", "cpu")


def carrier_of(build: Build) -> str:
    """The distribution whose wheels are for one system: jax is for any, its jaxlib is not."""
    return (
        "jaxlib"
        if build.framework == "jax"
        else build.dist
        if isinstance(build.row, FrameworkBuild)
        else build.framework
    )


@lru_cache(maxsize=64)
def builds_of(framework: str, platform: str | None, matrix: Matrix) -> tuple[Build, ...]:
    """All builds of a framework, pre-releases left out, newest first, in the order of the tables."""
    if framework == "torch":
        found = [_torch(row, platform) for row in matrix.torch_builds() if not row.variant.startswith("rocm")]
    elif framework == "tensorflow":
        found = _tensorflow_builds(platform, matrix)
    elif framework != "jax":
        found = [_general(row, platform) for row in matrix.framework_builds(framework) if row.pythons]
    else:
        rows = matrix.jax_builds()
        jaxlib = releases_of("jaxlib", matrix)
        found = [
            build for row in rows for build in _jax(row, likely_code(row, rows), platform, jaxlib.get(row.version))
        ]
    final = [build for build in found if _is_final(build.version)]
    return tuple(sorted(final, key=lambda build: package_version(build.version) or 0, reverse=True))


def _is_final(version: str) -> bool:
    parsed = package_version(version)
    return parsed is not None and not parsed.is_prerelease


def _torch(row: TorchBuild, platform: str | None) -> Build:
    offered = row.index_suffix is not None or platform in row.default_on
    fault: Fault | None = None if offered else ("index", "no download index is known to offer it")
    version = package_version(row.version)
    mps = platform == "macos-arm64" and version is not None and version.release[:2] >= FIRST_MPS
    return Build(
        framework="torch",
        dist="torch",
        version=row.version,
        variant=row.variant,
        processor="cuda" if row.cuda is not None else "mps" if mps else "cpu",
        platforms=row.platforms,
        platform=platform,
        pythons=row.pythons_for(platform),
        row=row,
        cuda=row.cuda,
        # Without a platform the build of the commonest one speaks for all.
        archs=row.archs.get(platform or "linux-x86_64") if row.cuda is not None else (),
        fault=fault,
    )


def _general(row: FrameworkBuild, platform: str | None) -> Build:
    return Build(
        framework=row.framework,
        dist=row.package,
        version=row.version,
        variant=row.variant,
        processor="cpu" if row.cuda is None else "cuda",
        platforms=row.platforms,
        platform=platform,
        pythons=row.pythons,
        row=row,
        cuda=row.cuda,
        archs=row.archs if row.cuda is not None else (),
        min_driver=row.driver_linux if platform != "windows-x86_64" else None,
        min_capability=row.min_capability,
    )


def _tensorflow_builds(platform: str | None, matrix: Matrix) -> list[Build]:
    known = _tensorflow_releases(matrix)
    builds = []
    for row in matrix.tensorflow_builds():
        if row.build == "stub":
            continue
        first, last = known_version(row.first), known_version(row.last)
        between = (text for _, text in known[bisect_left(known, (first,)) : bisect_right(known, (last, _AFTER_ALL))])
        builds += [_tensorflow(row, version, platform) for version in sorted({row.first, row.last, *between})]
    return builds


@lru_cache(maxsize=4)
def _tensorflow_releases(matrix: Matrix) -> "tuple[tuple[Version, str], ...]":
    """The releases of TensorFlow that some table names one by one, oldest first; the builds are ranges."""
    protobuf = {row.tensorflow for row in matrix.table("protobuf") if isinstance(row, ProtobufRange)}
    numpy = {row.version for row in matrix.table("numpy") if isinstance(row, NumpyAbi) and row.package == "tensorflow"}
    return tuple(sorted((version, text) for text in protobuf | numpy if (version := package_version(text)) is not None))


def _tensorflow(row: TensorflowBuild, version: str, platform: str | None) -> Build:
    extras = dict(text.partition("==")[::2] for text in row.and_cuda)
    fault: Fault | None = ("defect", row.defect) if row.defect else None
    if "tensorrt-libs" in extras:
        fault = ("index", "its and-cuda extra asks for a tensorrt-libs that the package index does not have")
    return Build(
        framework="tensorflow",
        dist=row.dist,
        version=version,
        variant="and-cuda" if row.and_cuda else "plain" if row.build == "gpu" else "cpu",
        processor="cuda" if row.build == "gpu" else "cpu",
        platforms=(row.platform,),
        platform=platform,
        pythons=row.extra_pythons or row.pythons,
        row=row,
        cuda=row.cuda,
        archs=row.archs if row.build == "gpu" else (),
        fault=fault,
        links=row.links,
    )


def _jax(row: JaxBuild, likely: LikelyCode | None, platform: str | None, jaxlib: Release | None) -> tuple[Build, ...]:
    """The build with the extra; and, once a release, the same without it: the plugin only adds the GPU.

    Without it, it is for all systems that its jaxlib has wheels for.
    """
    fault: Fault | None = None
    if row.yanked:
        fault = ("withdrawn", "this release was withdrawn from the package index")
    elif row.variant not in JAX_EXTRAS:
        fault = ("index", "its packages are not on the package index")

    def build(variant: str, processor: Processor) -> Build:
        on_gpu = processor == "cuda"
        wheels = jaxlib.wheels if jaxlib is not None and not on_gpu else {}
        return Build(
            framework="jax",
            dist="jax",
            version=row.version,
            variant=variant,
            processor=processor,
            platforms=tuple(wheels) or row.platforms,
            platform=platform,
            pythons=tuple(one for one in row.pythons if one in wheels.get(platform or "", row.pythons)),
            row=row,
            cuda=row.cuda if on_gpu else None,
            archs=(likely.archs if likely is not None else row.archs) if on_gpu else (),
            archs_of=likely.words if likely is not None and on_gpu else None,
            fault=fault,
            min_driver=row.driver_linux if on_gpu else None,
            min_capability=row.min_capability if on_gpu else None,
        )

    with_gpu = build(row.variant, "cuda")
    return (with_gpu, build("cpu", "cpu")) if row.variant == "cuda12" else (with_gpu,)
