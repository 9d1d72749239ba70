"""Parses PCI addresses."""


def bus_id(text: str) -> str | None:
    """A PCI address in the kernel's form, "0000:01:00.0", from NVML's "00000000:01:00.0"; None where it is none."""
    domain, _, rest = text.strip().lower().partition(":")
    try:
        return f"{int(domain, 16):04x}:{rest}" if rest.count(":") == 1 else None
    except ValueError:
        return None
