"""The operating system, and WSL, that sentences name: "CentOS Linux release 7.9", "WSL2 on Windows 11"."""

from collections.abc import Iterable, Iterator

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.system import System, Wsl
from gpudoctor.tickets.clauses import Told
from gpudoctor.tickets.machine_words import CODE_NAMES, of_os

_OS = re.compile(
    r"\b(?:(?:ubuntu|debian|fedora|centos|rhel|red hat enterprise linux|rocky|alma ?linux|linux mint|opensuse"
    r"|amazon linux|oracle linux)"
    r"(?: linux)?(?: (?:leap|server|desktop|workstation))?(?: release)?"
    r"|windows(?: server)?|win|mac ?os|pop[!_ ]{0,2}os)"
    r"\s*(?:v|version\s*)?(?:\d{4}\b(?<=20\d\d)|\d{1,2}(?:\.\d{1,2}){0,2})(?:\.\d{4})?\b(?![\d.]*-\d+ubuntu)"
    rf"|\b(?:ubuntu|debian)(?: gnu/linux)?[ (\"']{{1,3}}(?:{'|'.join(CODE_NAMES)})\b"
    r"|\b(?:arch linux|manjaro|pop!_os|cachyos|endeavouros|garuda"
    r"|void linux|nixos|gentoo|wsl ?[12]?)\b"
    r"|\b(?P<mac>mac ?book(?: pro| air)?(?: \(?m[1-5])?|mac (?:mini )?\(?m[1-5]|m[1-5](?: pro| max| ultra)? mac"
    r"|apple (?:silicon|m[1-5])|m[1-5] (?:pro|max|ultra)\b|(?<=\bon )(?:my |an? )?m[1-5]\b(?!\.\d)"
    r"|(?<=\bon )(?:my |a )?(?:mac ?os(?: x)?|os ?x|mac))\b",
    re.IGNORECASE,
)
#: A program's hint for each system.
_ANYWHERE = re.compile(r"\bon linux or\b.{1,40}\bon mac|\bafter mac ?os\b", re.IGNORECASE)
_AROUND_WSL = re.compile(r"win|wsl", re.IGNORECASE)
_WSL = re.compile(
    r"(?<!no )(?<!not )(?<!not on )(?<!not in )(?<!not under )(?<!without )(?<!of )\bwsl ?([12])\b(?!\.\d)"
    # To have it is not to be in it.
    r"(?! (?:(?:is|was|also|already|now) ){0,2}(?:configured|installed|enabled|available|activated|set ?up)\b)",
    re.IGNORECASE,
)

#: Where it fails, in a title or beside a command, too.
_IN_WSL = re.compile(
    r"(?<!not )\b(?:in|inside|on|under|within|using|from|via) (?:my |the )?(wsl(?: ?([12])\b)?)(?!\w)", re.I
)
_WSL_NUMBER = re.compile(r"^wsl ?\d$", re.I)


def wsl_of(clauses: Iterable[Told]) -> tuple[int, Wsl] | None:
    """The line and version of the one WSL that is named; without a version where it is only said to be in it."""
    told = [(number, match[1]) for number, clause in clauses for match in _WSL.finditer(clause)]
    if len({version for _, version in told if version}) != 1:
        plain = next((number for number, clause in clauses if clause.lower() == "wsl"), None)
        return None if told or plain is None else (plain, Wsl(version=None))
    return told[0][0], Wsl(version=1 if told[0][1] == "1" else 2)


def in_wsl(lines: Iterable[Told]) -> Iterator[Told]:
    """The places at which it is said to be in WSL, wherever that stands."""
    yield from ((number, match[1]) for number, line in lines for match in _IN_WSL.finditer(line))


def system_of(clauses: Iterable[Told], *, within_wsl: bool) -> tuple[int, System] | None:
    """The line and the one system that is named; None where two are. In WSL, Windows is what is around it."""
    named = [one for one in _named(clauses) if not (within_wsl and _AROUND_WSL.match(one[1][0]))]
    rows = [one for one in named if one[1]["mac"] is None] or named
    known = [(number, system) for number, match in rows if (system := of_os(_WSL_NUMBER.sub("WSL", match[0])))]
    if not known:
        return None
    # "Ubuntu 22.04" and "Ubuntu 22.04.3 LTS" are one: the fuller name counts.
    known.sort(key=lambda one: -len(one[1].pretty_name or ""))
    fullest = known[0][1]
    return known[0] if all(_same(system, fullest) for _, system in known) else None


def _named(clauses: Iterable[Told]) -> Iterator[tuple[int, re.Match[str]]]:
    for number, clause in clauses:
        if not _ANYWHERE.search(clause):
            yield from ((number, match) for match in _OS.finditer(clause))


def _same(one: System, fuller: System) -> bool:
    if (one.os, one.distribution) != (fuller.os, fuller.distribution):
        return False
    if one.os == "linux":
        return (fuller.distribution_version or "").startswith(one.distribution_version or "")
    return (fuller.pretty_name or "").lower().startswith((one.pretty_name or "").lower())
