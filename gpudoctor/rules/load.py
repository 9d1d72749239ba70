"""Loads all rules by index.json; a rule's module is imported only when it judges or its manual page is read.

Those of failures.toml have no module (`recorded`). What another declares stands in index.json, which
scripts/compile_knowledge writes. A file that is not there as it is on disk is imported: a rule that is being written
needs no index.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib import import_module
from os import scandir
from typing import Any

import msgspec

import gpudoctor.rules
from gpudoctor.facts.base import Fact
from gpudoctor.facts.finding import Problem, Severity
from gpudoctor.facts.typed_json import decode_json
from gpudoctor.rules.declare import Rule, Want
from gpudoctor.rules.recorded import recorded_rules

#: Beside this file.
INDEX = "index.json"


class IndexedRule(Fact, frozen=True, kw_only=True):
    """A rule as the index has it: all of it but its check, and the function that this is."""

    function: str
    code: str
    name: str
    severity: Severity
    since: str
    summary: str
    wants: tuple[Want, ...]
    when: str = ""
    needs: tuple[str, ...] = ()


class IndexedFile(Fact, frozen=True, kw_only=True):
    """A rule's file as it was when the index was written."""

    size: int
    rules: tuple[IndexedRule, ...]


class _Deferred:
    """A rule's check, whose module is imported when it is called or its docstring is read."""

    def __init__(self, module: str, name: str) -> None:
        self.__module__, self.__name__ = module, name

    def __call__(self, **sections: Any) -> Iterable[Problem]:
        found: Iterable[Problem] = self._function()(**sections)
        return found

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        found: str | None = self._function().__doc__
        return found

    def _function(self) -> Any:
        return getattr(import_module(self.__module__), self.__name__)


@lru_cache(maxsize=1)
def load_rules() -> tuple[Rule, ...]:
    """All rules, by code. Raises ValueError, naming both files, where two share a code or a name."""
    indexed = _index()
    rules = list(recorded_rules())
    for module, size in rule_files():
        known = indexed.get(module.removeprefix("gpudoctor.rules."))
        if known is not None and known.size == size:
            rules += [_rule(module, one) for one in known.rules]
        else:
            rules += declared_in(module)
    taken: dict[str, Rule] = {}
    for rule in rules:
        for word in (rule.code, rule.name):
            if word in taken:
                raise ValueError(f"{word} is declared twice, in {_file_of(taken[word])} and in {_file_of(rule)}")
            taken[word] = rule
    return tuple(sorted(rules, key=lambda one: one.code))


def rule_files() -> Iterator[tuple[str, int]]:
    """The modules of rules, with the sizes of their files in bytes; pkgutil would cost 3 ms to import."""
    for family, folder, _ in _public_entries(gpudoctor.rules.__path__[0], folders=True):
        for name, _, size in _public_entries(folder, folders=False):
            yield f"gpudoctor.rules.{family}.{name}", size


def declared_in(module: str) -> list[Rule]:
    """The rules of a module, which is imported."""
    declared = (getattr(value, "rule", None) for value in vars(import_module(module)).values())
    return [one for one in declared if isinstance(one, Rule)]


def _index() -> dict[str, IndexedFile]:
    try:
        with open(f"{gpudoctor.rules.__path__[0]}/{INDEX}", "rb") as file:
            return decode_json(file.read(), type=dict[str, IndexedFile])
    except (OSError, msgspec.MsgspecError):
        return {}


def _rule(module: str, known: IndexedRule) -> Rule:
    return Rule(
        code=known.code,
        name=known.name,
        severity=known.severity,
        since=known.since,
        summary=known.summary,
        wants=known.wants,
        when=known.when,
        needs=known.needs,
        check=_Deferred(module, known.function),
    )


def _file_of(rule: Rule) -> str:
    return f"{rule.check.__module__.replace('.', '/')}.py"


def _public_entries(folder: str, *, folders: bool) -> list[tuple[str, str, int]]:
    """Names, paths and sizes of the packages, or of the modules, in a package."""
    with scandir(folder) as entries:
        found = [
            (entry.name.removesuffix(".py"), entry.path, 0 if folders else entry.stat().st_size)
            for entry in entries
            if entry.is_dir() == folders
        ]
    return sorted(one for one in found if not one[0].startswith("_") and one[0].isidentifier())
