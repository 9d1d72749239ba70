"""A statement of the compatibility matrix that a package index can confirm or refute, and the comparison."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, Protocol

from packaging.version import Version

from gpudoctor.facts.base import Fact
from gpudoctor.index.files import Found
from gpudoctor.knowledge.frameworks import computing

#: confirmed. wrong: the index says something else. missing: the index has a release, platform or build that the table
#: should have a row for. lacking: a release that the matrix does not know at all.
Outcome = Literal["confirmed", "wrong", "missing", "lacking"]


#: By table and package: the fields that name a release of it.
FIELDS: dict[str, dict[str, tuple[str, ...]]] = {
    "torch": {"torch": ("version",)},
    "companions": {"torch": ("torch",)},
    "tensorflow": dict.fromkeys(("tensorflow", "tensorflow-cpu", "tensorflow-gpu"), ("first", "last", "dist", "line")),
    "keras": {"tensorflow": ("tensorflow",)},
    "protobuf": {"tensorflow": ("tensorflow",)},
    "numpy": dict.fromkeys(computing(), ("package", "version")),
    "jax": {"jax": ("version",)},
    "builds": {"paddlepaddle-gpu": ("version", "package"), "paddlepaddle": ("version", "package")},
    "triton": {"triton": ("version",)},
}


class Claim(Fact, frozen=True, kw_only=True):
    """What a row says and what the index says, in words."""

    table: str
    row: str
    about: str
    outcome: Outcome
    matrix: str = ""
    index: str = ""
    #: The fields of the row that this settles.
    fields: tuple[str, ...] = ()


class Source(Protocol):
    """Gives the releases of a package, newest first; None where the index does not have it."""

    def releases(self, package: str) -> tuple[Found, ...] | None:
        """See `offers.Offers`."""
        ...


class Shelf:
    """The releases of some packages on the index, by package and version."""

    def __init__(self, source: Source, packages: Iterable[str]) -> None:
        """Asks for each package. Raises IndexUnusable."""
        self._packages: dict[str, dict[Version, Found] | None] = {}
        for name in packages:
            found = source.releases(name)
            self._packages[name] = None if found is None else {Version(one.version): one for one in found}

    def package(self, name: str) -> dict[Version, Found] | None:
        """All releases of a package; None where the index does not have it, or was not asked."""
        return self._packages.get(name)

    def has(self, name: str) -> bool:
        """Whether the index is known to have the package."""
        return self.package(name) is not None

    def release(self, name: str, version: str) -> Found | None:
        """A release of a package."""
        return (self.package(name) or {}).get(Version(version))

    def finals(self, name: str) -> tuple[Found, ...]:
        """Releases for everyone, newest first: no pre-releases, none with a local tag."""
        every = (self.package(name) or {}).items()
        return tuple(found for version, found in every if not version.is_prerelease and version.local is None)

    @property
    def asked(self) -> dict[str, bool]:
        """Every package that was asked for, and whether the index has it."""
        return {name: releases is not None for name, releases in self._packages.items()}


def claim(table: str, row: str, about: str, matrix: object, index: object, *, fields: tuple[str, ...] = ()) -> Claim:
    """Confirmed where both sides are equal, else wrong."""
    outcome: Outcome = "confirmed" if matrix == index else "wrong"
    said = {"matrix": words(matrix), "index": words(index)}
    return Claim(table=table, row=row, about=about, outcome=outcome, **said, fields=fields)


def exists(shelf: Shelf, table: str, row: str, package: str, version: str) -> Iterator[Claim]:
    """That a release is on the index; nothing where the index does not have the package."""
    if shelf.has(package):
        is_there = shelf.release(package, version) is not None
        yield claim(table, row, f"{package} {version}", True, is_there, fields=FIELDS.get(table, {}).get(package, ()))


def missing(shelf: Shelf, table: str, package: str, known: Iterable[str]) -> Iterator[Claim]:
    """Releases of a package that a table has no row for, from its oldest row on. Yanked ones need none."""
    rows = {Version(version) for version in known}
    oldest = min(rows, default=None)
    for found in shelf.finals(package):
        version = Version(found.version)
        if oldest is not None and version > oldest and version not in rows and not found.yanked:
            yield Claim(
                table=table,
                row=f"{package} {found.version}",
                about="release",
                outcome="missing",
                matrix="no row",
                index="has it",
            )


def usual(pythons: Iterable[str]) -> tuple[str, ...]:
    """The Pythons without the free-threaded ones, which the tables of builds do not list."""
    return tuple(python for python in pythons if not python.endswith("t"))


def words(value: object) -> str:
    """A value as people read it."""
    if isinstance(value, bool):
        return "has it" if value else "does not have it"
    if isinstance(value, dict):
        return wheel_words(value)
    if isinstance(value, tuple):
        return " ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)


def wheel_words(wheels: Mapping[str, tuple[str, ...]]) -> str:
    """Wheels by platform: "linux-x86_64: Python 3.9, 3.10; every platform: Python 2, 3 and newer"."""
    return (
        "; ".join(
            f"{'every platform' if platform == 'any' else platform}: Python {', '.join(map(_python, pythons))}"
            for platform, pythons in wheels.items()
        )
        or "no wheels"
    )


def _python(tag: str) -> str:
    """The Python of a wheel: 3.12, "3 and newer" of >=3, "3.13 (free-threaded)" of 3.13t."""
    plain = tag.removeprefix(">=").removesuffix("t")
    return plain + " and newer" * tag.startswith(">=") + " (free-threaded)" * tag.endswith("t")
