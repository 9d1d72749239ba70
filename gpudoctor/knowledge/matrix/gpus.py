"""Which product a GPU is, by PCI id and by name."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import chain

from gpudoctor.facts.gpus import Gpu
from gpudoctor.facts.versions import Capability
from gpudoctor.knowledge.matrix.chip_families import capability_of_chip, capability_of_device, product_in
from gpudoctor.knowledge.matrix.gpu_names import boards, called
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
