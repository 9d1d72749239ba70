"""Finds CTranslate2, which faster-whisper runs on, and what its wheels bring of cuDNN."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Source
from gpudoctor.facts.python import Framework
from gpudoctor.facts.versions import CudaVersion, package_version
from gpudoctor.knowledge.milestones import milestone
from gpudoctor.probes.frameworks.site import Site, framework
from gpudoctor.probes.loader.search import Process

#: libcudnn-74a4c495.so.9.1.0: the name that auditwheel gave it.
_OWN_CUDNN = re.compile(r"libcudnn-[0-9a-f]+\.so\.([\d.]+)")
#: What that part of cuDNN opens for the convolutions and the rest (read out of the wheels 4.4.0 and 4.5.0).
_PARTS = {"8": ("ops_infer", "cnn_infer"), "9": ("ops", "cnn")}


def read_ctranslate2(site: Site) -> tuple[Framework, ...]:
    """CTranslate2, if it is there; its wheels for Linux on x86-64 are built with CUDA, and hold a part of cuDNN."""
    package = site.first_of("ctranslate2")
    folder = site.folder("ctranslate2", package)
    if package is None or folder is None:
        return ()
    cudnn = next((match for name in _bundled(site, folder) if (match := _OWN_CUDNN.fullmatch(name))), None)
    version, first = package_version(package.version), package_version(milestone("ctranslate2-cuda-12"))
    cuda = "12" if version and first and version >= first else "11"
    return (
        framework(
            "ctranslate2",
            package,
            variant="cuda" if cudnn else None,
            cuda=CudaVersion(cuda) if cudnn else None,
            cudnn=cudnn.group(1) if cudnn else None,
            location=folder,
            source=Source(kind="file", where=site.path(f"{folder}.libs", cudnn.group())) if cudnn else None,
        ),
    )


def _bundled(site: Site, folder: str) -> tuple[str, ...]:
    return site.names(f"{folder}.libs")


def play_ctranslate2(process: Process, framework: Framework, site: Site) -> None:
    """Open what it opens for its first work on a GPU: cuBLAS, and the parts of cuDNN."""
    folder = framework.location or ""
    module = next((name for name in site.names(folder) if name.startswith("_ext.") and name.endswith(".so")), None)
    core = next((name for name in _bundled(site, folder) if name.startswith("libctranslate2-")), None)
    if module is None or core is None or process.open(f"{folder}/{module}") is None:
        return
    opener = process.open(core)
    if opener is not None and framework.cuda is not None:
        process.open(f"libcublas.so.{framework.cuda.major}", opener)
    cudnn = next((process.open(name) for name in _bundled(site, folder) if _OWN_CUDNN.fullmatch(name)), None)
    major = (framework.cudnn or "").partition(".")[0]
    for part in _PARTS.get(major, ()) if cudnn is not None else ():
        process.open(f"libcudnn_{part}.so.{major}", cudnn)
