"""The version of a CUDA toolkit, from the files in it."""

import msgspec

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Source
from gpudoctor.facts.typed_json import decode_json
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.host.port import Host
from gpudoctor.probes.host_files import names_in, text_of
from gpudoctor.probes.target.choice import path_rules


class _Component(msgspec.Struct):
    version: str | None = None


class _Versions(msgspec.Struct):
    cuda: _Component | None = None
    cuda_nvcc: _Component | None = None
    cuda_cudart: _Component | None = None


def _stated(text: str) -> _Versions:
    try:
        return decode_json(text, type=_Versions)
    except msgspec.DecodeError:
        return _Versions()


def parse_version_json(text: str) -> str | None:
    """The version in version.json (CUDA 11.1 and later): 12.4.1."""
    said = _stated(text)
    return next((one.version for one in (said.cuda, said.cuda_nvcc, said.cuda_cudart) if one and one.version), None)


def parse_version_txt(text: str) -> str | None:
    """The version in version.txt (up to CUDA 11.0): "CUDA Version 10.2.89"."""
    match = re.search(r"CUDA Version (\d+(?:\.\d+)+)", text)
    return match.group(1) if match else None


def parse_cuda_h(text: str) -> str | None:
    """The version in cuda.h, "#define CUDA_VERSION 12040": 12.4."""
    match = re.search(r"#define\s+CUDA_VERSION\s+(\d{4,5})\b", text)
    return str(CudaVersion.from_number(int(match.group(1)))) if match else None


def parse_nvcc_version(text: str) -> str | None:
    """The version of the compiler's own component in version.json, which ptxas belongs to."""
    said = _stated(text)
    return said.cuda_nvcc.version if said.cuda_nvcc else None


#: cuda.h states its version near its start; the other files are shorter.
_ENOUGH = 128 * 1024
_FILES = (
    (("version.json",), parse_version_json),
    (("version.txt",), parse_version_txt),
    (("include", "cuda.h"), parse_cuda_h),
    (("targets", "x86_64-linux", "include", "cuda.h"), parse_cuda_h),
    (("targets", "sbsa-linux", "include", "cuda.h"), parse_cuda_h),
)


def read_version(host: Host, root: str) -> tuple[str | None, Source | None]:
    """The version of the toolkit at `root`, and the file that states it."""
    join = path_rules(host).join
    for parts, parse in _FILES:
        path = join(root, *parts)
        text = text_of(host, path, limit=_ENOUGH)
        version = parse(text) if text else None
        if version:
            return version, Source(kind="file", where=path)
    return None, None


#: NVIDIA's package in a site folder, and conda's in conda-meta: the version stands in the name.
_PIP_NVCC = re.compile(r"nvidia_cuda_nvcc(?:_cu\d+)?-([\d.]+)\.dist-info$")
_CONDA_NVCC = re.compile(r"cuda-nvcc(?:-tools)?-([\d.]+)-[^-]+\.json$")


def read_ptxas_version(host: Host, ptxas: str) -> str | None:
    """The version of a ptxas, from the files that came with it; the program is not run."""
    rules = path_rules(host)
    root = rules.dirname(rules.dirname(host.real(ptxas)))
    text = text_of(host, rules.join(root, "version.json"), limit=_ENOUGH)
    own = parse_nvcc_version(text) if text else None
    if own is not None:
        return own
    places = ((rules.dirname(rules.dirname(root)), _PIP_NVCC), (rules.join(root, "conda-meta"), _CONDA_NVCC))
    for folder, pattern in places:
        found = (pattern.match(name) for name in names_in(host, folder) or ())
        named = next((match.group(1) for match in found if match), None)
        if named is not None:
            return named
    full = read_version(host, root)[0]
    return full if full is not None and full.count(".") > 1 else None
