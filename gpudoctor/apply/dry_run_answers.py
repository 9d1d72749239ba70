"""Keeps the results of installers' dry runs, so that no installer is asked the same twice."""

from collections.abc import Iterable

from gpudoctor.apply.dry_run_result import Verification
from gpudoctor.apply.journal import Distribution

_State = frozenset[tuple[str, str, str | None]]


class Answers:
    """The answers to install commands, each with what was installed when it was given."""

    def __init__(self) -> None:
        self._given: dict[tuple[str, ...], tuple[_State, Verification]] = {}

    def note(self, argv: tuple[str, ...], present: Iterable[Distribution], found: Verification) -> None:
        """Keep an answer. `argv`: the command as the plan has it."""
        self._given[argv] = (_state(present), found)

    def of(self, argv: tuple[str, ...], present: Iterable[Distribution]) -> Verification | None:
        """The answer, where the environment still holds what it held then, and the command was not refused."""
        state, found = self._given.get(argv, (frozenset(), None))
        return found if found is not None and found.refused is None and state == _state(present) else None


def _state(present: Iterable[Distribution]) -> _State:
    return frozenset((one.name, one.version, one.record) for one in present)
