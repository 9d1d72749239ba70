"""Reads a matrix table (JSON) and checks its rows against their types."""

from collections.abc import Iterable
from functools import lru_cache
from importlib import import_module
from typing import Any, Generic, TypeVar

import msgspec
from msgspec.structs import force_setattr

from gpudoctor.errors import CannotExamine
from gpudoctor.facts.typed_json import decode_json
from gpudoctor.facts.versions import DOTTED_TYPES, package_version, public, schema_of
from gpudoctor.knowledge.matrix.gpu_types import Architecture, GpuModel, Xid
from gpudoctor.knowledge.matrix.types import (
    Companions,
    Cudnn,
    DriverBranch,
    DriverFloor,
    ForwardCompat,
    FrameworkBuild,
    GlibcFloor,
    JaxBuild,
    KerasPairing,
    NumpyAbi,
    ProtobufRange,
    Release,
    Row,
    TensorflowBuild,
    Toolkit,
    TorchBuild,
    TritonAssembler,
)

R = TypeVar("R", bound=Row)


class MatrixUnreadable(CannotExamine):
    """A table is missing or damaged; the message says which and why, in one sentence."""


class Table(msgspec.Struct, Generic[R], frozen=True, kw_only=True):
    """One table. In the file a row's `source` is a key of `sources`; `checked` holds for rows that have no date."""

    table: str
    checked: str
    sources: dict[str, str]
    rows: tuple[R, ...]


class Edition(msgspec.Struct, frozen=True):
    """The part of a table that says how old it is."""

    checked: str


#: The tables that a judgement rests on, by file name, and their types.
TABLES: dict[str, Any] = {
    "builds": Table[FrameworkBuild],
    "companions": Table[Companions],
    "cuda_arch": Table[Architecture | Toolkit],
    "cuda_driver": Table[DriverFloor | DriverBranch | ForwardCompat],
    "cudnn": Table[Cudnn],
    "glibc": Table[GlibcFloor],
    "gpus": Table[GpuModel],
    "jax": Table[JaxBuild],
    "keras": Table[KerasPairing],
    "numpy": Table[NumpyAbi],
    "protobuf": Table[ProtobufRange],
    "releases": Table[Release],
    "tensorflow": Table[TensorflowBuild],
    "torch": Table[TorchBuild],
    "triton": Table[TritonAssembler],
    "xids": Table[Xid],
}
#: Tables that people, benchmarks and fixes look up, and the module and type of their rows. A check that finds nothing
#: reads none, not even for its date.
LOOKED_UP: dict[str, str] = {
    "amd_families": "offer_types:AmdFamily",
    "amd_gpus": "offer_types:AmdGpu",
    "chips": "gpu_types:Chip",
    "containers": "offer_types:ContainerImage",
    "dates": "look_up_types:ReleaseDates",
    "elsewhere": "offer_types:Elsewhere",
    "engines": "offer_types:EngineBuild",
    "extensions": "offer_types:Extension",
    "faults": "look_up_types:KnownFault",
    "gpu_peaks": "gpu_types:GpuPeaks",
    "gpu_reference": "gpu_types:GpuReference",
    "images": "offer_types:BaseImage",
    "matlab": "offer_types:MatlabRelease",
    "networks": "training_types:Network",
    "pairs": "offer_types:Pair",
    "programs": "look_up_types:ProgramBuild",
    "ready_wheels": "offer_types:ReadyWheel",
    "rocm": "offer_types:RocmBuild",
    "runtimes": "offer_types:Runtime",
    "throughput": "training_types:Throughput",
    "toolkit_parts": "offer_types:ToolkitParts",
    "recipes": "look_up_types:Recipe",
}
ALL_TABLES = tuple(sorted({**TABLES, **LOOKED_UP}))


def table_type(name: str) -> Any:
    """The type of a table."""
    if name in TABLES:
        return TABLES[name]
    module, _, row = LOOKED_UP[name].partition(":")
    kind = getattr(import_module(f"gpudoctor.knowledge.matrix.{module}"), row)
    return Table[kind]  # type: ignore[valid-type]


@lru_cache(maxsize=4096)
def _decode(kind: type, text: str) -> Any:
    # A few hundred different version numbers fill some thousand cells.
    return kind(text)


def _dotted(kind: type, value: object) -> Any:
    if kind in DOTTED_TYPES:
        return _decode(kind, str(value))
    raise NotImplementedError(kind)


def decode_table(name: str, raw: bytes) -> tuple[Row, ...]:
    """The rows of the table `name`, sources resolved. Raises MatrixUnreadable."""
    try:
        table: Table[Any] = decode_json(raw, type=table_type(name), dec_hook=_dotted)
        for row in table.rows:
            force_setattr(row, "source", table.sources[row.source])
            if not row.checked:
                force_setattr(row, "checked", table.checked)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise MatrixUnreadable(f"the compatibility table {name}.json is damaged: {error}") from None
    except KeyError as error:
        raise MatrixUnreadable(f"the compatibility table {name}.json cites an unknown source {error}") from None
    return table.rows


def edition_of(name: str, raw: bytes) -> str:
    """The date a table was checked on. Raises MatrixUnreadable."""
    try:
        return decode_json(raw, type=Edition).checked
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise MatrixUnreadable(f"the compatibility table {name}.json is damaged: {error}") from None


def of_version(rows: Iterable[Any], version: str) -> tuple[Any, ...]:
    """The rows of one version, its local tag ignored; none where it is no version."""
    wanted = public(version)
    return tuple(row for row in rows if package_version(row.version) == wanted) if wanted is not None else ()


def json_schema() -> dict[str, Any]:
    """The JSON Schema of every table: one definition a row type, one property a table."""
    schemas, definitions = msgspec.json.schema_components(map(table_type, ALL_TABLES), schema_hook=schema_of)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Tables of the gpudoctor compatibility matrix, by file name",
        "type": "object",
        "properties": dict(zip(ALL_TABLES, schemas, strict=True)),
        "$defs": definitions,
    }
