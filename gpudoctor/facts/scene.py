"""The parts of a snapshot that fixes depend on: system, container, GPUs, driver, Python and packages."""

from gpudoctor.facts.base import Fact, Gap
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.python import Interpreter, Package, Packages
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Container, System


class Scene(Fact, frozen=True, kw_only=True):
    """What a recipe may ask of the machine."""

    host: System | Gap | None = None
    container: Container | Gap | None = None
    gpus: Gpus | Gap | None = None
    driver: Driver | Gap | None = None
    interpreter: Interpreter | Gap | None = None
    packages: Packages | Gap | None = None

    @property
    def target(self) -> Interpreter | None:
        """The interpreter, where it was seen."""
        return self.interpreter if isinstance(self.interpreter, Interpreter) else None

    @property
    def os(self) -> str | None:
        """linux, windows, macos, where it was seen."""
        return self.host.os if isinstance(self.host, System) else None

    @property
    def python(self) -> str:
        """The target's executable, else the usual name."""
        return self.target.executable if self.target else ("python" if self.os == "windows" else "python3")

    @property
    def python_minor(self) -> str | None:
        """3.12, where it was seen."""
        version = self.target.version if self.target else None
        return ".".join(version.split(".")[:2]) if version and version.count(".") else None

    def find(self, name: str) -> Package | None:
        """An installed distribution."""
        return self.packages.find(name) if isinstance(self.packages, Packages) else None

    @property
    def is_shared(self) -> bool:
        """Packages belong into an environment of their own here: the operating system's Python, or one that says so."""
        return self.target is not None and (
            self.target.externally_managed is True or self.target.environment == "system"
        )


def scene_of(snapshot: Snapshot) -> Scene:
    """These sections of a snapshot."""
    return Scene(**{name: getattr(snapshot, name) for name in Scene.__struct_fields__})
