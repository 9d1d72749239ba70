"""Looks up what a release of a package was built for: CUDA, GPUs, driver, torch, NumPy."""

from collections.abc import Iterator

from gpudoctor.facts.specifiers import is_met
from gpudoctor.knowledge.matrix.look_up_types import ProgramBuild
from gpudoctor.knowledge.matrix.offer_types import Extension
from gpudoctor.knowledge.matrix.pairs import engine_build
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import NumpyAbi
from gpudoctor.knowledge.matrix.types import Row as MatrixRow
from gpudoctor.look_up.answer import Found, Row
from gpudoctor.look_up.records import named

_PROGRAMS = {"llamacpp": "llama.cpp", "llama": "llama.cpp"}


def made_for(text: str, matrix: Matrix) -> Iterator[Found]:
    """Of a program ("ollama", "ollama 0.5.4"), or of a release of a package ("onnxruntime-gpu 1.18.0")."""
    name, version = named(text)
    rows: tuple[ProgramBuild, ...] = matrix.table("programs")
    for program in rows:
        if program.program == _PROGRAMS.get(name, name) and (version is None or is_met(program.releases, version)):
            yield _found(f"{program.program} {program.releases}".strip(), program, _needs(program))
    if version is not None:
        yield from _package(name, version, matrix)


def _needs(row: ProgramBuild) -> dict[str, str]:
    low, high = row.min_capability, row.max_capability
    gpus = f"compute capability from {low} to {high}" if high else f"compute capability from {low} on"
    return {
        "GPUs": gpus if low else "",
        "driver": f"{row.driver} or newer" if row.driver else "",
        "CUDA": ", ".join(map(str, row.cuda)),
        "note": row.notes or "",
    }


def _package(name: str, version: str, matrix: Matrix) -> Iterator[Found]:
    subject = f"{name} {version}"
    engine = engine_build(name, version, matrix)
    if engine is not None:
        cudnn = str(engine.cudnn) if engine.cudnn else ""
        yield _found(subject, engine, {"built for CUDA": str(engine.cuda), "cuDNN": cudnn, "note": engine.notes or ""})
    extensions: tuple[Extension, ...] = matrix.table("extensions")
    extension = next((row for row in extensions if (row.dist or row.package) == name and version in row.versions), None)
    if extension is not None:
        known = {"torch": extension.torch, "Python": extension.requires_python, "NumPy": extension.numpy}
        if engine is None:
            known["built for CUDA"] = ", ".join(map(str, extension.cuda))
        if extension.min_capability is not None:
            low = extension.min_capability
            known["GPUs"] = f"compute capability from {low} on"
        yield _found(subject, extension, known)
    abis: tuple[NumpyAbi, ...] = matrix.table("numpy")
    abi = next((row for row in abis if (row.package, row.version) == (name, version)), None)
    if abi is not None:
        works = {True: "yes", False: "no", None: ""}[abi.works_with_numpy2]
        yield _found(subject, abi, {"works with NumPy 2": works, "NumPy": abi.required or ""})


def _found(subject: str, row: MatrixRow, facts: dict[str, str]) -> Found:
    return Found(
        kind="needs",
        subject=subject,
        rows=tuple(Row(name=name, value=value) for name, value in facts.items() if value),
        source=row.source,
        checked=row.checked,
        confidence=row.confidence,
    )
