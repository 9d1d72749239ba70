"""Finds PyTorch and its companions; `torch/version.py` outranks the metadata, which may lack the local tag."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Source
from gpudoctor.facts.python import Framework, Package
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.knowledge.frameworks import packages_anywhere
from gpudoctor.probes.frameworks.site import Site, framework
from gpudoctor.sources.build_tags import Variant, local_part, parse_tag

#: Where the device code is, by release: in one library, in two (1.8 to 1.13), on Windows.
_DEVICE_CODE = ("libtorch_cuda.so", "libtorch_cuda_cu.so", "torch_cuda.dll", "torch_cuda_cu.dll", "libtorch.so")
_CODE_FILES = tuple(f"lib/{name}" for name in _DEVICE_CODE)
_CUDNN_PIN = re.compile(r"^Requires-Dist:\s*nvidia-cudnn-cu\d+\s*\(?==\s*([\d.]+)", re.M)
_CUDNN_BUILD = re.compile(r"cudnn(\d+(?:\.\d+)+)")
_ABI = re.compile(r"_GLIBCXX_USE_CXX11_ABI=([01])")


def read_torch(site: Site) -> tuple[Framework, ...]:
    """PyTorch, if it is there."""
    package = site.first_of(*packages_anywhere("torch"))
    folder = site.folder("torch", package)
    said = site.assignments(folder, "version.py") if folder else None
    if package is None and said is None:
        return ()
    version = (said or {}).get("__version__") or (package.version if package else None)
    variant, cuda = _variant(site, said, version, package)
    libraries = site.path(folder, "lib") if folder else ""
    present = site.names(libraries) if folder and variant == "cuda" else ()
    archs, source = site.archs_of(*(site.path(libraries, name) for name in _DEVICE_CODE if name in present))
    return (
        framework(
            "torch",
            package,
            version,
            variant=variant,
            cuda=cuda,
            cudnn=_cudnn(site, package) if variant == "cuda" else None,
            archs=archs,
            archs_source=source,
            code_files=site.has_one_of(folder, *_CODE_FILES, beside="nn") if variant == "cuda" else None,
            location=folder,
            cxx11_abi=_cxx11_abi(site, folder),
            source=Source(kind="file", where=site.path(folder, "version.py")) if folder and said else None,
        ),
    )


def _variant(
    site: Site, said: dict[str, str | None] | None, version: str | None, package: Package | None
) -> tuple[Variant | None, CudaVersion | None]:
    if said is None or "cuda" not in said:
        return parse_tag(local_part(version) or (package.build if package and package.build else ""))
    if said["cuda"]:
        return "cuda", CudaVersion.parse(said["cuda"])
    if said.get("hip") or said.get("rocm"):
        return "rocm", None
    if said.get("xpu"):
        return "xpu", None
    # Apple's GPUs are part of every build for their processors.
    return ("mps" if site.host.platform == "darwin" and "arm64" in (site.interpreter.platform or "") else "cpu"), None


def _cudnn(site: Site, package: Package | None) -> str | None:
    """The cuDNN it was built with, from the pin in its requirements or the conda build string."""
    pinned = _CUDNN_PIN.search(site.metadata(package) or "")
    found = pinned or _CUDNN_BUILD.search((package.build or "") if package else "")
    return found.group(1) if found else None


def _cxx11_abi(site: Site, folder: str | None) -> bool | None:
    text = site.text(folder, "share", "cmake", "Torch", "TorchConfig.cmake") if folder else None
    found = _ABI.search(text or "")
    return found.group(1) == "1" if found else None


def read_companion(site: Site, name: str) -> tuple[Framework, ...]:
    """One of the companions (torchvision, torchaudio), if it is there."""
    package = site.first_of(name)
    folder = site.folder(name, package)
    said = site.assignments(folder, "version.py") if folder else None
    if package is None and not said:
        return ()
    version = (said or {}).get("__version__") or (package.version if package else None)
    variant, cuda = parse_tag(local_part(version) or (package.build if package and package.build else ""))
    return (
        framework(
            name,
            package,
            version,
            variant=variant,
            cuda=cuda,
            location=folder,
            source=Source(kind="file", where=site.path(folder, "version.py")) if folder and said else None,
        ),
    )
