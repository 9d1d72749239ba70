"""HST002: the C library is older than the framework's packages need."""

import re

from gpudoctor.facts.libraries import SymbolNeed
from gpudoctor.facts.versions import LibraryVersion, local_tag
from gpudoctor.plan.glibc import FLOORS, glibc_floor
from gpudoctor.plan.places import wheel_platform
from gpudoctor.rules._situation import known
from gpudoctor.rules.failures import pasted
from gpudoctor.rules.sections import Frameworks, Gap, Libraries, LibraryCopy, Live, System
from gpudoctor.rules.terms import Ask, Iterator, Problem, by_hand, rule, seen

#: Below this, no current release of any of them has a wheel.
CURRENT = "2.27"


#: NVIDIA's libraries that need a newer C library, from which version on: platform tags of nvidia-cublas-cu12,
#: nvidia-curand-cu12 and nvidia-cudnn-cu12 on the package index, 2026-11. conda's packages hold the same files.
LIBRARY_FLOOR = "2.27"
LIBRARIES = {"cublas": "12.8", "curand": "10.3.9", "cudnn": "9.7"}


@rule("HST002", name="glibc-too-old", severity="error")
def glibc_too_old(
    host: System, frameworks: Frameworks | Gap | None, libraries: Libraries | Gap | None, live: Live | Gap | None
) -> Iterator[Problem]:
    """The system's C library (glibc) is too old for the frameworks' prebuilt packages.

    What it means:
    Ready-made Python packages for Linux are built for a lowest version of the C library, glibc. This system has an
    older one, or another C library (musl, as in Alpine Linux).

    Why it breaks:
    pip finds no package that fits, or the import fails with "version GLIBC_2.28 not found". glibc belongs to the
    distribution and cannot be updated by itself.

    How to fix it:
    Use a newer distribution or a container with one. Or install an older release of the framework.

    When to ignore it:
    When you build the framework yourself.

    Sources:
    PEP 600, https://peps.python.org/pep-0600/; platform tags of the wheels of torch, tensorflow and jaxlib
    """
    if host.os != "linux":
        return
    found = known(frameworks)
    installed = [one for one in found.found if one.name in FLOORS] if found else []
    if host.libc == "musl":
        yield _problem("This system uses musl; PyTorch, TensorFlow and JAX have no prebuilt packages for it.", host)
        return
    has = LibraryVersion.parse(host.libc_version)
    if host.libc != "glibc" or has is None:
        return
    said = _refused(live, has)
    newer = _needs_newer(libraries, has) if installed else None
    for framework in installed:
        version = framework.version or ""
        floor = glibc_floor(framework.name, version, local_tag(version), wheel_platform(host))
        if floor is not None and has < floor:
            text = f"{framework.label} needs glibc {floor}, and this system has {has}."
            yield _problem(text, host, subject=framework.label, needs=str(floor))
            newer = said = None
    if newer is not None:
        text = f"The {newer.family} {newer.version} in this environment needs glibc {LIBRARY_FLOOR}; here it is {has}."
        yield _problem(text, host, subject=newer.path, needs=LIBRARY_FLOOR)
    need = _symbols(libraries, has) if newer is None else None
    if need is not None:
        text = f"{need.file} needs GLIBC_{need.version}, and this system has glibc {has}."
        yield _problem(text, host, subject=need.file, needs=str(need.version))
    elif said is not None and newer is None:
        yield _problem(f"A compiled file needs glibc {said}, and this system has {has}.", host, needs=str(said))
    if not installed and isinstance(frameworks, Frameworks | None) and has < LibraryVersion(CURRENT):
        text = f"This system has glibc {has}; current releases of the frameworks need {CURRENT} or newer."
        yield _problem(text, host, needs=CURRENT, note=True)


def _refused(live: Live | Gap | None, has: LibraryVersion) -> LibraryVersion | None:
    """The version that the loader's pasted message asks for, where it is newer than the system's."""
    texts = [one.text for one in pasted(live) if one.signature == "glibc-too-old"]
    found = [LibraryVersion.parse(number) for text in texts for number in re.findall(r"GLIBC_([\d.]+\d)", text)]
    return max((version for version in found if version is not None and version > has), default=None)


def _needs_newer(libraries: Libraries | Gap | None, has: LibraryVersion) -> LibraryCopy | None:
    """A library that came with the frameworks' packages and was made for a newer C library."""
    found = known(libraries)
    if found is None or has >= LibraryVersion(LIBRARY_FLOOR):
        return None
    brought = (
        copy for copy in found.copies if copy.origin in ("pip", "conda") and copy.version and copy.family in LIBRARIES
    )
    return next((copy for copy in brought if copy.version >= LibraryVersion(LIBRARIES[copy.family])), None)


def _symbols(libraries: Libraries | Gap | None, has: LibraryVersion) -> SymbolNeed | None:
    """The compiled file that needs the newest symbols of the C library, where these are not there."""
    found = known(libraries)
    needs = [one for one in (found.needs if found else ()) if one.library == "libc.so.6" and one.version > has]
    return max(needs, key=lambda one: one.version, default=None)


def _problem(
    summary: str, host: System, *, subject: str | None = None, needs: str | None = None, note: bool = False
) -> Problem:
    newer = Ask(text="Use a newer distribution, or a container image with one.")
    older = Ask(text="Or install an older release of the framework, whose packages still fit.")
    return Problem(
        summary=summary,
        subject=subject,
        # Older releases still fit, and nothing that is installed suffers.
        severity="info" if note else None,
        evidence=(
            seen("C library", f"{host.libc} {host.libc_version or ''}".strip()),
            *((seen("glibc that is needed", needs),) if needs else ()),
            *((seen("distribution", host.pretty_name),) if host.pretty_name else ()),
        ),
        fixes=(by_hand("Use a newer system, or an older release", newer, older),),
    )
