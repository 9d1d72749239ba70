"""Package names and versions from metadata folder names (NAME-VERSION.dist-info), without opening them."""

from functools import lru_cache
from typing import Literal

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact

_SEPARATORS = re.compile(r"[-_.]+")
_EGG_TAG = re.compile(r"-py\d+(\.\d+)?(-.*)?$")

#: Distributions whose metadata and files are looked into: what drives a GPU, and what breaks it when it does not fit.
_RELEVANT = re.compile(
    r"(?:apex|bitsandbytes|ctranslate2|deepspeed|flash-attn|functorch|jaxlib|keras|libtpu|ml-dtypes|mxnet|numba|numpy|protobuf"
    r"|auto-gptq|causal-conv1d|detectron2|mamba-ssm|mmcv|mmcv-full|mmcv-lite|pytorch3d|pyg-lib|spconv"
    r"|pycuda|pytorch|scikit-cuda|tf-keras|tf-nightly|transformer-engine|vllm|xformers"
    r"|(?:cuda|cudf|cugraph|cuml|cupy|cuquantum|faiss|flash-attn|intel-tensorflow|jax|keras|mxnet|numba|nvidia"
    r"|onnxruntime|opencv|paddlepaddle|pytorch|tensorflow|tensorrt|tf-nightly|torch|torchaudio|torchvision"
    r"|transformer-engine|triton|warp-lang|xgboost)(?:-.*|\d.*)?)"
)

#: conda packages that drive the GPU, or keep it from being used, and that no Python distribution is called after.
_CONDA_LIBRARIES = re.compile(
    r"cpuonly|cuda(?:toolkit)?(?:-.*)?|cudnn|lib(?:cu|nv|torch|tensorflow|magma).*|magma(?:-.*)?|nccl|pytorch"
)


class Entry(Fact, frozen=True, kw_only=True):
    """A metadata folder (or file) in a site folder. `name` is normalised; `version` None: only its metadata says."""

    name: str
    version: str | None
    file: str
    kind: Literal["dist-info", "egg-info", "egg"]


@lru_cache(maxsize=8192)
def normalise(name: str) -> str:
    """The name by which an index compares distributions (PEP 503)."""
    return _SEPARATORS.sub("-", name).lower()


@lru_cache(maxsize=8192)
def is_relevant(name: str) -> bool:
    """Whether a distribution (normalised name) is a GPU framework or library, or one that they stand or fall with."""
    return _RELEVANT.fullmatch(name) is not None


@lru_cache(maxsize=8192)
def is_conda_relevant(name: str) -> bool:
    """The same of a conda package (normalised name); libraries have names of their own there."""
    return is_relevant(name) or _CONDA_LIBRARIES.fullmatch(name) is not None


def parse_entry(file: str) -> Entry | None:
    """The distribution that a name in a site folder stands for (torch-2.6.0+cu124.dist-info); None for other things."""
    if file.endswith(".dist-info"):
        stem = file[:-10]
        name, dash, version = stem.rpartition("-")
        if not dash:
            name, version = stem, ""
        return Entry(name=normalise(name), version=version or None, file=file, kind="dist-info")
    if file.endswith(".egg-info"):
        return _parse_egg(file, file[:-9], "egg-info")
    return _parse_egg(file, file[:-4], "egg") if file.endswith(".egg") else None


def _parse_egg(file: str, stem: str, kind: Literal["egg-info", "egg"]) -> Entry:
    """Eggs escape a dash within name or version, so the first one separates: numpy-1.24.2-py3.11."""
    name, _, version = _EGG_TAG.sub("", stem).partition("-")
    return Entry(name=normalise(name), version=version or None, file=file, kind=kind)


def metadata_path(entry: Entry) -> tuple[str, ...]:
    """Where the metadata of the entry may be, relative to its site folder, best first."""
    if entry.kind == "dist-info":
        return (f"{entry.file}/METADATA",)
    if entry.kind == "egg":
        return (f"{entry.file}/EGG-INFO/PKG-INFO",)
    return (f"{entry.file}/PKG-INFO", entry.file)
