"""The maker of a GPU (NVIDIA or AMD), by the name that a driver or framework gives it."""

from typing import Literal

from gpudoctor.facts import lazy_re as re

#: HIP names a device by its product or by its chip's code name: "Radeon RX 7900 XTX", "Vega 20", "gfx90a".
_AMD = re.compile(
    r"\b(?:AMD|Radeon|Instinct|FirePro|Vega|Navi|Arcturus|Aldebaran|MI\d{2,3}[AX]?|gfx\d{3,4}\w?)\b", re.I
)


def maker_of(name: str | None) -> Literal["nvidia", "amd"]:
    """AMD where the name says so: a framework built for ROCm lists AMD's devices as CUDA's."""
    return "amd" if name and _AMD.search(name) else "nvidia"
