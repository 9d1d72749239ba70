"""Checks a remedy's commands against the facts one by one; replaces or drops what does not fit."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from gpudoctor.diagnosis.commands_for import WORD
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import System
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.system_packages import TOOLS

if TYPE_CHECKING:
    from gpudoctor.verify.verdict import Given

#: Whose command it is, in the comment behind it.
_COMMENT = re.compile(r"\s+# (.*)$")
_DISTRIBUTION = re.compile(r"ubuntu|debian|fedora|rhel|arch|opensuse|suse")
#: Tools of one family of distributions.
_MANAGER = re.compile(r"(?:^|&& )(?:sudo )?(apt|dpkg|dnf|zypper|pacman|yum|ubuntu)(?:-get|-mark|-cache|-drivers)? ")
_TOOL = {"dpkg": "apt", "yum": "dnf"}
_FAMILY = {
    "apt": "Debian, Ubuntu",
    "dpkg": "Debian, Ubuntu",
    "ubuntu": "Ubuntu",
    "dnf": "Fedora, RHEL",
    "yum": "RHEL",
    "zypper": "openSUSE",
    "pacman": "Arch",
}
#: What is typed only where the distribution is known: the lines that add a maker's sources, too long for a choice.
_ONLY = re.compile(r" only$")
#: What follows on a change, and is nothing without it.
_FOLLOWS = re.compile(r"sudo (?:reboot|apt-mark hold|systemctl restart)\b")
#: The environment that remedies make, and what is then done in it.
_MAKES_ENVIRONMENT, _IN_ENVIRONMENT = re.compile(r"\bcreate -n gpu-env\b"), re.compile(r"\brun -n gpu-env\b")
#: A package is removed, and another put in its place.
_REMOVES, _INSTALLS = re.compile(r"\bpip uninstall\b"), re.compile(r"\bpip install\b")
#: Bounds that one after the other are added: NumPy's, protobuf's, Keras'.
_MOST_TURNS = 4


def commands_that_fit(
    commands: Iterable[str], snapshot: Snapshot | None, around: Iterable[str] = ()
) -> tuple[str, ...]:
    """The commands with all that is known filled in, and as `gpudoctor verify` lets them pass.

    What one changes counts for the next. A <WORD> that nothing states stays, and so does its command.
    """
    if snapshot is None:
        return tuple(one for one in commands if not _ONLY.search(_comment(one)))
    written = tuple(for_distribution(commands, snapshot, around))
    return _with_what_follows(tuple(_fitting(written, snapshot, around)), written)


def _with_what_follows(made: tuple[str, ...], written: tuple[str, ...]) -> tuple[str, ...]:
    """What is removed for something else stays, where that does not fit."""
    lost = any(_INSTALLS.search(one) for one in written) and not any(_INSTALLS.search(one) for one in made)
    return tuple(one for one in made if not _REMOVES.search(one)) if lost else made


def _fitting(commands: Iterable[str], snapshot: Snapshot, around: Iterable[str]) -> Iterator[str]:
    commands = tuple(commands)
    if not commands:
        return
    # Imported here: a check prints no remedies of records.
    from gpudoctor.verify.given import given_of

    given = given_of(snapshot, load_matrix())
    before: list[str] = []
    lost = False
    waiting = _all_filled_in(commands, snapshot, around)
    for number, (command, word) in enumerate(zip(waiting, commands, strict=True)):
        made = _judged(command, before, waiting[number + 1 :], given) if command else None
        # A command that is looked up whole is of this machine.
        made = command or None if WORD.fullmatch(word) else made
        lost = lost or made is None
        if made is None or (lost and _is_left_over(made, before)):
            continue
        if made not in before:
            before.append(made)
            yield made


def _is_left_over(command: str, before: Sequence[str]) -> bool:
    """It follows on a change, or goes into an environment, that was left out."""
    if _FOLLOWS.match(command):
        return not any(one.startswith("sudo ") for one in before)
    return bool(_IN_ENVIRONMENT.search(command)) and not any(_MAKES_ENVIRONMENT.search(one) for one in before)


def _all_filled_in(commands: tuple[str, ...], snapshot: Snapshot, around: Iterable[str]) -> list[str]:
    if not any(WORD.search(one) for one in commands):
        return list(commands)
    from gpudoctor.diagnosis.filled_in import filled_in, stated

    facts = stated(snapshot, around)
    return [_without_comment(filled_in(one, facts), one) for one in commands]


def _without_comment(made: str, written: str) -> str:
    """The command, without a comment on words that are none any more."""
    return made if not made or made == written or WORD.search(made) or _of_family(made) else _COMMENT.sub("", made)


def _changes_nothing(command: str) -> bool:
    """It installs again what is there, from where it came: no remedy."""
    return "--force-reinstall" in command and "index" not in command


def _of_family(command: str) -> bool:
    """Its comment says for which distribution it is, where that is not known."""
    return _MANAGER.search(command) is not None and _DISTRIBUTION.search(_comment(command).lower()) is not None


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
        if not against or (WORD.search(command) and against[0].aspect != "environment"):
            return command
        # Without a way out here, of another distribution's tool for one, it would only fail.
        instead = next((one.instead for one in against if one.instead is not None), None)
        if instead is None or instead == command or _changes_nothing(instead):
            return None
        command = instead
    return None


def for_distribution(commands: Iterable[str], snapshot: Snapshot, around: Iterable[str]) -> Iterator[str]:
    """Without those whose comment names another distribution; "" for one that none takes the place of."""
    host = snapshot.host if isinstance(snapshot.host, System) else None
    commands = tuple(commands)
    named = {command: set(_DISTRIBUTION.findall(_comment(command).lower())) for command in commands}
    family: tuple[str, ...] = (host.distribution, *host.distribution_like) if host and host.distribution else ()
    family = family or tuple(one.removeprefix("on-") for one in around if one.startswith("on-"))
    kin = {"ubuntu": "debian", "rhel": "fedora", "suse": "opensuse"}
    family += tuple(other for name, other in kin.items() if name in family)
    own = next((name for name in family if any(name in names for names in named.values())), None)
    tools = {tool for name in family if (tool := TOOLS.get(name))} | ({"ubuntu"} & {*family})
    old = "on-el7" in around
    for written in commands:
        # Red Hat 7 and its like have yum.
        command = re.sub(r"\bsudo dnf ", "sudo yum ", written) if old else written
        named.setdefault(command, named[written])
        comment, manager = _comment(command), _MANAGER.search(command)
        if family and manager and _TOOL.get(manager[1], manager[1]) not in tools:
            yield ""
            continue
        if not family and manager and not comment:
            yield f"{command}  # {_FAMILY[manager[1]]}"
        elif not named[command] or not family:
            yield "" if _ONLY.search(comment) else command
        elif own is None:
            yield ""
        elif own in named[command]:
            alone = _DISTRIBUTION.sub("", _ONLY.sub("", comment.lower())).strip(" ,:")
            added = any(_ONLY.search(_comment(one)) and own in named[one] for one in commands)
            yield _COMMENT.sub("", command) if added or not alone else command


def _comment(command: str) -> str:
    found = _COMMENT.search(command)
    return found[1] if found else ""
