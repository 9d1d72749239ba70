"""The table of GPU packages beside the frameworks (xformers, flash-attn …), and how they are found."""

import msgspec

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact, Source
from gpudoctor.facts.python import Framework, Package
from gpudoctor.facts.typed_json import decode_json
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.probes.elf import parse_strings, read_elf, reader
from gpudoctor.probes.frameworks.site import Site, framework
from gpudoctor.sources.build_tags import Variant, cuda_in_name, parse_wheel_tag


class Extension(Fact, frozen=True, kw_only=True):
    """A package: its distributions' names, its import name, and its compiled part."""

    name: str
    dists: str
    module: str
    #: Start of the file name of the compiled part, in the package's folder, or beside it after "../".
    binary: str | None = None
    #: Python file that states how it was built.
    stated_in: str | None = None
    #: No kernels of its own: it compiles at run time, or uses those of the framework.
    neutral: bool = False


EXTENSIONS = (
    Extension(name="cupy", dists=r"cupy(?:-cuda\d+x?|-rocm-[\d-]+)?", module="cupy"),
    Extension(
        name="onnxruntime",
        dists=r"(?:ort-nightly|onnxruntime)(?:-[a-z]+)*",
        module="onnxruntime",
        stated_in="capi/build_and_package_info.py",
    ),
    Extension(name="triton", dists=r"(?:pytorch-)?triton(?:-windows|-rocm|-xpu)?", module="triton", neutral=True),
    Extension(name="flash-attn", dists=r"flash-attn(?:-\d)?", module="flash_attn", binary="../flash_attn_2_cuda"),
    Extension(name="xformers", dists="xformers", module="xformers", binary="_C"),
    Extension(name="bitsandbytes", dists="bitsandbytes", module="bitsandbytes", binary="libbitsandbytes_cuda"),
    Extension(name="torch-scatter", dists="torch-scatter", module="torch_scatter", binary="_scatter_cuda"),
    Extension(name="torch-sparse", dists="torch-sparse", module="torch_sparse", binary="_spmm_cuda"),
    Extension(name="torch-cluster", dists="torch-cluster", module="torch_cluster", binary="_radius_cuda"),
    Extension(name="mmcv", dists="mmcv(?:-full)?", module="mmcv", binary="_ext"),
    Extension(name="detectron2", dists="detectron2", module="detectron2", binary="_C"),
    Extension(name="pytorch3d", dists="pytorch3d", module="pytorch3d", binary="_C"),
    Extension(name="mamba-ssm", dists="mamba-ssm", module="mamba_ssm", binary="../selective_scan_cuda"),
    Extension(name="causal-conv1d", dists="causal-conv1d", module="causal_conv1d", binary="../causal_conv1d_cuda"),
    Extension(name="auto-gptq", dists="auto-gptq", module="auto_gptq", binary="../autogptq_cuda_"),
)

#: Before CUDA 11 the name of the runtime carries the whole version.
_RUNTIME = re.compile(r"libcudart\.so\.((?:9|10)\.\d+|\d+)")
_DEVICE_IN_NAME: dict[str, Variant] = {"gpu": "cuda", "cuda": "cuda", "rocm": "rocm", "xpu": "xpu"}


def read_extensions(site: Site) -> tuple[Framework, ...]:
    """Those that are there."""
    return tuple(
        _read(site, extension, package)
        for extension in EXTENSIONS
        for package in site.matching(re.compile(extension.dists))[:1]
    )


def _read(site: Site, extension: Extension, package: Package) -> Framework:
    folder = site.folder(extension.module, package)
    binary = _binary(site, extension, folder)
    tag = parse_wheel_tag(package.version, package.direct_url, package.build)
    stated = _stated(site, extension, folder)
    built_for, cuda = _xformers(site, folder) if extension.name == "xformers" else (None, None)
    cuda = cuda or CudaVersion.parse(stated.get("cuda_version")) or tag.cuda or cuda_in_name(package.name)
    cuda = cuda or _linked_cuda(site, binary)
    archs, archs_source = site.archs_of(binary) if binary else (None, None)
    return framework(
        extension.name,
        package,
        variant=None if extension.neutral else _variant(package, cuda, binary),
        cuda=cuda,
        archs=archs,
        archs_source=archs_source,
        location=folder,
        built_for_torch=built_for or tag.torch,
        cxx11_abi=tag.cxx11_abi if (own := _cxx11_abi(site, binary)) is None else own,
        cuda_parts=_cuda_parts(site, extension, folder),
        source=Source(kind="file", where=binary) if binary else Source(kind="metadata", where=package.name),
    )


def _variant(package: Package, cuda: CudaVersion | None, binary: str | None) -> Variant | None:
    for word in package.name.split("-")[1:]:
        for start, variant in _DEVICE_IN_NAME.items():
            if word.startswith(start):
                return variant
    if cuda is not None or binary is not None:
        return "cuda"
    return "cpu" if package.name == "onnxruntime" else None


def _binary(site: Site, extension: Extension, folder: str | None) -> str | None:
    """The compiled part; the newest where there is one for each CUDA version."""
    if extension.binary is None or folder is None:
        return None
    place, start = folder, extension.binary
    if start.startswith("../"):
        place, start = folder[: -len(extension.module) - 1], start[3:]
    names = [name for name in site.names(place) if name.startswith(start) and name.endswith((".so", ".pyd", ".dll"))]
    return site.path(place, names[-1]) if names else None


def _cuda_parts(site: Site, extension: Extension, folder: str | None) -> tuple[str, ...] | None:
    """The CUDA versions it has a part for, as its files are named: 118 of libbitsandbytes_cuda118.so."""
    if folder is None or not (extension.binary or "").endswith("_cuda"):
        return None
    names = site.names(folder)
    found = (re.match(rf"{extension.binary}(\d+)\.(?:so|dll)$", name) for name in names)
    # A folder that could not be listed has no names at all.
    return tuple(match.group(1) for match in found if match) if names else None


def _stated(site: Site, extension: Extension, folder: str | None) -> dict[str, str | None]:
    if extension.stated_in is None or folder is None:
        return {}
    return site.assignments(folder, *extension.stated_in.split("/")) or {}


def _linked_cuda(site: Site, binary: str | None) -> CudaVersion | None:
    """The CUDA of the runtime it is linked to, of newer ones the major; the SONAME says no more."""
    elf = read_elf(site.host, binary) if binary else None
    found = next((match for name in (elf.needed if elf else ()) if (match := _RUNTIME.match(name))), None)
    return CudaVersion.parse(found.group(1)) if found else None


def parse_cxx11_abi(names: bytes) -> bool | None:
    """The C++ ABI of code that calls torch, by the string in the name of a function of torch's that it calls.

    torch 2.4 has _ZN3c106detail14torchCheckFailEPKcS2_jRKSs, torch 2.7 one with NSt7__cxx1112basic_string in its place
    (_C.so of torchvision 0.19.0 and 0.22.0).
    """
    called = re.search(rb"_ZN3c10\w*(?:torchCheckFail|5ErrorC\d)\w*(?:(Ss)|(St7__cxx11))", names)
    return None if called is None else called.group(2) is not None


def _cxx11_abi(site: Site, binary: str | None) -> bool | None:
    return parse_cxx11_abi(parse_strings(reader(site.host, binary))) if binary else None


class _BuiltWith(msgspec.Struct):
    cuda: int | str | None = None
    torch: str | None = None


class _CppLib(msgspec.Struct):
    version: _BuiltWith


def parse_cpp_lib(raw: str) -> tuple[str | None, CudaVersion | None]:
    """The torch and the CUDA that xformers' cpp_lib.json states; CUDA stands there as 1204 for 12.4."""
    try:
        built = decode_json(raw, type=_CppLib).version
    except msgspec.DecodeError:
        return None, None
    if isinstance(built.cuda, int) and built.cuda >= 100:
        return built.torch, CudaVersion(f"{built.cuda // 100}.{built.cuda % 100}")
    return built.torch, CudaVersion.parse(built.cuda)


def _xformers(site: Site, folder: str | None) -> tuple[str | None, CudaVersion | None]:
    return parse_cpp_lib((site.text(folder, "cpp_lib.json") if folder else None) or "")
