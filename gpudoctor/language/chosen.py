"""Which language this process reports in; English needs nothing loaded."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpudoctor.language.translator import Translator

#: What reports can be written in; the first is what the code says.
LANGUAGES = ("en", "zh")
#: Where the system says which language its user reads, the strongest first (POSIX, Locale Environment Variables).
_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
#: Chinese written in traditional characters; the catalogue is in simplified ones.
_TRADITIONAL = ("tw", "hk", "mo", "hant")

#: Stands around what no translation touches any more, until it is written: a line may be a part of a sentence, and must
#: not be taken for one. A character that every Chinese encoding has, and no text of ours.
DONE = "\u3013"

_translator: "Translator | None" = None


def translator() -> "Translator | None":
    """What translates; None in English."""
    return _translator


def page(text: str) -> str:
    """A page of HTML in the language."""
    if _translator is None:
        return text
    from gpudoctor.language.markup import in_language

    return in_language(text, _translator)


def speak(language: str) -> None:
    """Speak this language from now on."""
    global _translator  # noqa: PLW0603 - a process has one user, as with gettext
    if language == LANGUAGES[0]:
        _translator = None
        return
    from gpudoctor.language.catalogue import translator_of

    _translator = translator_of(language)


def language_named(name: str) -> str | None:
    """The language that somebody asks for by this name (zh, zh_CN, zh-CN.UTF-8); None if there is none."""
    base = name.partition(".")[0].partition("@")[0].replace("-", "_").lower()
    if base in ("c", "posix"):
        return LANGUAGES[0]
    return next((one for one in LANGUAGES if base == one or base.startswith(f"{one}_")), None)


def language_of(environ: Mapping[str, str]) -> str:
    """The language of the locale; English where there is no catalogue for it, or it is not set."""
    name = next((value for one in _VARIABLES if (value := environ.get(one))), "")
    is_traditional = any(part in _TRADITIONAL for part in name.partition(".")[0].lower().replace("-", "_").split("_"))
    return LANGUAGES[0] if is_traditional else language_named(name) or LANGUAGES[0]
