"""The skeleton of script-free HTML pages, and the style sheets and scripts that all pages embed."""

from collections.abc import Iterable
from functools import cache
from html import escape
from importlib.resources import files


@cache
def page_file(name: str) -> str:
    """The text of a style sheet or script, to put into a page."""
    return (files("gpudoctor.report") / "pages" / name).read_text("utf-8")


def still_page(title: str, style: str, body: Iterable[str]) -> str:
    """A page without script and network, light and dark; `style` is a file of this folder, `body` is HTML."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{escape(title)}</title><style>{page_file(style)}</style></head><body><main>\n"
        + "\n".join(body)
        + "\n</main></body></html>\n"
    )
