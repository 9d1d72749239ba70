"""Peak bandwidth of PCIe links and memory, in bytes a second."""

#: GT/s of a lane, and the share of its bits that are data. Sources: PCI Express base specification, 8b/10b up to 2.x,
#: 128b/130b up to 5.x; 6.x packs 236 of the 256 bytes of a FLIT (PCI-SIG, "The PCIe 6.0 Specification").
_LANES = {
    1: (2.5, 8 / 10),
    2: (5.0, 8 / 10),
    3: (8.0, 128 / 130),
    4: (16.0, 128 / 130),
    5: (32.0, 128 / 130),
    6: (64.0, 236 / 256),
}


def pcie_rate(generation: int, width: int) -> float | None:
    """Of a link in one direction, before the headers of its packets; None for a generation that is not known."""
    if generation not in _LANES or width <= 0:
        return None
    transfers, data = _LANES[generation]
    return transfers * 1e9 * data / 8 * width


def host_memory_rate(megatransfers: int, channels: int) -> float:
    """Of a CPU's memory: a channel of DDR is 8 bytes wide. DDR4-2933 in 4 channels is 93.9 GB/s."""
    return megatransfers * 1e6 * 8 * channels
