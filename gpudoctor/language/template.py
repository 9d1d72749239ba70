"""Sentence templates with named fields, to recognise a filled-in sentence and fill in its translation."""

import re
from collections.abc import Mapping

from gpudoctor.facts.base import Fact
from gpudoctor.language.wide import joined

_PIECES = re.compile(r"(?<!\{)\{(\w+)\}(?!\})")
#: What a field must be whose name ends in an underscore, as those of the catalogue that is kept by hand (composed.po).
_FORMS = {
    "code": re.compile(r"[A-Z]{3}\d{3}"),
    "number": re.compile(r"\d[\d.,]*"),
    "percent": re.compile(r"\d[\d.]* ?%"),
    "unit": re.compile(r"[A-Za-z%]\S*"),
    "address": re.compile(r"https?://\S+(?: \(\S+\))?"),
    "path": re.compile(r"(?:/|~|[A-Za-z]:\\|\.)[^:]*"),
    "word": re.compile(r"\S+"),
    "variable": re.compile(r"[A-Z_]{3,}"),
}
_DIGITS = "0123456789"
_LINK = re.compile(r"[,:;] | \(")
_PLURAL = re.compile(r"s(?![a-z])")
_LETTER = re.compile(r"[^\W\d_]")


class Template(Fact, frozen=True, kw_only=True):
    """`literals` stand around `fields`: one more than those are."""

    literals: tuple[str, ...]
    fields: tuple[str, ...]

    @property
    def weight(self) -> int:
        """How many letters of it are its own."""
        return sum(len(_LETTER.findall(literal)) for literal in self.literals)

    @property
    def is_bounded(self) -> bool:
        """Whether its fields are all of a certain form."""
        return all(name.endswith("_") for name in self.fields)

    def values(self, text: str) -> tuple[str, ...] | None:
        """What stands in its fields, if the text is this sentence. Linear: what comes first is taken."""
        first, *rest = self.literals
        if not rest:
            return () if text == first else None
        last = rest.pop()
        if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
            return None
        end = len(text) - len(last)
        found, at = [], len(first)
        for literal, following in zip(rest, [*rest[1:], ""], strict=False):
            there = text.find(literal or following, at, end)
            if not literal:
                # Between two fields stands nothing.
                there = _end_of_first(text, at, there if following else end)
            if there < 0:
                return None
            found.append(text[at:there])
            at = there + len(literal)
        found.append(text[at:end])
        return tuple(found) if self._fits(found) else None

    def _fits(self, found: list[str]) -> bool:
        return all(
            not (value and (_splits(before, value) or _splits(value, after)))
            and (not name.endswith("_") or _FORMS[name.strip(_DIGITS + "_")].fullmatch(value))
            for name, value, before, after in zip(self.fields, found, self.literals, self.literals[1:], strict=False)
        )

    def filled(self, values: Mapping[str, str]) -> str:
        """The sentence with these values in its fields."""
        text = self.literals[0]
        for name, literal in zip(self.fields, self.literals[1:], strict=True):
            text = joined(joined(text, values[name]) if text else values[name].lstrip(), literal)
        return text


def _end_of_first(text: str, start: int, end: int) -> int:
    """Where the first of two fields ends: the second one is put behind it, or empty."""
    link = _LINK.search(text, start, end) if end >= 0 else None
    return link.start() if link else end


def _splits(left: str, right: str) -> bool:
    """Whether a word would be cut in two."""
    return left[-1:].isalpha() and right[:1].isalpha() and not _PLURAL.match(right)


def parse_template(text: str) -> Template:
    """A template as it stands in a catalogue: `{name}` is a field, `{{` a brace."""
    pieces = _PIECES.split(text)
    literals = tuple(piece.replace("{{", "{").replace("}}", "}") for piece in pieces[::2])
    return Template(literals=literals, fields=tuple(pieces[1::2]))
