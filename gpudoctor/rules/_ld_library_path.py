"""Libraries that LD_LIBRARY_PATH puts ahead of a framework's own."""

import posixpath

import msgspec

from gpudoctor.facts.base import Fact
from gpudoctor.facts.libraries import Resolution
from gpudoctor.facts.versions import LibraryVersion
from gpudoctor.rules._gpu_packages import dist_for
from gpudoctor.rules.builds import built_for_cuda
from gpudoctor.rules.sections import Framework, Frameworks, Gap, Libraries, Packages
from gpudoctor.rules.terms import Evidence, Fix, Iterator, SetEnv, seen

#: Where the copies lie that frameworks bring along.
OWN = ("pip", "bundled")


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
        family = self.resolution.family or self.resolution.soname
        name = f"{family} {self.resolution.version}" if self.resolution.version else family
        return f"{name} from {self.resolution.path}"


def shadowed(
    libraries: Libraries, frameworks: Frameworks, packages: Packages | Gap | None = None
) -> tuple[Shadowing, ...]:
    """All of them: as the loader's search was followed, else as a report's copies and variable tell."""
    taken = [(frameworks.get(one.framework), one) for one in libraries.resolutions or ()]
    followed = {one.framework for one in libraries.resolutions or ()}
    taken += [
        (framework, one)
        for framework in built_for_cuda(frameworks)
        if framework.name not in followed
        for one in _in_the_variable(framework, libraries)
    ]
    found = []
    for framework, one in taken:
        if framework is not None and one.via == "LD_LIBRARY_PATH" and one.path:
            known = _with_own_copy(one, framework, libraries, packages)
            if known.shadows:
                found.append(Shadowing(framework=framework, resolution=known))
    return tuple(found)


def _in_the_variable(framework: Framework, libraries: Libraries) -> Iterator[Resolution]:
    """Copies in a folder of LD_LIBRARY_PATH, of libraries that the framework's environment holds, too."""
    own = {one.soname for one in libraries.copies if one.origin in OWN}
    folders = [posixpath.normpath(entry) for entry in libraries.search_path]
    for copy in libraries.copies:
        if copy.origin not in OWN and copy.soname in own and posixpath.dirname(copy.path) in folders:
            yield Resolution(
                framework=framework.name,
                soname=copy.soname,
                family=copy.family,
                wanted_by=framework.location or framework.name,
                how="opened",
                path=copy.path,
                via="LD_LIBRARY_PATH",
                version=copy.version,
                origin=copy.origin,
            )


def _with_own_copy(
    one: Resolution, framework: Framework, libraries: Libraries, packages: Packages | Gap | None
) -> Resolution:
    """The framework's own copy and its version, as far as the copies or the packages tell them."""
    if one.shadows is not None and one.shadows_version is not None:
        return one
    copies = (copy for copy in libraries.copies if copy.soname == one.soname and copy.origin in OWN)
    copy = next((copy for copy in copies if one.shadows in (None, copy.path)), None)
    dist = dist_for(one.family, framework.cuda.major if framework.cuda else None)
    package = packages.find(dist) if dist and isinstance(packages, Packages) else None
    version = (copy.version if copy else None) or (LibraryVersion.parse(package.version) if package else None)
    where = one.shadows or (copy.path if copy else None) or (f"package {dist}" if package else None)
    return msgspec.structs.replace(one, shadows=where, shadows_version=one.shadows_version or version)


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
        f"Take {folder} out of LD_LIBRARY_PATH for this program",
        "safe",
        (SetEnv(name="LD_LIBRARY_PATH", value=":".join(rest) or None),),
        undo=f"export LD_LIBRARY_PATH={':'.join(libraries.search_path)}",
    )
