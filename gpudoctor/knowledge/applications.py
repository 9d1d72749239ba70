"""Programs built on a framework: who names one of them names its framework."""

import os
from functools import lru_cache

from gpudoctor.facts import lazy_re as re

_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "applications.tsv")
_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{2,40}")


@lru_cache(maxsize=1)
def _applications() -> dict[str, str]:
    """Framework by the name of the package: torch, tensorflow, jax; "another" has GPU code of its own."""
    with open(_FILE, encoding="utf-8") as stream:
        rows = [line.rstrip("\n").split("\t") for line in stream if not line.startswith("#")]
    return {name: framework for name, framework, _ in rows}


def frameworks_of_applications(text: str) -> frozenset[str]:
    """The frameworks of the programs that a text names; - and _ are the same in a name."""
    known = _applications()
    names = {found.strip("._-").replace("_", "-") for found in _NAME.findall(text.lower())}
    return frozenset(known[name] for name in names & known.keys())
