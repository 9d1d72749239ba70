"""The options of pip and uv: short forms, values, where each applies."""

from functools import lru_cache
from typing import Literal

from gpudoctor.tables import rows_of

#: A command of pip or uv; a requirements file, as pip and as uv read it; `uv pip compile`.
Place = Literal["command", "file", "uv-file", "compile"]


@lru_cache(maxsize=4)
def options_in(place: Place) -> dict[str, bool]:
    """The options that are read there, under their long names, and whether a value follows."""
    rows = rows_of("knowledge/installer_options")
    return {name: value == "value" for name, _, value, places in rows if place in places.split()}


@lru_cache(maxsize=4)
def short_forms_in(place: Place) -> dict[str, str]:
    """The long name of each short form that is read there."""
    rows = rows_of("knowledge/installer_options")
    return {short: name for name, short, _, places in rows if short and place in places.split()}
