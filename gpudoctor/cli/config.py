"""`[tool.gpudoctor]` of the nearest pyproject.toml."""

import os
import sys
from typing import Any

import click
import msgspec

from gpudoctor.model.base import Fact
from gpudoctor.model.finding import Severity


class Config(Fact, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """The settings a project may keep."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: Severity | None = None
    require: tuple[str, ...] = ()


def load_config() -> Config:
    """The settings that hold in the working directory; empty where there are none. Raises click.ClickException."""
    try:
        folder = os.getcwd()
    except OSError:  # it was removed
        return Config()
    while True:
        path = os.path.join(folder, "pyproject.toml")
        try:
            with open(path, "rb") as file:
                raw = file.read()
        except OSError:
            above = os.path.dirname(folder)
            if above == folder:
                return Config()
            folder = above
        else:
            return _parse(raw, path) if b"gpudoctor" in raw else Config()


def _parse(raw: bytes, path: str) -> Config:
    # Imported here: most checks run where no pyproject.toml speaks of gpudoctor.
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        document: dict[str, Any] = tomllib.loads(raw.decode("utf-8"))
        table = document.get("tool", {}).get("gpudoctor", {})
        return msgspec.convert(table, Config)
    except (ValueError, AttributeError, msgspec.ValidationError) as error:
        raise click.UsageError(f"{path}: [tool.gpudoctor] could not be read: {error}") from None
