"""The data of a parsed command: installs, removals, images, settings, whichever program it calls."""

from typing import Literal, NamedTuple

from gpudoctor.facts.base import Fact


class Requirement(Fact, frozen=True, kw_only=True):
    """A package that is asked for. `line` where it stands, from 1."""

    name: str
    specifier: str = ""
    extras: tuple[str, ...] = ()
    marker: str = ""
    url: str = ""
    text: str = ""
    line: int = 0


class Install(Fact, frozen=True, kw_only=True):
    """pip, uv: packages into a Python."""

    tool: Literal["pip", "uv", "uv add"]
    #: The words before "install", as they were typed: python3.10 -m pip.
    program: tuple[str, ...]
    requirements: tuple[Requirement, ...] = ()
    index: str | None = None
    extra: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    no_index: bool = False
    #: uv's --torch-backend: cu126, cpu, auto.
    backend: str | None = None
    #: 3.10, where the command names the Python; and the path of one.
    python: str | None = None
    python_path: str | None = None
    #: Into a folder of its own, for another Python or platform perhaps: nothing of the environment counts.
    elsewhere: bool = False
    upgrade: bool = False
    reinstall: bool = False
    no_deps: bool = False
    user: bool = False
    system: bool = False
    breaks_system: bool = False
    best_match: bool = False
    platform: str | None = None
    files: tuple[str, ...] = ()
    unknown_options: tuple[str, ...] = ()
    #: A comparison without quotation marks: the shell writes into a file of that name.
    redirected: str | None = None


class Remove(Fact, frozen=True, kw_only=True):
    """Packages taken away."""

    names: tuple[str, ...]


class Conda(Fact, frozen=True, kw_only=True):
    """conda, mamba, micromamba: (name, version, build) and the channels that are named."""

    program: str
    verb: str
    specs: tuple[tuple[str, str, str], ...] = ()
    channels: tuple[str, ...] = ()
    environment: str | None = None
    unknown_options: tuple[str, ...] = ()


class SystemPackages(Fact, frozen=True, kw_only=True):
    """apt, dnf, zypper, pacman: packages of the distribution."""

    tool: Literal["apt", "dnf", "zypper", "pacman"]
    names: tuple[str, ...]


class Image(Fact, frozen=True, kw_only=True):
    """An image, started or built upon."""

    name: str
    engine: str
    asks_for_gpus: bool
    #: Built upon (FROM), not started; and what the stage of the build is called.
    is_base: bool = False
    stage: str = ""


class Reservation(Fact, frozen=True, kw_only=True):
    """A device that a Compose file asks for without saying what it is to be able to do."""


class Setting(Fact, frozen=True, kw_only=True):
    """A variable that is set, and how."""

    name: str
    value: str
    form: Literal["sh", "cmd", "setx", "powershell", "dockerfile"]


class NewEnvironment(Fact, frozen=True, kw_only=True):
    """An environment that is made: it is empty."""

    folder: str
    python: str | None = None


class Activate(Fact, frozen=True, kw_only=True):
    """The environment that what follows goes into."""

    folder: str


class Other(Fact, frozen=True, kw_only=True):
    """A command that nothing is known of here."""

    program: str


Asked = Install | Remove | Conda | SystemPackages | Image | Reservation | Setting | NewEnvironment | Activate | Other


class Pair(NamedTuple):
    """An option and its value."""

    name: str
    value: str
