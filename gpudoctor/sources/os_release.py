"""os-release(5): which distribution this is."""

import re


def parse_os_release(text: str) -> dict[str, str]:
    """The assignments of os-release(5), quotes removed."""
    found = re.findall(r"^([A-Z_]+)=(.*)$", text, re.MULTILINE)
    return {name: re.sub(r"\\(.)", r"\1", value.strip().strip("\"'")) for name, value in found}
