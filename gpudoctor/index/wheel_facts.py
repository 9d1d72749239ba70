"""What a wheel states about itself: METADATA, and files in which frameworks record their build."""

import ast
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import msgspec
from msgspec.structs import replace

from gpudoctor.facts.base import Fact
from gpudoctor.index.archive import PartsNotServed, open_archive
from gpudoctor.index.fetch import Fetcher
from gpudoctor.index.files import ordered, read_wheel
from gpudoctor.index.metadata import read_metadata
from gpudoctor.index.offers import Offers
from gpudoctor.index.pages import Link

#: By package, what its makers write the build into; read as a part of the archive.
BUILD_FILES = {
    "torch": ("torch/version.py", "torch/cuda/__init__.py"),
    "tensorflow": ("tensorflow/python/platform/build_info.py",),
    "tensorflow-gpu": ("tensorflow/python/platform/build_info.py",),
    "tensorflow-cpu": ("tensorflow/python/platform/build_info.py",),
    "tensorflow-intel": ("tensorflow/python/platform/build_info.py",),
    "tensorflow-macos": ("tensorflow/python/platform/build_info.py",),
    "xformers": ("xformers/cpp_lib.json",),
    "triton": ("triton/backends/nvidia/bin/ptxas", "triton/backends/nvidia/bin/ptxas-blackwell"),
}
#: The table of builds stands in PyTorch's wheels from here on.
_TABLE = re.compile(r"^PYTORCH_RELEASES_CODE_CC[^=]*= (\{.*?^\})", re.MULTILINE | re.DOTALL)
_PTXAS = re.compile(rb"release [\d.]+, V(\d+\.\d+\.\d+)")


class WheelFacts(Fact, frozen=True, kw_only=True):
    """What was read of a wheel; None or empty is not read, or not stated."""

    #: Requires-Dist fields.
    requires: tuple[str, ...] | None = None
    requires_python: str | None = None
    #: Those that the release has a wheel for on this platform.
    pythons: tuple[str, ...] = ()
    #: The CUDA that its own version file states; "" for a build without.
    cuda: str | None = None
    #: Its local tag, cu130.
    variant: str | None = None
    #: Major or release of the cuDNN that it was compiled with.
    cudnn: str | None = None
    archs: tuple[str, ...] = ()
    #: Of all CUDA builds of the release: CUDA -> processor ("" for every one) -> architectures.
    builds: dict[str, dict[str, tuple[str, ...]]] = {}
    #: Release of each assembler, by its file name.
    assemblers: dict[str, str] = {}


class Library(Protocol):
    """Gives what is known of a wheel; None where it is not there, or was not read."""

    def __call__(self, package: str, version: str, platform: str) -> WheelFacts | None:
        """What the wheel of a release for a platform states."""
        ...


#: Wheels are read by so many threads: most of the time is spent waiting.
THREADS = 12


class LiveLibrary:
    """Reads wheels on the index, each once."""

    #: What it does not have, the index does not have.
    is_live = True

    def __init__(self, fetcher: Fetcher, offers: Offers) -> None:
        self._fetcher, self._offers = fetcher, offers
        self._links: dict[str, dict[tuple[str, str], Link]] = {}
        self.read: dict[tuple[str, str, str], WheelFacts | None] = {}

    @property
    def count(self) -> int:
        """Wheels that were there to be read."""
        return sum(facts is not None for facts in self.read.values())

    def __call__(self, package: str, version: str, platform: str) -> WheelFacts | None:
        """See `Library`. Raises IndexUnusable."""
        key = (package, version, platform)
        if key not in self.read:
            link = self.link(*key)
            facts = None if link is None else read_facts(self._fetcher, link, package)
            self.read[key] = None if facts is None else replace(facts, pythons=self._pythons(*key))
        return self.read[key]

    def _pythons(self, package: str, version: str, platform: str) -> tuple[str, ...]:
        wheels = [read_wheel(link) for link in self._offers.links(package) or ()]
        mine = [one for one in wheels if one and one.version == version and {platform, "any"} & set(one.platforms)]
        return ordered({python for one in mine for python in one.pythons})

    def prepare(self, wheels: Iterable[tuple[str, str, str]]) -> None:
        """Read several wheels at once. Raises IndexUnusable."""
        wanted = list(wheels)
        for package in dict.fromkeys(package for package, _, _ in wanted):
            self.link(package, "", "")
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(lambda wheel: self(*wheel), wanted))

    def link(self, package: str, version: str, platform: str) -> Link | None:
        """A wheel of the release for a platform. Raises IndexUnusable."""
        if package not in self._links:
            self._links[package] = dict(_by_release(self._offers.links(package) or ()))
        links = self._links[package]
        return links.get((version, platform)) or links.get((version, "any"))


def _by_release(links: tuple[Link, ...]) -> Iterator[tuple[tuple[str, str], Link]]:
    for link in links:
        wheel = read_wheel(link)
        for platform in wheel.platforms if wheel is not None else ():
            yield (wheel.version if wheel else "", platform), link


def read_facts(fetcher: Fetcher, link: Link, package: str) -> WheelFacts:
    """What a wheel states; of what the index does not serve parts of, its METADATA at most. Raises IndexUnusable."""
    metadata = read_metadata(fetcher, link)
    found = WheelFacts(
        requires=metadata.requires if metadata else None, requires_python=metadata.requires_python if metadata else None
    )
    files = BUILD_FILES.get(package)
    if not files:
        return found
    try:
        with open_archive(fetcher, link.url) as archive:
            for name in files:
                found = _with_file(found, name, archive)
    except PartsNotServed:
        pass
    return found


def _with_file(found: WheelFacts, name: str, archive: zipfile.ZipFile) -> WheelFacts:
    # Before Triton 3.0 the assembler lay in another folder.
    at = next((one for one in archive.namelist() if one == name or _is_assembler(one, name)), None)
    if at is None:
        return found
    raw = archive.read(at)
    file = name.rpartition("/")[2]
    stated = _READERS[file](raw)
    if "assemblers" in stated:
        stated = {"assemblers": {**found.assemblers, **stated["assemblers"]}}
    return replace(found, **stated)


def _is_assembler(path: str, name: str) -> bool:
    return name.startswith("triton/") and path.endswith("/bin/" + name.rpartition("/")[2])


def _version_py(raw: bytes) -> dict[str, Any]:
    """torch/version.py: the tag of the build and its CUDA."""
    text = raw.decode("utf-8", "replace")
    version = re.search(r"^__version__ = ['\"]([^'\"]+)", text, re.MULTILINE)
    cuda = re.search(r"^cuda(?::[^=]*)? = (?:['\"]([\d.]+)['\"]|None)", text, re.MULTILINE)
    if cuda is None:
        return {}
    numbers = cuda[1] or ""
    tag = version[1].partition("+")[2] if version else ""
    # Releases before 1.13 state no tag for the build that the package index has.
    own = tag or ("cu" + "".join(numbers.split(".")[:2]) if numbers else "cpu")
    return {"cuda": ".".join(numbers.split(".")[:2]), "variant": own}


def _cuda_init(raw: bytes) -> dict[str, Any]:
    """torch/cuda/__init__.py: the architectures of every build of the release."""
    match = _TABLE.search(raw.decode("utf-8", "replace"))
    if match is None:
        return {}
    table = ast.literal_eval(match[1])
    return {"builds": {cuda: _by_processor(codes) for cuda, codes in table.items()}}


def _by_processor(codes: dict[str, set[int]] | set[int]) -> dict[str, tuple[str, ...]]:
    parts = codes if isinstance(codes, dict) else {"": codes}
    return {processor: tuple(f"sm_{one}" for one in sorted(numbers)) for processor, numbers in parts.items()}


def _build_info(raw: bytes) -> dict[str, Any]:
    """tensorflow/python/platform/build_info.py: a call with a list of pairs, or assignments in the oldest."""
    text = raw.decode("utf-8", "replace")
    pairs = re.search(r"OrderedDict\((\[.*\])\)", text, re.DOTALL)
    if pairs is not None:
        stated = dict(ast.literal_eval(pairs[1]))
    else:
        whole = re.search(r"^build_info = (\{.*?\})", text, re.MULTILINE | re.DOTALL)
        stated = ast.literal_eval(whole[1]) if whole else {}
    if not stated.get("is_cuda_build") or "cuda_version" not in stated:
        return {"cuda": "", "variant": "cpu"} if stated.get("is_cuda_build") is False else {}
    return {
        "cuda": ".".join(_number(stated["cuda_version"]).split(".")[:2]),
        "cudnn": _number(stated.get("cudnn_version") or "") or None,
        "archs": tuple(stated.get("cuda_compute_capabilities") or ()),
    }


def _number(stated: object) -> str:
    """A version; on Windows the end of a DLL's name states it: 64_112 is 11.2, 64_8 is 8."""
    text = str(stated)
    digits = text.removeprefix("64_")
    return f"{digits[:-1]}.{digits[-1]}" if digits != text and len(digits) > 2 else digits


def _cpp_lib(raw: bytes) -> dict[str, Any]:
    """xformers/cpp_lib.json: the torch and CUDA that its kernels were compiled with."""
    version = json.loads(raw)["version"]
    number = int(version.get("cuda") or 0)
    return {"cuda": f"{number // 100}.{number % 100}" if number else "", "variant": str(version["torch"])}


def _assembler(name: str) -> Callable[[bytes], dict[str, Any]]:
    def read(raw: bytes) -> dict[str, Any]:
        match = _PTXAS.search(raw)
        return {"assemblers": {name: match[1].decode()}} if match else {}

    return read


_READERS: dict[str, Callable[[bytes], dict[str, Any]]] = {
    "version.py": _version_py,
    "__init__.py": _cuda_init,
    "build_info.py": _build_info,
    "cpp_lib.json": _cpp_lib,
    "ptxas": _assembler("ptxas"),
    "ptxas-blackwell": _assembler("ptxas-blackwell"),
}


class Recording(Fact, frozen=True, kw_only=True):
    """What wheels stated, each statement once."""

    facts: tuple[WheelFacts, ...]
    wheels: dict[str, int]


#: Of what wheels require, what tables speak about.
_TOLD = re.compile(
    r"(?i)(numpy|protobuf|keras|tf.keras|torch|triton|tensorflow|tensorflow-(intel|macos|cpu-aws)|jax|jaxlib|cuda-toolkit"
    r"|(jax-cuda|nvidia-|keras-|tensorrt).*)(?![\w.-])"
)


def record(read: dict[tuple[str, str, str], WheelFacts | None]) -> bytes:
    """The statements of wheels that were read, without requirements that no table speaks about."""
    wheels: dict[str, int] = {}
    facts: list[WheelFacts] = []
    known: dict[bytes, int] = {}
    for key, found in sorted(read.items()):
        if found is None:
            continue
        kept = None if found.requires is None else tuple(one for one in found.requires if _TOLD.match(one))
        told = replace(found, requires=kept)
        text = msgspec.json.encode(told)
        if text not in known:
            known[text] = len(facts)
            facts.append(told)
        wheels[" ".join(key)] = known[text]
    return msgspec.json.encode(Recording(facts=tuple(facts), wheels=wheels))
