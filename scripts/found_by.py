"""By what messages and threads are found, so that most of them need not be read."""

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from gpudoctor.knowledge.message import Message
from gpudoctor.knowledge.threads import Thread, features_of


def index_of(messages: list[Message]) -> bytes:
    """Which lines of messages.json have which id, and which needles; a needle a line."""
    found: dict[str, list[int]] = {}
    for number, message in enumerate(messages):
        for needle in message.needles:
            found.setdefault(needle, []).append(number)
    ids = msgspec.json.encode([message.id for message in messages])
    needles = (msgspec.json.encode(needle) + b":" + msgspec.json.encode(lines) for needle, lines in found.items())
    return b'{"ids":' + ids + b',"needles":{\n' + b",\n".join(needles) + b"\n}}\n"


def threads(messages: list[Message], file: Path) -> Iterator[Thread]:
    """The resolved threads, each with what it is found by. Raises ValueError for a line without its five fields."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            address, read, cause, what, mark = line.split("\t")
            may = (one for one in messages if any(word in mark.lower() for word in one.needles))
            features = features_of((one.id for one in may if re.search(one.pattern, mark, re.I)), what, mark)
            yield Thread(address=address, read=read, cause=cause, what=what, features=tuple(sorted(features)))
