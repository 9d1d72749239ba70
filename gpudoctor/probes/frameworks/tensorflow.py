"""Finds TensorFlow in all its distributions, and Keras; its build is read from build_info.py."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Source
from gpudoctor.facts.python import Framework, Package
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.probes.frameworks.site import Site, framework, parse_assignments
from gpudoctor.sources.build_tags import Variant

#: tensorflow-intel holds the files of `tensorflow` on Windows from 2.11 on, tensorflow-macos those on older Macs.
_DISTS = (
    *("tensorflow", "tensorflow-gpu", "tensorflow-cpu", "tensorflow-intel", "tensorflow-macos", "tensorflow-rocm"),
    *("tf-nightly", "tf-nightly-gpu", "tf-nightly-cpu", "tensorflow-cpu-aws", "tensorflow-aarch64"),
    *("nvidia-tensorflow", "intel-tensorflow", "tensorflow-base", "tensorflow-directml"),
)
_CPU_DISTS = ("tensorflow-cpu", "tensorflow-intel", "tf-nightly-cpu", "tensorflow-cpu-aws")
#: Releases before 2.0 keep their files in tensorflow_core.
_MODULES = ("tensorflow", "tensorflow_core")
_PAIR = re.compile(r"""\(\s*['"](\w+)['"]\s*,\s*(?:['"]([^'"]*)['"]|(True|False)|\[([^\]]*)\])\s*\)""")
#: The oldest cuDNN that the extra and-cuda asks for; build_info.py names the major only.
_CUDNN_PIN = re.compile(r"^Requires-Dist:\s*nvidia-cudnn-cu\d+[^;\n]*?[=>]=\s*([\d.]+)", re.M)
#: Where the device code is: from 2.13 or so, before, and on Windows.
_DEVICE_CODE = (
    "libtensorflow_cc.so.2",
    "python/_pywrap_tensorflow_internal.so",
    "python/_pywrap_tensorflow_internal.pyd",
)


def parse_build_info(text: str) -> dict[str, str | None]:
    """What build_info.py says, either as one table (2.3 and later) or as assignments; lists joined by blanks."""
    table = text.partition("build_info = ")[2]
    found: dict[str, str | None] = {
        name: plain or flag or " ".join(re.findall(r"[\w.+]+", items))
        for name, plain, flag, items in _PAIR.findall(table)
    }
    return found or parse_assignments(text)


def read_tensorflow(site: Site) -> tuple[Framework, ...]:
    """TensorFlow, if it is there."""
    packages = [site.packages[name] for name in _DISTS if name in site.packages]
    folder = next((place for module in _MODULES[::-1] if (place := site.folder(module, _first(packages)))), None)
    text = site.text(folder, "python", "platform", "build_info.py") if folder else None
    if not packages and text is None:
        return ()
    said = parse_build_info(text) if text is not None else {}
    variant = _variant(said, site)
    package = _owner(packages, variant)
    archs, archs_source = _archs(site, folder, said) if variant == "cuda" else (None, None)
    where = site.path(folder, "python", "platform", "build_info.py") if folder else ""
    return (
        framework(
            "tensorflow",
            package,
            variant=variant or _variant_of(package),
            cuda=CudaVersion.parse(said.get("cuda_version") or said.get("cuda_version_number")),
            cudnn=_cudnn(said, site, package),
            archs=archs,
            archs_source=archs_source or (Source(kind="metadata", where=where) if archs else None),
            code_files=_has_code(site, folder, package) if variant == "cuda" else None,
            location=folder,
            source=Source(kind="file", where=where) if text is not None else None,
        ),
    )


def _has_code(site: Site, folder: str | None, package: Package | None) -> bool | None:
    """Whether its GPU code is there. Conda may keep that elsewhere, in a package of its own."""
    if package is not None and package.installer == "conda":
        return None
    return site.has_one_of(folder, *_DEVICE_CODE, beside="python/ops")


def _cudnn(said: dict[str, str | None], site: Site, package: Package | None) -> str | None:
    """The cuDNN it was built with: as build_info.py says, to the patch where its requirements pin that major."""
    built = said.get("cudnn_version") or said.get("cudnn_version_number")
    pinned = _CUDNN_PIN.search(site.metadata(package) or "") if built else None
    return pinned.group(1) if pinned and built and pinned.group(1).split(".")[0] == built else built


def _first(packages: list[Package]) -> Package | None:
    return packages[0] if packages else None


def _owner(packages: list[Package], variant: Variant | None) -> Package | None:
    """The distribution that the files on disk are likely from, where several are installed over one another."""
    if variant == "cpu":
        return next((package for package in packages if package.name in _CPU_DISTS), _first(packages))
    return next((package for package in packages if package.name not in _CPU_DISTS), _first(packages))


def _variant(said: dict[str, str | None], site: Site) -> Variant | None:
    if said.get("is_cuda_build") == "True":
        return "cuda"
    if said.get("is_rocm_build") == "True":
        return "rocm"
    if "is_cuda_build" not in said:
        return None
    return "mps" if "tensorflow-metal" in site.packages else "cpu"


def _variant_of(package: Package | None) -> Variant | None:
    """What a distribution's name alone says."""
    if package is None:
        return None
    if package.name in _CPU_DISTS:
        return "cpu"
    return {"tensorflow-rocm": "rocm", "tensorflow-gpu": "cuda"}.get(package.name)  # type: ignore[return-value]


def _archs(site: Site, folder: str | None, said: dict[str, str | None]) -> tuple[tuple[str, ...] | None, Source | None]:
    declared = (said.get("cuda_compute_capabilities") or "").replace(",", " ").split()
    if declared:
        return tuple(one if "_" in one else "sm_" + one.replace(".", "") for one in declared), None
    paths = (site.path(folder, *name.split("/")) for name in _DEVICE_CODE) if folder else ()
    return site.archs_of(*paths)


def read_keras(site: Site) -> tuple[Framework, ...]:
    """Keras and tf-keras. They run on whichever framework is below them, so they have no variant."""
    return tuple(
        framework(package.name, package, location=site.folder(package.name.replace("-", "_"), package))
        for package in (site.first_of("keras"), site.first_of("tf-keras"))
        if package is not None
    )
