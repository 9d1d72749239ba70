"""Finds every rule of the package."""

from functools import lru_cache
from importlib import import_module
from os import scandir

import gpudoctor.rules
from gpudoctor.rules.declare import Rule


@lru_cache(maxsize=1)
def load_rules() -> tuple[Rule, ...]:
    """All rules, by code. Raises ValueError, naming both files, where two share a code or a name."""
    rules: list[Rule] = []
    for family, path in _public_entries(gpudoctor.rules.__path__[0], folders=True):
        for name, _ in _public_entries(path, folders=False):
            module = import_module(f"gpudoctor.rules.{family}.{name}")
            declared = (getattr(value, "rule", None) for value in vars(module).values())
            rules += [one for one in declared if isinstance(one, Rule)]
    taken: dict[str, Rule] = {}
    for rule in rules:
        for word in (rule.code, rule.name):
            if word in taken:
                raise ValueError(f"{word} is declared twice, in {_file_of(taken[word])} and in {_file_of(rule)}")
            taken[word] = rule
    return tuple(sorted(rules, key=lambda one: one.code))


def _file_of(rule: Rule) -> str:
    return rule.check.__code__.co_filename


def _public_entries(folder: str, *, folders: bool) -> list[tuple[str, str]]:
    """Names and paths of the packages, or of the modules, in a package; pkgutil would cost 3 ms more to import."""
    with scandir(folder) as entries:
        found = [(entry.name.removesuffix(".py"), entry.path) for entry in entries if entry.is_dir() == folders]
    return sorted((name, path) for name, path in found if not name.startswith("_") and name.isidentifier())
