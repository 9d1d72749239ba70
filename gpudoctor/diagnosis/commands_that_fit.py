"""Commands of a remedy as the stated facts allow them: filled in, judged one after the other, replaced or left out."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import System
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.system_packages import tool_of

if TYPE_CHECKING:
    from gpudoctor.diagnosis.filled_in import Stated
    from gpudoctor.verify.verdict import Given

#: Whose command it is, in the comment behind it.
_COMMENT = re.compile(r"\s+# (.*)$")
_DISTRIBUTION = re.compile(r"ubuntu|debian|fedora|rhel|arch|opensuse|suse")
#: What follows on a change, and is nothing without it.
_FOLLOWS = re.compile(r"sudo (?:reboot|apt-mark hold|systemctl restart)\b")
#: Bounds that one after the other are added: NumPy's, protobuf's, Keras'.
_MOST_TURNS = 4
#: Words in place of which a judge sees a release that is none of the field.
_WORD = re.compile(r"<[A-Z][A-Z0-9_]*>")


def commands_that_fit(commands: Iterable[str], snapshot: Snapshot | None) -> tuple[str, ...]:
    """The commands with all that is known filled in, and as `gpudoctor verify` lets them pass.

    What one changes counts for the next. A <WORD> that nothing states stays, and so does its command.
    """
    return tuple(commands) if snapshot is None else tuple(_fitting(_for_distribution(commands, snapshot), snapshot))


def _fitting(commands: Iterable[str], snapshot: Snapshot) -> Iterator[str]:
    # Imported here: a check prints no remedies of records.
    from gpudoctor.diagnosis.filled_in import stated
    from gpudoctor.verify.given import given_of

    given, facts = given_of(snapshot, load_matrix()), stated(snapshot)
    before: list[str] = []
    lost = False
    waiting = [_filled_in(written, facts) for written in commands]
    for number, command in enumerate(waiting):
        made = _judged(command, before, waiting[number + 1 :], given) if command else None
        lost = lost or made is None
        if made is None or (lost and _FOLLOWS.match(made) and not any(one.startswith("sudo ") for one in before)):
            continue
        if made not in before:
            before.append(made)
            yield made


def _filled_in(written: str, facts: "Stated") -> str:
    """The command, without a comment on words that are none any more."""
    from gpudoctor.diagnosis.filled_in import filled_in

    made = filled_in(written, facts)
    return made if made == written or _WORD.search(made) else _COMMENT.sub("", made)


def _judged(command: str, before: list[str], after: list[str], given: "Given") -> str | None:
    """A command between others, or what does instead; None where it fails or changes nothing, and none does."""
    from gpudoctor.verify.verify import verify

    for _ in range(_MOST_TURNS):
        everything = verify([*before, command, *after], given, load_matrix()).found
        found = [one for one in everything if one.line == len(before) + 1]
        words = {one.word for one in found}
        if "does nothing" in words and not words & {"fits", "does not fit"}:
            return None
        against = [one for one in found if one.word == "does not fit"]
        # Of a command with a word to fill in only the program that is called can be judged.
        if not against or (_WORD.search(command) and against[0].aspect != "environment"):
            return command
        # Without a way out here, of another distribution's tool for one, it would only fail.
        instead = next((one.instead for one in against if one.instead is not None), None)
        if instead is None or instead == command:
            return None
        command = instead
    return None


def _for_distribution(commands: Iterable[str], snapshot: Snapshot) -> Iterator[str]:
    """Without those whose comment names another distribution; "" for one that none takes the place of."""
    host = snapshot.host if isinstance(snapshot.host, System) else None
    commands = tuple(commands)
    named = {command: set(_DISTRIBUTION.findall(_comment(command).lower())) for command in commands}
    family = (host.distribution, *host.distribution_like) if host and host.distribution else ()
    own = next((name for name in family if any(name in names for names in named.values())), None)
    for command in commands:
        if not named[command] or (own is None and tool_of(host) is None):
            yield command
        elif own is None:
            yield ""
        elif own in named[command]:
            alone = _DISTRIBUTION.sub("", _comment(command).lower()).strip(" ,:")
            yield command if alone else _COMMENT.sub("", command)


def _comment(command: str) -> str:
    found = _COMMENT.search(command)
    return found[1] if found else ""
