"""Splits a text into commands: shell lines, requirements files, Dockerfiles, Compose files."""

import json
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.bounded import bounded, bounded_lines

Kind = Literal["shell", "requirements", "dockerfile", "compose"]
#: What is read of a text; no list of commands is longer.
MOST_CHARACTERS = 1024 * 1024
MOST_COMMANDS = 2000

#: Control characters say nothing, and could say something to a terminal that shows them; of ASCII, and of all.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_SAYS_NOTHING = re.compile(r"[^\n\t\x20-\x7e\xa0-\uffff]|[\u200b-\u200f\u202a-\u202e\u2066-\u2069]")
_DOCKERFILE = re.compile(r"^\s*FROM\s+[\w./:@${}-]+(?:\s+AS\s+\w+)?\s*$", re.IGNORECASE)
_INSTRUCTION = re.compile(r"^\s*(FROM|RUN|ENV|ARG)\s+(.*)$", re.IGNORECASE | re.DOTALL)
_OTHER_INSTRUCTION = re.compile(
    r"^\s*(?:COPY|ADD|WORKDIR|CMD|ENTRYPOINT|EXPOSE|LABEL|USER|SHELL|VOLUME|HEALTHCHECK|STOPSIGNAL|ONBUILD|MAINTAINER)\s"
)
_COMPOSE = re.compile(r"^\s*services:\s*$")
_COMPOSE_IMAGE = re.compile(r"^\s*image:\s*[\"']?([^\s\"']+)")
_COMPOSE_GPUS = re.compile(r"^\s*gpus:\s*\S")
_COMPOSE_VARIABLE = re.compile(r"^\s*-?\s*[\"']?([A-Z][A-Z0-9_]+)\s*[=:](.*)$")
_COMPOSE_DEVICES = re.compile(r"^\s*-\s*(?:driver:\s*[\"']?nvidia|count:|device_ids:)")
_MERGED = re.compile(r"^\s*(?:<<|extends):|^.*:\s*[*&]\w")
_NAME = r"[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?(?:\[[\w., -]*\])?"
_REQUIREMENT = re.compile(rf"^\s*{_NAME}\s*(?:(?:===?|~=|!=|<=?|>=?)\s*[\w.*+!-]+.*|@\s+\S+)?\s*(?:;.*|#.*)?$")
_FILE_OPTION = re.compile(r"^\s*(?:-[rcfei]\s|--(?:index-url|extra-index-url|find-links|pre|no-index|requirement)\b)")
_PROMPT = re.compile(
    r"^\s*(?:\([\w./ -]{1,40}\)\s*)?"
    r"(?:PS\s+[A-Za-z]:[^>]{0,80}>\s*|[A-Za-z]:\\[^>]{0,80}>\s*|[\w.@~:/-]{0,60}[$#]\s+|[%!]\s?(?=pip|conda|uv))"
)
#: $NAME, ${NAME}, ${NAME:-otherwise}.
_VARIABLE = re.compile(r"\$(?:\{(\w+)(?::-([^}$]*))?\}|(\w+))")
_OPERATORS = frozenset({"&&", "||", ";", "|", "&"})
#: A path of Windows: the backslash is a separator there, and no escape.
_BACKSLASHES = re.compile(r"(?:[A-Za-z]:|\.|\w)\\[\w.]")


class Typed(NamedTuple):
    """One command: the line it begins in, from 1, its text, its words. A comparison without quotes stands as `>`."""

    line: int
    text: str
    words: tuple[str, ...]
    kind: Kind = "shell"


class Unread(NamedTuple):
    """A line that no shell could read, and why."""

    line: int
    text: str
    reason: str


def commands(text: str, file: str | None = None) -> Iterator[Typed | Unread]:
    """The commands of a text, in order; at most MOST_COMMANDS."""
    clean = (_CONTROLS if text.isascii() else _SAYS_NOTHING).sub("", text)
    lines = [bounded(line) for line in bounded_lines(clean.split("\n"))]
    # Imported here: few texts are files of a project.
    from gpudoctor.verify.project_files import project_commands

    found: Iterable[Typed | Unread] | None = project_commands(clean, lines, file)
    if found is None:
        found = _of_kind(lines, kind_of(lines, file))
    for number, one in enumerate(found):
        if number == MOST_COMMANDS:
            yield Unread(one.line, one.text, f"a text of more than {MOST_COMMANDS} commands is read no further")
            return
        yield one


def kind_of(lines: Sequence[str], file: str | None) -> Kind:
    """What a text is: by its name, else by what stands in it."""
    name = (file or "").replace("\\", "/").rpartition("/")[2].lower()
    told = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if "dockerfile" in name or "containerfile" in name or any(_DOCKERFILE.match(line) for line in told[:5]):
        return "dockerfile"
    if any(_COMPOSE.match(line) for line in told):
        return "compose"
    is_list = bool(told) and all(_REQUIREMENT.match(line) or _FILE_OPTION.match(line) for line in told)
    specified = any(re.search(r"[=<>~]=|@\s", line) or _FILE_OPTION.match(line) for line in told)
    if is_list and (specified or name.endswith((".txt", ".in"))):
        return "requirements"
    return "shell"


def _of_kind(lines: Sequence[str], kind: Kind) -> Iterator[Typed | Unread]:
    if kind == "requirements":
        for number, text in _joined(lines):
            whole = re.sub(r"(^|\s)#.*$", "", text).strip()
            if whole:
                yield Typed(number, whole, tuple(_plain_words(whole)), kind)
    elif kind == "dockerfile":
        yield from _dockerfile(lines)
    elif kind == "compose":
        yield from _compose(lines)
    else:
        # In a script # begins a comment; in what was pasted it may be root's prompt.
        is_script = bool(lines) and lines[0].startswith("#!")
        for number, text in _joined(lines):
            if not (is_script and text.lstrip().startswith("#")):
                yield from shell_commands(number, text)


def _joined(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    r"""Lines that go on after \ (sh), ^ (cmd) or ` (PowerShell), as one."""
    start, pieces = 0, []
    for number, line in enumerate(lines, 1):
        start = start or number
        stripped = line.rstrip()
        if stripped.endswith(("\\", " ^", " `")) and number < len(lines):
            pieces.append(stripped[:-1])
            continue
        yield start, "".join((*pieces, line))
        start, pieces = 0, []


def shell_commands(line: int, text: str) -> Iterator[Typed | Unread]:
    """The commands of one logical line of a shell."""
    text = _PROMPT.sub("", text, count=1).strip()
    if not text or text.startswith(("#", "::", "rem ", "REM ", "//")):
        return
    try:
        words = _shell_words(text)
    except ValueError:
        yield Unread(line, text, "a quotation mark is not closed")
        return
    part: list[str] = []
    for word in (*words, ";"):
        if word in _OPERATORS:
            if part:
                yield Typed(line, " ".join(part) if len(part) < len(words) else text, tuple(part))
            part = []
        else:
            part.append(word)


def _shell_words(text: str) -> list[str]:
    lexer = shlex.shlex(text, posix=True, punctuation_chars=";&|<>")
    lexer.whitespace_split = True
    lexer.commenters = ""
    if _BACKSLASHES.search(text):
        lexer.escape = ""
    words = list(lexer)
    end = next((at for at, word in enumerate(words) if word.startswith("#")), len(words))
    return words[:end]


def _plain_words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _dockerfile(lines: Sequence[str]) -> Iterator[Typed | Unread]:
    known: dict[str, str] = {}
    for number, text in _joined(lines):
        match = _INSTRUCTION.match(_filled_in(text, known))
        if match is None:
            if text.strip() and not text.lstrip().startswith("#") and not _OTHER_INSTRUCTION.match(text):
                yield Unread(number, text.strip(), "it is no instruction of a Dockerfile that is known here")
            continue
        name, rest = match[1].upper(), match[2].strip()
        if name in ("ARG", "ENV"):
            known.update(word.split("=", 1) for word in _plain_words(rest) if "=" in word)  # type: ignore[misc]
        if name == "RUN":
            yield from shell_commands(number, _of_exec_form(re.sub(r"^(?:--\w+(?:=\S+)?\s+)+", "", rest)))
        elif name == "ENV" and "=" in rest:
            for word in _plain_words(rest):
                yield Typed(number, f"ENV {word}", ("ENV", *word.split("=", 1)), "dockerfile")
        else:
            yield Typed(number, text.strip(), (name, *rest.split(None, 1 if name == "ENV" else -1)), "dockerfile")


def _filled_in(text: str, known: Mapping[str, str]) -> str:
    """An instruction with what ARG and ENV gave before; what they did not give stays as it is."""
    return _VARIABLE.sub(lambda match: known.get(match[1] or match[3], match[2] or match[0]), text)


def _of_exec_form(text: str) -> str:
    """The command of RUN ["pip", "install", "torch"]; anything else as it is (docs.docker.com/reference/dockerfile)."""
    try:
        words = json.loads(text) if text.startswith("[") else None
    except (ValueError, RecursionError):
        return text
    return shlex.join(map(str, words)) if isinstance(words, list) else text


def _compose(lines: Sequence[str]) -> Iterator[Typed]:
    """Each image, with --gpus where its service asks for a GPU; variables for the GPU; devices without capabilities."""
    # Imported here: only a Compose file needs them.
    from gpudoctor.sources.command_lines import started
    from gpudoctor.verify.judge_setting import variables

    for first, service in _services(lines):
        # What is merged in from elsewhere in the file may ask for it.
        shown = lines if any(_MERGED.match(line) for line in service) else service
        asks = any(one.engine == "specification" for one in started(shown)) or any(map(_COMPOSE_GPUS.match, shown))
        for number, line in enumerate(service, first):
            image, variable = _COMPOSE_IMAGE.match(line), _COMPOSE_VARIABLE.match(line)
            if image:
                gpus = ("--gpus", "all") if asks else ()
                yield Typed(number, line.strip(), ("docker", "run", *gpus, image[1]), "compose")
            elif variable and variables().get(variable[1]):
                yield Typed(number, line.strip(), ("ENV", variable[1], variable[2].strip("\"' ")), "compose")
            elif _COMPOSE_DEVICES.match(line) and not any("capabilities" in one for one in shown):
                yield Typed(number, line.strip(), ("devices",), "compose")


def _services(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """The lines of each service, and the number of the first."""
    depth: int | None = None
    at, service, is_inside = 0, [], False
    for number, line in enumerate(lines, 1):
        indent = len(line) - len(line.lstrip())
        if not line.strip() or line.lstrip().startswith("#"):
            service.append("")
        elif indent == 0:
            is_inside, depth = _COMPOSE.match(line) is not None, None
        elif is_inside:
            depth = indent if depth is None else depth
            if indent <= depth:
                yield at, service
                at, service = number, []
            service.append(line)
    yield at, service
