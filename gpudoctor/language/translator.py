"""Translates gpudoctor's output: looks a text up in the catalogue, or matches its templates."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from gpudoctor.language.template import Template, parse_template
from gpudoctor.language.wide import joined

_WORD = re.compile(r"[A-Za-z][A-Za-z']+")
#: Words of a template that stand alone in every such text: none that touches a field.
_OWN_WORD = re.compile(r"(?<![\0A-Za-z'])[A-Za-z][A-Za-z']+(?![\0A-Za-z'])")
_ENGLISH = re.compile(r"[A-Za-z][a-z]")
_LEFT = re.compile(r"(?<![\w.:/=-])[a-z]{2,}(?![\w/=-]|[.:]\w)")
SENTENCE_END = re.compile(r"(?<=[.!?]) (?=[A-Z`\"'<\d]|[a-z_]+\.[a-z])")
_END = re.compile(r"(?<=[。！？])(?=.)")
#: Where a text that is no sentence is taken apart, and what stands there instead; what lists has a sign between names.
_SEAMS = (("; or ", "；或者", ""), ("; ", "；", ""), (", ", "，", "、"), (" and ", "和", "和"), (" or ", "或", "或"))
#: What has no other name: one word, with its release, or a GPU.
_NAME = re.compile(r"[^\s:;,]+(?: v?\d[\w.+]*)?|GPU \S+(?: \([^()]*\))?")
_NAMES = re.compile(rf"(?:{_NAME.pattern})(?:(?:, | and )(?:{_NAME.pattern}))*")
#: More than one clause: what says little says nothing of that.
_CLAUSES = re.compile(r"[:;] [A-Za-z]|[.!?] [A-Z]")
#: Of a shell or of Python: only a label before it is ours.
_CODE = re.compile(r"(?:^| )--?\w|[$|*{}]|\w\(|(?:^|[ (])'[^' ]+ |\w=\w|\w://\S+ \w")
#: What a program prints: it stays, but where the whole is known.
_PRINTED = re.compile(
    r"\w+Error\b|\b[Ee]rror:|CUDA error|ERROR\b|Error response|NVRM|[A-Z]{6,}: |\bdlerror\b|\bdlopen\b"
    r"|Could not (?:load|locate)|[Nn]o such file|cannot open shared object|[WEIF] \w+/|\S+: not found$"
)
#: What somebody said or a program printed, as such.
_QUOTED = re.compile(r'"[^"]*"')
_BULLET = re.compile(r"^(?:[-+!*] |\d+\. )")
_BRACKETED = re.compile(r"(.*[^\s(]) \(([^()]+)\)([.:]?)")
#: With what a phrase is put behind another one.
_LINKS = re.compile(r"[,;:]\s+")
#: The end of a sentence, or of a heading.
_ENDS = {".": "。", ":": "："}
_LONGEST, _LONGEST_SENTENCE = 4000, 700
_DEEPEST, _LARGEST_GROUP = 6, 4
#: Words left in English from which on a text that is mostly English stays so: half a sentence is none.
_MOST_LEFT = 3
#: A template says something itself; one that says little, only of what is known or no prose. A wrong match is worse
#: than English.
_LEAST_WEIGHT, _WEIGHTY = 3, 10


class Translator:
    """A catalogue, ready to be asked. `told` are msgid and text; `tag` names the language in a page (BCP 47)."""

    def __init__(self, told: Mapping[str, str], tag: str = "") -> None:
        self.tag = tag
        self._plain: dict[str, str] = {}
        self._by_word: dict[str, list[tuple[Template, Template]]] = {}
        common: dict[str, int] = {}
        templates: list[tuple[Template, Template, set[str]]] = []
        for msgid, text in _with_bare_phrases(told):
            template, other = parse_template(msgid), parse_template(text)
            if not template.fields:
                self._plain[template.literals[0]] = other.literals[0]
                continue
            words = set(_OWN_WORD.findall("\0".join(template.literals)))
            if words and (template.weight >= _LEAST_WEIGHT or template.is_bounded):
                templates.append((template, other, words))
            for word in words:
                common[word] = common.get(word, 0) + 1
        for template, other, words in templates:
            rarest = min(words, key=lambda word: (common[word], word))
            self._by_word.setdefault(rarest, []).append((template, other))
        self._said = lru_cache(maxsize=8192)(self._translation)

    def text(self, text: str) -> str:
        """A text in the language; what is not known stays as it is."""
        return self._said(text, _DEEPEST) or text

    def _translation(self, text: str, deep: int) -> str | None:
        """The translation that leaves least in English, or None."""
        bare = _BULLET.sub("", text.strip())
        if not deep or len(bare) > _LONGEST or not _ENGLISH.search(bare) or _QUOTED.fullmatch(bare):
            return None
        # What stands in the catalogue is right, whatever is in it.
        best = self._plain.get(bare)
        least = 0
        for said in () if best else self._ways(bare, deep, is_printed=_PRINTED.search(bare) is not None):
            left = len(_LEFT.findall(said))
            if best is None or left < least:
                best, least = said, left
            if not least:
                break
        is_verbatim = _PRINTED.search(bare) or _CODE.search(bare) or _NAMES.fullmatch(bare)
        most = len(_LEFT.findall(bare)) * (3 if SENTENCE_END.search(bare) else 2)
        if best is None or (least >= _MOST_LEFT and 4 * least > most and not is_verbatim):
            return None
        start = text.index(bare)
        return text[:start] + best + text[start + len(bare) :]

    def _ways(self, text: str, deep: int, *, is_printed: bool) -> Iterator[str]:
        """The ways to translate a text, the most literal one first."""
        if is_printed and (deep < _DEEPEST or _PRINTED.match(text)):
            yield from filter(None, [self._plain.get(text)])
            return
        label, _, rest = text.partition(": ")
        if label in self._plain and rest in self._plain:
            yield joined(f"{self._plain[label]}：", self._plain[rest])
        if len(text) <= _LONGEST_SENTENCE:
            yield from self._known(text, deep)
        sentences = SENTENCE_END.split(text)
        if len(sentences) > 1 and not is_printed:
            yield from self._rejoined(sentences, "", deep)
        elif len(text) <= _LONGEST_SENTENCE:
            yield from self._labelled(text, deep)
            if not is_printed and not _CODE.search(text):
                yield from self._parts(text, deep)
                yield from self._tiled(text, deep)

    def _known(self, text: str, deep: int) -> Iterator[str]:
        """As it stands in the catalogue, whatever its first letter and with a full stop or without."""
        turned = text[0].swapcase() + text[1:] if " " in text and not _CODE.search(text) else text
        if text.endswith(":"):
            yield from (f"{said}：" for said in self._known(text[:-1], deep))
        for one in dict.fromkeys((text, turned)):
            if said := self._plain.get(one):
                yield said
            yield from self._matched(one, deep, at_start=one is not text, at_end=one.endswith("."))
        for one in dict.fromkeys((text, turned)):
            end = "。" if one.endswith(".") else ""
            other = one[:-1] if end else f"{one}."
            found = (self._plain.get(other), *self._matched(other, deep, at_start=one is not text, at_end=not end))
            for said in filter(None, found):
                yield said.removesuffix("。") + end

    def _matched(self, text: str, deep: int, *, at_start: bool = False, at_end: bool = False) -> Iterator[str]:
        """As one of the templates, the most telling one first; `at_start`, `at_end`: with words of its own there."""
        found = [
            (template, values, other)
            for word in dict.fromkeys(_WORD.findall(text))
            for template, other in self._by_word.get(word, ())
            if (not at_start or template.literals[0])
            and (values := template.values(text)) is not None
            and (not at_end or template.literals[-1] or not values[-1])
        ]
        for template, values, other in sorted(found, key=lambda one: -one[0].weight):
            said = [self._said(value, deep - 1) for value in values]
            is_light = template.weight < _WEIGHTY and not template.is_bounded
            if is_light and any(not _is_slight(value, one) for value, one in zip(values, said, strict=True)):
                continue
            filled = (value if one is None else one for one, value in zip(said, values, strict=True))
            yield other.filled(dict(zip(template.fields, filled, strict=True)))

    def _labelled(self, text: str, deep: int) -> Iterator[str]:
        """A known label, a colon, and what is said of it."""
        label, colon, rest = text.partition(": ")
        said, of_rest = (self._said(label, deep - 1), self._said(rest, deep - 1)) if colon else (None, None)
        if (said and said != label) or (of_rest and (said or not _LEFT.search(label))):
            yield joined(f"{said or label}：", of_rest or rest)

    def _parts(self, text: str, deep: int) -> Iterator[str]:
        """Without what is in brackets at the end; cut at the seams."""
        if bracketed := _BRACKETED.fullmatch(text):
            said, inner = self._said(bracketed[1], deep - 1), self._said(bracketed[2], deep - 1)
            if said or inner:
                end = _ENDS.get(bracketed[3], bracketed[3])
                yield f"{said or bracketed[1]}（{inner or bracketed[2]}）{end}"
        for seam, instead, of_list in _SEAMS:
            parts = self._grouped(text.split(seam), seam)
            if len(parts) > 1:
                yield from self._rejoined(parts, instead, deep, of_list=of_list)

    def _grouped(self, parts: list[str], seam: str) -> list[str]:
        """The parts, those together that are a sentence together."""
        groups: list[str] = []
        while parts:
            sizes = range(min(len(parts), _LARGEST_GROUP), 1, -1)
            size = next((n for n in sizes if {(one := seam.join(parts[:n])), f"{one}."} & self._plain.keys()), 1)
            groups.append(seam.join(parts[:size]))
            parts = parts[size:]
        return groups

    def _rejoined(self, parts: list[str], seam: str, deep: int, *, of_list: str = "") -> Iterator[str]:
        """The parts, each translated; of a list, only where each is known or a name."""
        said = [self._said(part, deep - 1) for part in parts]
        pairs = list(zip(said, parts, strict=True))
        is_open = [one is None and bool(_ENGLISH.search(part)) and not _NAME.fullmatch(part) for one, part in pairs]
        names = of_list and all(map(_NAMES.fullmatch, parts))
        if (not any(said) and not names) or (of_list and any(is_open)):
            return
        text, *others = (part if one is None else one for one, part in pairs)
        for other in others:
            between = of_list if names else seam
            text = joined(joined(text, between), other) if between else joined(text, f" {other}")
        yield text

    def _tiled(self, text: str, deep: int) -> Iterator[str]:
        """As two pieces that are put one after the other: the first one is known or a name, the second one known."""
        for space in (at for at, char in enumerate(text) if char == " "):
            head, tail = text[:space], text[space + 1 :]
            first = self._plain.get(head) or (self._plain.get(head[0].swapcase() + head[1:]) if " " in head else None)
            # A name is not cut off from its release.
            if tail[:1].isdigit() or (first is None and not (_NAME.fullmatch(head) and " " in tail)):
                continue
            second = next(self._known(tail, deep - 1), None) or (self._said(tail, deep - 1) if first else None)
            if second is not None:
                yield joined(joined(first or head, " "), second)


def _is_slight(value: str, said: str | None) -> bool:
    """Whether a template that says little may hold this: one clause, which is known, or a name, or no prose."""
    is_known = said is not None or not _LEFT.search(value) or _NAMES.fullmatch(value) or _CODE.search(value)
    return bool(is_known) and not _CLAUSES.search(value)


def _with_bare_phrases(told: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The catalogue; what is put behind something also without the comma before it; and sentences one by one."""
    for msgid, text in told.items():
        yield msgid, text
        if (link := _LINKS.match(msgid)) and (bare := msgid[link.end() :]) not in told:
            yield bare, text.lstrip("，；：、 ")
        # Of a remedy those sentences are said that are for the place.
        own, theirs = SENTENCE_END.split(msgid), _END.split(text.strip())
        if len(own) > 1 and len(own) == len(theirs) and "{" not in msgid:
            yield from (pair for pair in zip(own, theirs, strict=True) if pair[0] not in told)
