"""When two statements agree: 535.183 and 535.183.01, 2.0.1 and 2.0.1+cu118, "GeForce RTX 3090" and "NVIDIA Ge..."."""

from functools import lru_cache
from typing import Any

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.driver import Answer
from gpudoctor.facts.gpus import Gpu
from gpudoctor.facts.versions import Dotted

#: What makes another product of a name.
_OTHER_MODEL = re.compile(r"^[ -]?(?:ti|super|laptop|d\b|max|with|ada|mobile|\d(?!\d? ?gb\b))", re.I)


def refined(one: Any, other: Any) -> Any:
    """The more precise of two values that agree; None where they do not."""
    if isinstance(one, Answer) and isinstance(other, Answer):
        return one if (one.outcome, one.code) == (other.outcome, other.code) else None
    if one == other:
        return one
    if isinstance(one, Dotted) and isinstance(other, Dotted):
        return _longer(one, other, one.text, other.text)
    if isinstance(one, str) and isinstance(other, str):
        if "python" in (one, other):
            return one if other == "python" else other
        return _longer(one, other, one, other) or (one if _alike(one, other) else None)
    return None


def _longer(one: Any, other: Any, text: str, others: str) -> Any:
    """The longer of two texts of which one continues the other."""
    for long, short, value in ((text, others, one), (others, text, other)):
        if long.startswith(short) and long[len(short) : len(short) + 1] in ("", ".", "+", " ", "-"):
            return value
    return None


def _alike(one: str, other: str) -> bool:
    """They are one name, one of them cut off or without its maker."""
    a, b = _bare(one), _bare(other)
    if a == b:
        return True
    for cut, whole in ((a, b), (b, a)):
        # The size of the memory is often left out.
        if whole.startswith(cut) and re.fullmatch(r"[ -]\d{1,3} ?gb(?: .*)?", whole[len(cut) :]):
            return True
        if cut.endswith(("...", "..", "…")) and whole.startswith(cut.rstrip(".… ")):
            return True
    return False


@lru_cache(maxsize=1024)
def _bare(name: str) -> str:
    name = re.sub(r"\((?:tm|r)\)", "", name.lower())
    return " ".join(re.sub(r"\b(?:nvidia|geforce|amd|radeon|intel|gpu|graphics|corporation)\b", " ", name).split())


def same_name(one: str | None, other: str | None) -> bool:
    """Two names can be those of one GPU."""
    if one is None or other is None:
        return False
    if _alike(one, other):
        return True
    a, b = sorted((_bare(one), _bare(other)), key=len)
    return b.startswith(a) and len(a) > 2 and not _OTHER_MODEL.match(b[len(a) :])


def same_gpu(one: Gpu, other: Gpu) -> bool:
    """Two statements are of one GPU."""
    if one.pci_bus_id and other.pci_bus_id:
        return one.pci_bus_id == other.pci_bus_id
    if one.uuid and other.uuid:
        return one.uuid == other.uuid
    if one.index is not None and other.index is not None:
        return one.index == other.index
    if one.name is None or other.name is None:
        return one.vendor is None or other.vendor is None or one.vendor == other.vendor
    return same_name(one.name, other.name)
