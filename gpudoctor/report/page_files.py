"""The style sheets and the script of HTML pages, which are files in `pages`."""

from functools import cache
from importlib.resources import files


@cache
def page_file(name: str) -> str:
    """The text of a style sheet or script, to put into a page."""
    return (files("gpudoctor.report") / "pages" / name).read_text("utf-8")
