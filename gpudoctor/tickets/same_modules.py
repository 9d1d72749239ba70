"""Two packages of one module pinned in a sentence: "tensorflow==1.13.1 and tensorflow-gpu==1.13.1"."""

from collections.abc import Iterable, Iterator

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.python import Package, Packages
from gpudoctor.knowledge.same_modules import same_modules
from gpudoctor.tickets.clauses import WIDE
from gpudoctor.tickets.fragment import WORDS, Fragment, fragment

_PIN = re.compile(r"(?<![\w./-])([a-z][\w-]{2,}[a-z0-9]) ?== ?(\d{1,3}(?:\.\d{1,3}){1,3})(?![\w.]*\d)", re.I)


def parse_same_modules(lines: Iterable[tuple[int, str]]) -> Iterator[Fragment]:
    """The packages of a module of which several are pinned; alone, one is a framework like any other."""
    pins: dict[str, tuple[int, str]] = {}
    for number, line in lines:
        for match in _PIN.finditer(line[:WIDE]) if "==" in line and " install " not in line else ():
            pins.setdefault(match[1].lower().replace("_", "-"), (number, match[2]))
    for row in same_modules() if len(pins) > 1 else ():
        if len(own := [name for name in pins if name in row.packages]) > 1:
            packages = tuple(Package(name=name, version=pins[name][1]) for name in own)
            numbers = [pins[name][0] for name in own]
            yield from fragment(
                "packages that are named", numbers, WORDS, packages=Packages(installed=packages, excerpt=True)
            )
