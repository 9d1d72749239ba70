"""What a reporter says happened, sentence by sentence; not what is asked, wished or supposed."""

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from gpudoctor.facts import lazy_re as re
from gpudoctor.knowledge.statements import Statement, statements
from gpudoctor.tickets.clauses import own_lines
from gpudoctor.tickets.other_machines import without_others
from gpudoctor.tickets.pasted import Pasted

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[\u3002\uff01\uff1f\uff1b])")
#: A question, unless something is granted in it: "why is it False although nvidia-smi works?"
_ASKED = re.compile(
    r"^\W*(?:how|should|can|could|do|does|did|is|are|was|would|will|shall|may|must|what|which|wie|soll\w*|kann|muss)\b.*\?\s*$"
    r"|怎么|如何|是否|吗\W*$",
    re.IGNORECASE,
)
_GRANTED = re.compile(r"\b(?:although|even though|though|but|while|despite|obwohl|aber)\b|虽然|但", re.IGNORECASE)
#: Before what is said: it is wished, advised or supposed.
_SUPPOSED = re.compile(
    r"\b(?:if|unless|until|whether|should|would|could|might|must|want|wish|hope|need|make sure|ensure|check that|please"
    r"|not sure|unsure|no idea|n.t know|wonder\w*"
    # What a page says of a model, this machine need not have.
    r"|(?:chart|site|page|specs?|specification|datasheet)\b[^.;!?]{0,30}\bsays?"
    r"|try to|wenn|falls|ob|sollte|如果|要是|假如|确保|请)\b|如果|要是|假如|确保|请",
    re.IGNORECASE,
)
#: The same between who is spoken of and what is said: "my CPU should have AVX".
_SUPPOSED_OF_IT = re.compile(
    r"^\W*(?:\w+\W+){0,5}?(?:should|would|might|must|ought to|is supposed to)\b(?! not)", re.IGNORECASE
)
#: From what was supposed to what is so.
_TURN = re.compile(
    r",? (?:but|yet|however|although|though|while|whereas) |, and (?:yes|no|it|now|still|indeed|actually|in fact)\b",
    re.IGNORECASE,
)
#: At the end of what stands before it.
_DENIED = re.compile(
    r"(?:\b(?:not|never|no longer|cannot|neither|nicht|kein\w*)|n't|不|没有?)\s*(?:\w+\s+)?$", re.IGNORECASE
)
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
    left = _MOST
    any_needle = re.compile("|".join(re.escape(word) for one in wanted for word in one.needles))
    for number, line in own_lines(text.filled) if wanted else ():
        left -= len(line)
        if left < 0 or not wanted:
            return
        lower = line.lower()
        if not any_needle.search(lower):
            continue
        for one in [one for one in wanted if any(word in lower for word in one.needles)]:
            if any(_is_said(one, sentence) for sentence in _SENTENCE.split(line)):
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
    asked = _ASKED.search(sentence) and not _GRANTED.search(sentence)
    turns = [turn.end() for turn in _TURN.finditer(sentence, 0, match.end())]
    before = sentence[turns[-1] if turns else 0 : match.start()]
    supposed = _SUPPOSED.search(before) or _SUPPOSED_OF_IT.search(match[0])
    return not (asked or supposed or _DENIED.search(before) or _ELSEWHERE.search(before))


_WAYS = re.IGNORECASE | re.MULTILINE


@cache
def _pattern(ways: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(ways), re.IGNORECASE)
