"""The range of fitting builds: the oldest, the nearest to the installed one, the newest."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gpudoctor.facts.versions import known_version, package_version
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.amd import proposals_for_amd
from gpudoctor.plan.answer import Proposal, Span, Wanted
from gpudoctor.plan.builds import Build
from gpudoctor.plan.fit import ranked
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.proposals import proposal
from gpudoctor.plan.unsat_reasons import driver_refusal, wish_obstacles

if TYPE_CHECKING:
    from packaging.version import Version


def fit_range(machine: Machine, wanted: Wanted, matrix: Matrix, installed: str | None = None) -> Span | None:
    """The range for a wish; None where nothing fits. `installed`: a release, 2.2.0 or 2.2.0+cpu."""
    if machine.gfx:
        return _for_amd(machine, wanted, matrix)
    if driver_refusal(machine, matrix) is not None:
        return None
    fitting = [
        build
        for build in ranked(wanted.framework, machine, matrix)
        if not any(wish_obstacles(build, wanted, machine, matrix))
    ]
    if not fitting:
        return None
    known = [build for build in fitting if not build.is_hearsay] or fitting
    releases = _newest_first(known)
    oldest = next(build for build in known if build.version == releases[-1])
    near = nearest(fitting, installed) if installed else None

    def made(build: Build) -> Proposal:
        return proposal(build, wanted, machine, matrix)

    return Span(
        framework=wanted.framework,
        oldest=made(oldest),
        newest=made(fitting[0]),
        nearest=made(near) if near is not None else None,
        releases=len(releases),
    )


def _for_amd(machine: Machine, wanted: Wanted, matrix: Matrix) -> Span | None:
    """From the oldest to the newest build for ROCm; which is nearest to what is installed is not told."""
    found = proposals_for_amd(machine, wanted, matrix)
    count = len({one.version for one in found})
    return Span(framework=wanted.framework, oldest=found[-1], newest=found[0], releases=count) if found else None


def nearest(fitting: Sequence[Build], installed: str) -> Build | None:
    """Of the installed release itself, else of its series, else of the next newer series, else the newest below it.

    `fitting`: of each release the best build first.
    """
    own, tag = package_version(installed.partition("+")[0]), installed.partition("+")[2]
    if own is None or not fitting:
        return None
    same = [build for build in fitting if package_version(build.version) == own]
    if not same:
        pick = _near(_newest_first([build for build in fitting if not build.is_hearsay] or fitting), own)
        same = [build for build in fitting if build.version == pick]
    return next((build for build in same if build.variant == tag), same[0])


def _newest_first(builds: Sequence[Build]) -> list[str]:
    """The releases: those that only other people speak of, and those that are to be mended, come last among builds."""
    return sorted({build.version for build in builds}, key=known_version, reverse=True)


def _near(releases: list[str], own: "Version") -> str:
    newer = [text for text in releases if known_version(text) >= own]
    series = [text for text in releases if known_version(text).release[:2] == own.release[:2]]
    # The last of the newer ones is the next; of a series the one that changes least.
    return series[-1] if series else _last_of_series(newer) if newer else releases[0]


def _last_of_series(newer: list[str]) -> str:
    """The release with most corrections of the series that comes next; newest first."""
    minor = ".".join(newer[-1].split(".")[:2])
    return next(text for text in newer if text.startswith(f"{minor}."))
