"""Programs that print errors: how to tell which one printed a line, and what to ask about it."""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cache, lru_cache

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact
from gpudoctor.tables import records_of

#: Characters of a line that are looked at, and lines above it.
_WIDE, _ABOVE = 1000, 60
_FRAME = re.compile(r"[/\\](?:site|dist)-packages[/\\](\w+)")
_TYPED = re.compile(r"^.{0,80}?(?:[$#%>]|\bRUN|\bIn \[\d*\]: ?!)\s*(?:sudo\s+)?(?:python3? -m )?([a-z][\w.-]*)")
#: A line of a log that begins with its program's name.
_LOGGED = re.compile(r"^(?:\d[\d/:.T -]{9,26} )?([a-z][a-z-]{1,30})(?:\[\d+\])?: ")


class Program(Fact, frozen=True, kw_only=True):
    """A program and its deciding question: one record of programs.toml."""

    id: str
    #: As it is told: nvidia-smi, the kernel.
    name: str
    #: Regular expressions for lines that only this program prints, without regard to case. What a group WHAT finds
    #: stands in the question.
    prints: tuple[str, ...] = ()
    #: Folders of site-packages whose files stand in its tracebacks.
    packages: tuple[str, ...] = ()
    #: How it is called in a shell.
    commands: tuple[str, ...] = ()
    #: Regular expressions for how people name what it is about, without regard to case.
    named: tuple[str, ...] = ()
    #: Words of `gpudoctor.diagnosis.place`: it is about this where one is true of the place.
    beside: tuple[str, ...] = ()
    #: Commands whose output decides; and for the systems where they are others.
    ask: str
    windows: str | None = None
    macos: str | None = None
    #: What the answer shows.
    why: str
    #: It is this one only where nothing names another.
    fallback: bool = False

    def question(self, system: str | None, line: str = "") -> str:
        """What to ask for on linux, wsl, windows or macos, after that line was printed."""
        ask = {"windows": self.windows, "macos": self.macos}.get(system or "") or self.ask
        return ask.replace("<WHAT>", self._named_in(line) or "<WHAT>") if "<WHAT>" in ask else ask

    def _named_in(self, line: str) -> str | None:
        found = (match.groupdict().get("WHAT") for way in _compiled(self.id) if (match := way.search(line[:_WIDE])))
        return next((one for one in found if one), None)


@lru_cache(maxsize=1)
def programs() -> tuple[Program, ...]:
    """All of them; the first that a line fits is taken."""
    return records_of("knowledge/programs", tuple[Program, ...])


def program_named(id: str | None) -> Program | None:  # noqa: A002 - what the record calls it
    """The program of that id."""
    return next((one for one in programs() if one.id == id), None)


def program_of(lines: Sequence[str], number: int, *, printed: bool = True) -> Program | None:
    """Which program printed line `number` (from 1): by its words, the traceback above it, or the command above it.

    Where a person wrote it, only its words tell.
    """
    line = lines[number - 1][:_WIDE]
    own = (one for one in programs() if not one.fallback and _prints(one.id, line))
    if not printed:
        return next(own, None)
    found = (
        next(own, None) or _by_name("packages", _frames(lines, number)) or _by_name("commands", _typed(lines, number))
    )
    return found or next((one for one in programs() if one.fallback and _prints(one.id, line)), None)


def programs_told(text: str) -> tuple[Program, ...]:
    """What a text is about, in its reporter's words: those that one of their expressions finds."""
    return tuple(one for one in programs() if any(re.search(way, text, re.IGNORECASE) for way in one.named))


def programs_beside(words: AbstractSet[str]) -> tuple[Program, ...]:
    """What is asked about at a place of which these words are true."""
    return tuple(one for one in programs() if not words.isdisjoint(one.beside))


def _prints(id: str, line: str) -> bool:  # noqa: A002
    return any(pattern.search(line) for pattern in _compiled(id))


@cache
def _compiled(id: str) -> tuple[re.Pattern[str], ...]:  # noqa: A002
    program = program_named(id)
    return tuple(re.compile(one, re.IGNORECASE) for one in program.prints) if program else ()


def _by_name(field: str, names: Iterator[str]) -> Program | None:
    for name in names:
        for program in programs():
            if name in getattr(program, field):
                return program
    return None


def _frames(lines: Sequence[str], number: int) -> Iterator[str]:
    """The packages in the traceback above a line, the innermost first."""
    for line in reversed(lines[max(0, number - 1 - _ABOVE) : number - 1]):
        if line.lstrip().startswith("Traceback "):
            return
        yield from (match[1] for match in _FRAME.finditer(line[:_WIDE]))


def _typed(lines: Sequence[str], number: int) -> Iterator[str]:
    """The last command that was typed above a line, or the program whose log it stands in."""
    for line in reversed(lines[max(0, number - 1 - _ABOVE) : number - 1]):
        match = _TYPED.match(line[:_WIDE]) or _LOGGED.match(line[:_WIDE])
        if match:
            yield match[1]
            return
