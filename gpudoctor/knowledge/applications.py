"""Programs built on a framework: who names one of them names its framework."""

from functools import lru_cache

from gpudoctor.facts import lazy_re as re
from gpudoctor.tables import rows_of

_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{2,40}")


@lru_cache(maxsize=1)
def _applications() -> dict[str, str]:
    """Framework by the name of the package: torch, tensorflow, jax; "another" has GPU code of its own."""
    return {name: framework for name, framework, _ in rows_of("knowledge/applications")}


def frameworks_of_applications(text: str) -> frozenset[str]:
    """The frameworks of the programs that a text names; - and _ are the same in a name."""
    known = _applications()
    names = {found.strip("._-").replace("_", "-") for found in _NAME.findall(text.lower())}
    return frozenset(known[name] for name in names & known.keys())
