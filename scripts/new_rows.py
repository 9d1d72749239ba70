"""Rows of releases that no table has yet, out of what their wheels state; what wheels do not state is not made up.

What a build has in common with the one before it (the platforms of a CUDA build, its index, what a guide says of an
extra) is taken from that row, and the new row is then graded `derived`.
"""

from collections.abc import Iterator
from typing import Any

from packaging.requirements import Requirement
from packaging.version import Version

from gpudoctor.index.claims import Shelf, usual
from gpudoctor.index.requirement_text import as_text, named, parsed
from gpudoctor.index.wheel_claims.jax import oldest_of
from gpudoctor.index.wheel_claims.stated import LINUX, PYTHONS
from gpudoctor.index.wheel_claims.tensorflow import requirements
from gpudoctor.index.wheel_claims.torch import newest_for, pin
from gpudoctor.index.wheel_facts import Library, WheelFacts
from gpudoctor.knowledge.matrix.types import PLATFORMS
from gpudoctor.sources.package_names import normalise

Row = dict[str, Any]
#: The libraries whose release a torch build states, by field.
PINS = {
    "cuda_patch": "cuda-toolkit",
    "cudnn": "nvidia-cudnn-cu",
    "nccl": "nvidia-nccl-cu",
    "triton": "triton",
}
#: A torch build without CUDA, and one of each of its CUDA versions.
CPU = "cpu"


def torch_rows(version: str, before: list[Row], library: Library, shelf: Shelf) -> list[Row]:
    """One row a build, newest CUDA first; `before`: the rows of the release before it. Empty: nothing was read."""
    found, read = shelf.release("torch", version), _read("torch", version, library, shelf)
    facts = read.get(LINUX)
    if found is None or facts is None or not facts.builds:
        return []
    pythons = list(usual(found.wheels.get(LINUX, ())))
    defaults: dict[str, list[str]] = {}
    for platform in PLATFORMS:
        if platform in read and read[platform].variant:
            defaults.setdefault(read[platform].variant or "", []).append(platform)
    vision = newest_for(version, "torchvision", library, shelf)
    rows = []
    for cuda in [*sorted(facts.builds, key=Version, reverse=True), CPU]:
        variant = cuda if cuda == CPU else f"cu{cuda.replace('.', '')}"
        older: Row = next((row for row in before if row["variant"] == variant), {})
        row: Row = {"version": version, "variant": variant}
        if cuda != CPU:
            row["cuda"] = cuda
            required = parsed(facts.requires or ())
            stated = PINS if facts.variant == variant else {"triton": PINS["triton"]}
            row |= {field: value for field, name in stated.items() if (value := pin(required, name)) is not None}
        row |= _places(cuda, older, facts)
        if cuda != CPU:
            row["archs"] = {platform: _archs(facts, cuda, platform) for platform in row["platforms"]}
        row["pythons"] = pythons
        if variant in defaults:
            row["default_on"] = defaults[variant]
        # PyTorch's own site always has these; which others it has is not in a wheel.
        row |= {"index_suffix": f"whl/{variant}"} if variant in (CPU, facts.variant) else {}
        row |= {"torchvision": vision} if vision else {}
        row |= {field: older[field] for field in ("torchaudio",) if field in older}
        row["confidence"] = "metadata" if variant in defaults else "derived"
        rows.append(row)
    return rows


def _read(package: str, version: str, library: Library, shelf: Shelf) -> dict[str, WheelFacts]:
    found = shelf.release(package, version)
    platforms = [one for one in PLATFORMS if found is not None and one in found.wheels]
    return {one: facts for one in platforms if (facts := library(package, version, one)) is not None}


def _places(cuda: str, older: Row, facts: WheelFacts) -> Row:
    """Systems and platforms of a build: as before; of a CUDA that is new, those that the wheel's table names."""
    if older:
        return {"os": older["os"], "platforms": older["platforms"]}
    if cuda == CPU:
        return {"os": [], "platforms": []}
    processors = facts.builds[cuda]
    return {"os": ["linux"], "platforms": [f"linux-{one}" for one in ("x86_64", "aarch64") if one in processors]}


def _archs(facts: WheelFacts, cuda: str, platform: str) -> list[str]:
    stated = facts.builds[cuda]
    return list(stated.get("aarch64" if "aarch64" in platform else "x86_64", stated.get("", ())))


def companion_row(version: str, before: Row, library: Library, shelf: Shelf) -> Row:
    """The torchvision whose METADATA admits a torch; torchaudio asks for none from 2.11 on, so it stays as before."""
    vision = newest_for(version, "torchvision", library, shelf)
    row: Row = {"torch": version, "torchvision": [vision] if vision else []}
    return {**row, "torchaudio": before.get("torchaudio", []), "confidence": "metadata"}


def tensorflow_rows(dist: str, version: str, before: list[Row], library: Library, shelf: Shelf) -> Iterator[Row]:
    """One row a platform; `before`: the rows of the release before it."""
    found = shelf.release(dist, version)
    for platform in PLATFORMS:
        required = requirements(dist, version, platform, library) if found and platform in found.wheels else None
        if found is None or required is None:
            continue
        facts = library(dist, version, platform)
        pythons = list(usual(found.wheels[platform]))
        is_gpu = bool(facts is not None and facts.cuda)
        build = "gpu" if is_gpu else CPU
        older: Row = next((row for row in before if (row["platform"], row["build"]) == (platform, build)), {})
        row: Row = {
            "line": ".".join(version.split(".")[:2]),
            "first": version,
            "last": version,
            "platform": platform,
            "dist": dist,
            "build": build,
        }
        if is_gpu and facts is not None:
            row |= _gpu_build(facts, required, older)
        row["pythons"] = pythons
        if is_gpu:
            row["and_cuda"] = sorted(
                {_plain(one) for one in required if "and-cuda" in str(one.marker).replace("_", "-")}
            )
        for field in ("keras", "numpy", "protobuf"):
            text = as_text(named(required, field), platform, pythons)
            row |= {field: text} if text is not None else {}
        row["confidence"] = "metadata"
        yield row


def _gpu_build(facts: WheelFacts, required: tuple[Requirement, ...], older: Row) -> Row:
    cudnn = next((one for one in required if normalise(one.name).startswith("nvidia-cudnn-cu")), None)
    floor = next((part.version for part in cudnn.specifier if part.operator in (">=", "==")), None) if cudnn else None
    build: Row = {"cuda": facts.cuda}
    build |= {"cudnn": ".".join(floor.split(".")[:2])} if floor else {}
    build["archs"] = list(facts.archs)
    # Which of them have few kernels is measured; the same list of architectures is built by the same settings.
    return build | (
        {"partial": older["partial"]} if older.get("archs") == build["archs"] and "partial" in older else {}
    )


def _plain(one: Requirement) -> str:
    return f"{normalise(one.name)}{one.specifier}"


def keras_row(version: str, before: Row, library: Library, shelf: Shelf) -> Row | None:
    """The Keras that TensorFlow requires, and the tf-keras releases that require this TensorFlow."""
    required = requirements("tensorflow", version, LINUX, library)
    text = as_text(named(required or (), "keras"), LINUX, PYTHONS)
    if text is None:
        return None
    line = Version(version).release[:2]
    same = [one.version for one in shelf.finals("tf-keras") if Version(one.version).release[:2] == line]
    row: Row = {"tensorflow": version, "keras": f"keras{text}"}
    # What is said of a Keras goes on to hold for the next TensorFlow that has it.
    row |= {name: before[name] for name in ("major", "notes") if name in before}
    return {**row, "tf_keras": sorted(same, key=Version), "confidence": "metadata"}


def protobuf_row(version: str, library: Library) -> Row | None:
    """The protobuf that TensorFlow requires."""
    text = as_text(named(requirements("tensorflow", version, LINUX, library) or (), "protobuf"), LINUX, PYTHONS)
    return {"tensorflow": version, "required": text, "confidence": "metadata"} if text else None


def numpy_rows(package: str, version: str, before: list[Row], library: Library) -> list[Row]:
    """A framework goes on to work with NumPy 2 where the release before it does; the requirement is the wheel's."""
    rows = []
    for older in before:
        row: Row = {"package": package, "version": version}
        row |= {"os": older["os"]} if "os" in older else {}
        row |= {"works_with_numpy2": True} if older.get("works_with_numpy2") else {}
        platform = {"windows": "windows-x86_64", "macos": "macos-arm64"}.get(older.get("os", ""), LINUX)
        text = as_text(named(requirements(package, version, platform, library) or (), "numpy"), platform, PYTHONS)
        rows.append({**row, **({"required": text} if text else {}), "confidence": "derived"})
    return rows


def jax_rows(version: str, before: list[Row], library: Library, shelf: Shelf) -> Iterator[Row]:
    """One row an extra that asks for a plugin; what the installation guide says of the extra, as before."""
    required = requirements("jax", version, LINUX, library) or ()
    for older in before:
        plugin = f"jax-{older['variant']}-plugin"
        asked = next((one for one in required if normalise(one.name) == plugin), None)
        admitted = [one for one in shelf.finals(plugin) if asked is not None and asked.specifier.contains(one.version)]
        if not admitted:
            continue
        facts = library(plugin, admitted[0].version, LINUX)
        cuda, cudnn = oldest_of(facts, "nvidia-cuda-runtime"), oldest_of(facts, "nvidia-cudnn")
        jaxlib = named(required, "jaxlib")
        platforms = [one for one in PLATFORMS if one in admitted[0].wheels]
        row: Row = {"version": version, "variant": older["variant"]}
        row |= {"cuda": ".".join(cuda.split(".")[:2])} if cuda else {}
        row |= {"cudnn": cudnn} if cudnn else {}
        row |= {"jaxlib": str(jaxlib[0].specifier)} if jaxlib else {}
        row |= {"pythons": list(usual(admitted[0].wheels[platforms[0]])), "platforms": platforms}
        row |= {field: older[field] for field in ("driver_linux", "min_capability") if field in older}
        yield {**row, "notes": "plugin pins", "confidence": "metadata"}


def toolkit_row(cuda: str, version: str, library: Library) -> Row | None:
    """The cuSPARSE that a release of cuda-toolkit requires."""
    facts = library("cuda-toolkit", version, LINUX)
    asked = [one for one in parsed(facts.requires or ()) if one.name == "nvidia-cusparse"] if facts else []
    cusparse = str(asked[0].specifier).removeprefix("==").removesuffix(".*") if asked else ""
    row = {"cuda": cuda, "toolkit": version, "cusparse": cusparse, "confidence": "metadata"}
    return row if cusparse.replace(".", "").isdigit() else None
