"""What follows from what is stated: a build from a package, a platform from a system. Nothing is guessed."""

import re
from typing import Any

import msgspec

from gpudoctor.formats.build_tags import cuda_in_name, local_part, parse_tag, parse_wheel_tag
from gpudoctor.ingest.fragment import Fragment, fragment, source
from gpudoctor.ingest.machine_words import is_wsl
from gpudoctor.matrix.query import Matrix
from gpudoctor.model.base import Section
from gpudoctor.model.gpus import Gpus
from gpudoctor.model.python import Framework, Frameworks, Interpreter, Package, Packages
from gpudoctor.model.system import Container, System, Wsl
from gpudoctor.model.versions import CudaVersion
from gpudoctor.plan.places import wheel_platform

_TENSORFLOW = re.compile(
    r"(?:nvidia-|intel-)?tensorflow(?:-(?:gpu|cpu|intel|macos|rocm|base|directml|aarch64|cpu-aws))?"
    r"|tf-nightly(?:-(?:gpu|cpu))?"
)
_TORCH = ("torch", "pytorch", "pytorch-gpu", "pytorch-cpu")
_PLAIN = ("torchvision", "torchaudio", "keras", "tf-keras", "jax", "triton")
_JAX_PART = re.compile(r"jax-(?:cuda(\d+)|rocm\d+)-(plugin|pjrt)")
_EXTENSIONS = re.compile(
    r"(flash-attn|xformers|bitsandbytes|onnxruntime|cupy|torch-(?:scatter|sparse|cluster)|mmcv|detectron2"
    r"|pytorch3d|mamba-ssm|causal-conv1d|auto-gptq)(?:-.*)?"
)
_JAXLIB = re.compile(r"cuda(\d+)(?:\.cudnn(\d)(\d+))?")
_CONDA_CUDNN = re.compile(r"cudnn(\d+(?:\.\d+)+)")
#: GPUs of machines with ARM processors.
_ON_ARM = re.compile(r"GH200|GB10\b|GB200|GB300|Orin|Xavier|Thor|Tegra|\bnvgpu\b|T4G", re.I)


def of_packages(fragments: tuple[Fragment, ...]) -> tuple[Fragment, ...]:
    """For each list of packages, the frameworks in it."""
    made: list[Fragment] = []
    for one in fragments:
        packages = one.sections.get("packages")
        if isinstance(packages, Packages):
            found = tuple(
                framework
                for package in packages.installed
                if (framework := _framework(package, packages, one)) is not None
            )
            made += fragment(one.form, one.lines, one.rank, frameworks=Frameworks(found=found) if found else None)
    return tuple(made)


def _framework(package: Package, packages: Packages, one: Fragment) -> Framework | None:
    name, facts = _name_and_build(package, packages)
    if name is None:
        return None
    return Framework(
        name=name,
        dist=package.name,
        version=package.version,
        metadata_version=package.version,
        source=source(one.form, one.lines[0]),
        **facts,
    )


def _name_and_build(package: Package, packages: Packages) -> tuple[str | None, dict[str, Any]]:
    """What a package is, and what its version, build string or name says of its build."""
    variant, cuda = parse_tag(local_part(package.version) or package.build or "")
    facts: dict[str, Any] = {"variant": variant, "cuda": cuda}
    cudnn = _CONDA_CUDNN.search(package.build or "")
    if cudnn and variant == "cuda":
        facts["cudnn"] = cudnn[1]
    if package.name in _TORCH:
        if variant is None and packages.find("cpuonly"):
            facts["variant"] = "cpu"
        return "torch", facts
    if _TENSORFLOW.fullmatch(package.name):
        return "tensorflow", facts | _tensorflow(package)
    if package.name in _PLAIN:
        return package.name, facts if package.name.startswith("torch") else {}
    if package.name == "jaxlib":
        return "jaxlib", _jaxlib(package, packages)
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


def completed(sections: dict[str, Section], matrix: Matrix) -> dict[str, Section]:
    """The sections with what follows from them."""
    made = dict(sections)
    made.update(_system(made))
    frameworks, packages = made.get("frameworks"), made.get("packages")
    if isinstance(frameworks, Frameworks):
        context = _Context(made, matrix, packages if isinstance(packages, Packages) else None)
        made["frameworks"] = Frameworks(found=tuple(context.completed(one) for one in frameworks.found))
    for name in ("toolkits", "environ"):
        if name in made:
            made[name] = msgspec.structs.replace(made[name], excerpt=True)
    interpreter = made.get("interpreter")
    if isinstance(interpreter, Interpreter) and interpreter.version and interpreter.version.count("."):
        numbers = interpreter.version.split(".")
        made["interpreter"] = msgspec.structs.replace(interpreter, abi=interpreter.abi or f"cp{numbers[0]}{numbers[1]}")
    return made


def _system(sections: dict[str, Section]) -> dict[str, Section]:
    """A discrete GPU whose model is not one of ARM machines is in an x86-64 one; a kernel of Microsoft's is WSL's."""
    made: dict[str, Section] = {}
    host, gpus, container = sections.get("host"), sections.get("gpus"), sections.get("container")
    if not isinstance(host, System):
        return made
    if host.arch is None and host.os in ("linux", "windows") and isinstance(gpus, Gpus) and gpus.nvidia:
        named = [gpu.name for gpu in gpus.nvidia if gpu.name]
        if named and not any(_ON_ARM.search(name) for name in named):
            made["host"] = msgspec.structs.replace(host, arch="x86_64")
    if is_wsl(host.kernel or ""):
        known = container if isinstance(container, Container) else Container()
        made["container"] = msgspec.structs.replace(known, wsl=known.wsl or Wsl(version=2))
    return made


class _Context:
    """What a build can be worked out from."""

    def __init__(self, sections: dict[str, Section], matrix: Matrix, packages: Packages | None) -> None:
        host, interpreter = sections.get("host"), sections.get("interpreter")
        self._matrix = matrix
        self._packages = packages
        self._platform = wheel_platform(host) if isinstance(host, System) else None
        self._conda = (isinstance(interpreter, Interpreter) and interpreter.environment == "conda") or any(
            package.installer == "conda" for package in (packages.installed if packages else ())
        )

    def completed(self, one: Framework) -> Framework:
        """The framework with its build, where that follows."""
        if one.name == "torch":
            return self._torch(one)
        return self._tensorflow(one) if one.name == "tensorflow" else one

    def _torch(self, one: Framework) -> Framework:
        """A wheel of PyPI bears no tag in its metadata: the matrix knows which build it is, or CUDA packages tell."""
        if one.version is None or "+" in one.version or one.variant in ("rocm", "xpu", "mps"):
            return one
        if one.variant == "cpu":
            return one
        row = None
        if one.variant == "cuda" and one.cuda is not None and not self._conda:
            row = self._matrix.torch_build(f"{one.version}+cu{one.cuda.major}{one.cuda.minor}")
        elif one.variant is None and one.metadata_version == one.version and not self._conda and self._platform:
            rows = [row for row in self._matrix.torch_builds(one.version) if self._platform in row.default_on]
            brought = self._cuda_packages()
            row = next((row for row in rows if brought in (None, row.cuda)), None)
            whole = self._packages is not None and not self._packages.excerpt
            # A whole list without them, of a release that brings them as packages, is of another origin.
            if row is not None and row.cuda is not None and whole and brought is None and row.cuda.major >= 12:
                row = None
        if row is None:
            return one
        return msgspec.structs.replace(
            one,
            version=f"{one.version}+{row.variant}",
            variant="cpu" if row.variant == "cpu" else "cuda",
            cuda=row.cuda,
        )

    def _cuda_packages(self) -> CudaVersion | None:
        """The CUDA of NVIDIA's runtime package: 12.1 of nvidia-cuda-runtime-cu12 12.1.105."""
        for package in self._packages.installed if self._packages else ():
            if re.fullmatch(r"nvidia-cuda-runtime(?:-cu\d+)?", package.name):
                return CudaVersion.parse(".".join(package.version.split(".")[:2]))
        return None

    def _tensorflow(self, one: Framework) -> Framework:
        if one.version is None or self._platform is None or (one.variant == "cpu"):
            return one
        if one.variant is None and self._conda and one.dist == "tensorflow" and self._by_conda():
            return one
        rows = self._matrix.tensorflow_builds(one.version, self._platform, one.dist or "tensorflow")
        row = next((row for row in rows if row.build in ("gpu", "cpu")), None)
        if row is None or (one.variant == "cuda" and row.build == "cpu"):
            return one
        return msgspec.structs.replace(
            one,
            variant="cuda" if row.build == "gpu" else "cpu",
            cuda=one.cuda or row.cuda,
            cudnn=one.cudnn or row.cudnn,
            dist=one.dist or "tensorflow",
        )

    def _by_conda(self) -> bool:
        package = self._packages.find("tensorflow") if self._packages else None
        return package is None or package.installer == "conda"
