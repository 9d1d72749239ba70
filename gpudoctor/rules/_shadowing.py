"""Libraries that LD_LIBRARY_PATH puts before a framework's own."""

import posixpath

from gpudoctor.model.base import Fact
from gpudoctor.model.finding import Evidence
from gpudoctor.model.fix import Fix, SetEnv
from gpudoctor.model.libraries import Libraries, Resolution
from gpudoctor.model.python import Framework, Frameworks
from gpudoctor.rules._evidence import seen


class Shadowing(Fact, frozen=True, kw_only=True):
    """A library taken from LD_LIBRARY_PATH although the framework brought its own."""

    framework: Framework
    resolution: Resolution

    @property
    def differs(self) -> bool:
        """The two copies are known to be of different versions."""
        one = self.resolution
        return one.version is not None and one.shadows_version is not None and one.version != one.shadows_version

    @property
    def is_older(self) -> bool:
        """The copy that is taken is known to be older."""
        one = self.resolution
        return one.version is not None and one.shadows_version is not None and one.version < one.shadows_version

    @property
    def words(self) -> str:
        """The copy that is taken, for a sentence."""
        version = f" {self.resolution.version}" if self.resolution.version else ""
        return f"{self.resolution.family or self.resolution.soname}{version} from {self.resolution.path}"


def shadowed(libraries: Libraries, frameworks: Frameworks) -> tuple[Shadowing, ...]:
    """All of them."""
    found = []
    for one in libraries.resolutions or ():
        framework = frameworks.get(one.framework)
        if one.via == "LD_LIBRARY_PATH" and one.path and one.shadows and framework is not None:
            found.append(Shadowing(framework=framework, resolution=one))
    return tuple(found)


def shadowing_evidence(shadowing: Shadowing, libraries: Libraries) -> tuple[Evidence, ...]:
    """What is taken, what is hidden by it, and the variable."""
    one = shadowing.resolution
    return (
        seen(f"{one.soname} would be loaded from", f"{one.path} ({one.version or 'version not known'})"),
        seen(f"{shadowing.framework.name}'s own copy", f"{one.shadows} ({one.shadows_version or 'version not known'})"),
        seen("LD_LIBRARY_PATH", ":".join(libraries.search_path)),
    )


def shadowing_fix(shadowing: Shadowing, libraries: Libraries) -> Fix:
    """Drop the folder from the variable; unset it where nothing else is in it."""
    folder = posixpath.dirname(shadowing.resolution.path or "")
    rest = [entry for entry in libraries.search_path if posixpath.normpath(entry) != posixpath.normpath(folder)]
    return Fix(
        title=f"Take {folder} out of LD_LIBRARY_PATH for this program",
        safety="safe",
        steps=(SetEnv(name="LD_LIBRARY_PATH", value=":".join(rest) or None),),
        undo=f"export LD_LIBRARY_PATH={':'.join(libraries.search_path)}",
    )
