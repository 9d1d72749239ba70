"""The catalogues of translations: read, merged with the words of the code, checked, compiled (Babel)."""

import io
import re
from datetime import datetime, timezone
from pathlib import Path
from typing import NamedTuple

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from user_words import PACKAGE, by_part, user_words

LANGUAGES = ("zh",)
#: What is composed while it is drawn, and stands nowhere as one template; its catalogue is kept by hand.
BY_HAND = "composed"
_FIELD = re.compile(r"(?<!\{)\{(\w+)\}")
_VERBATIM = re.compile(
    r"`[^`]+`|https?://[^\s,)]+|(?<![\w/])/(?:etc|dev|proc|sys|usr|lib)/[\w./*-]+|\b[A-Z]+_[A-Z_]+\b"
)


class Fault(NamedTuple):
    """A template that is not translated, or not as it must be."""

    file: str
    what: str
    msgid: str


def folder(language: str) -> Path:
    """Where the catalogues of a language are."""
    return PACKAGE / "locale" / language / "LC_MESSAGES"


def merged(language: str) -> dict[Path, bytes]:
    """The .po files with the templates that the code has now, keeping translations."""
    known = translations(language)
    made: dict[Path, bytes] = {}
    for part, words in by_part(user_words()).items():
        catalogue = _catalogue(language)
        for word in sorted(words, key=lambda one: (one.path, one.line)):
            catalogue.add(word.msgid, known.get(word.msgid, ""), locations=[(word.path, 0)])
        made[folder(language) / f"{part}.po"] = _written(catalogue)
    for path in files(language):
        if path not in made and path.stem != BY_HAND:
            path.unlink()
    return made


def files(language: str) -> list[Path]:
    """The .po files."""
    return sorted(folder(language).glob("*.po"))


def translations(language: str) -> dict[str, str]:
    """Every translation."""
    return {
        str(message.id): str(message.string)
        for path in files(language)
        for message in _read(path)
        if message.id and message.string
    }


def compiled(language: str) -> tuple[Path, bytes]:
    """The .mo file."""
    catalogue = _catalogue(language)
    for msgid, text in sorted(translations(language).items()):
        catalogue.add(msgid, text)
    raw = io.BytesIO()
    write_mo(raw, catalogue)
    return folder(language) / "gpudoctor.mo", raw.getvalue()


def faults(language: str, parts: tuple[str, ...] = ()) -> list[Fault]:
    """What is missing, or has lost a field, a command, an address or a name on the way."""
    return [
        Fault(path.name, what, str(message.id))
        for path in files(language)
        if not parts or path.stem in parts
        for message in _read(path)
        if message.id and (what := _fault(str(message.id), str(message.string)))
    ]


def _fault(msgid: str, text: str) -> str:
    if not text:
        return "not translated"
    if sorted(_FIELD.findall(msgid)) != sorted(set(_FIELD.findall(text))):
        return "other fields"
    lost = [one for one in _VERBATIM.findall(msgid) if one.rstrip(".,;:)") not in text]
    return f"{lost[0]} is lost" if lost else ""


def _read(path: Path) -> Catalog:
    with path.open("rb") as lines:
        return read_po(lines)


def _catalogue(language: str) -> Catalog:
    # The same file whenever it is made.
    dated = datetime(2026, 1, 1, tzinfo=timezone.utc)
    return Catalog(
        locale=language,
        project="gpudoctor",
        fuzzy=False,
        charset="utf-8",
        creation_date=dated,
        revision_date=dated,
    )


def _written(catalogue: Catalog) -> bytes:
    raw = io.BytesIO()
    write_po(raw, catalogue, width=118, include_lineno=False, omit_header=True, sort_output=False)
    head = b'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n\n'
    return head + raw.getvalue()
