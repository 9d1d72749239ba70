"""Images of programs that are published with and without GPU code."""

import os
import re
from functools import lru_cache

_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "image_variants.tsv")


@lru_cache(maxsize=1)
def _rows() -> dict[str, tuple[str, str]]:
    """The tags without GPU code, and the image that has it, by the image's name."""
    with open(_FILE, encoding="utf-8") as stream:
        rows = [line.rstrip("\n").split("\t") for line in stream if not line.startswith("#")]
    return {name: (tags, other) for name, tags, other, _ in rows}


def image_with_gpu_code(image: str) -> str | None:
    """The image to take instead of one without GPU code; None of one that has it, or that is not known."""
    name, _, tag = image.removeprefix("docker.io/").partition("@")[0].partition(":")
    tags, other = _rows().get(name, ("$", ""))
    found = re.match(tags, tag or "latest")
    return found.expand(other) if found else None
