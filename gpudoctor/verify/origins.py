"""The indexes and channels that a command installs from."""

from typing import Literal

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.verify.asked import Install

_TORCH = re.compile(r"https?://download(?:-r2)?\.pytorch\.org(/.*)?$", re.IGNORECASE)
_TAG = re.compile(r"cpu|cu\d{2,4}|rocm[\d.]+|xpu")
_ROOTS = ("", "torch", "torch_stable.html", "lts", "stable.html")
_JAX = re.compile(r"https?://storage\.googleapis\.com/jax-releases/")
_PACKAGE_INDEX = re.compile(r"https?://(?:pypi\.org|pypi\.python\.org|files\.pythonhosted\.org)(?:/|$)")


class Origin(Fact, frozen=True, kw_only=True):
    """One place. `tag`: the build that an index of PyTorch is of; empty where it has them all."""

    kind: Literal["package index", "pytorch", "jax", "nightly", "other", "wrong"]
    tag: str = ""
    address: str = ""


def origin_of(address: str) -> Origin:
    """The place at an address."""
    torch = _TORCH.match(address.strip())
    if torch is None:
        if _JAX.match(address):
            return Origin(kind="jax", address=address)
        kind: Literal["package index", "other"] = "package index" if _PACKAGE_INDEX.match(address) else "other"
        return Origin(kind=kind, address=address)
    parts = [part for part in (torch[1] or "").split("/") if part]
    last = parts[-1].removesuffix(".html") if parts else ""
    if not parts or parts[0] not in ("whl", "nightly") or ("." in last and not _TAG.fullmatch(last)):
        return Origin(kind="wrong", address=address)
    if "nightly" in parts or "test" in parts:
        return Origin(kind="nightly", address=address)
    rest = [part for part in parts[1:] if part not in ("torch", "torchvision", "torchaudio")]
    tag = rest[0] if rest else ""
    if tag in _ROOTS:
        return Origin(kind="pytorch", address=address)
    return Origin(kind="pytorch" if _TAG.fullmatch(tag) else "wrong", tag=tag, address=address)


def origins(install: Install, best_tag: str | None) -> tuple[Origin, ...]:
    """The places of a command, the first asked first. `best_tag`: what uv's --torch-backend=auto takes here."""
    found = [origin_of(url) for url in (*install.extra, *install.links)]
    if install.index is not None:
        found.append(origin_of(install.index))
    elif not install.no_index:
        found.append(Origin(kind="package index"))
    if install.backend is not None:
        tag = best_tag if install.backend == "auto" else install.backend
        known = not tag or _TAG.fullmatch(tag) is not None
        found = [Origin(kind="pytorch" if known else "wrong", tag=tag or "", address=f"--torch-backend={tag}")]
    return tuple(found)


def known_tags(matrix: Matrix) -> frozenset[str]:
    """The builds of PyTorch that some release has had an index for."""
    return frozenset(row.variant for row in matrix.torch_builds() if row.index_suffix is not None)
