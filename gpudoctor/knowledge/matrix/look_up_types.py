"""Row types of the matrix for release faults, recipes and release dates."""

from typing import Literal

from gpudoctor.facts.versions import Capability, CudaVersion, DriverRelease
from gpudoctor.knowledge.matrix.types import Row


class KnownFault(Row, frozen=True, kw_only=True):
    """A fault of single releases, and the release in which it is gone."""

    #: A distribution, or nvidia-driver, nvidia-container-toolkit, docker-desktop.
    product: str
    #: Specifiers (PEP 440) of the releases that have it; alternatives, as a branch is mended by itself.
    affected: tuple[str, ...]
    fixed: str | None = None
    #: What goes wrong, in a sentence; and what it takes to meet it.
    says: str
    where: str | None = None
    #: The same, as far as it can be held against facts: the builds of that release (cu126), systems, other packages'
    #: releases, Pythons. Empty: any.
    builds: tuple[str, ...] = ()
    systems: tuple[Literal["linux", "wsl", "windows"], ...] = ()
    beside: dict[str, str] = {}
    python: str = ""
    #: What to do without the release in which it is gone.
    instead: str | None = None


class ReleaseDates(Row, frozen=True, kw_only=True):
    """When the releases of a package came out, ISO: the day of the first file. One that is missing is not known."""

    package: str
    released: dict[str, str]


class Recipe(Row, frozen=True, kw_only=True):
    """Commands for one purpose on one kind of system, the last of which shows that it worked."""

    purpose: str
    title: str
    #: debian, fedora, suse, windows, any: the family of distributions, or the system.
    system: str
    #: What must be there before.
    needs: str | None = None
    commands: tuple[str, ...]
    test: str
    #: What the test prints where all is well.
    prints: str


class ProgramBuild(Row, frozen=True, kw_only=True):
    """What releases of a program with its own CUDA need of GPU and driver, as its makers say."""

    program: str
    #: Specifier; empty: any.
    releases: str = ""
    #: The GPUs that it is about.
    min_capability: Capability | None = None
    max_capability: Capability | None = None
    driver: DriverRelease | None = None
    #: The toolkits that its builds are made with.
    cuda: tuple[CudaVersion, ...] = ()
    notes: str | None = None
