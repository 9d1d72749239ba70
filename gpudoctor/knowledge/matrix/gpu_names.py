"""Finding a GPU by what people call it: "RTX 3090", "a100", "4090"."""

import re
from collections.abc import Iterable
from functools import lru_cache

from gpudoctor.knowledge.matrix.gpu_types import GpuModel

#: Words of product names that people leave out.
_USUAL = frozenset({"nvidia", "geforce", "quadro", "tesla", "gpu", "graphics"})


#: How vGPUs and MIG slices are named: GRID V100D-32Q, NVIDIA A10-24Q, A100-SXM4-40GB MIG 1g.5gb
#: (docs.nvidia.com/vgpu, virtual GPU types; docs.nvidia.com/datacenter/tesla/mig-user-guide).
_PROFILE = re.compile(r"(?i)(?:(?:grid|nvidia) )*([a-z]*)(\d+[a-z]*)-(?:\d+-)?\d+[qcab](?:me)?")
_SLICE = re.compile(r"(?i)[ -]+mig[ -]\d+[gc]\..*")


def boards(name: str) -> tuple[str, ...]:
    """What the GPU of a vGPU or of a MIG slice may be called, the fullest name first; empty for any other name."""
    plain = _SLICE.sub("", name.strip())
    profile = _PROFILE.fullmatch(plain)
    if profile is None:
        return (plain,) if plain != name.strip() else ()
    # V100D and H100XM are a V100 and an H100 of some kind; RTX6000 is the RTX 6000.
    board = re.sub(r"(?i)^rtx", "rtx ", profile[1]) + profile[2]
    return tuple(
        dict.fromkeys((board, board[:-1] if board[-1].isalpha() else board, board.rstrip("dlmsx").rstrip("DLMSX")))
    )


@lru_cache(maxsize=2048)
def _words(name: str) -> frozenset[str]:
    """Letters and numbers apart, so that RTX3090Ti is RTX 3090 Ti; but A10M and P100 are one word."""
    joined = re.sub(r"\b([a-z]) (?=\d)", r"\1", name.lower())
    return frozenset(re.findall(r"(?<![a-z])[a-z]\d+[a-z]?(?![a-z\d])|[a-z]+|\d+", joined)) - _USUAL


def called(models: Iterable[GpuModel], name: str) -> tuple[GpuModel, ...]:
    """The products that have all words of a name, those with the fewest other words first."""
    words, models = _words(name), tuple(models)
    found = [model for model in models if words and words <= _words(model.name)]
    if not found and words:
        # The board by itself: K40 for K40c and K40m.
        found = [model for model in models if all(_begins(word, _words(model.name)) for word in words)]
    if not found:
        return next(filter(None, (called(models, board) for board in boards(name))), ())
    return tuple(sorted(found, key=lambda model: len(_words(model.name))))


def _begins(word: str, others: frozenset[str]) -> bool:
    """Whether it is one of the words, but for letters at the end."""
    return word in others or any(one.startswith(word) and one[len(word) :].isalpha() for one in others)


def closest(found: tuple[GpuModel, ...]) -> tuple[GpuModel, ...]:
    """Those of the products found by a name that have the fewest other words."""
    return tuple(model for model in found if len(_words(model.name)) == len(_words(found[0].name)))


def is_whole_name(found: tuple[GpuModel, ...], name: str) -> bool:
    """Whether the name leaves nothing out but the usual words."""
    return bool(found) and _words(found[0].name) == _words(name)


def near(models: Iterable[GpuModel], name: str) -> tuple[str, ...]:
    """Product names that look like a name that no product has."""
    # Imported here: only a slip of the pen needs it.
    from difflib import get_close_matches

    plain = {
        " ".join(word for word in model.name.lower().split() if word not in _USUAL): model.name for model in models
    }
    matches = get_close_matches(name.lower().strip(), list(plain), n=3, cutoff=0.5)
    return tuple(plain[match] for match in matches)
