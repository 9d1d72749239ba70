"""Placeholders of commands that name packages with GPU code: which package, which release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.python import Packages
from gpudoctor.knowledge.matrix.offer_types import Extension

if TYPE_CHECKING:
    from gpudoctor.diagnosis.filled_in import Stated

#: Servers whose build takes hours and tools that few have.
_NEVER_COMPILED = ("vllm", "sglang")
#: Those that PyTorch's own index has ready for each of its releases.
_BUILT_WITH_TORCH = ("xformers",)
#: Those whose releases are no wheels of the package index, and from where they are compiled.
_FROM_SOURCE = {
    "pytorch3d": "git+https://github.com/facebookresearch/pytorch3d.git@stable",
    "detectron2": "git+https://github.com/facebookresearch/detectron2.git",
}
#: The last torch for which the maker has wheels of mmcv: https://mmcv.readthedocs.io/en/latest/get_started/installation.html
_LAST_WITH_WHEELS = (2, 4)
#: Packages without a compiled part, and those that have it, up to the first release in which they are one:
#: https://mmcv.readthedocs.io/en/latest/get_started/installation.html
_WITH_CODE = {"mmcv": ("mmcv-full", "2")}
_MMCV = "https://download.openmmlab.com/mmcv/dist/{tag}/torch{minor}/index.html"


def extensions_named(facts: Stated) -> tuple[str, ...]:
    """The packages with GPU code that the messages name; else those that are stated."""
    rows = (row for row in facts.matrix.table("extensions") if isinstance(row, Extension))
    names = sorted({row.dist or row.package for row in rows})
    said = "\n".join(facts.seen.messages).lower().replace("-", "_")
    named = [one for one in names if re.search(rf"(?<![a-z]){one.replace('-', '_')}(?![a-z])", said)]
    packages = facts.seen.section(Packages, "packages")
    return tuple(named or [one for one in names if packages and packages.find(one)])


def from_source(facts: Stated) -> str:
    """The address of the one that is compiled from its repository; "" for others."""
    said = "\n".join(facts.seen.messages)
    return next((address for name, address in _FROM_SOURCE.items() if re.search(rf"\b{name}\b", said)), "")


def extension(facts: Stated) -> str | None:
    """The one that is to be compiled; "" where it is one that nobody compiles, or not from the package index."""
    if from_source(facts):
        return ""
    names = extensions_named(facts)
    ready = (*_NEVER_COMPILED, *_BUILT_WITH_TORCH)
    if names and all(one in ready for one in names):
        return ""
    own = [one for one in names if one not in ready]
    return own[0] if len(own) == 1 else None


def extension_release(facts: Stated) -> str | None:
    """The same in its stated release: a newer one may want another torch."""
    name = extension(facts)
    return _stated(name, facts) if name else name


def built_for_torch(facts: Stated) -> str:
    """The release that was built for the stated torch, of a package that comes with each; "" where it is not known."""
    names, torch = extensions_named(facts), facts.seen.framework("torch")
    release = (torch.version or "").partition("+")[0] if torch else ""
    rows = (row for row in facts.matrix.table("extensions") if isinstance(row, Extension))
    made = {row.package: row.versions[0] for row in reversed(tuple(rows)) if row.torch == f"=={release}"}
    ready = [one for one in names if one in _BUILT_WITH_TORCH and one in made]
    return f"{ready[0]}=={made[ready[0]]}" if len(names) == 1 and ready else ""


def built_with_torch(facts: Stated) -> str:
    """The one that comes with each release of torch, where it is not known which; "" for others."""
    names = extensions_named(facts)
    is_ready = len(names) == 1 and names[0] in _BUILT_WITH_TORCH and not built_for_torch(facts)
    return names[0] if is_ready else ""


def forced_build(facts: Stated) -> str:
    """flash-attn's setup.py fetches a ready-made wheel unless it is told to build; "" for others."""
    return "TRUE" if extension(facts) == "flash-attn" else ""


def server(facts: Stated) -> str:
    """A server of models in its stated release, with the torch that it brings; "" where none is named."""
    names = [one for one in extensions_named(facts) if one in _NEVER_COMPILED]
    return _stated(names[0], facts) if len(names) == 1 else ""


def _stated(name: str, facts: Stated) -> str:
    packages = facts.seen.section(Packages, "packages")
    package = packages.find(name) if packages else None
    return f"{name}=={package.version}" if package else name


def without_code(facts: Stated) -> str | None:
    """The package whose compiled part a message misses."""
    said = "\n".join(facts.seen.messages)
    return next((name for name in _WITH_CODE if re.search(rf"\b{name}\._ext\b", said)), None)


def with_code(facts: Stated) -> str | None:
    """The package that has it, with the page of its wheels where torch and its CUDA are stated."""
    name = without_code(facts)
    if name is None:
        return None
    packages, (package, first) = facts.seen.section(Packages, "packages"), _WITH_CODE[name]
    there = next((one for dist in (name, package) if packages and (one := packages.find(dist))), None)
    torch = facts.seen.framework("torch")
    release = facts.seen.numbers("torch") or ()
    if there.version.split(".")[0] >= first if there else release[:1] >= (2,):
        package = name
    wanted = f"{package}=={there.version}" if there else package
    tag = f"cu{torch.cuda.major}{torch.cuda.minor}" if torch and torch.cuda else None
    if release[:2] > _LAST_WITH_WHEELS:
        return f"{wanted} --no-binary {package}"
    minor = ".".join(map(str, release[:2]))
    return f"{wanted} -f {_MMCV.format(tag=tag, minor=minor)}" if tag and minor else wanted
