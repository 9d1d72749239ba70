"""Which chip a GPU has, and so its compute capability, where no list of products names it.

NVIDIA gives each chip a range of PCI device ids, and pci.ids names the chip before the product: "GP104GL [Tesla P4]".
"""

import re
from collections.abc import Iterable

from gpudoctor.facts.versions import Capability
from gpudoctor.knowledge.matrix.gpu_types import Chip


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
