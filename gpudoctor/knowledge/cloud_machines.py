"""GPUs of cloud machine types: g4dn.xlarge has a T4."""

from collections.abc import Iterator
from functools import lru_cache

from gpudoctor.facts import lazy_re as re
from gpudoctor.tables import rows_of

#: What the name of a type looks like, at all.
_TYPE = re.compile(
    r"(?<![\w./-])(?:[pg]\d\w{0,3}\.\d{0,2}(?:x?large|metal)|standard_n\w{3,24}|[ag]\d-[a-z]{4,10}-\d{1,3}g?)\b", re.I
)


@lru_cache(maxsize=1)
def _rows() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern), gpu) for pattern, gpu, *_ in rows_of("knowledge/cloud_machines"))


def gpus_of_machines(text: str) -> Iterator[str]:
    """The GPU of each type of machine that a text names, as the driver calls it."""
    for named in _TYPE.finditer(text):
        yield from (gpu for pattern, gpu in _rows() if pattern.fullmatch(named[0].lower()))
