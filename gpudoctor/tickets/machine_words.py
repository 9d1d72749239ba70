"""One value of a report as facts: an operating system ("Ubuntu 22.04.3 LTS"), a platform, a Python, a compiler."""

from functools import cache
from typing import Any, Literal

import msgspec

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.system import System
from gpudoctor.tables import rows_of

#: What distributions call a release besides its number: wiki.ubuntu.com/Releases, debian.org/releases.
CODE_NAMES = dict((
    *(("trusty", "14.04"), ("xenial", "16.04"), ("bionic", "18.04"), ("focal", "20.04"), ("jammy", "22.04")),
    *(("noble", "24.04"), ("stretch", "9"), ("buster", "10"), ("bullseye", "11"), ("bookworm", "12"), ("trixie", "13")),
))  # fmt: skip
_KERNEL = re.compile(r"Linux[- ](\d+\.\d+[^\s]*?)-(x86_64|aarch64|ppc64le)\b")
#: platform.uname()
_NAMED = re.compile(r"system='Linux'.{0,200}?release='([^']{1,100})'.{0,200}?machine='([^']{1,40})'")
#: Macs with Apple's own processors.
_APPLE = re.compile(r"\bm[1-5]\b|apple silicon")
_MAC = re.compile(
    r"mac ?os|os ?x\b|darwin|mac ?book|\bi?mac\b|\bapple (?:silicon|m\d)|\bm[1-5] (?:pro|max|ultra)\b"
    r"|^(?:my |an? )?m[1-5]$"
)
_MACOS = re.compile(
    r"mac ?os(?: ?x)?[ -]*(?:version )?(?:monterey|ventura|sonoma|sequoia|tahoe|big sur|catalina)?,? *"
    r"v?(1[0-9](?:\.\d+){0,2}|2[0-9](?:\.\d+){0,2})(?![\d.]*\d|\+)"
)
_ARCH = re.compile(r"\b(x86_64|aarch64|arm64|AMD64|ppc64le)\b")


@cache
def _distributions() -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """How a report begins the name of one, its os-release ID, and what it is like."""
    return tuple((pattern, name, tuple(like.split())) for pattern, name, like in rows_of("tickets/distributions"))


def of_os(text: str, also: System | None = None) -> System | None:
    """The system that "Ubuntu 20.04.3 LTS (x86_64)", "Microsoft Windows 11 Pro" or "macOS 14.4" names."""
    text = text.strip().strip("*_` ")
    lower = text.lower()
    if not text or lower.startswith(("n/a", "(e.g", "could not")):
        return also
    facts: dict[str, Any] = {"pretty_name": text[:100]}
    if re.search(r"windows|\bwin ?(?:10|11|7|8)(?!\d)", lower) and "wsl" not in lower and "subsystem" not in lower:
        facts["os"] = "windows"
    elif _MAC.search(lower):
        facts["os"] = "macos"
        facts |= {"arch": "arm64"} if _APPLE.search(lower) else {}
        facts |= _release_of_macos(lower)
    else:
        facts |= _linux(lower)
    arch = _ARCH.search(text)
    if arch:
        facts["arch"] = "x86_64" if arch[1] == "AMD64" else arch[1]
    if len(facts) == 1:
        return also
    if also is None:
        return System(**facts)
    return msgspec.structs.replace(also, **facts)


def _release_of_macos(lower: str) -> dict[str, Any]:
    """Its release in "macos 12.2.1 (arm64)" or "macos sonoma 14.5"; 10.16 is what old programs call any newer one."""
    match = _MACOS.search(lower)
    return {"distribution_version": match[1]} if match and match[1] != "10.16" else {}


def _linux(lower: str) -> dict[str, Any]:
    for pattern, name, like in _distributions():
        match = re.search(pattern, lower)
        if match:
            version = re.search(r"\d+(?:\.\d+)?", lower[match.end() :].split("(", maxsplit=1)[0])
            number = version[0] if version else _by_code_name(lower[match.end() :])
            numbers = {"distribution_version": number} if number else {}
            return {"os": "linux", "distribution": name, "distribution_like": like, **numbers}
    return {"os": "linux"} if re.search(r"linux|\bwsl\b", lower) else {}


def _by_code_name(words: str) -> str | None:
    return next((number for name, number in CODE_NAMES.items() if re.search(rf"\b{name}\b", words)), None)


def of_platform(text: str) -> System | None:
    """The system in Python's platform.platform(): Linux-5.4.0-81-generic-x86_64-with-glibc2.31."""
    match = _KERNEL.search(text) or _NAMED.search(text)
    if match:
        return System(os="linux", kernel=match[1], arch=match[2])
    if re.match(r"\s*Windows-", text):
        return System(os="windows")
    if re.match(r"\s*(?:macOS|Darwin)-", text):
        arch = _ARCH.search(text)
        release = _release_of_macos(text.strip().lower())
        return System(os="macos", arch=arch[1] if arch else None, **release)
    return System(os="linux") if re.match(r"\s*Linux-", text) else None


def python_version(text: str) -> str | None:
    """The version in "3.9.16 (main, May 17 2023) [MSC v.1916]", "Python 3.8" or "python 3.6.13"."""
    match = re.match(r"\W*(?:python\s*)?([23]\.\d{1,2}(?:\.\d{1,2})?)(?![\d.]*\d)", text.strip(), re.I)
    return match[1] if match else None


def bits_of(text: str) -> Literal[32, 64] | None:
    """The width in "3.7 (32 bit)" or "3.7 32-bit"."""
    match = re.search(r"(?<!\d)(32|64)[ -]?bit", text, re.IGNORECASE)
    return None if match is None else 32 if match[1] == "32" else 64


def compiler_version(text: str) -> str | None:
    """The last version in "(Ubuntu 9.4.0-1ubuntu1~20.04.1) 9.4.0" or "gcc (GCC) 4.8.5 20150623"."""
    found = re.findall(r"(?<![\d.~-])(\d{1,2}\.\d{1,2}\.\d{1,2})(?![\d.]*\d|-\d)", text)
    return found[-1] if found else None
