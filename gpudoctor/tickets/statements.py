"""What a reporter asserts ("it works on the host"), sentence by sentence."""

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from gpudoctor.facts import lazy_re as re
from gpudoctor.knowledge.statements import Statement, statements
from gpudoctor.tickets.clauses import own_lines
from gpudoctor.tickets.other_machines import without_others
from gpudoctor.tickets.pasted import Pasted
from gpudoctor.tickets.sentences import SENTENCE, before_it, is_told
from gpudoctor.tickets.steps import installed_by_steps

#: What is said is itself that it works somewhere, or works no longer.
_WORKS = re.compile(r"\b(?:work|run|ran|train|fine|ok|good|well|problem|error|issue|succe)|正常|没问题", re.IGNORECASE)
#: Before what is said: it is of another machine or time.
_ELSEWHERE = re.compile(
    r"\b(?:(?:an)?other|different|colleague\W?s?|friend\W?s?|second|old|previous|someone else\W?s?|brother\W?s?)"
    r" (?:[\w'-]+ ){0,2}?(?:machine|pc|computer|laptop|server|system|workstation|box|node|host|one)\b[^,;]{0,24}$"
    r"|\b(?:an?other|different|colleague\W?s?|friend\W?s?|second|old|someone else\W?s?)\s+$",
    re.IGNORECASE,
)
#: Characters of a text that are read: what people say stands before what programs print.
_MOST = 50_000


class Stated(NamedTuple):
    """One statement and the line, from 1, in which it is made."""

    statement: Statement
    line: int


@lru_cache(maxsize=1)
def statements_in(text: Pasted) -> tuple[Stated, ...]:
    """Each thing that is said, once, as far as it stands in the text's beginning."""
    return tuple(_statements(text))


def _statements(text: Pasted) -> Iterator[Stated]:
    begins = text.text[:_MOST]
    lower = begins.lower()
    wanted = [
        one
        for one in statements()
        if any(word in lower for word in one.needles)
        and not any(re.search(way, begins, _WAYS) for way in one.open_beside)
    ]
    for one in [one for one in wanted if one.installs]:
        if by := next(filter(None, map(installed_by_steps(text).get, one.installs)), None):
            wanted.remove(one)
            yield Stated(one, by.line)
    left = _MOST
    words = {word for one in wanted for word in one.needles}
    for number, line in own_lines(text.filled) if wanted else ():
        left -= len(line)
        if left < 0 or not wanted:
            return
        lower = line.lower()
        if not any(word in lower for word in words):
            continue
        for one in [one for one in wanted if any(word in lower for word in one.needles)]:
            if any(_is_said(one, sentence) for sentence in SENTENCE.split(line)):
                wanted.remove(one)
                yield Stated(one, number)


def _is_said(one: Statement, sentence: str) -> bool:
    match = _pattern(one.pattern).search(sentence)
    if match is None or any(re.search(way, match[0], _WAYS) for way in one.unless):
        return False
    if one.is_named:
        return True
    if not _WORKS.search(match[0]) and not _pattern(one.pattern).search(without_others(sentence)):
        return False  # of another machine
    before = before_it(sentence, match)
    return is_told(sentence, match) and not _ELSEWHERE.search(before)


_WAYS = re.IGNORECASE | re.MULTILINE


@cache
def _pattern(ways: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(ways), re.IGNORECASE)
