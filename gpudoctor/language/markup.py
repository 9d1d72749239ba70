"""Translates HTML pages: text between tags and labels; code and scripts stay."""

from html import escape
from html.parser import HTMLParser

from gpudoctor.language.translator import Translator

#: What is copied or run.
_KEPT = frozenset({"code", "pre", "script", "style"})
#: Attributes that are read.
_READ = ("aria-label", "title", "alt", "placeholder")


def in_language(text: str, translator: Translator) -> str:
    """A page of HTML, or a part of one."""
    reader = _Page(translator)
    reader.feed(text)
    reader.close()
    return "".join(reader.made)


class _Page(HTMLParser):
    def __init__(self, translator: Translator) -> None:
        super().__init__(convert_charrefs=True)
        self.made: list[str] = []
        self._translator = translator
        self._within: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag as it was, but for what is read of it."""
        if tag in _KEPT:
            self._within.append(tag)
        source = self.get_starttag_text() or ""
        for name, value in attrs:
            if value and (name in _READ or (tag == "html" and name == "lang")):
                said = self._translator.tag if name == "lang" else self._translator.text(value)
                source = source.replace(f'{name}="{escape(value)}"', f'{name}="{escape(said)}"')
        self.made.append(source)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag that is closed at once."""
        self.handle_starttag(tag, attrs)
        if tag in _KEPT:
            self._within.pop()

    def handle_endtag(self, tag: str) -> None:
        """The end of an element."""
        if tag in self._within:
            self._within.remove(tag)
        self.made.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        """Text; within a script or a style sheet it is not escaped."""
        if set(self._within) & {"script", "style"}:
            self.made.append(data)
        elif self._within:
            self.made.append(escape(data, quote=False))
        else:
            self.made.append(escape(self._translator.text(data), quote=False))

    def handle_decl(self, decl: str) -> None:
        """The document's type."""
        self.made.append(f"<!{decl}>")

    def handle_comment(self, data: str) -> None:
        """A comment."""
        self.made.append(f"<!--{data}-->")
