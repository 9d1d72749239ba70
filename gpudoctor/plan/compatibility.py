"""Whether two builds can share one environment, by the requirements that are known of both.

Checked with installers' dry runs on the package index, 2026-11: torch pins its NVIDIA libraries exactly; TensorFlow's
and-cuda extra does so up to 2.19 and gives ranges from 2.20 on; JAX gives lower bounds.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from gpudoctor.facts.versions import CudaVersion, package_version
from gpudoctor.knowledge.matrix.offer_types import RocmBuild
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import JaxBuild, NumpyAbi, TensorflowBuild, TorchBuild
from gpudoctor.knowledge.milestones import milestone, numbers_of
from gpudoctor.plan.builds import Build
from gpudoctor.plan.constraints import pinned_cudnn
from gpudoctor.plan.general import is_general
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.specifiers import agree

FIRST_WITH_NUMPY2 = numbers_of("numpy-2-python")


Asks = Callable[[Build], Mapping[str, str]]


def clash(one: Build, other: Build, asks: Asks) -> str | None:
    """Why two builds cannot share an environment, or are not known to; None: they can.

    `asks` gives what a build asks for, by distribution (`requirements_of`, remembered by the caller).
    """
    return (
        _of_its_own_index(one, other) or _unknown(one, other) or _majors(one, other) or _requirements(one, other, asks)
    )


def _of_its_own_index(one: Build, other: Build) -> str | None:
    general = next((build for build in (one, other) if is_general(build)), None)
    if general is None:
        return None
    return f"{general.label} brings libraries of its own, which are not known to suit those of other frameworks"


def _unknown(one: Build, other: Build) -> str | None:
    for build, partner in ((one, other), (other, one)):
        if build.framework == "tensorflow":
            with_jax = partner.framework == "jax"
            first = milestone("tensorflow-with-jax") if with_jax else milestone("tensorflow-shares")
            if _older(build.version, first):
                return f"{build.label} asks for versions of shared packages that are not known to suit {partner.label}"
            if partner.framework == "jax" and build.variant == "and-cuda" and pinned_cudnn(build) is not None:
                return f"{build.label} pins its CUDA libraries exactly, and {partner.label} asks for newer ones"
        elif build.processor == "cuda" and isinstance(build.row, TorchBuild) and build.row.cudnn is None:
            return f"the libraries that {build.label} asks for are not known"
    return None


def _older(version: str, than: str) -> bool:
    left, right = package_version(version), package_version(than)
    return left is None or right is None or left < right


def _majors(one: Build, other: Build) -> str | None:
    if one.cuda is None or other.cuda is None or one.cuda.major == other.cuda.major:
        return None
    old, new = sorted((one, other), key=lambda build: build.cuda.major if build.cuda else 0)
    assert old.cuda is not None
    assert new.cuda is not None
    return (
        f"{old.label} brings nvidia-cudnn-cu{old.cuda.major} and {new.label} brings nvidia-cudnn-cu{new.cuda.major}, "
        "and both own the same files"
    )


def _requirements(one: Build, other: Build, asks: Asks) -> str | None:
    mine, theirs = asks(one), asks(other)
    for name in sorted(mine.keys() & theirs.keys()):
        if not agree(mine[name], theirs[name]):
            return f"{one.label} asks for {name}{mine[name]} and {other.label} for {name}{theirs[name]}"
    return None


def requirements_of(build: Build, machine: Machine, matrix: Matrix) -> dict[str, str]:
    """What a build asks for of distributions that others ask for too, as far as the matrix knows it."""
    found = {}
    row = build.row
    if build.processor == "cuda" and build.cuda is not None:
        suffix = f"-cu{build.cuda.major}"
        is_plain = build.cuda >= CudaVersion(milestone("nvidia-plain-names"))
        runtime = f"nvidia-cuda-runtime{'' if is_plain else suffix}"
        if isinstance(row, TorchBuild):
            found = {runtime: f"=={build.cuda}.*", f"nvidia-cudnn{suffix}": f"=={row.cudnn}"}
            found |= {f"nvidia-nccl{suffix}": f"=={row.nccl}"} if row.nccl else {}
        elif isinstance(row, TensorflowBuild):
            found = dict(_split(requirement) for requirement in row.and_cuda)
        elif isinstance(row, JaxBuild):
            found = {runtime: f">={build.cuda}"}
            found |= {f"nvidia-cudnn{suffix}": f">={row.cudnn}"} if row.cudnn else {}
    numpy = numpy_bounds(build, machine, matrix)
    return {**found, "numpy": numpy} if numpy else found


def _split(requirement: str) -> tuple[str, str]:
    match = re.match(r"([A-Za-z0-9._-]+?)\s*([<>=!~].*)?$", requirement)
    assert match is not None
    return match.group(1), match.group(2) or ""


def numpy_bounds(build: Build, machine: Machine, matrix: Matrix) -> str:
    """The NumPy that a build asks for, and works with: <2 where it does not work with NumPy 2."""
    row = _numpy(build.framework, build.version, machine.os, matrix)
    if row is None:
        return ""
    required = _for_python(row.required or "", machine.python)
    return ",".join(filter(None, (required, needs_numpy1(build, machine, matrix))))


def needs_numpy1(build: Build | RocmBuild, machine: Machine, matrix: Matrix) -> str:
    """The bound "<2" where a build does not work with NumPy 2, and its own requirement admits that; else empty."""
    return numpy1_of_release(build.framework, build.version, machine, matrix)


def numpy1_of_release(framework: str, version: str, machine: Machine, matrix: Matrix) -> str:
    """The same of a release by name."""
    row = _numpy(framework, version, machine.os, matrix)
    if row is None or row.works_with_numpy2 is not False:
        return ""
    if machine.python is not None and tuple(map(int, machine.python.split("."))) < FIRST_WITH_NUMPY2:
        return ""
    return "<2" if agree(_for_python(row.required or "", machine.python), ">=2") else ""


@lru_cache(maxsize=2048)
def _numpy(framework: str, version: str, os: str, matrix: Matrix) -> NumpyAbi | None:
    wanted = package_version(version)
    rows = (row for row in matrix.table("numpy") if isinstance(row, NumpyAbi) and row.package == framework)
    return next((row for row in rows if row.os in (os, None) and package_version(row.version) == wanted), None)


def _for_python(required: str, python: str | None) -> str:
    """The part of ">=1.25 | >=1.26.0; python_version >= '3.12'" that holds for a Python; a part without one last."""
    fallback = ""
    for part in reversed(required.split("|")):
        specifier, _, marker = part.partition(";")
        if not marker:
            fallback = fallback or specifier.strip()
        elif python is not None and _holds(marker.strip(), python):
            return specifier.strip()
    return fallback


@lru_cache(maxsize=256)
def _holds(marker: str, python: str) -> bool:
    # Imported here: a static check need not evaluate markers.
    from packaging.markers import Marker

    return Marker(marker).evaluate({"python_version": python})
