"""Commands of a remedy as the stated facts allow them: what they rule out is left out, or replaced by what fits."""

from collections.abc import Iterable, Iterator

from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.knowledge.matrix.load import load_matrix


def commands_that_fit(commands: Iterable[str], snapshot: Snapshot | None) -> tuple[str, ...]:
    """The commands, each judged as `gpudoctor verify` judges it; one with a <WORD> to fill in stays as it is."""
    return tuple(commands) if snapshot is None else tuple(_fitting(commands, snapshot))


def _fitting(commands: Iterable[str], snapshot: Snapshot) -> Iterator[str]:
    # Imported here: a check prints no remedies of records.
    from gpudoctor.verify.given import given_of
    from gpudoctor.verify.verify import verify

    matrix = load_matrix()
    given = given_of(snapshot, matrix)
    for command in commands:
        found = verify(command, given, matrix)
        if found.word != "does not fit" or "<" in command:
            yield command
            continue
        against = next(one for one in found.found if one.word == "does not fit")
        # Without a way out here, of another distribution's tool for one, it would only fail.
        if against.instead is not None:
            yield against.instead
