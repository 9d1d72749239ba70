"""Works out which build of a framework is installed, from package names, version tags and the matrix."""

from typing import Any

import msgspec

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Gap, Source
from gpudoctor.facts.python import Framework, Interpreter, Package, Packages
from gpudoctor.facts.system import System
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.knowledge.frameworks import companions, packages_anywhere
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import TensorflowBuild
from gpudoctor.plan.places import wheel_platform
from gpudoctor.sources.build_tags import cuda_in_name, local_part, parse_tag, parse_wheel_tag

_TENSORFLOW = re.compile(
    r"(?:nvidia-|intel-)?tensorflow(?:-(?:gpu|cpu|intel|macos|rocm|base|directml|aarch64|cpu-aws))?"
    r"|tf-nightly(?:-(?:gpu|cpu))?"
)
_PLAIN = (*companions(), "keras", "tf-keras", "jax", "triton")
_JAX_PART = re.compile(r"jax-(?:cuda(\d+)|rocm\d+)-(plugin|pjrt)")
_EXTENSIONS = re.compile(
    r"(flash-attn|xformers|bitsandbytes|onnxruntime|cupy|torch-(?:scatter|sparse|cluster)|mmcv|detectron2"
    r"|pytorch3d|mamba-ssm|causal-conv1d|auto-gptq)(?:-.*)?"
)
_JAXLIB = re.compile(r"cuda(\d+)(?:\.cudnn(\d)(\d+))?")
_ON_THE_WAY = re.compile(r"(?<=\d)[.-]?(?:dev|rc|a|b)\d+.*$")
_CONDA_CUDNN = re.compile(r"cudnn(\d+(?:\.\d+)+)")


def frameworks_of(packages: Packages, where: Source) -> tuple[Framework, ...]:
    """The frameworks among packages, as far as each package tells."""
    named = (framework_of(package, packages, where) for package in packages.installed)
    return tuple(one for one in named if one is not None)


def framework_of(package: Package, packages: Packages, where: Source | None = None) -> Framework | None:
    """The framework that a package is, with what its version, build string or name says of its build."""
    name, facts = _name_and_build(package, packages)
    if name is None:
        return None
    return Framework(
        name=name, dist=package.name, version=package.version, metadata_version=package.version, source=where, **facts
    )


def with_its_tag(one: Framework) -> Framework:
    """The framework with the build that its version's tag names, where nothing else does: 2.6.0+cu124.

    A build with a CUDA version, or with code for NVIDIA's GPUs, is for CUDA.
    """
    variant, cuda = parse_tag(local_part(one.version or ""))
    if variant is None and (one.cuda is not None or any(arch.startswith("sm_") for arch in one.archs or ())):
        variant = "cuda"
    if variant is None or one.variant not in (None, variant):
        return one
    return msgspec.structs.replace(one, variant=variant, cuda=one.cuda or cuda)


def _name_and_build(package: Package, packages: Packages) -> tuple[str | None, dict[str, Any]]:
    """What a package is, and what its version, build string or name says of its build."""
    variant, cuda = parse_tag(local_part(package.version) or package.build or "")
    facts: dict[str, Any] = {"variant": variant, "cuda": cuda}
    cudnn = _CONDA_CUDNN.search(package.build or "")
    if cudnn and variant == "cuda":
        facts["cudnn"] = cudnn[1]
    if package.name in packages_anywhere("torch"):
        if variant is None and packages.find("cpuonly"):
            facts["variant"] = "cpu"
        return "torch", facts
    if _TENSORFLOW.fullmatch(package.name):
        return "tensorflow", facts | _tensorflow(package)
    if package.name in _PLAIN:
        return package.name, facts if package.name.startswith("torch") else {}
    if package.name == "jaxlib":
        return "jaxlib", facts if variant == "cuda" and package.build else _jaxlib(package, packages)
    part = _JAX_PART.fullmatch(package.name)
    if part:
        kind = "cuda" if part[1] else "rocm"
        return f"jax-{kind}-{part[2]}", {"variant": kind, "cuda": CudaVersion.parse(part[1])}
    extension = _EXTENSIONS.fullmatch(package.name)
    if extension:
        tag = parse_wheel_tag(package.version, build=package.build)
        return extension[1], {
            "variant": "cuda" if tag.cuda or cuda_in_name(package.name) or package.name.endswith("-gpu") else None,
            "cuda": tag.cuda or cuda_in_name(package.name),
            "built_for_torch": tag.torch,
            "cxx11_abi": tag.cxx11_abi,
        }
    return None, {}


def _tensorflow(package: Package) -> dict[str, Any]:
    if package.name.endswith(("-cpu", "-cpu-aws", "-intel")):
        return {"variant": "cpu", "cuda": None}
    if package.build and re.match(r"(?:mkl|eigen)_", package.build):
        return {"variant": "cpu", "cuda": None}
    if package.build and re.match(r"gpu_", package.build):
        return {"variant": "cuda"}
    return {}


def _jaxlib(package: Package, packages: Packages) -> dict[str, Any]:
    tag = _JAXLIB.search(local_part(package.version))
    if tag:
        cudnn = f"{tag[2]}.{tag[3]}" if tag[2] else None
        return {"variant": "cuda", "cuda": CudaVersion.parse(tag[1]), "cudnn": cudnn}
    plugin = any(_JAX_PART.fullmatch(one.name) for one in packages.installed)
    return {"variant": "cpu"} if not packages.excerpt and not plugin and package.installer != "conda" else {}


def _are_one(first: str | None, second: str | None) -> bool:
    """The same release, whichever of them bears the tag of its build."""
    return first is not None and second is not None and first.partition("+")[0] == second.partition("+")[0]


class Builds:
    """What a build can be worked out from."""

    def __init__(
        self,
        matrix: Matrix,
        packages: Packages | None,
        host: System | Gap | None,
        interpreter: Interpreter | Gap | None,
    ) -> None:
        self._matrix = matrix
        self._packages = packages
        self._platform = wheel_platform(host) if isinstance(host, System) else None
        arch_known = isinstance(host, System) and host.arch is not None
        system = host.os if isinstance(host, System) and host.os in ("linux", "windows") else None
        self._usual = tuple(f"{one}-x86_64" for one in ("linux", "windows") if not arch_known and system in (None, one))
        self._system = system
        self._conda = (isinstance(interpreter, Interpreter) and interpreter.environment == "conda") or any(
            package.installer == "conda" for package in (packages.installed if packages else ())
        )

    def completed(self, one: Framework) -> Framework:
        """The framework with its build, where that follows."""
        one = self._as_packaged(one) if one.variant is None else one
        if one.name == "torch":
            return self._torch(one)
        return self._tensorflow(one) if one.name == "tensorflow" else one

    def is_packaged(self, one: Framework, variant: str) -> bool:
        """Its package says by itself that it is that build."""
        return self._as_packaged(one).variant == variant

    def _as_packaged(self, one: Framework) -> Framework:
        """With what its package says by its name, its version's tag or its build string."""
        named = Package(name=one.dist or one.name, version=one.version or "")
        listed = self._packages.installed if self._packages else ()
        both = Packages(installed=(*listed, named), excerpt=self._packages is None or self._packages.excerpt)
        where = Source(kind="derived", where="the list of packages")
        own = next((made for made in frameworks_of(both, where) if made.name == one.name), None)
        if own is None or own.variant is None or not _are_one(own.version, one.version):
            return one
        return msgspec.structs.replace(
            one, variant=own.variant, cuda=one.cuda or own.cuda, cudnn=one.cudnn or own.cudnn, dist=one.dist or own.dist
        )

    def _torch(self, one: Framework) -> Framework:
        """A wheel of PyPI bears no tag in its metadata: the matrix knows which build it is, or CUDA packages tell."""
        if one.version is None or "+" in one.version or one.variant in ("rocm", "xpu", "mps"):
            return one
        if one.variant == "cpu":
            return one
        row = None
        if one.variant == "cuda" and one.cuda is not None and not self._conda:
            row = self._matrix.torch_build(f"{one.version}+cu{one.cuda.major}{one.cuda.minor}")
        elif (
            one.variant is None
            and one.metadata_version == one.version
            and not self._conda
            and self._platform
            and not self._is_lone()
        ):
            rows = [row for row in self._matrix.torch_builds(one.version) if self._platform in row.default_on]
            brought = self._cuda_packages()
            row = next((row for row in rows if brought in (None, row.cuda)), None)
            whole = self._packages is not None and not self._packages.excerpt
            # A whole list without them, of a release that brings them as packages, is of another origin.
            if row is not None and row.cuda is not None and whole and brought is None and row.cuda.major >= 12:
                row = None
        if row is None or (one.variant is None and self._platform is None and self._system is None):
            return one
        return msgspec.structs.replace(
            one,
            version=f"{one.version}+{row.variant}",
            variant="cpu" if row.variant == "cpu" else "cuda",
            cuda=row.cuda,
        )

    def _is_lone(self) -> bool:
        """One name with a version is what a person writes: without the tag that the installer would show."""
        known = self._packages
        if known is None or not known.excerpt or len(known.installed) != 1:
            return False
        return known.installed[0].location is None and known.installed[0].installer is None

    def _cuda_packages(self) -> CudaVersion | None:
        """The CUDA of NVIDIA's runtime package: 12.1 of nvidia-cuda-runtime-cu12 12.1.105."""
        for package in self._packages.installed if self._packages else ():
            if re.fullmatch(r"nvidia-cuda-runtime(?:-cu\d+)?", package.name):
                return CudaVersion.parse(".".join(package.version.split(".")[:2]))
        return None

    def _tensorflow(self, one: Framework) -> Framework:
        if one.version is None or one.variant == "cpu":
            return one
        if one.variant is None and self._conda and one.dist == "tensorflow" and self._by_conda():
            return one
        row = self._row_of_tensorflow(one)
        if row is None:
            return one
        return msgspec.structs.replace(
            one,
            variant="cuda" if row.build == "gpu" else "cpu",
            cuda=one.cuda or row.cuda,
            cudnn=one.cudnn or row.cudnn,
            dist=one.dist or "tensorflow",
        )

    def _row_of_tensorflow(self, one: Framework) -> TensorflowBuild | None:
        """Of the platform; of x86-64 where the processor is not stated and its builds are all for one CUDA."""
        names = (one.dist,) if one.dist or one.variant != "cuda" else ("tensorflow", "tensorflow-gpu")
        # What is built on the way to a release is built as that one.
        rows = self._matrix.tensorflow_builds(_ON_THE_WAY.sub("", one.version or "") or None, self._platform)
        rows = tuple(row for row in rows if row.dist in (names if names[0] else ("tensorflow",)))
        rows = tuple(row for row in rows if row.build in (("gpu",) if one.variant == "cuda" else ("gpu", "cpu")))
        if self._platform is None:
            own = tuple(row for row in rows if row.platform in self._usual)
            rows = own if len({(row.build, row.cuda) for row in own}) == 1 else ()
        return next(iter(rows), None)

    def _by_conda(self) -> bool:
        package = self._packages.find("tensorflow") if self._packages else None
        return package is None or package.installer == "conda"
