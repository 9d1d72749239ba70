"""Words of commands that name packages with GPU code: which one, its release, the package that has the code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.python import Packages
from gpudoctor.knowledge.matrix.offer_types import Extension

if TYPE_CHECKING:
    from gpudoctor.diagnosis.filled_in import Stated

#: Servers whose build takes hours and tools that few have.
_NEVER_COMPILED = ("vllm", "sglang")
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


def extension(facts: Stated) -> str | None:
    """The one that is to be compiled; "" where it is one that nobody compiles."""
    names = extensions_named(facts)
    if names and all(one in _NEVER_COMPILED for one in names):
        return ""
    own = [one for one in names if one not in _NEVER_COMPILED]
    return own[0] if len(own) == 1 else None


def extension_release(facts: Stated) -> str | None:
    """The same in its stated release: a newer one may want another torch."""
    name = extension(facts)
    return _stated(name, facts) if name else name


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
    if there is not None and there.version.split(".")[0] >= first:
        package = name
    wanted = f"{package}=={there.version}" if there else package
    torch = facts.seen.framework("torch")
    tag = f"cu{torch.cuda.major}{torch.cuda.minor}" if torch and torch.cuda else None
    minor = ".".join((torch.version or "").split(".")[:2]) if torch else ""
    return f"{wanted} -f {_MMCV.format(tag=tag, minor=minor)}" if tag and minor else wanted
