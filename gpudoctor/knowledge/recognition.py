"""Recognises known messages in a text of any size, and picks the log lines worth keeping."""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cache
from itertools import accumulate

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.bounded import BIG, bounded, without_repeats
from gpudoctor.facts.live import Symptom
from gpudoctor.facts.needles import may_match
from gpudoctor.knowledge.message import Message, message_at, message_of, numbers_by_needle
from gpudoctor.knowledge.readings import Reading, other_readings
from gpudoctor.tables import words_of

#: Characters of a text that is looked through for each needle; of a longer one the runs of so many are looked up first.
SHORT, RUN = 2000, 5
#: Characters of a line around what was found in it; and of the line as it is told.
BEFORE, AFTER, TOLD = 400, 1200, 400
#: Different lines that are looked at for one needle, and lines that are kept for one message.
LOOKED_AT, KEPT = 400, 5
#: Characters of long lines that are looked at for one needle; of further long lines only the part close to it.
WIDE = 16_000

#: What is left of a big text beyond this is searched only in lines with one of these words, the first and last of them.
VERY_BIG, FIRST, LAST = 3_000_000, 1_500_000, 500_000
#: A longer line is looked at in pieces, which overlap.
LONG, OVERLAP = 8_000, 400

#: Characters of a line that are cleaned on each side of what is told.
WHOLE = 4_000
_BLANK = re.compile(r"\s")

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,400}(?:\x07|\x1b\\)|[@-Z\\-_])")
_OTHER_BREAKS = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_EMPTY_LINES = re.compile(r"\n{2,}")
_ERROR_LINE = re.compile(
    r"^\s*(?:[\w.]+(?:error|exception|interrupt|exit)\b\s*:|fatal|panic|error\b|[ef]\d{4} |\S+ \S+: [EF] )"
    r"|: error:|segmentation fault|core dumped|terminate called|aborted|check failed",
    re.IGNORECASE,
)
_DOUBTFUL_LINE = re.compile(
    r"warning|error|fail|cannot|could not|couldn't|unable|not found|no such|invalid|illegal|mismatch|unsupported|denied"
    r"|not compatible|incompatible|undefined|missing|killed",
    re.IGNORECASE,
)


def recognise(
    text: str, *, framework: str | None = None, where: str | None = None, clean: Callable[[str], str] = str
) -> tuple[Symptom, ...]:
    """The known messages of a text, in its order, each different line once; `framework` and `where` are noted on each.

    `clean` takes what is secret out of a line before it is cut: half a token no longer looks like one.

    Words that a message cannot be without are looked for first, so few lines are matched; of a big log, lines that
    differ in their numbers only are looked at a few times: 10 MB take a fraction of a second.
    """
    text = _thinned(_plain(text))
    found: dict[tuple[str, str], int] = {}
    for start, line, rows in _candidates(text):
        for row in _matching(line, rows):
            found.setdefault((row.id, _told(_whole_line(text, start, start + len(line), clean), row)), start)
    for row, one in _meant(text):
        found.setdefault((row.id, _told(clean(one.told), row)), one.start)
    found = {key: start for key, start in found.items() if not _is_well(key[0], text)}
    return tuple(
        Symptom(signature=name, text=told, framework=framework, where=where)
        for name, told in _few_of_each(_without_fallbacks(found))
    )


def _is_well(name: str, text: str) -> bool:
    """Another line shows that the message is of a run that is well."""
    message = message_of(name)
    return message is not None and any(_compiled(way).search(text) for way in message.not_beside)


def _meant(text: str) -> Iterator[tuple[Message, Reading]]:
    """The messages in other readings of its lines; where lines were joined, those that go over the joint."""
    readings = tuple(other_readings(text))
    starts = list(accumulate((len(one.words) + 1 for one in readings), initial=0))
    for start, line, rows in _candidates("\n".join(one.words for one in readings)) if readings else ():
        at = bisect_right(starts, start) - 1
        one, offset = readings[at], start - starts[at]
        for row in rows:
            match = _first(row, line)
            if match and (one.joint is None or match.start() + offset < one.joint < match.end() + offset):
                yield row, one


def lines_that_matter(text: str, cap: int = 40) -> tuple[str, ...]:
    """The lines to keep of a log: known messages, then errors, then what sounds like one; in order, each once."""
    text = _thinned(_plain(text))
    known = {line.strip(): start for start, line, rows in _candidates(text) if any(_matching(line, rows))}
    kept = dict(sorted(known.items(), key=lambda item: item[1])[:cap])
    for pattern in (_ERROR_LINE, _DOUBTFUL_LINE):
        if len(kept) >= cap:
            break
        for start, line in _lines(text):
            if line not in kept and pattern.search(line[:BEFORE]):
                kept[line] = start
                if len(kept) >= cap:
                    break
    in_order = sorted(kept.items(), key=lambda item: item[1])
    return tuple(line[:TOLD] for line, _ in in_order if line)


def _plain(text: str) -> str:
    """The text without colours, with one kind of line break; lower() keeps the length of what is left."""
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if not text.isascii() or any(mark in text for mark in "\r\x0b\x0c"):
        text = _OTHER_BREAKS.sub("\n", text).replace("\u0130", "I")
    if "\n\n\n" in text:
        text = _EMPTY_LINES.sub("\n", text)
    return bounded(text)


def _thinned(text: str) -> str:
    """A big text without most of its repetitions; and of a very big one that has none, the lines that may matter."""
    if len(text) <= BIG:
        return text
    lines = [piece for line in text.split("\n") for piece in _pieces(line)]
    kept = list(dict.fromkeys(line for line in without_repeats(lines) if line))
    thin = "\n".join(kept)
    if len(thin) > VERY_BIG:
        thin = "\n".join(line for line in kept if _may_matter(line.lower()))
    return thin if len(thin) <= VERY_BIG else f"{thin[:FIRST]}\n{thin[-LAST:]}"


def _pieces(line: str) -> Iterator[str]:
    if len(line) <= LONG:
        yield line
        return
    for start in range(0, len(line), LONG - OVERLAP):
        yield line[start : start + LONG]


@cache
def _words() -> tuple[str, ...]:
    return words_of("knowledge/words_of_failures")["big-text"]


def _may_matter(lower: str) -> bool:
    return any(word in lower for word in _words())


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Each different line, stripped, with the place where it is first met."""
    seen: set[str] = set()
    start = 0
    for line in text.split("\n"):
        stripped = line.strip()
        if stripped and stripped not in seen:
            seen.add(stripped)
            yield start, stripped
        start += len(line) + 1


def _candidates(text: str) -> Iterator[tuple[int, str, tuple[Message, ...]]]:
    """The part of each line around a needle, where it is, and the messages that it may be."""
    lower = text.lower()
    runs = {lower[at : at + RUN] for at in range(len(lower) - RUN + 1)} if len(lower) > SHORT else None
    for needle, numbers in numbers_by_needle().items():
        if needle in lower if runs is None else _may_hold(runs, needle):
            for start, end in _lines_with(needle, lower):
                yield start, text[start:end], tuple(map(message_at, numbers))


def _may_hold(runs: set[str], needle: str) -> bool:
    """Each run of the needle stands in the text: to look through a whole text for thousands of needles takes long."""
    return all(needle[at : at + RUN] in runs for at in range(len(needle) - RUN + 1))


def _lines_with(needle: str, lower: str) -> Iterator[tuple[int, int]]:
    """Ends of the (parts of) lines that hold the needle: different ones only, the first few hundred."""
    seen: set[str] = set()
    at = lower.find(needle)
    tries = 0
    before, after, left = BEFORE, AFTER, WIDE
    while at >= 0 and len(seen) < LOOKED_AT and tries < 50 * LOOKED_AT:
        tries += 1
        start = max(lower.rfind("\n", max(0, at - before), at) + 1, at - before, 0)
        end = lower.find("\n", at, at + after)
        end = min(at + after, len(lower)) if end < 0 else end
        left -= end - start if end - start > BEFORE else 0
        if left < 0:
            before, after = BEFORE // 4, BEFORE
        part = lower[start:end]
        if part not in seen:
            seen.add(part)
            yield start, end
        at = lower.find(needle, end)


@cache
def _compiled(way: str) -> re.Pattern[str]:
    return re.compile(way, re.IGNORECASE)


def _matching(line: str, rows: tuple[Message, ...]) -> Iterator[Message]:
    lower = line.lower()
    return (row for row in rows if any(_matches(row, line, lower)))


def _first(row: Message, line: str) -> re.Match[str] | None:
    """What it finds first in a line."""
    return min(_matches(row, line, line.lower()), key=lambda match: match.start(), default=None)


def _matches(row: Message, line: str, lower: str) -> Iterator[re.Match[str]]:
    for way, words in row.ways:
        if may_match(words, lower) and (match := _compiled(way).search(line)):
            yield match


def _whole_line(text: str, start: int, end: int, clean: Callable[[str], str]) -> str:
    """The line around text[start:end], cleaned; of an endless one so much of it, in whole words."""
    first, last = text.rfind("\n", max(0, start - WHOLE), start) + 1, text.find("\n", end, end + WHOLE)
    if first == 0 and start > WHOLE:
        found = _BLANK.search(text, start - WHOLE, start)
        first = found.end() if found else start
    if last < 0:
        last = len(text) if end + WHOLE >= len(text) else max(text.rfind(" ", end, end + WHOLE), end)
    return clean(text[first:last])


def _told(line: str, row: Message) -> str:
    """The line as it is told: what matched, with what stands around it as far as there is room."""
    stripped = line.strip()
    if len(stripped) <= TOLD:
        return stripped
    match = _first(row, stripped)
    start = max(0, (match.start() if match else 0) - TOLD // 4)
    return stripped[start : start + TOLD]


def _without_fallbacks(found: dict[tuple[str, str], int]) -> list[tuple[int, str, str]]:
    """Everything found, in the order of the text; a fallback only where nothing else was found in its line."""
    fallbacks = {name for name, _ in found if _of(name).fallback}
    specific = [(start, told) for (name, told), start in found.items() if name not in fallbacks]
    starts, lines = {start for start, _ in specific}, {told for _, told in specific}
    kept = sorted(
        (start, name, told)
        for (name, told), start in found.items()
        if name not in fallbacks or (start not in starts and told not in lines)
    )
    others = [row for row in kept if not _of(row[1]).alone]
    return others if any(cause.key != "harmless" for row in others for cause in _of(row[1]).causes) else kept


def _of(id: str) -> Message:  # noqa: A002
    return message_of(id)  # type: ignore[return-value]


def _few_of_each(rows: list[tuple[int, str, str]]) -> Iterator[tuple[str, str]]:
    counts: dict[str, int] = {}
    for _, name, told in rows:
        counts[name] = counts.get(name, 0) + 1
        if counts[name] <= KEPT:
            yield name, told
