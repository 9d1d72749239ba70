"""The words of gpudoctor that users read, as templates: what the catalogues of gpudoctor/locale translate."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import click
from texts_of_code import ROOT, SAID, WORD, Word, escaped, words_of_file

from gpudoctor.language.translator import SENTENCE_END
from gpudoctor.tables import rows_of

PACKAGE = ROOT / "gpudoctor"
KNOWLEDGE = PACKAGE / "knowledge"


def user_words() -> tuple[Word, ...]:
    """Every template, each once, in the order of its part, file and line."""
    found: dict[str, Word] = {}
    for one in (*_of_code(), *_of_knowledge(), *_of_tables(), *_of_manuals(), *_of_command_line()):
        text = " ".join(one.msgid.split())
        if text:
            found.setdefault(text, one._replace(msgid=text))
    return tuple(found.values())


def _of_code() -> Iterator[Word]:
    for part in (*SAID["worded"], *SAID["reasoned"]):
        for path in sorted((PACKAGE / part).rglob("*.py")):
            if path.relative_to(ROOT).as_posix() not in SAID["files"]:
                yield from words_of_file(path, part, only_reasons=part in SAID["reasoned"])


def _of_knowledge() -> Iterator[Word]:
    for table, key_of_words in (("xids", "what"), ("elsewhere", "text")):
        compat = ROOT / "compat" / f"{table}.json"
        for key, text in _texts(json.loads(compat.read_text(encoding="utf-8"))):
            if key == key_of_words and len(WORD.findall(text)) > 1:
                yield Word(escaped(text), compat.relative_to(ROOT).as_posix(), 0, "knowledge")
    for name, keys in (
        ("messages", ("meaning", "ask")),
        ("causes", ("words", "say", "also", "look")),
        ("cuda_programs", ("say",)),
        ("statements", ("say",)),
        ("conditions", ("say",)),
        ("frameworks", ("on_macos",)),
        ("failures", ("says", "pasted", "known", "title", "steps")),
    ):
        path = KNOWLEDGE / f"{name}.json"
        for key, text in _texts(json.loads(path.read_text(encoding="utf-8"))):
            if key in keys and len(WORD.findall(text)) > 1 and not (key == "ask" and _is_command(text)):
                yield Word(escaped(text), path.relative_to(ROOT).as_posix(), 0, name)


def _of_tables() -> Iterator[Word]:
    """The words in tables that stand beside the code."""
    for name, column in (("diagnosis/changes", 2),):
        for text in (row[column] for row in rows_of(name)):
            if " " in text:
                yield Word(escaped(text), f"gpudoctor/{name}.tsv", 0, name.partition("/")[0])


def _is_command(text: str) -> bool:
    return bool(re.match(r"[a-z0-9_./-]+ (-|[a-z]+;|\S+ \|)|\S+$", text)) or bool(re.search(r" --?[a-z]|\||&&", text))


def _texts(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, one in value.items():
            yield from _texts(one, name)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one, key)


def _of_manuals() -> Iterator[Word]:
    """What each rule says it finds, and the sentences of its advice, on whatever system."""
    from gpudoctor.diagnosis.manual_advice import advice
    from gpudoctor.rules.load import load_rules

    for rule in load_rules():
        where = f"gpudoctor/rules ({rule.code})"
        yield Word(escaped(rule.summary), where, 0, "manuals")
        for system in (None, "linux", "windows", "macos"):
            for sentence in SENTENCE_END.split(advice(rule, system)):
                if WORD.search(sentence) and not sentence.startswith("See `gpudoctor explain"):
                    yield Word(escaped(sentence), where, 0, "advice")


def _of_command_line() -> Iterator[Word]:
    """The help of every command, paragraph by paragraph."""
    from gpudoctor.cli.main import cli

    yield from _help_of(cli, "gpudoctor")


def _help_of(command: click.Command, name: str) -> Iterator[Word]:
    texts = [command.help, command.epilog, command.short_help, *(getattr(one, "help", None) for one in command.params)]
    for text in texts:
        for paragraph in (text or "").split("\n\n"):
            if WORD.search(paragraph):
                yield Word(escaped(" ".join(paragraph.replace("\b", "").split())), f"{name} --help", 0, "help")
    if isinstance(command, click.Group):
        context = click.Context(command)
        for one in command.list_commands(context):
            found = command.get_command(context, one)
            if found is not None and not found.hidden:
                yield from _help_of(found, f"{name} {one}")


def by_part(words: Iterable[Word]) -> dict[str, list[Word]]:
    """The templates of each part."""
    parts: dict[str, list[Word]] = {}
    for word in words:
        parts.setdefault(word.part, []).append(word)
    return parts
