"""A command to be judged, with the machine and environment as earlier commands leave them."""

from typing import Any, cast

from gpudoctor.facts.python import Package, Packages
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import Row
from gpudoctor.plan.constraints import Constraint
from gpudoctor.plan.machine import Machine
from gpudoctor.verify.asked import Install
from gpudoctor.verify.verdict import Aspect, Given, Grounds, Verdict, Word

#: What a constraint of the solver is called in a verdict, where that has another name.
_ASPECTS: dict[Constraint, Aspect] = {
    "pins": "companion",
    "withdrawn": "version",
    "defect": "version",
    "cuda": "index",
    "unknown": "gpu",
}
#: Characters of a command and of a subject that are shown.
LONGEST, LONGEST_SUBJECT = 300, 100


class Case:
    """A command in its circumstances."""

    def __init__(self, line: int, text: str, file: str | None, given: Given, matrix: Matrix) -> None:
        self.line, self.text, self.file = line, text, file
        self.given, self.matrix = given, matrix

    @property
    def machine(self) -> Machine:
        """The machine."""
        return self.given.machine

    @property
    def wants_gpu(self) -> bool:
        """A GPU is there to be used."""
        return self.machine.uses_cuda and bool(self.given.for_gpu or self.machine.capabilities or self.machine.driver)

    def installed(self, name: str) -> Package | None:
        """A distribution that is installed, as far as that is known."""
        return self.given.packages.find(name) if self.given.packages is not None else None

    def verdict(
        self,
        subject: str,
        word: Word,
        *,
        grounds: Grounds | None = None,
        aspect: Aspect | None = None,
        because: str = "",
        instead: str | None = None,
        line: int = 0,
        row: Row | None = None,
        **more: Any,
    ) -> Verdict:
        """A verdict on a part of the command."""
        if word == "does not fit" and grounds is None:
            grounds = "not here"
        return Verdict(
            line=line or self.line,
            file=self.file,
            command=self.text[:LONGEST],
            subject=subject[:LONGEST_SUBJECT],
            word=word,
            grounds=grounds,
            aspect=aspect,
            because=because,
            instead=instead,
            source=row.source if row is not None else "",
            checked=row.checked if row is not None else "",
            confidence=row.confidence if row is not None else None,
            **more,
        )

    def not_judged(self, *facts: str) -> tuple[str, ...]:
        """Those of some facts of the machine that were not given."""
        missing = self.machine.not_judged if self.machine.uses_cuda else ()
        python = ("Python version",) if self.machine.python is None else ()
        return tuple(dict.fromkeys(one for one in (*missing, *python) if one in facts))


def aspect_of(constraint: Constraint) -> Aspect:
    """The aspect of a verdict that a constraint of the solver is about."""
    return _ASPECTS[constraint] if constraint in _ASPECTS else cast("Aspect", constraint)


def with_installed(given: Given, name: str, version: str) -> Given:
    """What is given, once a package is installed."""
    from msgspec.structs import replace

    before = given.packages or Packages(excerpt=True)
    others = tuple(one for one in before.installed if one.name != name)
    return replace(given, packages=replace(before, installed=(*others, Package(name=name, version=version))))


def without(given: Given, names: tuple[str, ...]) -> Given:
    """What is given, once packages are taken away."""
    from msgspec.structs import replace

    if given.packages is None:
        return given
    left = tuple(one for one in given.packages.installed if one.name not in names)
    return replace(given, packages=replace(given.packages, installed=left))


def spelled(install: Install) -> str:
    """How the installer is called, up to the word install."""
    verb = ("add",) if install.tool == "uv add" else ("install",)
    return " ".join((*install.program, *verb))
