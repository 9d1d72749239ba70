"""Whether a rule's `when` condition holds in a snapshot; rules whose does not are not imported.

`when` of a rule is its conditions, parted by commas; all of them hold:

    failure                           a failure that the rule reports (`gpudoctor.rules.failures`)
    packages.damaged                  some; of a truth value: yes
    not driver.cuda_init.ok           none; no
    known driver.modules_loaded       looked at, be there any or none
    interpreter.bits=32               that value; of several facts, of one: frameworks.torch.variant=cpu|cuda
    environ.XLA_FLAGS or live.bench   either

A name after the last fact is that of a framework, a package, a variable, a key. What was not seen is not there.
"""

from collections.abc import Callable, Iterator

from gpudoctor.facts.base import Gap
from gpudoctor.facts.live import Live
from gpudoctor.facts.python import Packages
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.wish import Wish
from gpudoctor.rules.declare import Rule
from gpudoctor.rules.failures import failures_of


def has_occasion(rule: Rule, snapshot: Snapshot, wish: Wish) -> bool:
    """Whether the rule may find something: one of which a condition does not hold is quiet."""
    alternatives = (line.split(" or ") for line in rule.when.split(", ")) if rule.when else ()
    return all(any(_holds(one, rule, snapshot, wish) for one in line) for line in alternatives)


def _holds(condition: str, rule: Rule, snapshot: Snapshot, wish: Wish) -> bool:
    if condition == "failure":
        return not isinstance(snapshot.live, Live) or bool(failures_of(snapshot.live, rule.name))
    return is_stated(condition, lambda section: wish if section == "wish" else getattr(snapshot, section))


def is_stated(condition: str, fact: Callable[[str], object]) -> bool:
    """Whether a condition on facts holds; `fact` gives the section that it begins with."""
    path, _, values = condition.removeprefix("not ").removeprefix("known ").partition("=")
    section, *words = path.split(".")
    found = _at(fact(section), words)
    seen = (one for one in found if not isinstance(one, Gap))
    if condition.startswith("known "):
        return any(one is not None for one in seen)
    wanted = values.split("|")
    holds = any(str(one) in wanted if values else bool(one) for one in seen)
    return holds is not condition.startswith("not ")


def _at(value: object, words: list[str]) -> Iterator[object]:
    """What these words lead to; of several facts, from each."""
    if isinstance(value, tuple) and (words or value):
        for one in value:
            yield from _at(one, words)
    elif not words or value is None or isinstance(value, Gap):
        yield value
    else:
        yield from _at(_member(value, words[0]), words[1:])


def _member(value: object, name: str) -> object:
    if hasattr(value, name):
        return getattr(value, name)
    look_up = value.find if isinstance(value, Packages) else getattr(value, "get", None)
    return look_up(name) if look_up else None
