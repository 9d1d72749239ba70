"""Downloads that pip's dry run and its installing share: older pips fetch the wheels for both."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from gpudoctor.facts import lazy_re as re
from gpudoctor.host.given import read_given

#: pip takes it as "no cache" whatever its value is (pip/_internal/cli/cmdoptions.py, _handle_no_cache_dir).
_NO_CACHE = re.compile(r"(?m)^[ \t]*no[-_]cache[-_]dir[ \t]*[=:]")
_LONGEST = 1024 * 1024


@contextmanager
def downloaded_once(
    variables: Mapping[str, str], folder: str | None = None, environment: str | None = None
) -> Iterator[Mapping[str, str]]:
    """The variables with which pip's dry run and its installing share what they download.

    Where pip is set to keep no cache, it has one in `folder` (None: the temporary folder) until this is left.
    """
    if not _keeps_no_cache(variables, environment):
        yield variables
        return
    with tempfile.TemporaryDirectory(prefix=".downloads-", dir=folder, ignore_cleanup_errors=True) as cache:
        kept = {name: value for name, value in variables.items() if name != "PIP_NO_CACHE_DIR"}
        yield {**kept, "PIP_CACHE_DIR": cache}


def cache_option(variables: Mapping[str, str]) -> tuple[str, ...]:
    """The option of pip for the cache that a variable names: no file of settings can take that away."""
    cache = variables.get("PIP_CACHE_DIR")
    return ("--cache-dir", cache) if cache and not variables.get("PIP_NO_CACHE_DIR") else ()


def _keeps_no_cache(variables: Mapping[str, str], environment: str | None) -> bool:
    if variables.get("PIP_NO_CACHE_DIR"):
        return True
    if variables.get("PIP_CACHE_DIR"):
        return False
    return any(_NO_CACHE.search(text) for text in map(_text, _files(variables, environment)))


def _files(variables: Mapping[str, str], environment: str | None) -> Iterator[str]:
    """Where pip keeps its settings (pip.pypa.io, Configuration)."""
    named = variables.get("PIP_CONFIG_FILE")
    if named == os.devnull:
        return
    home = os.path.expanduser("~")
    system = (variables.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(os.pathsep)
    yield from (os.path.join(folder, "pip", "pip.conf") for folder in system)
    yield "/etc/pip.conf"
    yield os.path.join(home, ".pip", "pip.conf")
    yield os.path.join(variables.get("XDG_CONFIG_HOME") or os.path.join(home, ".config"), "pip", "pip.conf")
    yield os.path.join(home, "Library", "Application Support", "pip", "pip.conf")
    if environment:
        yield os.path.join(environment, "pip.conf")
    if named:
        yield named


def _text(path: str) -> str:
    try:
        return read_given(path, limit=_LONGEST).decode("utf-8", "replace")
    except OSError:
        return ""
