"""Reads what people edit in gpudoctor/knowledge, and makes of it what the package loads."""

import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from found_by import index_of, threads
from message_ways import message_ways
from needles import NoWords, needles_of

from gpudoctor.facts.base import Fact
from gpudoctor.knowledge.causes import Cause, Elsewhere, Remedy
from gpudoctor.knowledge.conditions import ConditionRecord
from gpudoctor.knowledge.cuda_programs import CudaProgram
from gpudoctor.knowledge.failures import FailureRecord
from gpudoctor.knowledge.frameworks import Descriptor
from gpudoctor.knowledge.known_surroundings import Surrounding
from gpudoctor.knowledge.message import STRENGTH, Message, PossibleCause
from gpudoctor.knowledge.milestones import Milestone
from gpudoctor.knowledge.programs import Program
from gpudoctor.knowledge.statements import Statement

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).resolve().parent.parent / "gpudoctor" / "knowledge"
_FRAGMENT = re.compile(r"\{([a-z_]+)(?: ([^{}]+))?\}")


class Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A record that people write: a key that is none is an error."""


class Causes(Strict, frozen=True, kw_only=True):
    """Causes by how often a message is theirs: rules' names, or ids of causes.toml."""

    strong: tuple[str, ...] = ()
    usual: tuple[str, ...] = ()
    possible: tuple[str, ...] = ()
    rare: tuple[str, ...] = ()

    def written(self, where: str | None = None) -> Iterator[PossibleCause]:
        """Each of them, the most frequent first."""
        for level in STRENGTH:
            yield from (PossibleCause(key=key, level=level, where=where) for key in getattr(self, level))


class Fragment(Strict, frozen=True, kw_only=True):
    """A part that several patterns have, written {name}; {} in it stands for what follows the name: {xid 79}."""

    pattern: str
    #: Words of which one must stand in the line, where those that the pattern demands are too common to look for.
    needles: tuple[str, ...] = ()


class MessageRecord(Causes, frozen=True, kw_only=True):
    """One message that a program prints, or one thing that people say of it."""

    #: Lower case, with hyphens; never given to another message.
    id: str
    #: A regular expression, or several of which one matches, without regard to case, within one line. What a named
    #: group finds, (?P<system_package>...), takes the place of <SYSTEM_PACKAGE> in remedies.
    pattern: str | tuple[str, ...]
    #: One sentence that a beginner understands.
    meaning: str
    #: The frameworks that print it; none where several programs do.
    programs: tuple[str, ...] = ()
    #: Causes that are likely in these surroundings only, by the surroundings' name.
    where: dict[str, Causes] = {}
    #: The one command or fact that decides between the causes.
    ask: str
    #: The page that defines or explains it.
    source: str
    #: Counts only where nothing more specific was recognised in the line.
    fallback: bool = False
    #: Counts only where the text holds no other message.
    alone: bool = False
    #: What no line of the text may have: beside it the message is of a run that is well.
    not_beside: tuple[str, ...] = ()
    #: The rule that reports a run which failed with it, where it is not that of the file.
    reported_by: str | None = None
    #: Words of which one is in every line, where those that the pattern demands are too common to look for.
    needles: tuple[str, ...] = ()
    #: Lines as the program prints them.
    examples: tuple[str, ...]
    #: Lines that sound alike and are something else.
    unlike: tuple[str, ...] = ()
    #: Messages of another cause that are recognised in an example as well, and rightly.
    beside: tuple[str, ...] = ()


class CauseFile(Strict, frozen=True, kw_only=True):
    """Causes: what they need, rules them out and follows from them, and the words of those that no rule finds."""

    #: Effects that have the same causes, by the name that stands for them in `leads_to`, after an @.
    groups: dict[str, tuple[str, ...]] = {}
    #: Remedies of places that several causes have, by the name that stands for them in `remedy.places`.
    places: dict[str, tuple[Elsewhere, ...]] = {}
    cause: tuple[Cause, ...]

    def rows(self) -> Iterator[Cause]:
        """Each cause, with the groups of effects and places written out. Raises ValueError for an unknown one."""
        for cause in self.cause:
            effects = tuple(dict.fromkeys(self._effects(cause)))
            yield msgspec.structs.replace(cause, leads_to=effects, remedy=self._remedy(cause))

    def _remedy(self, cause: Cause) -> Remedy | None:
        if cause.remedy is None or not cause.remedy.places:
            return cause.remedy
        if unknown := [name for name in cause.remedy.places if name not in self.places]:
            raise ValueError(f"causes.toml: {cause.id} has remedies of {unknown[0]}, which is no group of places")
        shared = (one for name in cause.remedy.places for one in self.places[name])
        return msgspec.structs.replace(cause.remedy, at=(*cause.remedy.at, *shared), places=())

    def _effects(self, cause: Cause) -> Iterator[str]:
        for effect in cause.leads_to:
            if effect.startswith("@") and effect[1:] not in self.groups:
                raise ValueError(f"causes.toml: {cause.id} leads to {effect}, which is no group")
            yield from self.groups[effect[1:]] if effect.startswith("@") else (effect,)


class StatementRecord(Statement, frozen=True, kw_only=True):
    """One statement with sentences that make it, and some that do not."""

    examples: tuple[str, ...]
    unlike: tuple[str, ...]


class SurroundingRecord(Surrounding, frozen=True, kw_only=True):
    """One surrounding with texts that name it, and some that do not."""

    examples: tuple[str, ...]
    unlike: tuple[str, ...]


class MessageFile(Strict, frozen=True, kw_only=True):
    """The messages of one topic."""

    #: The rule that reports a run which failed with one of them.
    reported_by: str
    message: tuple[MessageRecord, ...]


#: Files that are one list: what stands before each record in double brackets, and what it is.
LISTS: dict[str, tuple[str, Any]] = {
    "programs": ("program", tuple[Program, ...]),
    "cuda_programs": ("program", tuple[CudaProgram, ...]),
    "statements": ("statement", tuple[StatementRecord, ...]),
    "frameworks": ("framework", tuple[Descriptor, ...]),
    "failures": ("failure", tuple[FailureRecord, ...]),
    "milestones": ("milestone", tuple[Milestone, ...]),
    "conditions": ("condition", tuple[ConditionRecord, ...]),
    "known_surroundings": ("surrounding", tuple[SurroundingRecord, ...]),
}


def _shape(name: str) -> type[msgspec.Struct]:
    """What the file of such a list is read as."""
    return msgspec.defstruct(f"{name.title().replace('_', '')}File", [LISTS[name]], bases=(Strict,))


def _listed(name: str) -> Any:
    return getattr(_read(FOLDER / f"{name}.toml", _shape(name)), LISTS[name][0])


def message_files() -> dict[str, MessageFile]:
    """The files of messages, by name. Raises ValueError, with the file's name."""
    return {path.stem: _read(path, MessageFile) for path in sorted((FOLDER / "messages").glob("*.toml"))}


def records() -> tuple[MessageRecord, ...]:
    """All messages as they are written."""
    return tuple(record for file in message_files().values() for record in file.message)


def statement_records() -> tuple[StatementRecord, ...]:
    """All statements as they are written."""
    records: tuple[StatementRecord, ...] = _listed("statements")
    return records


def surrounding_records() -> tuple[SurroundingRecord, ...]:
    """All surroundings that forbid something, as they are written."""
    records: tuple[SurroundingRecord, ...] = _listed("known_surroundings")
    return records


def _surrounding(record: SurroundingRecord) -> Surrounding:
    return Surrounding(**{name: getattr(record, name) for name in Surrounding.__struct_fields__})


def _statement(record: StatementRecord) -> Statement:
    fields = {name: getattr(record, name) for name in Statement.__struct_fields__}
    words = {word for way in record.pattern for word in _words_of(way, spare=bool(record.needles))}
    words.update(record.needles)
    return Statement(**{**fields, "needles": tuple(sorted(words))})


def _words_of(way: str, *, spare: bool) -> tuple[str, ...]:
    """Chinese words are short: such a pattern needs `spare` ones."""
    try:
        return needles_of(way)
    except NoWords:
        if spare:
            return ()
        raise


def compiled() -> dict[Path, bytes]:
    """What is made of the records, by file: what the package loads, and the schemas for editors."""
    fragments = _read(FOLDER / "fragments.toml", dict[str, Fragment])
    messages = [
        _message(record, file.reported_by, fragments) for file in message_files().values() for record in file.message
    ]
    schemas = {
        "messages": MessageFile,
        "fragments": dict[str, Fragment],
        "causes": CauseFile,
        **{name: _shape(name) for name in LISTS},
    }
    return {
        FOLDER / "messages.json": _rows(msgspec.structs.replace(one, needles=()) for one in messages),
        FOLDER / "messages_index.json": index_of(messages),
        FOLDER / "causes.json": _rows(_read(FOLDER / "causes.toml", CauseFile).rows()),
        **{FOLDER / f"{name}.json": _rows(_listed(name)) for name in LISTS},
        FOLDER / "statements.json": _rows(map(_statement, statement_records())),
        FOLDER / "known_surroundings.json": _rows(map(_surrounding, surrounding_records())),
        FOLDER / "threads.json": _rows(threads(messages, FOLDER / "threads.tsv")),
        **{FOLDER / f"{name}.schema.json": _indented(msgspec.json.schema(shape)) for name, shape in schemas.items()},
    }


def _rows(rows: Iterable[Fact]) -> bytes:
    """One a line, so that a diff shows them."""
    return b"[\n" + b",\n".join(map(msgspec.json.encode, rows)) + b"\n]\n"


def _indented(schema: dict[str, Any]) -> bytes:
    return json.dumps(schema, indent=1, sort_keys=True).encode() + b"\n"


def _read(path: Path, shape: Any) -> Any:
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), shape)
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from None


def _message(record: MessageRecord, reported_by: str, fragments: dict[str, Fragment]) -> Message:
    ways = (record.pattern,) if isinstance(record.pattern, str) else record.pattern
    needles = record.needles or {word for way in ways for word in _needles(way, fragments)}
    causes = list(record.written())
    for where, some in record.where.items():
        causes += some.written(where)
    return Message(
        id=record.id,
        ways=message_ways(_expanded(way, fragments) for way in ways),
        needles=tuple(sorted(needles)),
        meaning=record.meaning,
        programs=record.programs,
        causes=tuple(causes),
        ask=record.ask,
        source=record.source,
        fallback=record.fallback or record.alone,
        alone=record.alone,
        not_beside=record.not_beside,
        reported_by=record.reported_by or reported_by,
    )


def _needles(way: str, fragments: dict[str, Fragment]) -> tuple[str, ...]:
    for name, _ in _FRAGMENT.findall(way):
        if fragments[name].needles:
            return fragments[name].needles
    return needles_of(_expanded(way, fragments))


def _expanded(way: str, fragments: dict[str, Fragment]) -> str:
    """The pattern with its fragments written out; a fragment may have others in it."""
    while _FRAGMENT.search(way):
        way = _FRAGMENT.sub(lambda found: fragments[found[1]].pattern.replace("{}", found[2] or ""), way)
    return way
