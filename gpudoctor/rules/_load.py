"""Finds every rule of the package."""

from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules

import gpudoctor.rules
from gpudoctor.rules._declare import Rule


@lru_cache(maxsize=1)
def load_rules() -> tuple[Rule, ...]:
    """All rules, by code. Raises ValueError where two share a code or a name."""
    rules: list[Rule] = []
    for family in iter_modules(gpudoctor.rules.__path__):
        if not family.ispkg:
            continue
        package = import_module(f"gpudoctor.rules.{family.name}")
        for entry in iter_modules(package.__path__):
            module = import_module(f"gpudoctor.rules.{family.name}.{entry.name}")
            declared = (getattr(value, "rule", None) for value in vars(module).values())
            rules += [one for one in declared if isinstance(one, Rule)]
    unique = {one.code: one for one in rules}
    names = {one.name: one for one in rules}
    if len(unique) != len(rules) or len(names) != len(rules):
        seen = sorted(f"{one.code} {one.name}" for one in rules)
        raise ValueError(f"two rules share a code or a name: {', '.join(seen)}")
    return tuple(sorted(rules, key=lambda one: one.code))
