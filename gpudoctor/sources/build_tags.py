"""Reads a build's CUDA or CPU variant from version tags, conda build strings and package names."""

from typing import Literal

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact
from gpudoctor.facts.versions import CudaVersion

Variant = Literal["cuda", "cpu", "rocm", "xpu", "mps"]

_CUDA_TAG = re.compile(r"(?:^|[.+_-])cu(?:da)?(\d+\.\d+|\d{2,4}(?!\d))")
_VARIANT_TAG = re.compile(r"(?:^|[.+_-])(cpu|rocm|xpu)")
#: cupy-cuda12x serves a major, cupy-cuda116 one version.
_CUDA_IN_NAME = re.compile(r"-cuda(\d\d)(\d|x)?$")
#: The tag of extension wheels: 2.7.4+cu12torch2.6cxx11abiFALSE. Conda's: py38_torch_1.11.0_cu113.
_BUILT_FOR = re.compile(r"torch_?(\d+\.\d+(?:\.\d+)?)")
#: PyTorch Geometric's and others': 2.1.1+pt113cu117 is for torch 1.13, pt210 for 2.10.
_BUILT_FOR_SHORT = re.compile(r"(?:^|[.+_-])pt(\d)(\d{1,2})(?=cu|cpu|$)")
_ABI = re.compile(r"cxx11abi(true|false)", re.IGNORECASE)


def parse_tag(tag: str) -> tuple[Variant | None, CudaVersion | None]:
    """What a local version or a conda build string says: cu124 is CUDA 12.4, cpu, rocm6.2, xpu."""
    cuda = _CUDA_TAG.search(tag)
    if cuda:
        return "cuda", _cuda_of(cuda.group(1))
    other = _VARIANT_TAG.search(tag)
    return (other.group(1) if other else None), None  # type: ignore[return-value]


def _cuda_of(digits: str) -> CudaVersion | None:
    """The version 124, 92, 12 or 12.4 stands for: two digits are a major from 10 on."""
    if "." in digits or (len(digits) == 2 and digits[0] == "1"):
        return CudaVersion.parse(digits)
    return CudaVersion.parse(f"{digits[:-1]}.{digits[-1]}")


def local_part(version: str | None) -> str:
    """What stands after the plus of a version: cu124 of 2.6.0+cu124."""
    return (version or "").partition("+")[2]


class WheelTag(Fact, frozen=True, kw_only=True):
    """What the name of an extension's wheel says it was built for."""

    torch: str | None = None
    cuda: CudaVersion | None = None
    cxx11_abi: bool | None = None


def parse_wheel_tag(version: str, url: str | None = None, build: str | None = None) -> WheelTag:
    """The local part of the version, else that of the file it was installed from, else conda's build string."""
    text = f"+{local_part(version)}" if local_part(version) else (url or "").replace("%2B", "+").rpartition("/")[2]
    tag = local_part(text.partition("-cp")[0])
    if not text and build:
        text, tag = build, build
    torch, short, abi = _BUILT_FOR.search(text), _BUILT_FOR_SHORT.search(tag), _ABI.search(text)
    cuda = parse_tag(tag[short.end() :] if short else tag)[1]
    return WheelTag(
        torch=torch.group(1) if torch else ".".join(short.groups()) if short else None,
        cuda=cuda,
        cxx11_abi=abi.group(1).lower() == "true" if abi else None,
    )


def cuda_in_name(dist: str) -> CudaVersion | None:
    """The CUDA version a distribution's name states: 12 of cupy-cuda12x, 11.6 of cupy-cuda116."""
    match = _CUDA_IN_NAME.search(dist)
    if match is None:
        return None
    major, minor = match.groups()
    return CudaVersion.parse(major if minor in {None, "x"} else f"{major}.{minor}")
