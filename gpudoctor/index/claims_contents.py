"""Checks rows of the matrix against the wheels themselves: their METADATA, and the files that state their build."""

import re
from collections.abc import Iterable, Iterator

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from gpudoctor.index.claims import Claim, Shelf, claim
from gpudoctor.index.claims_tensorflow import CARRIERS, covered, tensorflow_name
from gpudoctor.index.claims_torch import torch_name
from gpudoctor.index.pages import canonical
from gpudoctor.index.requirement_text import as_text, holds, named, parsed, says_the_same
from gpudoctor.index.wheel_facts import Library, WheelFacts
from gpudoctor.knowledge.frameworks import computing
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import PLATFORMS, JaxBuild, TensorflowBuild, TorchBuild

LINUX = "linux-x86_64"
#: For tables without Pythons of their own.
PYTHONS = ("3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14")
ALL_PYTHONS = (*PYTHONS, "3.15")
#: From here on the Linux wheels require their CUDA libraries.
FIRST_WITH_REQUIREMENTS = Version("1.13.0")
#: Made by AWS, and named by TensorFlow's wheels for ARM from 2.10 to 2.15.
ARM_CARRIER = "tensorflow-cpu-aws"
PLACES = {None: LINUX, "linux": LINUX, "windows": "windows-x86_64", "macos": "macos-arm64"}


def content_claims(matrix: Matrix, library: Library, shelf: Shelf) -> Iterator[Claim]:
    """Of every table that has wheels behind it."""
    for build in matrix.torch_builds():
        yield from _torch(build, library, shelf)
    yield from _companions(matrix, library, shelf)
    for row in matrix.tensorflow_builds():
        yield from _tensorflow(row, library, shelf)
    yield from _required(matrix, library, shelf)
    for jax in matrix.jax_builds():
        yield from _jax(jax, library, shelf)
    yield from _extensions(matrix, library)
    yield from _triton(matrix, library)


def _said(table: str, row: str, field: str, matrix: object, index: object) -> Claim:
    return claim(table, row, f"{field} in the wheel", matrix, index, fields=(field,))


# PyTorch.


def _torch(build: TorchBuild, library: Library, shelf: Shelf) -> Iterator[Claim]:
    name = torch_name(build)
    found = shelf.release("torch", build.version)
    read = {one: library("torch", build.version, one) for one in (found.wheels if found else ()) if one in PLATFORMS}
    states = {platform: facts.variant for platform, facts in read.items() if facts is not None and facts.variant}
    if states and len(states) == len(read):
        own = tuple(one for one in PLATFORMS if states.get(one) == build.variant)
        yield _said("torch", name, "default_on", tuple(sorted(build.default_on)), tuple(sorted(own)))
    tag = re.fullmatch(r"cu(\d+)(\d)", build.variant)
    if tag is not None:
        yield claim("torch", name, "CUDA of its tag", str(build.cuda), f"{tag[1]}.{tag[2]}", fields=("cuda", "variant"))
    facts = read.get(LINUX)
    if facts is None:
        return
    if facts.variant == build.variant:
        yield _said("torch", name, "cuda", str(build.cuda or ""), facts.cuda)
        if Version(build.version) >= FIRST_WITH_REQUIREMENTS:
            yield from _pins(build, name, facts)
    yield from _architectures(build, name, facts)
    yield from _companion(build, "torchvision", name, library, shelf)


def _pins(build: TorchBuild, name: str, facts: WheelFacts) -> Iterator[Claim]:
    required = tuple(parsed(facts.requires or ()))
    pinned = {
        field: pin(required, package)
        for field, package in {
            "cudnn": "nvidia-cudnn-cu",
            "nccl": "nvidia-nccl-cu",
            "triton": "triton",
            "cuda_patch": "cuda-toolkit",
        }.items()
    }
    for field, value in pinned.items():
        if value is not None:
            yield _said("torch", name, field, getattr(build, field), value)


def pin(required: Iterable[Requirement], name: str) -> str | None:
    """The version that torch pins on Linux; the whole specifier where it is not pinned."""
    for one in required:
        mine = one.name == name or (name.endswith("-cu") and one.name.startswith(name))
        if mine and holds(one, LINUX, "3.11") and str(one.specifier):
            text = str(one.specifier)
            return text.removeprefix("==") if text.startswith("==") and "," not in text else text
    return None


def _architectures(build: TorchBuild, name: str, facts: WheelFacts) -> Iterator[Claim]:
    stated = facts.builds.get(str(build.cuda))
    if not stated or not build.archs:
        return
    if "" in stated:
        # The first such table does not tell processors apart, and leaves 7.5 out: it confirms, and refutes nothing.
        own = {arch for archs in build.archs.values() for arch in archs}
        if own == set(stated[""]):
            yield _said("torch", name, "archs", True, True)
        return
    expected = {platform: stated.get("aarch64" if "aarch64" in platform else "x86_64", ()) for platform in build.archs}
    for platform, archs in build.archs.items():
        yield _said("torch", name, "archs", archs, expected[platform])


def _companion(build: TorchBuild, package: str, name: str, library: Library, shelf: Shelf) -> Iterator[Claim]:
    value: str | None = getattr(build, package)
    if value is not None and shelf.has(package):
        is_there = shelf.release(package, value) is not None
        yield claim("torch", name, f"{package} {value}", True, is_there, fields=(package,))
    asked = _torch_of(library(package, value, LINUX)) if value is not None and shelf.has(package) else None
    if asked is not None:
        yield _said("torch", name, package, True, asked.contains(build.version))


def _torch_of(facts: WheelFacts | None) -> SpecifierSet | None:
    return _asks(facts, "torch")


def _asks(facts: WheelFacts | None, package: str) -> SpecifierSet | None:
    """What a wheel asks of a package; None: nothing, or not read."""
    found = named(parsed(facts.requires or ()), package) if facts is not None else ()
    return found[0].specifier if found and str(found[0].specifier) else None


def _companions(matrix: Matrix, library: Library, shelf: Shelf) -> Iterator[Claim]:
    for row in matrix.table("companions"):
        name = f"torch {row.torch}"
        for package in ("torchvision", "torchaudio"):
            listed: tuple[str, ...] = getattr(row, package)
            for version in listed:
                asked = _torch_of(library(package, version, LINUX))
                if asked is not None:
                    about = f"{package} {version} asks for it"
                    yield claim("companions", name, about, True, asked.contains(row.torch), fields=(package,))
            newest = newest_for(row.torch, package, library, shelf)
            if newest is not None:
                yield _said("companions", name, package, newest, newest if newest in listed else " ".join(listed))


def newest_for(torch: str, package: str, library: Library, shelf: Shelf) -> str | None:
    """The newest companion whose METADATA admits a torch release."""
    for found in shelf.finals(package):
        asked = _torch_of(library(package, found.version, LINUX))
        if asked is not None and asked.contains(torch) and not found.yanked:
            return found.version
    return None


# TensorFlow and what it requires.


def requirements(package: str, version: str, platform: str, library: Library) -> tuple[Requirement, ...] | None:
    """Those of a build, and of the wheel that holds its files where it has none itself; None is not read."""
    facts = library(package, version, platform)
    if facts is None or facts.requires is None:
        return None
    required = tuple(parsed(facts.requires))
    carrier = {**CARRIERS, "linux-aarch64": ARM_CARRIER}.get(platform)
    if carrier is None or not named(required, carrier):
        return required
    carried = library(carrier, version, platform)
    return (*required, *parsed(carried.requires)) if carried is not None and carried.requires is not None else None


def _tensorflow(row: TensorflowBuild, library: Library, shelf: Shelf) -> Iterator[Claim]:
    if row.platform == "any":
        return
    name = tensorflow_name(row)
    for found in covered(row, shelf):
        required = requirements(row.dist, found.version, row.platform, library)
        if required is None:
            continue
        about = f"of {found.version}"
        for field in ("keras", "numpy", "protobuf"):
            yield _asked("tensorflow", name, field, about, getattr(row, field), required, row.platform, row.pythons)
        # Other builds name the extra, too, and bring nothing that uses it.
        if row.build == "gpu" and row.dist == "tensorflow":
            extra = tuple(sorted({_normal(one) for one in required if "and-cuda" in _marker(one)}))
            yield claim("tensorflow", name, f"and_cuda {about}", _texts(row.and_cuda), extra, fields=("and_cuda",))
        yield from _build_info(row, name, found.version, library)


def _build_info(row: TensorflowBuild, name: str, version: str, library: Library) -> Iterator[Claim]:
    facts = library(row.dist, version, row.platform)
    carrier = CARRIERS.get(row.platform)
    if facts is not None and facts.cuda is None and carrier is not None:
        facts = library(carrier, version, row.platform)
    if facts is None or facts.cuda is None:
        return
    yield claim("tensorflow", name, f"build of {version}", row.build, "gpu" if facts.cuda else "cpu", fields=("build",))
    if facts.cuda:
        own = str(row.cuda) if row.cuda is not None else facts.cuda
        yield claim("tensorflow", name, f"cuda of {version}", own, facts.cuda, fields=("cuda",))
    if facts.cudnn and row.cudnn:
        # The file states the major, or major and minor, of it.
        part = ".".join(row.cudnn.split(".")[: facts.cudnn.count(".") + 1])
        yield claim("tensorflow", name, f"cudnn of {version}", part, facts.cudnn, fields=())


def _marker(one: Requirement) -> str:
    return str(one.marker).replace("_", "-")


def _normal(one: Requirement) -> str:
    return f"{canonical(one.name)}{one.specifier}"


def _texts(requirements: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(_normal(Requirement(one)) for one in requirements))


def _asked(
    table: str,
    name: str,
    field: str,
    about: str,
    told: str | None,
    required: tuple[Requirement, ...],
    platform: str,
    pythons: tuple[str, ...],
) -> Claim:
    """What a cell says of a requirement. One that names another distribution, keras-nightly>=3, is asked for that."""
    dist, text = field, told
    if told is not None and told[0].isalpha():
        own = Requirement(told.partition(";")[0].split("|")[0])
        dist, text = canonical(own.name), str(own.specifier)
    found = as_text(named(required, dist), platform, pythons)
    same = says_the_same(text, found, platform, pythons)
    return claim(table, name, f"{field} {about}", told, told if same else found, fields=(field,))


def _required(matrix: Matrix, library: Library, shelf: Shelf) -> Iterator[Claim]:
    """The tables `protobuf`, `numpy` and `keras`."""
    for row in matrix.table("protobuf"):
        required = requirements("tensorflow", row.tensorflow, LINUX, library)
        if required is not None:
            name = f"tensorflow {row.tensorflow}"
            yield _asked("protobuf", name, "protobuf", "in the wheel", row.required, required, LINUX, PYTHONS)
    for row in matrix.table("numpy"):
        if row.package not in computing():
            yield claim("numpy", row.package, "package", row.package, None, fields=("package",))
            continue
        required = requirements(row.package, row.version, PLACES[row.os], library)
        if required is not None:
            name = f"{row.package} {row.version}" + (f" {row.os}" if row.os else "")
            place = PLACES[row.os]
            yield _asked("numpy", name, "numpy", "in the wheel", row.required, required, place, PYTHONS)
    for row in matrix.table("keras"):
        yield from _keras(row.tensorflow, row.keras, row.major, row.tf_keras, library, shelf)


def _keras(
    release: str, told: str | None, major: int | None, tf_keras: tuple[str, ...], library: Library, shelf: Shelf
) -> Iterator[Claim]:
    name = f"tensorflow {release}"
    required = requirements("tensorflow", release, LINUX, library)
    if required is not None and told is not None:
        yield _asked("keras", name, "keras", "in the wheel", told, required, LINUX, PYTHONS)
        oldest = min(
            (one.version for one in Requirement(told).specifier if one.operator in (">=", "==", "~=")), default=""
        )
        if major is not None and oldest:
            yield claim("keras", name, "major", major, 3 if Version(oldest).major >= 3 else 2, fields=("major",))
    admitting = tuple(
        one.version
        for one in shelf.finals("tf-keras")
        if (asked := _asks(library("tf-keras", one.version, LINUX), "tensorflow")) and asked.contains(release)
    )
    if admitting:
        yield claim(
            "keras", name, "tf-keras that asks for it", _sorted(tf_keras), _sorted(admitting), fields=("tf_keras",)
        )


def _sorted(versions: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(versions))


# JAX.


def _jax(row: JaxBuild, library: Library, shelf: Shelf) -> Iterator[Claim]:
    name = f"jax {row.version} {row.variant}"
    required = requirements("jax", row.version, LINUX, library)
    if required is None:
        return
    if row.jaxlib is not None and "+" not in row.jaxlib:
        # The first releases with plugins ask for it in the extra.
        in_extra = [one for one in named(required, "jaxlib", row.variant) if row.variant in str(one.marker)]
        asked = named(required, "jaxlib") or tuple(in_extra)
        found = str(asked[0].specifier) if asked else None
        yield _said("jax", name, "jaxlib", *(_set(one) for one in (row.jaxlib, found)))
    plugin = next((one for one in required if canonical(one.name) == f"jax-{row.variant}-plugin"), None)
    version = _newest_in(plugin.specifier, f"jax-{row.variant}-plugin", shelf) if plugin is not None else None
    facts = library(f"jax-{row.variant}-plugin", version, LINUX) if version is not None else None
    for field, package in (("cuda", "nvidia-cuda-runtime"), ("cudnn", "nvidia-cudnn")):
        oldest = oldest_of(facts, package)
        value = getattr(row, field)
        if oldest is not None and value is not None:
            parts = str(value).count(".") + 1
            yield _said("jax", name, field, str(value), ".".join(oldest.split(".")[:parts]))


def _set(text: str | None) -> str | None:
    return None if text is None else str(SpecifierSet(text))


def _newest_in(specifier: SpecifierSet, package: str, shelf: Shelf) -> str | None:
    return next((one.version for one in shelf.finals(package) if specifier.contains(one.version)), None)


def oldest_of(facts: WheelFacts | None, package: str) -> str | None:
    """The lower bound that a plugin sets for one of its libraries, whatever CUDA its name ends in."""
    for one in parsed((facts.requires if facts else None) or ()):
        if canonical(one.name) == package or canonical(one.name).startswith(f"{package}-cu"):
            return next((part.version for part in one.specifier if part.operator == ">="), None)
    return None


# Extensions and Triton.


def _extensions(matrix: Matrix, library: Library) -> Iterator[Claim]:
    for row in matrix.table("extensions"):
        name = f"{row.package} {row.versions[0]}" + (f" ({row.dist})" if row.dist else "")
        read = {version: library(row.dist or row.package, version, LINUX) for version in row.versions}
        for version, facts in read.items():
            # What was not recorded may be there all the same.
            if getattr(library, "is_live", False) and LINUX in (row.platforms or (LINUX,)):
                is_there = facts is not None or row.is_compiled
                yield claim("extensions", name, f"{version} has a wheel", True, is_there, fields=("versions",))
            if facts is None or facts.requires is None:
                continue
            required = tuple(parsed(facts.requires))
            about = f"of {version}"
            torch = named(required, "torch")
            if row.torch and torch and str(torch[0].specifier):
                own, stated = _set(row.torch), str(torch[0].specifier)
                yield claim("extensions", name, f"torch {about}", own, stated, fields=("torch",))
            if row.requires_python and facts.pythons:
                own_pythons, stated_pythons = _admitted(row.requires_python), _of_wheels(facts)
                yield claim(
                    "extensions", name, f"Pythons {about}", own_pythons, stated_pythons, fields=("requires_python",)
                )
            if row.numpy and (numpy := named(required, "numpy")):
                own, stated = _set(row.numpy), str(numpy[0].specifier)
                yield claim("extensions", name, f"numpy {about}", own, stated, fields=("numpy",))
            if row.cuda and facts.cuda:
                major = (int(facts.cuda.split(".")[0]),)
                yield claim("extensions", name, f"cuda {about}", row.cuda, major, fields=("cuda",))


def _admitted(specifier: str) -> tuple[str, ...]:
    return tuple(one for one in ALL_PYTHONS if SpecifierSet(specifier).contains(one))


def _of_wheels(facts: WheelFacts) -> tuple[str, ...]:
    """The Pythons that can use wheels of such tags ("3.10", ">=3.9") and are admitted by their METADATA."""
    admitted = SpecifierSet(facts.requires_python or "")
    oldest = [Version(tag.strip(">=t")) for tag in facts.pythons if tag.startswith(">=")]
    return tuple(
        one
        for one in ALL_PYTHONS
        if admitted.contains(one) and (one in facts.pythons or any(Version(one) >= first for first in oldest))
    )


def _triton(matrix: Matrix, library: Library) -> Iterator[Claim]:
    for row in matrix.table("triton"):
        facts = library("triton", row.version, LINUX)
        if facts is None or not facts.assemblers:
            continue
        name = f"triton {row.version}"
        yield _said("triton", name, "ptxas", row.ptxas, facts.assemblers.get("ptxas"))
        yield _said("triton", name, "ptxas_blackwell", row.ptxas_blackwell, facts.assemblers.get("ptxas-blackwell"))


def wheels_to_read(matrix: Matrix, shelf: Shelf) -> tuple[tuple[str, str, str], ...]:
    """The wheels that these claims ask for, so that they can be read at once."""
    asked: dict[tuple[str, str, str], None] = {}
    carried = (*CARRIERS.values(), ARM_CARRIER, "jax-cuda12-plugin", "jax-cuda13-plugin")

    def note(package: str, version: str, platform: str) -> WheelFacts | None:
        asked[(package, version, platform)] = None
        # A requirement on each that may lead to another wheel.
        return WheelFacts(requires=tuple(f"{name}>=0" for name in carried))

    for _ in content_claims(matrix, note, shelf):
        pass
    return tuple(asked)
