"""HST002: the system's C library (glibc) is too old for the frameworks' prebuilt packages."""

import re
from itertools import chain

from gpudoctor.facts.libraries import SymbolNeed
from gpudoctor.facts.versions import LibraryVersion, local_tag
from gpudoctor.plan.glibc import glibc_floor, has_glibc_floor, oldest_current_glibc
from gpudoctor.plan.places import wheel_platform
from gpudoctor.rules._situation import known
from gpudoctor.rules.failures import pasted
from gpudoctor.rules.sections import Frameworks, Gap, Libraries, LibraryCopy, Live, Matrix, System
from gpudoctor.rules.terms import Ask, Iterator, Problem, by_hand, problem, rule, seen

#: Packages whose setup.py fetches a ready build from GitHub, and the variable with which it compiles.
FORCED = {
    "flash-attn": "FLASH_ATTENTION_FORCE_BUILD",
    "mamba-ssm": "MAMBA_FORCE_BUILD",
    "causal-conv1d": "CAUSAL_CONV1D_FORCE_BUILD",
}


@rule("HST002", name="glibc-too-old", severity="error", when="host.os=linux, host.libc")
def glibc_too_old(
    host: System,
    frameworks: Frameworks | Gap | None,
    libraries: Libraries | Gap | None,
    live: Live | Gap | None,
    matrix: Matrix,
) -> Iterator[Problem]:
    """The system's C library (glibc) is too old for the frameworks' prebuilt packages.

    What it means:
    Ready-made Python packages for Linux are built for a lowest version of the C library, glibc. This system has an
    older one, or another C library (musl, as in Alpine Linux).

    Why it breaks:
    pip finds no package that fits, or the import fails with "version GLIBC_2.28 not found". glibc belongs to the
    distribution and cannot be updated by itself.

    How to fix it:
    Use a newer distribution or a container with one. Or install an older release of the framework. A package that is
    compiled against a framework (flash-attn 2.8 needs GLIBC_2.32) can be compiled on this system, too.

    When to ignore it:
    When you build the framework yourself.

    Sources:
    PEP 600, https://peps.python.org/pep-0600/; platform tags of the wheels of torch, tensorflow and jaxlib;
    https://github.com/Dao-AILab/flash-attention/issues/1708
    """
    if host.os != "linux":
        return
    found = known(frameworks)
    installed = [one for one in found.found if has_glibc_floor(one.name, matrix)] if found else []
    if host.libc == "musl":
        yield _problem("This system uses musl; PyTorch, TensorFlow and JAX have no prebuilt packages for it.", host)
        return
    has = LibraryVersion.parse(host.libc_version)
    if host.libc != "glibc" or has is None:
        return
    said = _refused(live, has)
    newer = _needs_newer(libraries, has, matrix) if installed else None
    for framework in installed:
        version = framework.version or ""
        floor = glibc_floor(framework.name, version, matrix, local_tag(version), wheel_platform(host))
        if floor is not None and has < floor:
            text = f"{framework.label} needs glibc {floor}, and this system has {has}."
            yield _problem(text, host, subject=framework.label, needs=str(floor))
            newer = said = None
    if newer is not None:
        copy, floor = newer
        text = f"The {copy.family} {copy.version} in this environment needs glibc {floor}; here it is {has}."
        yield _problem(text, host, subject=copy.path, needs=str(floor))
    need = _symbols(libraries, has) if newer is None else None
    if need is not None:
        text = f"{need.file} needs GLIBC_{need.version}, and this system has glibc {has}."
        yield _problem(
            text, host, subject=need.file, needs=str(need.version), package=_package(need, libraries, found, matrix)
        )
    elif said is not None and newer is None:
        yield _problem(f"A compiled file needs glibc {said}, and this system has {has}.", host, needs=str(said))
    current = oldest_current_glibc(matrix)
    if not installed and isinstance(frameworks, Frameworks | None) and has < current:
        text = f"This system has glibc {has}; current releases of the frameworks need {current} or newer."
        yield _problem(text, host, needs=str(current), note=True)


def _refused(live: Live | Gap | None, has: LibraryVersion) -> LibraryVersion | None:
    """The version that the loader's pasted message asks for, where it is newer than the system's."""
    texts = [one.text for one in pasted(live) if one.signature == "glibc-too-old"]
    found = [LibraryVersion.parse(number) for text in texts for number in re.findall(r"GLIBC_([\d.]+\d)", text)]
    return max((version for version in found if version is not None and version > has), default=None)


def _needs_newer(
    libraries: Libraries | Gap | None, has: LibraryVersion, matrix: Matrix
) -> tuple[LibraryCopy, LibraryVersion] | None:
    """A library that came with the frameworks' packages and was made for a newer C library; and for which."""
    found = known(libraries)
    for copy in found.copies if found else ():
        if copy.origin in ("pip", "conda") and copy.version:
            floor = glibc_floor(f"nvidia-{copy.family}-cu12", copy.version.text, matrix)
            if floor is not None and has < floor:
                return copy, floor
    return None


def _symbols(libraries: Libraries | Gap | None, has: LibraryVersion) -> SymbolNeed | None:
    """The compiled file that needs the newest symbols of the C library, where these are not there."""
    found = known(libraries)
    needs = [one for one in (found.needs if found else ()) if one.library == "libc.so.6" and one.version > has]
    return max(needs, key=lambda one: one.version, default=None)


def _package(
    need: SymbolNeed, libraries: Libraries | Gap | None, frameworks: Frameworks | None, matrix: Matrix
) -> str | None:
    """The package with that file: one that is compiled against a framework, and can be compiled here too."""
    extensions = (known(libraries) or Libraries()).extensions or ()
    linked = (one.package for one in extensions if one.file == need.file)
    read = (
        one.dist or one.name
        for one in (frameworks.found if frameworks else ())
        if not has_glibc_floor(one.name, matrix) and one.source is not None and one.source.where == need.file
    )
    return next(chain(linked, read), None)


def _problem(
    summary: str,
    host: System,
    *,
    subject: str | None = None,
    needs: str | None = None,
    note: bool = False,
    package: str | None = None,
) -> Problem:
    newer = Ask(text="Use a newer distribution, or a container image with one.")
    older = Ask(text="Or install an older release of the framework, whose packages still fit.")
    if package is not None:
        build = f"pip install --force-reinstall --no-deps --no-build-isolation --no-cache-dir --no-binary {package} "
        build += package
        older = Ask(text=f"Or install an older release of {package}, or compile it on this system: {build}")
    return problem(
        summary,
        seen("C library", f"{host.libc} {host.libc_version or ''}".strip()),
        *((seen("glibc that is needed", needs),) if needs else ()),
        *((seen("distribution", host.pretty_name),) if host.pretty_name else ()),
        subject=subject,
        # Older releases still fit, and nothing that is installed suffers.
        severity="info" if note else None,
        fix=by_hand("Use a newer system, or an older release", newer, older, *_forced(package)),
    )


def _forced(package: str | None) -> tuple[Ask, ...]:
    variable = FORCED.get(package or "")
    return (Ask(text=f"Its installer takes a ready build unless {variable}=TRUE is set."),) if variable else ()
