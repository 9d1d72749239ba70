"""For which Pythons there are wheels of what an installer did not find."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts.python import Interpreter
from gpudoctor.facts.specifiers import is_met
from gpudoctor.facts.system import System
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.sources.no_match import parse_no_match


class Wheels(NamedTuple):
    """A release that was asked for, and the Pythons ("3.12") that have a wheel of it here, oldest first."""

    package: str
    version: str
    pythons: tuple[str, ...]


def own_python(seen: SnapshotView) -> str:
    """The stated Python as wheels name it: 3.12; empty where none is stated."""
    target = seen.section(Interpreter, "interpreter")
    return ".".join((target.version or "").split(".")[:2]) if target else ""


def wheels_asked_for(seen: SnapshotView, *, exact: bool = False) -> Iterator[Wheels]:
    """The releases that the installer's messages ask for, with wheels on this system; `exact`: only those named."""
    platform, matrix = _platform(seen), load_matrix()
    for text in seen.messages:
        asked = parse_no_match(text)
        named = next((version for sign, version in asked.comparisons if sign == "=="), None) if asked else None
        if asked is None or (exact and named is None):
            continue
        specifier = ",".join(sign + version for sign, version in asked.comparisons)
        tagged = re.search(rf"{re.escape(named)}(\+cu\d+|\+cpu)", text) if named else None
        fitting = (one for one in matrix.releases(asked.package) if is_met(specifier, one))
        for version in (named + (tagged[1] if tagged else ""),) if named else fitting:
            pythons = matrix.pythons(asked.package, version, platform)
            if pythons:
                yield Wheels(asked.package, version, pythons)


def wheels_of_stated_torch(seen: SnapshotView) -> Wheels | None:
    """The stated release of PyTorch, where its wheels are for other Pythons than the stated one."""
    torch, python = seen.framework("torch"), own_python(seen)
    version = (torch.version or "") if torch else ""
    pythons = load_matrix().pythons("torch", version, _platform(seen)) if version and python else ()
    return Wheels("torch", version, pythons) if pythons and python not in pythons else None


def pythons_of(package: str, specifier: str, seen: SnapshotView) -> frozenset[str]:
    """The Pythons that have a wheel of one of these releases on this system, as far as the matrix knows."""
    matrix, platform = load_matrix(), _platform(seen)
    releases = (one for one in matrix.releases(package) if is_met(specifier, one))
    return frozenset(python for one in releases for python in matrix.pythons(package, one, platform) or ())


def _platform(seen: SnapshotView) -> str:
    host = seen.section(System, "host")
    system = next((one for one in ("windows", "macos") if seen.systems == {one}), "linux")
    return f"{system}-{(host and host.arch) or 'x86_64'}"
