"""Finds resolved public threads that resemble a ticket: threads.tsv."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact
from gpudoctor.tables import records_of

#: Words, and numbers as products and errors have them.
_WORD = re.compile(r"[a-z_][a-z0-9_+]{2,29}|\d{3,4}[a-z]{0,2}\b")
_COMMON = re.compile(
    r"the|and|for|with|that|this|not|from|are|was|but|has|have|can|use|you|your|when|any|all|its|file|line|error|failed"
    r"|could|after|does|doesn|did|why|how|what|which|than|then|same|into|only|one|two"
    # What every traceback and every failed command prints, and parts of paths.
    r"|traceback|most|recent|call|last|exception|runtimeerror|importerror|oserror|valueerror|calledprocesserror"
    r"|subprocess|command|process|returned|non|zero|exit|status|code|exited|module|import|cannot|found|such|directory"
    r"|unable|please|make|sure|using|run|running|use|usr|bin|lib|home|local|user|users|python|site|packages|gcc|sudo"
    r"|install|installed|version|versions"
)
#: Characters of a text that are looked at; and how much two must have in common, of 1.
_WIDE, _ALIKE = 2000, 1 / 3
#: What they share must be had by so few threads, a message or two words: what a hundred have tells nothing.
_FEW, _WORDS = 12, 2
#: A message counts so many times a word as rare as it.
_OF_MESSAGE = 2.0


class Thread(Fact, frozen=True, kw_only=True):
    """One line of threads.tsv."""

    address: str
    #: The day it was read: 2026-11-22.
    read: str
    #: The name of a rule, or the id of a cause that no rule finds.
    cause: str
    #: What it was, in one sentence of our own; "" where the cause's words say it.
    what: str = ""
    #: Its messages (@cuda-oom) and its words.
    features: tuple[str, ...]


def features_of(messages: Iterable[str], *texts: str) -> frozenset[str]:
    """What a text is found by: the ids of its messages, and its less common words."""
    words = {word for text in texts for word in _WORD.findall(text[:_WIDE].lower()) if not _COMMON.fullmatch(word)}
    return frozenset(words) | {f"@{name}" for name in messages}


def similar_threads(messages: Iterable[str], *texts: str) -> tuple[Thread, ...]:
    """The threads that have much in common with a text, the most similar first: by the cosine of their features."""
    threads = _index()
    wanted = features_of(messages, *texts)
    size = math.sqrt(sum(threads.weight(one) ** 2 for one in wanted))
    shared: defaultdict[int, float] = defaultdict(float)
    for one in wanted:
        for number in threads.having.get(one, ()):
            shared[number] += threads.weight(one) ** 2
    rare = Counter[int]()
    for one in wanted:
        few = threads.having.get(one, ())
        rare.update({number: _WORDS if one.startswith("@") else 1 for number in few if len(few) <= _FEW})
    alike = {number: much / (size * threads.sizes[number]) for number, much in shared.items() if rare[number] >= _WORDS}
    rows = sorted((number for number, much in alike.items() if much >= _ALIKE), key=lambda one: (-alike[one], one))
    return tuple(threads.rows[number] for number in rows)


class _Index(NamedTuple):
    rows: tuple[Thread, ...]
    #: The threads that have a feature.
    having: dict[str, tuple[int, ...]]
    sizes: tuple[float, ...]

    def weight(self, feature: str) -> float:
        """The rarer, the more."""
        rare = math.log((len(self.rows) + 1) / max(1, len(self.having.get(feature, ()))))
        return rare * (_OF_MESSAGE if feature.startswith("@") else 1.0)


@lru_cache(maxsize=1)
def _index() -> _Index:
    rows = records_of("knowledge/threads", tuple[Thread, ...])
    having: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        for feature in row.features:
            having.setdefault(feature, []).append(number)
    index = _Index(rows, {feature: tuple(numbers) for feature, numbers in having.items()}, ())
    sizes = (math.sqrt(sum(index.weight(one) ** 2 for one in row.features)) for row in rows)
    return index._replace(sizes=tuple(sizes))
