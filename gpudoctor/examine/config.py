"""`[tool.gpudoctor]` of the nearest pyproject.toml."""

import os

import msgspec

from gpudoctor.errors import Misused
from gpudoctor.facts.base import Fact
from gpudoctor.facts.finding import Severity
from gpudoctor.facts.typed_json import convert_to
from gpudoctor.host.given import read_given
from gpudoctor.report.output import say, visible
from gpudoctor.sources.toml import parse_toml

#: Bytes of a pyproject.toml; those of large projects have some 50,000.
LIMIT = 1024 * 1024


class Config(Fact, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """The settings a project may keep."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: Severity | None = None
    require: tuple[str, ...] = ()


def load_config() -> Config:
    """The settings that hold in the working directory; empty where there are none. Raises Failure."""
    try:
        folder = os.getcwd()
    except OSError:  # it was removed
        return Config()
    path = _nearest(folder)
    if path is None:
        return Config()
    try:
        raw = read_given(path, limit=LIMIT)
    except OSError as error:
        name = visible(path)
        say(f"{name} was not read: {error.strerror}. Settings that it may hold have no effect.")
        return Config()
    return _parse(raw, path) if b"gpudoctor" in raw else Config()


def _nearest(folder: str) -> str | None:
    """The first pyproject.toml upward, whether it can be read or not."""
    while not os.path.lexists(path := os.path.join(folder, "pyproject.toml")):
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
    return path


def _parse(raw: bytes, path: str) -> Config:
    try:
        document = parse_toml(raw)
        table = document.get("tool", {}).get("gpudoctor", {})
        return convert_to(table, Config)
    except (ValueError, AttributeError, msgspec.ValidationError) as error:
        raise Misused(f"{visible(path)}: [tool.gpudoctor] could not be read: {error}") from None
