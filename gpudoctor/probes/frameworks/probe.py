"""Finds the installed frameworks from their files; nothing is imported or run."""

import re
from collections.abc import Callable

from gpudoctor.facts.base import Gap, Source
from gpudoctor.facts.python import Framework, Frameworks, Interpreter, Package, Packages
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.host.port import Host
from gpudoctor.knowledge.frameworks import BuildFile, Descriptor, descriptors
from gpudoctor.probes.frameworks.ctranslate2 import read_ctranslate2
from gpudoctor.probes.frameworks.extensions import read_extensions
from gpudoctor.probes.frameworks.jax import read_jax
from gpudoctor.probes.frameworks.site import Site, framework
from gpudoctor.probes.frameworks.tensorflow import read_keras, read_tensorflow
from gpudoctor.probes.frameworks.torch import read_companion, read_torch
from gpudoctor.sources.build_tags import Variant


def read_described(site: Site) -> tuple[Framework, ...]:
    """Those that are there."""
    found = (_read(site, one, one.build_file) for one in descriptors() if one.build_file is not None)
    return tuple(one for one in found if one is not None)


def _read(site: Site, known: Descriptor, build: BuildFile) -> Framework | None:
    owners = [package for name in known.packages if (package := site.packages.get(name))]
    folder = site.folder(known.module, owners[0] if owners else None)
    text = site.text(folder, *build.path.split("/")) if folder else None
    if not owners and text is None:
        return None
    said = _Stated(site, folder, build) if text is not None else None
    version = said.word(build.version) if said else None
    package = _owner(owners, version)
    by_name = known.variants.get(package.name) if package else None
    variant = (said.variant() if said else None) or by_name
    is_cuda = variant == "cuda" and said is not None
    archs, archs_source = _archs(site, folder, build, text) if is_cuda and folder else (None, None)
    return framework(
        known.name,
        package,
        version,
        variant=variant,
        cuda=CudaVersion.parse(said.word(build.cuda)) if said and is_cuda else None,
        cudnn=said.word(build.cudnn) if said and is_cuda else None,
        archs=archs,
        archs_source=archs_source,
        code_files=site.has_one_of(folder, *build.device_code, beside=build.path) if is_cuda else None,
        location=folder,
        source=said.source if said else None,
    )


class _Stated:
    """What the file says."""

    def __init__(self, site: Site, folder: str | None, build: BuildFile) -> None:
        path = site.path(folder or "", *build.path.split("/"))
        self.source = Source(kind="file", where=path)
        self._build = build
        self._words = site.assignments(path) or {}

    def word(self, name: str | None) -> str | None:
        """What is assigned to a name; None for what a build without it has there."""
        value = self._words.get(name or "")
        return None if value in (None, "", "False", "None") else value

    def variant(self) -> Variant | None:
        """What the build is for; None where it does not say. A kind that an older release lacks says nothing."""
        if self._build.cuda not in self._words:
            return None
        kinds: tuple[tuple[Variant, str | None], ...] = (
            ("cuda", self._build.cuda),
            ("rocm", self._build.rocm),
            ("xpu", self._build.xpu),
        )
        return next((kind for kind, name in kinds if self.word(name)), "cpu")


def _owner(owners: list[Package], version: str | None) -> Package | None:
    """Of several that own the same files, the one whose version is on the disk."""
    same = (package for package in owners if package.version.partition(".post")[0] == version)
    return next(same, owners[0] if owners else None)


def _archs(site: Site, folder: str, build: BuildFile, text: str | None) -> tuple[tuple[str, ...] | None, Source | None]:
    """The architectures that the file lists, else those in the libraries."""
    listed = re.search(rf"^{build.archs}\s*=\s*\[([^\]]*)\]", text or "", re.M) if build.archs else None
    numbers = re.findall(r"\d{2,3}", listed[1]) if listed else ()
    if numbers:
        where = site.path(folder, *build.path.split("/"))
        return tuple(f"sm_{number}" for number in numbers), Source(kind="file", where=where)
    return site.archs_of(*(site.path(folder, *name.split("/")) for name in build.device_code))


#: Each gives the frameworks of its family that are there.
READERS: tuple[Callable[[Site], tuple[Framework, ...]], ...] = (
    read_torch,
    lambda site: read_companion(site, "torchvision"),
    lambda site: read_companion(site, "torchaudio"),
    read_tensorflow,
    read_keras,
    read_jax,
    read_described,
    read_extensions,
    read_ctranslate2,
)


def probe(host: Host, interpreter: Interpreter, packages: Packages) -> Frameworks | Gap | None:
    """The frameworks of the target; None where there is none."""
    site = Site(host, interpreter, packages)
    found = tuple(framework for read in READERS for framework in read(site))
    return Frameworks(found=found) if found else None
