"""Identifies a GPU product by PCI id or name."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import chain

from gpudoctor.facts.gpus import Gpu
from gpudoctor.facts.versions import Capability
from gpudoctor.knowledge.matrix.gpu_types import Chip, GpuModel

NVIDIA = "10de"


def plain_name(name: str) -> str:
    """A name as drivers of every age agree on it: newer ones write "NVIDIA" before it."""
    return " ".join(name.lower().split()).removeprefix("nvidia ").replace(" ", "")


class GpuModels:
    """The products, indexed."""

    def __init__(self, models: Iterable[GpuModel], chips: Callable[[], tuple[Chip, ...]]) -> None:
        self._models, self._chips = tuple(models), chips
        self._by_id: dict[str, list[GpuModel]] = defaultdict(list)
        self._by_name: dict[str, list[GpuModel]] = defaultdict(list)
        for model in self._models:
            self._by_name[plain_name(model.name)].append(model)
            for device in model.device_ids:
                self._by_id[device].append(model)

    def by_pci_id(self, pci_id: str) -> tuple[GpuModel, ...]:
        """Products with the PCI id "vendor:device"."""
        vendor, _, device = pci_id.lower().partition(":")
        return tuple(self._by_id.get(device, ())) if vendor == NVIDIA else ()

    def by_name(self, name: str) -> tuple[GpuModel, ...]:
        """Products of that name."""
        return tuple(self._by_name.get(plain_name(name), ()))

    def _of_cut_name(self, name: str) -> Capability | None:
        """nvidia-smi cuts long names ("RTX PRO 1000 Blac..."): what all products that begin so share."""
        start = plain_name(name.rstrip("."))
        known = {model.capability for key, models in self._by_name.items() if key.startswith(start) for model in models}
        return known.pop() if len(known) == 1 else None

    def capability(self, gpu: Gpu) -> Capability | None:
        """The compute capability that all products of its PCI id (else of its name) share; else that of its chip."""
        name, pci_id = gpu.name or "", gpu.pci_id or ""
        products = (self.by_pci_id(pci_id), self.by_name(name), self.by_name(product_in(name) or ""))
        behind = (called(self._models, board) for board in boards(name))
        for models in chain(products, behind):
            known = {model.capability for model in models}
            if len(known) == 1:
                return known.pop()
        if name.endswith("...") and (of_all := self._of_cut_name(name)):
            return of_all
        if any(products):
            return None
        chips = self._chips() if name or pci_id else ()
        return capability_of_chip(name, chips) or capability_of_device(pci_id, chips) or self._of_family(name)

    def _of_family(self, name: str) -> Capability | None:
        """What people call a GPU ("A100"): what all products that are called so share."""
        known = {model.capability for model in called(self._models, name)}
        return known.pop() if len(known) == 1 else None


def capability_of_chip(name: str, chips: Iterable[Chip]) -> Capability | None:
    """By the chip that a name of pci.ids begins with."""
    match = re.match(r"(?:nvidia corporation )?([a-z]{2}\d{3})[a-z]*\b", name.strip().lower())
    return next((one.capability for one in chips if match and one.chip == match.group(1).upper()), None)


def capability_of_device(pci_id: str, chips: Iterable[Chip]) -> Capability | None:
    """By the range that the device of "10de:1bb3" lies in."""
    vendor, _, device = pci_id.lower().partition(":")
    if vendor != "10de" or not re.fullmatch(r"[0-9a-f]{4}", device):
        return None
    return next((one.capability for one in chips if one.first and one.first <= device <= one.last), None)


def product_in(name: str) -> str | None:
    """The product in a name of pci.ids: Tesla P4 of GP104GL [Tesla P4]."""
    match = re.search(r"\[([^\]]+)\]\s*$", name)
    return match.group(1) if match else None


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
