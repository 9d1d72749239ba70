"""Which system this is: os-release(5), and the kernels of WSL."""

import re


def parse_os_release(text: str) -> dict[str, str]:
    """The assignments of os-release(5), quotes removed."""
    found = re.findall(r"^([A-Z_]+)=(.*)$", text, re.MULTILINE)
    return {name: re.sub(r"\\(.)", r"\1", value.strip().strip("\"'")) for name, value in found}


def is_wsl(text: str) -> bool:
    """The text names a kernel of WSL 2."""
    return bool(re.search(r"microsoft-standard|-microsoft\b|WSL2", text))
