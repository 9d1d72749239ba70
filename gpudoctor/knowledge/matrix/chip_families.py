"""Which chip a GPU has, and so its compute capability, where no list of products names it.

NVIDIA gives each chip a range of PCI device ids, and pci.ids names the chip before the product: "GP104GL [Tesla P4]".
Source of the ranges: pci.ids (github.com/pciutils/pciids, read 2026-11); a range is listed where all its GPUs are of
one capability. Source of the capabilities: the chips column of the architectures in this matrix.
"""

import re

from gpudoctor.facts.versions import Capability

#: First and last device id, chip, capability. Tegra's chips have no ids here: Jetson boards do not list them.
RANGES: tuple[tuple[int, int, str, str], ...] = (
    (0x1180, 0x11FF, "GK104", "3.0"),
    (0x1280, 0x12FF, "GK208", "3.5"),
    (0x1340, 0x137F, "GM108", "5.0"),
    (0x1380, 0x13BF, "GM107", "5.0"),
    (0x13C0, 0x13FF, "GM204", "5.2"),
    (0x1400, 0x147F, "GM206", "5.2"),
    (0x1580, 0x15FF, "GP100", "6.0"),
    (0x1600, 0x167F, "GM204", "5.2"),
    (0x17C0, 0x17FF, "GM200", "5.2"),
    (0x1B00, 0x1B7F, "GP102", "6.1"),
    (0x1B80, 0x1BFF, "GP104", "6.1"),
    (0x1C00, 0x1C7F, "GP106", "6.1"),
    (0x1C80, 0x1CFF, "GP107", "6.1"),
    (0x1D00, 0x1D7F, "GP108", "6.1"),
    (0x1D80, 0x1DFF, "GV100", "7.0"),
    (0x1E00, 0x1E7F, "TU102", "7.5"),
    (0x1E80, 0x1EFF, "TU104", "7.5"),
    (0x1F00, 0x1F7F, "TU106", "7.5"),
    (0x1F80, 0x1FFF, "TU117", "7.5"),
    (0x2080, 0x20FF, "GA100", "8.0"),
    (0x2180, 0x21FF, "TU116", "7.5"),
    (0x2200, 0x227F, "GA102", "8.6"),
    (0x2300, 0x23FF, "GH100", "9.0"),
    (0x2400, 0x247F, "GA103", "8.6"),
    (0x2480, 0x24FF, "GA104", "8.6"),
    (0x2500, 0x257F, "GA106", "8.6"),
    (0x2580, 0x25FF, "GA107", "8.6"),
    (0x2680, 0x26FF, "AD102", "8.9"),
    (0x2700, 0x277F, "AD103", "8.9"),
    (0x2780, 0x27FF, "AD104", "8.9"),
    (0x2800, 0x287F, "AD106", "8.9"),
    (0x2880, 0x28FF, "AD107", "8.9"),
    (0x2900, 0x297F, "GB100", "10.0"),
    (0x2980, 0x29FF, "GB102", "10.0"),
    (0x2B80, 0x2BFF, "GB202", "12.0"),
    (0x2C00, 0x2C7F, "GB203", "12.0"),
    (0x2D00, 0x2D7F, "GB206", "12.0"),
    (0x2D80, 0x2DFF, "GB207", "12.0"),
    (0x2F00, 0x2F7F, "GB205", "12.0"),
)
#: The chips in pci.ids that share no range of their own above.
_OTHERS = {"GK106": "3.0", "GK107": "3.0", "GK110": "3.5", "GK180": "3.5", "GK210": "3.7"}
_BY_CHIP = {**_OTHERS, **{chip: capability for _, _, chip, capability in RANGES}}


def capability_of_chip(name: str) -> Capability | None:
    """By the chip that a name of pci.ids begins with."""
    match = re.match(r"(?:nvidia corporation )?([a-z]{2}\d{3})[a-z]*\b", name.strip().lower())
    text = _BY_CHIP.get(match.group(1).upper()) if match else None
    return Capability(text) if text else None


def capability_of_device(pci_id: str) -> Capability | None:
    """By the range that the device of "10de:1bb3" lies in."""
    vendor, _, device = pci_id.lower().partition(":")
    if vendor != "10de" or not re.fullmatch(r"[0-9a-f]{4}", device):
        return None
    number = int(device, 16)
    return next((Capability(text) for first, last, _, text in RANGES if first <= number <= last), None)


def product_in(name: str) -> str | None:
    """The product in a name of pci.ids: Tesla P4 of GP104GL [Tesla P4]."""
    match = re.search(r"\[([^\]]+)\]\s*$", name)
    return match.group(1) if match else None
