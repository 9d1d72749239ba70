"""Selects which rules run by `--select` and `--ignore`: codes, families or names."""

from collections.abc import Iterable

from gpudoctor.rules.declare import Rule


class UnknownCode(ValueError):
    """A word of --select or --ignore that no rule answers to."""

    def __init__(self, word: str, known: tuple[str, ...]) -> None:
        super().__init__(f"no rule has the code or name {word!r}")
        self.word = word
        self.known = known


def selected(rules: Iterable[Rule], select: Iterable[str] = (), ignore: Iterable[str] = ()) -> tuple[Rule, ...]:
    """The rules to run, by code. Raises UnknownCode."""
    rules = tuple(rules)
    wanted = _codes(rules, select)
    unwanted = _codes(rules, ignore)
    return tuple(rule for rule in rules if (not wanted or rule.code in wanted) and rule.code not in unwanted)


def find(rules: Iterable[Rule], word: str) -> Rule:
    """The one rule with that code or name. Raises UnknownCode."""
    rules = tuple(rules)
    for rule in rules:
        if word.upper() == rule.code or word.lower() == rule.name:
            return rule
    raise UnknownCode(word, _known(rules))


def _codes(rules: tuple[Rule, ...], words: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for word in words:
        matching = {rule.code for rule in rules if rule.code.startswith(word.upper()) or rule.name == word.lower()}
        if not word or not matching:
            raise UnknownCode(word, _known(rules))
        found |= matching
    return found


def _known(rules: tuple[Rule, ...]) -> tuple[str, ...]:
    return tuple(word for rule in rules for word in (rule.code, rule.name))
