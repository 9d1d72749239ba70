"""Reads TOML files of other projects (pyproject.toml, lock files)."""

import sys
from typing import Any

from gpudoctor.facts import lazy_re as re

#: Deeper than any project nests its keys: Python's parser takes quadratic time and memory for a key of many parts.
DEEPEST = 64
#: What stands between two keys.
_BETWEEN = re.compile(r"[^\w\"'. \t-]+|\.\.+")


def parse_toml(raw: bytes) -> dict[str, Any]:
    """The document. Raises ValueError with the reason."""
    # Imported here: most checks run where no project speaks of gpudoctor.
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    text = raw.decode("utf-8-sig")
    if any(key.count(".") > DEEPEST for key in _BETWEEN.split(text)):
        raise ValueError(f"a key has more than {DEEPEST} parts")
    try:
        document: dict[str, Any] = tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    return document
