"""Releases of NVIDIA's Linux for Jetson (L4T), as its file, people and images spell them."""

from gpudoctor.facts import lazy_re as re

_FILE = re.compile(r"\bR(\d{2}) \(release\), REVISION: (\d{1,2}(?:\.\d{1,2})?)")
_PLAIN = re.compile(r"^R(\d{2}\.\d{1,2}(?:\.\d{1,2})?)$")
#: An image whose tag names its L4T: nvcr.io/nvidia/l4t-pytorch:r32.7.1-pth1.10-py3.
L4T_OF_IMAGE = re.compile(
    r"(?<![\w./-])[\w.-]+(?:/[\w.-]+)*:(?:[\w.]+-)*r((?:2[89]|3\d)\.\d{1,2}(?:\.\d{1,2})?)(?:-[\w.-]+)?(?![\w.]*\d)"
)


def release_of(tegra: str) -> str | None:
    """The release in what states a Jetson's system: 32.7.1 of "# R32 (release), REVISION: 7.1", of "R32.7.1"."""
    match = _FILE.search(tegra)
    if match:
        return f"{match[1]}.{match[2]}"
    plain = _PLAIN.match(tegra)
    return plain[1] if plain else None


def release_of_image(image: str) -> str | None:
    """The release that an image is made for, by its tag."""
    match = L4T_OF_IMAGE.search(image)
    return match[1] if match else None
