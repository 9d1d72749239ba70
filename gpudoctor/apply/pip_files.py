"""Reads pip's configuration files (pip.conf) directly, since asking pip takes longer than an install by uv."""

import os
from collections.abc import Iterator, Mapping

from gpudoctor.facts import lazy_re as re
from gpudoctor.host.safe_files import read_given

_LONGEST = 1024 * 1024


def settings_texts(variables: Mapping[str, str], *environments: str | None) -> Iterator[str]:
    """What stands in the files that pip reads here; `environments`: folders that may have one of their own."""
    return map(_text, _files(variables, environments))


def may_set(name: str, variables: Mapping[str, str], *environments: str | None) -> bool:
    """Whether a file or a variable may set an option of pip, in whatever section; False: certainly not."""
    words = name.split("-")
    if variables.get(f"PIP_{'_'.join(words).upper()}"):
        return True
    setting = re.compile(rf"(?m)^[ \t]*{'[-_]'.join(words)}[ \t]*[=:]")
    return any(setting.search(text) for text in settings_texts(variables, *environments))


def _files(variables: Mapping[str, str], environments: tuple[str | None, ...]) -> Iterator[str]:
    """Where pip keeps its settings (pip.pypa.io, Configuration), on Linux and macOS."""
    named = variables.get("PIP_CONFIG_FILE")
    if named == os.devnull:
        return
    home = os.path.expanduser("~")
    system = (variables.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(os.pathsep)
    yield from (os.path.join(folder, "pip", "pip.conf") for folder in system)
    yield "/etc/pip.conf"
    yield os.path.join(home, ".pip", "pip.conf")
    yield os.path.join(variables.get("XDG_CONFIG_HOME") or os.path.join(home, ".config"), "pip", "pip.conf")
    for library in ("/Library", os.path.join(home, "Library")):
        yield os.path.join(library, "Application Support", "pip", "pip.conf")
    yield from (os.path.join(one, "pip.conf") for one in environments if one)
    if named:
        yield named


def _text(path: str) -> str:
    try:
        return read_given(path, limit=_LONGEST).decode("utf-8", "replace")
    except OSError:
        return ""
