"""Version types (CUDA, driver, compute capability …), each its own class so that they cannot be mixed up."""

from functools import lru_cache, total_ordering
from typing import TYPE_CHECKING, Any, TypeVar

from gpudoctor.facts import lazy_re as re

if TYPE_CHECKING:
    from packaging.version import Version

_D = TypeVar("_D", bound="Dotted")


@total_ordering
class Dotted:
    """A dotted number such as 580.65.06; compares by its numbers, prints as it was written."""

    __slots__ = ("numbers", "text")
    #: How many leading numbers take part in a comparison; missing ones count as zero.
    width = 4

    def __init__(self, text: str) -> None:
        match = re.fullmatch(r"\s*(\d{1,9}(?:\.\d{1,9}){0,5})\s*", text)
        if match is None:
            raise ValueError(f"not a {type(self).__name__}: {text!r}")
        self.text = match.group(1)
        numbers = [int(part) for part in self.text.split(".")][: self.width]
        self.numbers = tuple(numbers + [0] * (self.width - len(numbers)))

    @classmethod
    def parse(cls: type[_D], text: object) -> _D | None:
        """The value of `text`, or None when it is not one (`[N/A]`, `ERR!`, empty)."""
        try:
            return cls(str(text))
        except ValueError:
            return None

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.text!r})"

    def __hash__(self) -> int:
        return hash((type(self), self.numbers))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.numbers == other.numbers

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self.numbers < other.numbers


#: More than the second number of any release.
_NEWEST = 999


class DriverRelease(Dotted):
    """An NVIDIA display-driver release: 580.65.06 (Linux) or 581.42 (Windows). Not a CUDA version.

    580.x is one of that branch of which no more is known: it counts as the branch's newest, so that nothing is called
    too old that may not be.
    """

    __slots__ = ()

    def __init__(self, text: str) -> None:
        branch = text.strip().removesuffix(".x")
        super().__init__(branch)
        if branch != text.strip():
            self.text = f"{self.text}.x"
            self.numbers = (self.numbers[0], _NEWEST, 0, 0)

    @property
    def branch(self) -> int:
        """The driver branch, for example 580."""
        return self.numbers[0]


class _MajorMinor(Dotted):
    """A version whose first two numbers have names."""

    __slots__ = ()

    @property
    def major(self) -> int:
        """The first number."""
        return self.numbers[0]

    @property
    def minor(self) -> int:
        """The second number."""
        return self.numbers[1]


class CudaVersion(_MajorMinor):
    """A CUDA version, 12.4. The patch number is kept in the text and does not compare."""

    __slots__ = ()
    width = 2

    @classmethod
    def from_number(cls, number: int) -> "CudaVersion":
        """From the driver API's and CUDART_VERSION's form: 12040 is 12.4."""
        return cls(f"{number // 1000}.{number % 1000 // 10}")


class Capability(_MajorMinor):
    """A compute capability, 8.9."""

    __slots__ = ()
    width = 2


class LibraryVersion(_MajorMinor):
    """A library's version such as cuDNN 9.10.2.21."""

    __slots__ = ()


#: Longer than any version: what is longer is none. Python makes no number of more than 4,300 digits.
LONGEST_VERSION = 256
#: Digits of the largest number that is believed: what is larger does not fit into JSON's readers.
MOST_DIGITS = 18
_TOO_LONG = re.compile(rf"\d{{{LONGEST_VERSION}}}")


@lru_cache(maxsize=4096)
def package_version(text: str) -> "Version | None":
    """The PEP 440 version in `text`, or None when it is not one."""
    # Imported here: plain numbers are most of what a look at the target compares.
    from packaging.version import InvalidVersion, Version

    try:
        return Version(text) if len(text) <= LONGEST_VERSION else None
    except InvalidVersion:
        return None


def known_version(text: str) -> "Version":
    """A version of the tables, where every one is known to be a version. Raises ValueError."""
    found = package_version(text)
    if found is None:
        raise ValueError(f"not a version: {text!r}")
    return found


def public(text: str) -> "Version | None":
    """The version without its local tag; None when it is not a version."""
    parsed = package_version(text)
    return None if parsed is None else package_version(parsed.public)


def local_tag(text: str) -> str | None:
    """The build in a local tag: "cu126" of "2.6.0+cu126" and of "2.6.0+cu126.with.pypi.cudnn"."""
    parsed = package_version(text)
    return parsed.local.split(".")[0] if parsed is not None and parsed.local else None


def is_bounded(text: str) -> bool:
    """No number in it is so long that it can be none of a version."""
    return _TOO_LONG.search(text) is None


def whole_number(text: str | None) -> int | None:
    """The number in `text`; None where it is none, or one that nothing counts to."""
    return int(text) if text and len(text) <= MOST_DIGITS and text.strip().isdecimal() else None


DOTTED_TYPES = (DriverRelease, CudaVersion, Capability, LibraryVersion)


def schema_of(kind: type) -> dict[str, Any]:
    """The JSON Schema of a version number, for msgspec's schema_hook."""
    if kind in DOTTED_TYPES:
        return {"type": "string", "pattern": r"^\d+(\.\d+)*$"}
    raise NotImplementedError(kind)
