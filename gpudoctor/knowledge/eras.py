"""Which releases a text can be of: those that were out when its log was written."""

from collections.abc import Mapping
from functools import lru_cache

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.versions import package_version
from gpudoctor.knowledge.matrix.as_of import days_of
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.tables import rows_of

#: The date of a framework's own log lines: "2018-05-28 23:08:09.915921: E tensorflow/stream_executor/...".
_LOGGED = re.compile(
    r"(?<!\d)(20[12]\d-[01]\d-[0-3]\d)[ T]\d\d:\d\d:\d\d[.,\d]*: ?[IWEF] (?:\S{0,40}/)?(tensorflow)/", re.ASCII
)


@lru_cache(maxsize=1)
def _rows() -> tuple[tuple[str, str, str], ...]:
    return tuple((word, framework, first) for word, framework, first in rows_of("knowledge/release_words"))


def newest_then(text: str) -> dict[str, str]:
    """The newest release of each framework that was out on the last day of its log lines."""
    last: dict[str, str] = {}
    for day, framework in _LOGGED.findall(text):
        last[framework] = max(day, last.get(framework, ""))
    out = {
        name: [one for one, then in days_of(name, load_matrix()).items() if then <= day] for name, day in last.items()
    }
    return {name: str(max(releases)) for name, releases in out.items() if releases}


def words_of_era(text: str) -> frozenset[str]:
    """The words of release_words.tsv that its log's dates make true."""
    return _words(newest_then(text))


def with_stated(words: frozenset[str], releases: Mapping[str, str]) -> frozenset[str]:
    """Such words among others; what is stated of a framework's release stands for what dates tell of it."""
    dated = {word for word, framework, _ in _rows() if framework in releases}
    return (words - dated) | _words(releases)


def _words(releases: Mapping[str, str]) -> frozenset[str]:
    return frozenset(word for word, name, first in _rows() if name in releases and _is_before(releases[name], first))


def _is_before(release: str, first: str) -> bool:
    own, other = package_version(release), package_version(first)
    return own is not None and other is not None and own < other
