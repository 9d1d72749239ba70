"""The cuDNN that a framework would load, and which GPUs a release of cuDNN has code for."""

from gpudoctor.facts.base import Fact
from gpudoctor.facts.finding import Confidence
from gpudoctor.facts.libraries import Origin, Resolution
from gpudoctor.facts.versions import LibraryVersion, local_tag, public
from gpudoctor.knowledge.matrix.types import TorchBuild
from gpudoctor.rules.builds import needed_cudnn
from gpudoctor.rules.sections import Framework, Gap, Libraries, LibraryCopy, Matrix, Packages, System

#: How the main library is called.
MAIN = ("libcudnn.so", "cudnn64_")


class LoadedCudnn(Fact, frozen=True, kw_only=True):
    """The cuDNN of a framework, where it comes from, and how sure that is."""

    version: LibraryVersion
    where: str
    origin: Origin | None
    confidence: Confidence


def taken_cudnn(framework: Framework, libraries: Libraries) -> Resolution | LibraryCopy | None:
    """The main cuDNN library, not one of its parts (libcudnn_ops …).

    Of a report that tells which copies there are and not which one is taken: the newest, so it is any of them. PyTorch
    brings its own, which such reports seldom list.
    """
    asked = _asked(framework, libraries)
    for one in asked:
        if one.soname.startswith(MAIN) and one.path is not None:
            return one
    if asked or framework.name == "torch":
        return None
    copies = [one for one in libraries.copies if one.soname.startswith(MAIN)]
    versions = [one.version for one in copies if one.version is not None]
    if not versions or len(versions) < len(copies):
        return None
    return next(one for one in copies if one.version == max(versions))


def _asked(framework: Framework, libraries: Libraries) -> list[Resolution]:
    names = ("jax", "jaxlib", framework.name) if framework.name.startswith("jax") else (framework.name,)
    return [one for one in libraries.resolutions or () if one.framework in names and one.family == "cudnn"]


def loaded_cudnn(
    framework: Framework,
    libraries: Libraries | Gap | None,
    packages: Packages | Gap | None,
    host: System | Gap | None,
    matrix: Matrix,
) -> LoadedCudnn | None:
    """What a framework would load: the file; else the wheel that is installed; else what torch brings."""
    if isinstance(libraries, Libraries):
        taken = taken_cudnn(framework, libraries)
        if taken is not None and taken.version is not None:
            sure: Confidence = "certain" if isinstance(taken, Resolution) else "likely"
            return LoadedCudnn(version=taken.version, where=taken.path or "", origin=taken.origin, confidence=sure)
        if taken is not None or _asked(framework, libraries):
            return None
    return _of_wheel(framework, packages, host) or _of_torch(framework, matrix, host)


def _of_wheel(framework: Framework, packages: Packages | Gap | None, host: System | Gap | None) -> LoadedCudnn | None:
    """Frameworks take it from there on Linux; for Windows torch carries its own."""
    on_linux = isinstance(host, System) and host.os == "linux"
    if framework.cuda is None or not on_linux or not isinstance(packages, Packages):
        return None
    package = packages.find(f"nvidia-cudnn-cu{framework.cuda.major}")
    version = LibraryVersion.parse(package.version) if package is not None else None
    if package is None or version is None:
        return None
    where = f"the package {package.name}"
    return LoadedCudnn(version=version, where=where, origin="pip", confidence="likely")


def _of_torch(framework: Framework, matrix: Matrix, host: System | Gap | None) -> LoadedCudnn | None:
    """Of a release that is not known: at least what the last known one of that CUDA brings."""
    if framework.name != "torch":
        return None
    version, where = needed_cudnn(framework, matrix, host), framework.label
    last = None if version is not None else _last_known(framework, matrix)
    if last is not None and last.cudnn is not None:
        version, where = LibraryVersion.parse(last.cudnn), f"torch {last.version}+{last.variant} and newer"
    if version is None:
        return None
    return LoadedCudnn(version=version, where=where, origin="bundled", confidence="likely")


def _last_known(framework: Framework, matrix: Matrix) -> TorchBuild | None:
    wanted, tag = public(framework.version or ""), local_tag(framework.version or "")
    if wanted is None or tag is None or matrix.torch_build(framework.version or "") is not None:
        return None
    older = (row for row in matrix.torch_builds() if (known := public(row.version)) is not None and known < wanted)
    return next((row for row in older if row.variant == tag and row.cudnn), None)
