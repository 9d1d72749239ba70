"""Images of programs that are published with and without GPU code."""

import re
from functools import lru_cache

from gpudoctor.tables import rows_of


@lru_cache(maxsize=1)
def _rows() -> dict[str, tuple[str, str]]:
    """The tags without GPU code, and the image that has it, by the image's name."""
    return {name: (tags, other) for name, tags, other, _ in rows_of("knowledge/image_variants")}


def image_with_gpu_code(image: str) -> str | None:
    """The image to take instead of one without GPU code; None of one that has it, or that is not known."""
    name, _, tag = image.removeprefix("docker.io/").partition("@")[0].partition(":")
    tags, other = _rows().get(name, ("$", ""))
    found = re.match(tags, tag or "latest")
    return found.expand(other) if found else None
