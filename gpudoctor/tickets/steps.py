"""Packages that a reporter says were installed or removed, by commands or in sentences.

A command counts unless it is asked about, planned or advised, or its output says that it failed. What is known of the
builds of frameworks, `installs.py` reads.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from gpudoctor.facts import lazy_re as re
from gpudoctor.sources.package_names import normalise
from gpudoctor.tickets.clauses import WIDE, Told, own_lines
from gpudoctor.tickets.pasted import Pasted
from gpudoctor.tickets.sentences import SENTENCE, is_told
from gpudoctor.verify.asked import Asked, Conda, Install, Remove, SystemPackages
from gpudoctor.verify.read_words import read_command
from gpudoctor.verify.split_commands import Typed, shell_commands

#: Lines of a text that are read, and those of a command's output in which it fails.
_MOST, _OUTPUT = 3000, 25

_QUICK = re.compile(r"install|remove|purge|\buv add\b|conda (?:create|update)|pacman -|zypper in", re.IGNORECASE)
_COMMAND = re.compile(
    r"(?<![\w/.-])(?P<command>(?:sudo (?:-\w )?)?(?:python[\d.]*(?:\.exe)? -m )?"
    r"(?:(?:apt(?:-get)?|aptitude|dnf|yum|zypper|conda|mamba|micromamba|pip[\d.]*|uv(?: pip)?)(?: -{1,2}[\w=-]+)*"
    r" (?:install|reinstall|create|add|in|remove|uninstall|purge|autoremove|erase)|pacman -(?:S|R)\w*) [^\n`]{1,300})",
    re.IGNORECASE,
)
#: Where a command ends and the sentence around it goes on.
_SENTENCE_GOES_ON = re.compile(
    r"(?<=[\w\]\"')])(?:\s+(?:and|then|but|which|to|on|in|inside|with|as|so|because|after|before|for|from|again|it|did"
    r"|is|was|does|successfully|without|while|when|now|still|also|though|however|already)\b(?!=)"
    r"|[,:](?:\s|$)|\s+\(|\.(?:\s|$)|\?|!)"
)
#: Before a command that nobody says has been run.
_PLANNED = re.compile(
    r"\b(?:please|try|recommend\w*|suggest\w*|instead|why not|have to|going to|gonna|will|plan\w*|about to|told|tells?"
    r"|says?|said|asks?|(?:do|did|can|should) (?:i|we|you)|docs?|documentation|readme|manual"
    r"|(?<!i )(?<!we )(?<!have )(?<!had )(?<!ve )run)\b"
    r"|['\u2019]ll\b|\?\s*$|(?:\b(?:not|never|without)|n['\u2019]t)(?: \w+){0,3}[`'\"\s]*$",
    re.IGNORECASE,
)
#: Behind a command: it did nothing.
_DID_NOT = re.compile(
    r"^[`\"'*\s]*(?:[,;(\u2013-]|\.)?\s*(?:but|and|which|however,?|yet|where)?\s*"
    r"(?:(?:i|it|this|that|which|the (?:command|install\w*)) )*"
    r"(?:(?:also|always|still|just|only|get|got|gave|gives?) )*(?:an? )?"
    r"(?:fail\w*|errors?\b|(?:does|did|is|was|could|can|will)(?: not|n['\u2019]t)"
    r" (?:work|install|find|succeed|finish|complete|go|run|be)|cannot|unable|not found|no package)",
    re.IGNORECASE,
)
_FAILED = re.compile(
    r"^E: |unable to locate package|no installation candidate|no match for argument|unable to find a match"
    r"|target not found|unmet dependencies|not found in package names|unable to acquire|are you root"
    r"|command not found|permission denied|no matching distribution|could not find a version|packagesnotfound"
    r"|no solution found|^error\b",
    re.IGNORECASE,
)
_PROMPT = re.compile(r"^\s*(?:\$|[\w.-]{1,30}@[\w.-]{1,40}:?\S{0,60}[$#]|>>>|PS [A-Z]:)|^\s*sudo ")
#: A layer of an image is no package of this machine.
_IN_IMAGE = re.compile(r"^\s*(?:\d+\s*[|>]?\s*)?(?:RUN|&&)\b|^\s*&&")
_TAKEN_AWAY = re.compile(
    r"\b(?:un-?installed|removed|purged|deleted|got rid of)\s+(?:the )?(?:package |old )?"
    r"(?P<names>[`'\"*]*[A-Za-z][\w.+-]{2,}[`'\"*]*(?:(?:, | and | & )[`'\"*]*[A-Za-z][\w.+-]{2,}[`'\"*]*){0,4})"
    r"|(?P<name>[A-Za-z][\w.+-]{2,})[`'\"*]* (?:was|were|is|are|has been|have been) (?:un-?installed|removed|purged)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"[A-Za-z][\w.+-]{2,}")
_EXACT = re.compile(r"={1,3}\s*v?(\d+\.\d[\w.+]*)$")
_VERBS_OF_REMOVAL = frozenset(("remove", "purge", "autoremove", "erase"))

Verb = Literal["install", "remove"]


class Step(NamedTuple):
    """One package that was installed or taken away, in which line, from 1; the version where the command names one."""

    line: int
    verb: Verb
    name: str
    version: str = ""


def installed_by_steps(text: Pasted) -> dict[str, Step]:
    """By name, what commands installed and none took away again."""
    return {name: one for name, one in _last_of_each(text).items() if one.verb == "install"}


def removed_by_steps(text: Pasted) -> set[str]:
    """The names of what was taken away last."""
    return {name for name, one in _last_of_each(text).items() if one.verb == "remove"}


def told_by_steps(text: Pasted) -> Iterator[Told]:
    """The packages with their versions as a sentence names them: "xformers 0.0.25", "CUDA toolkit 12.4"."""
    for one in steps_in(text):
        if one.verb == "install" and one.version:
            yield one.line, f"{one.name} {one.version}"
        elif one.verb == "install" and (cuda := re.fullmatch(r"cuda(?:-toolkit)?-(\d\d)-(\d)", one.name)):
            yield one.line, f"CUDA toolkit {cuda[1]}.{cuda[2]}"


def _last_of_each(text: Pasted) -> dict[str, Step]:
    return {one.name: one for one in steps_in(text)}


@lru_cache(maxsize=1)
def steps_in(text: Pasted) -> tuple[Step, ...]:
    """Each of them, in the order of the text."""
    return tuple(sorted((*_by_command(text), *_in_words(text)), key=lambda one: one.line))


def _by_command(text: Pasted) -> Iterator[Step]:
    announced = ""
    for number, line in _logical(text):
        if len(line) <= WIDE and _QUICK.search(line) and not _IN_IMAGE.match(line):
            for sentence in SENTENCE.split(line):
                for match in _COMMAND.finditer(sentence):
                    if _was_run(sentence, match, announced) and not _fails_below(number, text):
                        yield from _steps(number, _typed(sentence, match))
        announced = line if line.rstrip().endswith(":") else ""


def _logical(text: Pasted) -> Iterator[Told]:
    r"""The lines, those that end in \ with what follows."""
    start, pieces = 0, []
    for number, line in text.filled[:_MOST]:
        start = start or number
        pieces.append(line.rstrip().removesuffix("\\"))
        if not line.rstrip().endswith("\\"):
            yield start, " ".join(pieces)
            start, pieces = 0, []


def _was_run(sentence: str, match: re.Match[str], announced: str) -> bool:
    before = sentence[: match.start()]
    if not before.strip(" `$*->#0123456789.)") and announced:
        before = SENTENCE.split(announced)[-1]
    if _PLANNED.search(before) and not re.search(r"\bfollow(?:ed|ing)\b", before):
        return False
    behind = sentence[match.start() + len(_typed(sentence, match)) :]
    return is_told(sentence, match) and not _DID_NOT.match(behind)


def _typed(sentence: str, match: re.Match[str]) -> str:
    """The command without the rest of the sentence, which goes on where no backtick ends it."""
    command = match["command"]
    if sentence[match.end() : match.end() + 1] == "`":
        return command
    end = _SENTENCE_GOES_ON.search(command)
    return command[: end.start()] if end else command


def _fails_below(number: int, text: Pasted) -> bool:
    for line in text.lines[number : number + _OUTPUT]:
        if _PROMPT.match(line):
            return False
        if _FAILED.search(line):
            return True
    return False


def _steps(number: int, command: str) -> Iterator[Step]:
    for typed in shell_commands(number, command):
        if isinstance(typed, Typed):
            words = [word for word in typed.words if word != "sudo" and not word.startswith("-")]
            if len(words) > 2 and words[1] in _VERBS_OF_REMOVAL:
                yield from (Step(number, "remove", normalise(word)) for word in words[2:] if _NAME.fullmatch(word))
            for asked in read_command(typed):
                yield from (one for one in _of(asked, number) if _NAME.fullmatch(one.name))


def _of(asked: Asked, number: int) -> Iterator[Step]:
    if isinstance(asked, SystemPackages):
        yield from (Step(number, "install", normalise(name)) for name in asked.names)
    elif isinstance(asked, Remove):
        yield from (Step(number, "remove", normalise(name)) for name in asked.names)
    elif isinstance(asked, Install) and not asked.elsewhere:
        for one in asked.requirements:
            exact = _EXACT.match(one.specifier)
            yield Step(number, "install", normalise(one.name), exact[1] if exact else "")
    elif isinstance(asked, Conda):
        for name, version, _ in asked.specs:
            exact = _EXACT.match(version)
            yield Step(number, "install", normalise(name), exact[1] if exact else "")


def _in_words(text: Pasted) -> Iterator[Step]:
    """What a sentence says was taken away."""
    for number, line in own_lines(text.filled[:_MOST]):
        if "nstall" in line or "emove" in line or "urge" in line or "rid of" in line:
            for sentence in SENTENCE.split(line):
                for match in _TAKEN_AWAY.finditer(sentence):
                    if is_told(sentence, match):
                        named = (one.rstrip(".+-") for one in _NAME.findall(match["names"] or match["name"]))
                        yield from (Step(number, "remove", normalise(one)) for one in named if one != "and")
