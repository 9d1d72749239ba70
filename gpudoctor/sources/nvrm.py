"""Parses /proc/driver/nvidia/version, and tells driver releases from other version numbers."""

import re
from typing import Literal

from gpudoctor.facts.versions import DriverRelease

#: A Jetson's module gives its L4T release (35.3.1) here, which is no release of the desktop driver.
_FIRST_BRANCH = 100
Flavour = Literal["open", "proprietary"]


def parse_nvrm_version(text: str) -> tuple[DriverRelease | None, Flavour | None]:
    """Release and flavour in /proc/driver/nvidia/version and in the kernel log, whose wording differs between the two.

    "NVIDIA UNIX x86_64 Kernel Module  535.161.07 …" and "NVIDIA UNIX Open Kernel Module for x86_64  580.65.06 …".
    """
    match = re.search(r"NVRM(?: version:|: loading).{0,200}?Kernel Module(?: for \S{1,40})?\s+(\d+(?:\.\d+)+)", text)
    if match is None:
        return None, None
    return desktop_release(match.group(1)), "open" if "Open Kernel Module" in match.group(0) else "proprietary"


def desktop_release(text: str | None) -> DriverRelease | None:
    """The driver release in `text`; None for a Jetson's L4T release and for anything else."""
    release = DriverRelease.parse(text) if text else None
    return release if release is not None and release.branch >= _FIRST_BRANCH else None
