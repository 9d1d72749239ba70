"""Parts that packages have in some releases only, and an error line that asks for one."""

import os
from functools import lru_cache

from gpudoctor.facts import lazy_re as re

_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "parts_by_release.tsv")
_ASKED = (
    re.compile(r"module '([\w.]{1,80})' has no attribute '(\w{1,60})'"),
    re.compile(r"cannot import name '(\w{1,60})' from '([\w.]{1,80})'"),
    re.compile(r"No module named '([\w.]{1,120})'", re.IGNORECASE),
)
_BARE = re.compile(r"cannot import name '(\w{1,60})'\s*$")


@lru_cache(maxsize=1)
def _rows() -> dict[str, str]:
    """The requirement that has it, Pillow<10, by dotted name."""
    with open(_FILE, encoding="utf-8") as stream:
        rows = [line.rstrip("\n").split("\t") for line in stream if not line.startswith("#")]
    return {name: requirement for name, requirement, _ in rows}


def _with_parents(name: str) -> list[str]:
    """keras.engine.topology, keras.engine: what a module that is absent lies in."""
    parts = name.split(".")
    return [".".join(parts[:end]) for end in range(len(parts), 1, -1)]


def requirement_that_has(message: str) -> str | None:
    """Which releases have the part that an error line does not find: Pillow<10; None where that is not known."""
    of_module, by_import, absent = (pattern.search(message) for pattern in _ASKED)
    names = [
        f"{of_module[1]}.{of_module[2]}" if of_module else "",
        f"{by_import[2]}.{by_import[1]}" if by_import else "",
        *(_with_parents(absent[1]) if absent else ()),
    ]
    # Python up to 3.6 does not say from where.
    bare = _BARE.search(message)
    ends = [name for name in _rows() if bare and name.endswith(f".{bare[1]}")]
    names += ends if len(ends) == 1 else []
    return next((_rows()[name] for name in names if name in _rows()), None)
