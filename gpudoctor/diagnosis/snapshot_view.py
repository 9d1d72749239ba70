"""Short ways to the seen sections of a snapshot, for conditions and remedies."""

import re
from collections.abc import Iterable
from typing import Any

from gpudoctor.facts.base import Gap, Section
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.libraries import Libraries, Resolution
from gpudoctor.facts.live import Live
from gpudoctor.facts.python import Framework, Frameworks, Interpreter, Packages
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Container, System
from gpudoctor.knowledge.companion_bounds import Bound, bound_shown_by
from gpudoctor.knowledge.known_surroundings import Surrounding, known
from gpudoctor.knowledge.message import message_of
from gpudoctor.rules.builds import release_numbers
from gpudoctor.sources.out_of_memory import OutOfMemory, parse_out_of_memory

_SYSTEMS = frozenset({"linux", "wsl", "windows", "macos"})
#: Makers that surroundings name; NVIDIA's GPUs are what everybody else has.
_MAKERS = frozenset({"amd", "intel"})
#: The Python of a venv, or of a program that brings its own.
_OF_PIP = re.compile(r"(?:^|[\\/])(?:\.?venv|python_embed(?:d?ed))[\\/]", re.IGNORECASE)


class SnapshotView:
    """The sections of a snapshot that were seen, and short ways to what they state."""

    def __init__(self, snapshot: Snapshot, around: Iterable[str] = ()) -> None:
        """`around` are surroundings that a text names: they count where the facts do not tell."""
        self._snapshot = snapshot
        self._around = frozenset(around)

    def section(self, kind: type[Section], name: str) -> Any:
        """The section if it was seen."""
        value = getattr(self._snapshot, name)
        return value if isinstance(value, kind) else None

    def fact(self, name: str) -> object:
        """A short way by its name, else a section, seen or not."""
        return getattr(self if hasattr(self, name) else self._snapshot, name)

    @property
    def os(self) -> str | None:
        """linux, windows, macos, wsl."""
        host = self.section(System, "host")
        container = self.section(Container, "container")
        if container and container.wsl:
            return "wsl"
        return host.os if host else None

    @property
    def systems(self) -> frozenset[str]:
        """The systems this may be; empty where none is known. A Linux of which nothing else is known may be WSL's."""
        if self.os in _SYSTEMS:
            is_open = self.os == "linux" and isinstance(self._snapshot.container, Gap)
            return frozenset(("linux", "wsl") if is_open else (self.os,))
        named = self._around & _SYSTEMS
        if named == {"macos"}:
            return named
        if (host := self.section(System, "host")) and host.os is None and host.is_posix:
            return _SYSTEMS - {"windows"}
        # Who names Windows may mean what runs in WSL or in a container there, unless it is the only thing named.
        return named if named == {"windows"} and "container" not in self._around else frozenset()

    @property
    def about(self) -> frozenset[str]:
        """The frameworks that a text names, that print its messages, or that are stated; "another": none of them."""
        named = {one.removeprefix("about-") for one in self._around if one.startswith("about-")}
        if named and any(self._printed_by()):
            # Of those that print one message, the one that is named.
            named = (named - {"another"}).union(*(one for one in self._printed_by() if named.isdisjoint(one)))
        frameworks = self.section(Frameworks, "frameworks")
        return frozenset(named | {one.name for one in frameworks.found} if named and frameworks else named)

    def _printed_by(self) -> tuple[frozenset[str], ...]:
        """By message, the frameworks that print it."""
        live = self.section(Live, "live")
        records = (message_of(one.signature) for one in live.symptoms) if live else ()
        return tuple(frozenset(record.programs) for record in records if record and not record.fallback)

    def is_around(self, word: str) -> bool:
        """The text names that surrounding."""
        return word in self._around

    def computes_with_another(self, framework: str) -> bool:
        """The text names frameworks, not that one, and none of its messages; a package of it may lie beside."""
        named = {one.removeprefix("about-") for one in self._around if one.startswith("about-")} - {"another"}
        return bool(named) and framework not in named.union(*self._printed_by())

    @property
    def known(self) -> tuple[Surrounding, ...]:
        """The places that the text names and that forbid something; without CUDA only where no NVIDIA GPU is stated."""
        nvidia = "nvidia" in self.makers
        return tuple(one for one in known(self._around) if not (one.without_cuda and nvidia))

    @property
    def on_jetson(self) -> bool:
        """It is one of NVIDIA's Jetson boards, by its facts or in the text's words."""
        host = self.section(System, "host")
        return bool(host and host.tegra) or "jetson" in self._around

    @property
    def no_gpu(self) -> bool:
        """It was looked for a GPU, and there is none."""
        return self._snapshot.gpus is None

    @property
    def makers(self) -> frozenset[str]:
        """Who made the GPUs that are stated."""
        gpus = self.section(Gpus, "gpus")
        if gpus is None and isinstance(self._snapshot.gpus, Gap):
            return self._around & _MAKERS
        return frozenset(gpu.vendor for gpu in gpus.devices if gpu.vendor) if gpus else frozenset()

    @property
    def messages(self) -> tuple[str, ...]:
        """The known messages that are stated, in their words."""
        live = self.section(Live, "live")
        return tuple(one.text for one in live.symptoms) if live else ()

    @property
    def memory_reports(self) -> tuple[OutOfMemory, ...]:
        """The numbers of PyTorch's messages about a full GPU."""
        reports = (parse_out_of_memory(text) for text in self.messages)
        return tuple(one for one in reports if one is not None)

    def said(self, *signatures: str) -> bool:
        """One of these messages is stated."""
        live = self.section(Live, "live")
        return bool(live) and any(one.signature in signatures for one in live.symptoms)

    def framework(self, name: str) -> Framework | None:
        """A framework."""
        frameworks = self.section(Frameworks, "frameworks")
        return frameworks.get(name) if frameworks else None

    @property
    def releases(self) -> dict[str, str]:
        """The frameworks whose version is stated."""
        frameworks = self.section(Frameworks, "frameworks")
        return {one.name: one.version for one in (frameworks.found if frameworks else ()) if one.version}

    def variant(self, name: str) -> str | None:
        """What a framework was built for."""
        framework = self.framework(name)
        return framework.variant if framework else None

    def numbers(self, name: str) -> tuple[int, ...] | None:
        """The release of a framework."""
        framework = self.framework(name)
        return release_numbers(framework.version) if framework else None

    @property
    def breaking_bound(self) -> Bound | None:
        """What a stated release works with, where a message is of the failure that others cause."""
        frameworks, packages = self.section(Frameworks, "frameworks"), self.section(Packages, "packages")
        releases = {one.name: one.version for one in (packages.installed if packages else ())}
        releases |= {one.name: one.version for one in (frameworks.found if frameworks else ()) if one.version}
        return next((made for text in self.messages if (made := bound_shown_by(text, releases))), None)

    @property
    def missed(self) -> tuple[Resolution, ...]:
        """The libraries that TensorFlow did not find."""
        libraries = self.section(Libraries, "libraries")
        return libraries.missing("tensorflow") if libraries else ()

    @property
    def missed_by_programs(self) -> tuple[Resolution, ...]:
        """The libraries that any program did not find, as a text says it."""
        libraries = self.section(Libraries, "libraries")
        return tuple(one for one in libraries.resolutions or () if one.path is None) if libraries else ()

    def all_named(self, pattern: re.Pattern[str]) -> bool:
        """There are GPUs, and the names of all match."""
        gpus = self.section(Gpus, "gpus")
        names = [gpu.name for gpu in gpus.nvidia if gpu.name] if gpus else []
        return bool(names) and all(pattern.search(name) for name in names)

    @property
    def by_conda(self) -> bool | None:
        """Whether torch came from conda."""
        packages = self.section(Packages, "packages")
        torch = (packages.find("pytorch") or packages.find("torch")) if packages else None
        if torch is not None and torch.installer:
            return bool(torch.installer == "conda")
        python: Interpreter | None = self.section(Interpreter, "interpreter")
        # Conda installs into environments of its own; what a venv has, or a program's folder, pip put there.
        if python is None or self.is_around("by-conda"):
            return None
        return False if python.environment == "venv" or _OF_PIP.search(python.executable) else None
