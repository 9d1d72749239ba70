"""The data of a fix: commands and manual steps, and how safe they are."""

from typing import Any, Literal

from gpudoctor.facts.base import Fact

#: safe: the user's own environment, reversible. review: read it first. manual: a person must do it.
Safety = Literal["safe", "review", "manual"]


class Step(Fact, frozen=True, kw_only=True, tag_field="do", tag=str.lower):
    """One thing to do."""


class Run(Step, frozen=True, kw_only=True):
    """Run a command. `argv` is quoted only when it is printed."""

    argv: tuple[str, ...]
    env: dict[str, str] = {}


class SetEnv(Step, frozen=True, kw_only=True):
    """Set (or, with None, unset) an environment variable."""

    name: str
    value: str | None
    where: str | None = None


class Write(Step, frozen=True, kw_only=True):
    """Write a file."""

    path: str
    text: str


class Ask(Step, frozen=True, kw_only=True):
    """Something only a person can do, in words."""

    text: str


class Fix(Fact, frozen=True):
    """One way to mend a finding; a finding lists the best one first."""

    title: str
    safety: Safety
    steps: tuple[Run | SetEnv | Write | Ask, ...]
    needs_root: bool = False
    needs_reboot: bool = False
    #: A session keeps the groups and variables that it started with.
    needs_login: bool = False
    #: A container is given its devices and its memory when it is created.
    needs_container: bool = False
    #: The driver that it brings: ">=580.65.06", ">=570", "<=470"; ">=0" any. None: it changes no driver.
    driver: str | None = None
    undo: str | None = None


def run(*argv: str) -> Run:
    """The step of running a command."""
    return Run(argv=argv)


def by_hand(title: str, *steps: str | Run | SetEnv | Write | Ask, **needs: Any) -> Fix:
    """A fix that a person carries out; a sentence is a step in words. `needs`: what else a Fix says."""
    done = tuple(Ask(text=one) if isinstance(one, str) else one for one in steps)
    return Fix(title=title, safety="manual", steps=done, **needs)
