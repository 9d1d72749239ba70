"""Replaces node names by node000001 and so on, for reports that others read."""

import re
from typing import Any

from gpudoctor.facts.codec import from_plain, to_plain
from gpudoctor.fleet.overview import Overview
from gpudoctor.redact.redactor import Door

_WORD = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?")
#: Fields with text of a node; the names of nodes stand in others, and are pseudonyms already.
_TEXTS = ("summary", "detail", "reason", "where", "title", "by_hand", "commands", "value", "usual", "text", "unseen",
          "most")  # fmt: skip


class Pseudonyms:
    """Gives each node a name of its own, in the order in which they come."""

    def __init__(self) -> None:
        self._given: dict[str, str] = {}

    def of(self, host: str) -> str:
        """The pseudonym of a node."""
        return self._given.setdefault(host, f"node{len(self._given) + 1:06}")

    def passed(self, overview: Overview, door: Door) -> Overview:
        """The overview with what its texts say of nodes, people and addresses replaced, too."""
        return from_plain(self._each(to_plain(overview), door, is_text=False), Overview)

    def _each(self, value: Any, door: Door, *, is_text: bool) -> Any:
        if isinstance(value, str):
            return door.text(_WORD.sub(lambda word: self._given.get(word[0], word[0]), value)) if is_text else value
        if isinstance(value, dict):
            return {key: self._each(item, door, is_text=key in _TEXTS) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._each(item, door, is_text=is_text) for item in value]
        return value
