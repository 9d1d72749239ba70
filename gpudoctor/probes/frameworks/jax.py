"""Finds JAX: jax, jaxlib, and the CUDA plugin (before 0.4.26 a jaxlib with a local tag instead)."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Source
from gpudoctor.facts.python import Framework, Package
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.probes.frameworks.site import Site, framework
from gpudoctor.sources.build_tags import Variant, local_part

_PART = re.compile(r"jax-(?:cuda(\d+)|rocm\d+)-(plugin|pjrt)")
#: 0.4.14+cuda12.cudnn89
_TAG = re.compile(r"cuda(\d+)(?:\.cudnn(\d)(\d+))?")


def read_jax(site: Site) -> tuple[Framework, ...]:
    """All parts that are there."""
    parts = [(package, match) for package in site.packages.values() if (match := _PART.fullmatch(package.name))]
    jaxlib = _read_jaxlib(site)
    plugins = tuple(_read_part(site, package, match) for package, match in parts)
    kernels = next((one for one in (*plugins, *jaxlib) if one.variant not in {None, "cpu"}), None)
    package = site.first_of("jax")
    folder = site.folder("jax", package)
    version = package.version if package is not None else _own_version(site, folder)
    if version is None:
        return (*jaxlib, *plugins)
    variant: Variant | None = kernels.variant if kernels else "cpu" if jaxlib else None
    if "jax-metal" in site.packages and kernels is None:
        variant = "mps"
    jax = framework(
        "jax",
        package,
        version,
        variant=variant,
        cuda=kernels.cuda if kernels else None,
        cudnn=kernels.cudnn if kernels else None,
        location=folder,
    )
    return (jax, *jaxlib, *plugins)


def _own_version(site: Site, folder: str | None) -> str | None:
    """What its version.py says, where the distribution's metadata is gone."""
    return (site.assignments(folder, "version.py") or {}).get("_version") if folder is not None else None


def _read_jaxlib(site: Site) -> tuple[Framework, ...]:
    package = site.first_of("jaxlib")
    if package is None:
        return ()
    folder = site.folder("jaxlib", package)
    tag = _TAG.search(local_part(package.version))
    own_kernels = tag is not None or bool(folder and any(n.endswith(".so") for n in site.names(folder, "cuda")))
    return (
        framework(
            "jaxlib",
            package,
            variant="cuda" if own_kernels else "cpu",
            cuda=CudaVersion.parse(tag.group(1)) if tag else None,
            cudnn=f"{tag.group(2)}.{tag.group(3)}" if tag and tag.group(2) else None,
            location=folder,
        ),
    )


def _read_part(site: Site, package: Package, match: re.Match[str]) -> Framework:
    """The CUDA or ROCm plugin, or its pjrt part. Only the major of CUDA is stated, in the name."""
    major, part = match.groups()
    kind = "cuda" if major else "rocm"
    location = site.folder(f"{package.name.rpartition('-')[0].replace('-', '_')}_{part}", package)
    archs, source = (None, None)
    has_code = None
    if major and part == "plugin":
        folder = site.folder("jax_plugins", package)
        paths = (site.path(folder, f"xla_cuda{major}", "xla_cuda_plugin.so"),) if folder else ()
        archs, source = site.archs_of(*paths)
        own = site.path(folder, f"xla_cuda{major}") if folder else None
        has_code = site.has_one_of(own, "xla_cuda_plugin.so", beside="__init__.py")
    return framework(
        f"jax-{kind}-{part}",
        package,
        variant="cuda" if major else "rocm",
        cuda=CudaVersion.parse(major),
        archs=archs,
        archs_source=source,
        code_files=has_code,
        location=location,
        source=Source(kind="metadata", where=package.name),
    )
