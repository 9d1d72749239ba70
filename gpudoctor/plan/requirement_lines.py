"""Splits a requirements file into lines as pip does: continuations, comments, variables.

The format is pip's: pip.pypa.io/en/stable/reference/requirements-file-format. Only what names frameworks, other files
and indexes is understood here; pip or uv reads the file itself. Files are read by the caller.
"""

import os
import shlex
from collections.abc import Callable, Iterator, Mapping

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact
from gpudoctor.knowledge.installer_options import options_in, short_forms_in
from gpudoctor.plan.demand import NotADemand

#: Files that include each other deeper than this are a circle.
MOST_DEEP = 10
#: The blanks before it are left to strip(): an expression would look for them from each blank anew.
_COMMENT = re.compile(r"(?<!\S)#.*$")
_VARIABLE = re.compile(r"\$\{([A-Z0-9_]+)\}")
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)

Read = Callable[[str], str]


class Option(Fact, frozen=True, kw_only=True):
    """An option under its long name; one that is not known is as it was written."""

    name: str
    value: str = ""


class Line(Fact, frozen=True, kw_only=True):
    """A logical line: a requirement (or a path, or an address), and options; either may be missing."""

    file: str
    number: int
    requirement: str = ""
    options: tuple[Option, ...] = ()
    is_constraint: bool = False

    def error(self, text: str) -> NotADemand:
        """What is wrong with it."""
        return NotADemand(f"{self.file}, line {self.number}: {text}")

    def values(self, *names: str) -> tuple[str, ...]:
        """The values of these options."""
        return tuple(one.value for one in self.options if one.name in names)


def read_lines(path: str, read: Read, variables: Mapping[str, str]) -> Iterator[Line]:
    """The lines of a file, and of those that it names by -r and -c in their place. Raises NotADemand.

    `read` gives the text of a file and raises OSError.
    """
    yield from _lines(path, read, variables, ())


def _lines(
    path: str, read: Read, variables: Mapping[str, str], within: tuple[Line, ...], *, is_constraint: bool = False
) -> Iterator[Line]:
    for number, text in _logical(text_of(path, read, within)):
        line = _split(Line(file=path, number=number, is_constraint=is_constraint), _with_values(text, variables))
        yield line
        for one in line.options:
            if one.name in ("--requirement", "--constraint"):
                file = beside(path, one.value)
                if _ADDRESS.match(file):
                    raise line.error(f"a file at an address is not read here. Download it, and name it by {one.name}.")
                bounds = is_constraint or one.name == "--constraint"
                yield from _lines(file, read, variables, (*within, line), is_constraint=bounds)


def text_of(path: str, read: Read, within: tuple[Line, ...] = ()) -> str:
    """The text of a file that the lines `within` lead to. Raises NotADemand."""
    said = within[-1].error if within else NotADemand
    if len(within) > MOST_DEEP or path in [line.file for line in within]:
        raise said(f"{path} is included again and again.")
    try:
        return read(path)
    except OSError as error:
        raise said(f"{path} could not be read: {error.strerror or error}.") from None
    except ValueError:
        raise said(f"{path} is no text in UTF-8, and names no other encoding in its first line.") from None


def _logical(text: str) -> Iterator[tuple[int, str]]:
    """Joined at backslashes, as pip joins them: a comment ends a continued line."""
    start, pieces = 0, []
    for number, raw in enumerate(text.splitlines(), 1):
        start = start or number
        is_comment = raw.lstrip().startswith("#")
        if raw.endswith("\\") and not is_comment:
            pieces.append(raw.strip("\\"))
            continue
        # A blank before it, so that it stays a comment when it is joined.
        whole = _COMMENT.sub("", "".join((*pieces, f" {raw}" if is_comment else raw))).strip()
        if whole:
            yield start, whole
        start, pieces = 0, []
    whole = _COMMENT.sub("", "".join(pieces)).strip()
    if whole:
        yield start, whole


def _with_values(text: str, variables: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda match: variables.get(match[1]) or match[0], text)


def _split(line: Line, text: str) -> Line:
    """Words up to the first that begins with a dash are the requirement; the rest are options."""
    words = text.split(" ")
    count = next((at for at, word in enumerate(words) if word.startswith("-")), len(words))
    requirement = " ".join(words[:count]).strip()
    try:
        rest = shlex.split(" ".join(words[count:]))
    except ValueError:
        raise line.error("a quotation mark is not closed.") from None
    if rest and not re.match(r"--?[A-Za-z]", rest[0]):
        raise line.error(f"{rest[0]!r} is no option, and what begins with a dash is no requirement.")
    return Line(
        file=line.file,
        number=line.number,
        requirement=requirement,
        options=tuple(_options(rest)),
        is_constraint=line.is_constraint,
    )


def _options(words: list[str]) -> Iterator[Option]:
    rest = iter(words)
    for word in rest:
        if (name := short_forms_in("file").get(word[:2])) is not None:
            yield Option(name=name, value=word[2:].removeprefix("=") or next(rest, ""))
            continue
        given, equals, value = word.partition("=")
        name = _long(given)
        if options_in("file").get(name) and not equals:
            value = next(rest, "")
        yield Option(name="--index-url" if name == "--pypi-url" else name, value=value)


def _long(given: str) -> str:
    """The option that is meant: pip takes the beginning of a name, where it is that of one only."""
    if given in options_in("file") or not given.startswith("--"):
        return given
    found = [name for name in options_in("file") if name.startswith(given)]
    return found[0] if len(found) == 1 else given


def beside(file: str, name: str) -> str:
    """A file that another one names is looked for beside it."""
    return name if os.path.isabs(name) or _ADDRESS.match(name) else os.path.join(os.path.dirname(file), name)
