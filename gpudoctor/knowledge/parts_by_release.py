"""Modules and names that a package has in some releases only, and the error lines that ask for one.

parts_by_release.tsv is written by hand; releases_of_parts.tsv is read from the packages' own files by
scripts/refresh_parts.
"""

from collections.abc import Iterator
from functools import lru_cache

from gpudoctor.facts import lazy_re as re
from gpudoctor.tables import FOLDER, rows_of

_ASKED = (
    (re.compile(r"module '([\w.]{1,80})' has no attribute '(\w{1,60})'"), "{0}.{1}"),
    (re.compile(r"cannot import name '(\w{1,60})' from '([\w.]{1,80})'"), "{1}.{0}"),
    (re.compile(r"[Cc]an't get attribute '(\w{1,60})' on <module '([\w.]{1,80})'"), "{1}.{0}"),
    (re.compile(r"object has no attribute '(\w{1,60})'"), "*.{0}"),
    (re.compile(r"has model type `([\w.-]{1,60})` but Transformers does not recognize"), "transformers:{0}"),
    (re.compile(r"No module named '([\w.]{1,120})'", re.IGNORECASE), "{0}"),
)
_BARE = re.compile(r"cannot import name '(\w{1,60})'\s*$")
#: A distribution that is called otherwise than what is imported.
_CALLED = {"huggingface_hub": "huggingface-hub", "pytorch_lightning": "pytorch-lightning"}


@lru_cache(maxsize=1)
def _rows() -> dict[str, str]:
    """The requirement that has it, Pillow<10, by dotted name."""
    return {name: requirement for name, requirement, _ in rows_of("knowledge/parts_by_release")}


def _with_parents(name: str) -> list[str]:
    """keras.engine.topology, keras.engine: what a module that is absent lies in."""
    parts = name.split(".")
    return [".".join(parts[:end]) for end in range(len(parts), 1, -1)]


@lru_cache(maxsize=64)
def _read_off(name: str) -> str | None:
    """The same from the packages' files, whose rows are by module and releases."""
    holder, sign, part = name.rpartition(":" if ":" in name else ".")
    # What a module inside offers is mostly handed on by those around it.
    around = [holder + sign.strip("."), *(holder[: match.start()] for match in re.finditer(r"\.", holder))]
    found: dict[str, str] = {}
    with open(f"{FOLDER}/knowledge/releases_of_parts.tsv", encoding="utf-8") as stream:
        for line in stream:
            module, _, rest = line.partition("\t")
            if module in around:
                releases, _, parts = rest.rstrip("\n").partition("\t")
                if part in parts.split(" "):
                    package = module.split(".")[0].strip(":")
                    found[module] = _CALLED.get(package, package) + releases
    return found.get(around[0]) or (found[max(found, key=len)] if found else None)


def _named(message: str) -> Iterator[str]:
    """The dotted names that an error line asks for in vain."""
    for pattern, form in _ASKED:
        if found := pattern.search(message):
            name = form.format(*found.groups())
            yield from _with_parents(name) if form == "{0}" else (name,)
    # Python up to 3.6 does not say from where.
    bare = _BARE.search(message)
    ends = [name for name in _rows() if bare and name.endswith(f".{bare[1]}")]
    yield from ends if len(ends) == 1 else ()


def requirement_that_has(message: str) -> str | None:
    """Which releases have the part that an error line does not find: Pillow<10; None where that is not known."""
    for name in _named(message):
        if found := _rows().get(name) or _read_off(name):
            return found
    return None
