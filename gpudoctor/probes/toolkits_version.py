"""The version of a CUDA toolkit, from the files in it."""

import re

import msgspec

from gpudoctor.host.port import Host
from gpudoctor.model.base import Source
from gpudoctor.model.versions import CudaVersion
from gpudoctor.probes.reading import text_of
from gpudoctor.probes.target_choice import path_rules


class _Component(msgspec.Struct):
    version: str | None = None


class _Versions(msgspec.Struct):
    cuda: _Component | None = None
    cuda_nvcc: _Component | None = None
    cuda_cudart: _Component | None = None


def parse_version_json(text: str) -> str | None:
    """The version in version.json (CUDA 11.1 and later): 12.4.1."""
    try:
        said = msgspec.json.decode(text, type=_Versions)
    except msgspec.DecodeError:
        return None
    return next((one.version for one in (said.cuda, said.cuda_nvcc, said.cuda_cudart) if one and one.version), None)


def parse_version_txt(text: str) -> str | None:
    """The version in version.txt (up to CUDA 11.0): "CUDA Version 10.2.89"."""
    match = re.search(r"CUDA Version (\d+(?:\.\d+)+)", text)
    return match.group(1) if match else None


def parse_cuda_h(text: str) -> str | None:
    """The version in cuda.h, "#define CUDA_VERSION 12040": 12.4."""
    match = re.search(r"#define\s+CUDA_VERSION\s+(\d{4,5})\b", text)
    return str(CudaVersion.from_number(int(match.group(1)))) if match else None


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
