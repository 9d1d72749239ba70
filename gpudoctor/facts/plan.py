"""The data of a plan: what to install and why, and the fixes of a report in order."""

from typing import Literal

from gpudoctor.facts.base import Fact
from gpudoctor.facts.fix import Ask, Fix, Run, SetEnv, Write

#: The tools that install. Those of conda make the environment and its Python; the frameworks in it are pip's.
Manager = Literal["pip", "uv", "conda", "mamba", "micromamba"]
MANAGERS: tuple[Manager, ...] = ("pip", "uv", "conda", "mamba", "micromamba")
Step = Run | SetEnv | Write | Ask
#: user: the user's own environment, can be carried out. system: needs root. person: nothing that a machine could run.
Scope = Literal["user", "system", "person"]


class Place(Fact, frozen=True, kw_only=True):
    """The environment that is installed into: that of an interpreter, or one to be made."""

    manager: Manager = "pip"
    #: The interpreter of the environment as it is; with `venv`, the one that the new environment is made with.
    python: str
    #: Folder of the virtual environment to make.
    venv: str | None = None
    #: Name (or, with a slash, folder) of the conda environment to make.
    conda: str | None = None
    #: "3.12": the Python of the environment, where it is known.
    version: str | None = None
    is_windows: bool = False

    @property
    def is_new(self) -> bool:
        """The environment is yet to be made."""
        return self.venv is not None or self.conda is not None

    @property
    def interpreter(self) -> str:
        """The interpreter of the environment, once it is made; for a conda environment by name, `python` inside it."""
        if self.venv is not None:
            return rf"{self.venv}\Scripts\python.exe" if self.is_windows else f"{self.venv}/bin/python"
        return self.python


class Choice(Fact, frozen=True, kw_only=True):
    """A build of a framework that is installed, and why this one."""

    framework: str
    #: As people write it: torch 2.6.0+cu126, tensorflow[and-cuda] 2.19.1.
    build: str
    version: str
    #: cu126, cpu; and-cuda, plain; cuda12.
    variant: str
    cuda: str | None = None
    why: tuple[str, ...] = ()
    #: One line: the next newer build and what keeps it away. None: this is the newest that is known.
    why_not_newer: str | None = None
    #: What does not work, or needs something else, although the build runs.
    limits: tuple[str, ...] = ()
    #: What the installer is asked for: the release, its companions, bounds that the release forgot.
    requirements: tuple[str, ...] = ()
    index_url: str | None = None
    #: Links to make once it is installed, and what each leads to: both below site-packages.
    links: dict[str, str] = {}
    source: str = ""
    checked: str = ""


class Alternative(Fact, frozen=True, kw_only=True):
    """Another build, and what it costs to have it."""

    build: str
    #: What would change: "Python 3.13 in place of 3.10", "driver >= 580.65.06 in place of 535.54", "a restart".
    costs: tuple[str, ...] = ()
    #: The installer's command, for a build that needs no change of the machine.
    argv: tuple[str, ...] = ()


class InstallPlan(Fact, frozen=True, kw_only=True):
    """One environment: what goes into it, and the steps. `steps` are those of `make`, `remove`, `install`, in order."""

    place: Place
    choices: tuple[Choice, ...]
    #: Everything that is asked of the installer, resolved together.
    requirements: tuple[str, ...]
    #: The package index in place of the configured one; and indexes beside it.
    index_url: str | None = None
    extra_index_urls: tuple[str, ...] = ()
    #: Hosts of indexes whose login is not written here.
    logins: tuple[str, ...] = ()
    #: Files of requirements that the installer reads itself.
    files: tuple[str, ...] = ()
    #: Makes the environment; empty where it is there.
    make: tuple[Step, ...] = ()
    #: Takes away distributions that the new ones would not replace: a build with another local tag, a second cuDNN.
    remove: tuple[Step, ...] = ()
    #: Their names.
    removed: tuple[str, ...] = ()
    install: tuple[Step, ...] = ()
    #: Bytes to download, where known.
    download_bytes: int | None = None
    alternatives: tuple[Alternative, ...] = ()
    #: Environments of their own for what cannot share this one, and why.
    apart: "tuple[InstallPlan, ...]" = ()
    separate_because: str | None = None
    #: GPUs of this machine that the builds leave out.
    leaves_out: tuple[str, ...] = ()
    #: What a person should know: left to the installer, not judged, needs a compiler.
    notes: tuple[str, ...] = ()

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps for this environment, in order."""
        return (*self.make, *self.remove, *self.install)


class Mending(Fact, frozen=True, kw_only=True):
    """One fix of a plan: all findings that it cures, and what it needs of a person."""

    fix: Fix
    #: Codes of the findings it is for.
    cures: tuple[str, ...]
    #: Their sentences, in the same order.
    because: tuple[str, ...] = ()
    scope: Scope
    #: root, a restart, a new login, a new container.
    needs: tuple[str, ...] = ()


class Conflict(Fact, frozen=True, kw_only=True):
    """Two fixes that cannot both be carried out; the second is left out of the plan."""

    kept: str
    left_out: str
    codes: tuple[str, ...]
    text: str


class Unresolved(Fact, frozen=True, kw_only=True):
    """A finding that the plan does nothing about, and why."""

    code: str
    summary: str
    reason: str


class Plan(Fact, frozen=True, kw_only=True):
    """The fixes of a report, merged, in the order they are carried out: hardware and driver before frameworks."""

    fixes: tuple[Mending, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    unresolved: tuple[Unresolved, ...] = ()

    @property
    def appliable(self) -> tuple[Mending, ...]:
        """Fixes of the user's own environment."""
        return tuple(one for one in self.fixes if one.scope == "user")
