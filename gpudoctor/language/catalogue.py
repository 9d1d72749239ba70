"""Loads the translations of a language: gpudoctor/locale/LANGUAGE/LC_MESSAGES/gpudoctor.mo."""

import gettext
from importlib.resources import files

from gpudoctor.language.translator import Translator

#: With the script in which it is written.
_TAGS = {"zh": "zh-Hans"}


def translator_of(language: str) -> Translator:
    """What translates into it. Raises OSError where the catalogue is not there."""
    return Translator(told(language), _TAGS.get(language, language))


def told(language: str) -> dict[str, str]:
    """Every template, and what it is in the language."""
    with (files("gpudoctor") / "locale" / language / "LC_MESSAGES" / "gpudoctor.mo").open("rb") as lines:
        catalogue = gettext.GNUTranslations(lines)
    # gettext answers for one text at a time, and keeps them all; templates are looked for by what is in them.
    known: dict[object, str] = catalogue._catalog  # type: ignore[attr-defined]  # noqa: SLF001
    return {msgid: text for msgid, text in known.items() if isinstance(msgid, str) and msgid}
