"""The matrix against what wheels state of themselves, recorded by scripts/record_wheels; and planted errors."""

import json
import os
import random
from collections import Counter
from pathlib import Path
from typing import Any

from packaging.version import Version

from gpudoctor.facts.typed_json import decode_json
from gpudoctor.index.claims import Claim
from gpudoctor.index.files import Found
from gpudoctor.index.verify import Verification, verify
from gpudoctor.index.wheel_facts import Recording, WheelFacts
from gpudoctor.knowledge.matrix.load import load_matrix, read_table
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.tables import MatrixUnreadable
from gpudoctor.plan.glibc import glibc_floor
from tests.knowledge.matrix.test_tables import KEYS

#: Planted errors; GPUDOCTOR_PLANTED=200 for the whole campaign.
PLANTED = int(os.environ.get("GPUDOCTOR_PLANTED", "20"))
SEED = int(os.environ.get("GPUDOCTOR_SEED", "11"))
#: Tables about which an index has something to say; the others are for people to compare with a page.
CONFIRMABLE = (
    "companions", "dates", "extensions", "glibc", "jax", "keras", "numpy", "pairs", "protobuf", "releases",
    "tensorflow", "toolkit_parts", "torch", "triton",
)  # fmt: skip
#: Fields that no wheel states, by table; an error in one of them is found by reading its source.
NOT_STATED = {
    "torch": {"os", "platforms", "ptx", "index_suffix", "torchaudio", "pythons_on"},
    "tensorflow": {"archs", "partial", "defect", "cudnn", "line"},
    "jax": {"archs", "driver_linux", "min_capability"},
    # Whether a version exists is asked of a live index: a recording has those that were asked for.
    "extensions": {"versions", "platforms", "min_capability", "is_compiled", "cuda", "package", "dist"},
    "numpy": {"works_with_numpy2", "os"},
    "protobuf": {"works"},
    "companions": {"torchaudio"},
    "dates": {"package"},
    # With which release it begins shows where the one before it is tagged otherwise.
    "glibc": {"package", "since", "kinds"},
    "pairs": {"package", "releases", "of", "is_optional"},
    "toolkit_parts": {"cuda", "toolkit"},
}
ROW_ITSELF = {"source", "confidence", "notes", "checked"}


class Shelf:
    """The file lists that the shipped table `releases` was made from."""

    def __init__(self) -> None:
        self._found: dict[str, dict[str, Found]] = {}
        dates = {row.package: row.released for row in load_matrix().table("dates")}
        for row in load_matrix().table("releases"):
            for version in row.versions if not row.gone else ():
                self._found.setdefault(row.package, {})[version] = Found(
                    version=version,
                    wheels=row.wheels,
                    macos=row.macos,
                    requires_python=row.requires_python,
                    yanked=row.yanked,
                    released=dates.get(row.package, {}).get(version),
                    glibc=str(glibc_floor(row.package, version, load_matrix()) or "") or None,
                )

        # A pre-release that a row speaks about.
        for row in load_matrix().tensorflow_builds("2.22.0rc0"):
            rc = self._found[row.dist].setdefault(row.first, Found(version=row.first))
            rc.wheels[row.platform] = row.pythons

    def releases(self, package: str) -> tuple[Found, ...] | None:
        found = self._found.get(package)
        return tuple(found.values()) if found is not None else None


class RecordedLibrary:
    """Answers from a file that `record` made: `facts` once each, `wheels` by name to their number."""

    def __init__(self, raw: bytes) -> None:
        found = decode_json(raw, type=Recording)
        self._wheels = {name: found.facts[number] for name, number in found.wheels.items()}
        self.count = len(self._wheels)

    def __call__(self, package: str, version: str, platform: str) -> WheelFacts | None:
        """See `Library`."""
        return self._wheels.get(f"{package} {version} {platform}")


LIBRARY = RecordedLibrary(Path(__file__).with_name("wheels.json").read_bytes())
SHELF = Shelf()


def compare(tables: dict[str, bytes]) -> Verification:
    return verify(Matrix(lambda name: tables.get(name) or read_table(name)), SHELF, LIBRARY)


def differences(found: Verification) -> set[tuple[str, str, str]]:
    every: tuple[Claim, ...] = (*found.wrong, *found.missing, *found.lacking)
    return {(one.table, one.row, one.about) for one in every}


BASE = compare({})


def test_no_wheel_contradicts_a_row() -> None:
    assert BASE.wrong == ()


def test_three_numbers_and_none_hidden() -> None:
    tally = {one.table: one for one in BASE.tables}
    assert tally["gpus"].cells_confirmed == 0 and tally["gpus"].cells_not_confirmable > 1000
    assert tally["tensorflow"].cells_confirmed > 1500 and tally["tensorflow"].cells_contradicted == 0
    assert sum(one.cells_not_confirmable for one in BASE.tables) > 5000


def other(value: Any, chance: random.Random) -> Any:
    """Another value of the same kind, as a slip of the pen would leave it."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, list):
        if not value or (chance.random() < 0.5 and len(value) > 1):
            return value[:-1]
        return [*value[:-1], other(value[-1], chance)]
    if isinstance(value, dict):
        key = chance.choice(sorted(value))
        return {**value, key: other(value[key], chance)}
    digits = [at for at, one in enumerate(value) if one.isdigit()]
    if not digits:
        return value + "x"
    at = chance.choice(digits)
    return value[:at] + str((int(value[at]) + chance.randrange(1, 9)) % 10) + value[at + 1 :]


def is_stated(table: str, row: dict[str, Any], field: str) -> bool:
    """Whether the file list or a wheel of the package index states a cell."""
    if field in NOT_STATED.get(table, ()):
        return False
    if table == "dates":
        return row["package"] in {one.package for one in load_matrix().table("releases")}
    if table == "extensions" and field == "torch" and row.get("confidence") != "metadata":
        return False
    if table in ("glibc", "pairs") and (row.get("confidence") != "metadata" or row.get("kinds")):
        return False
    if table == "torch" and field not in {"version", "variant", "cuda", "default_on", "torchvision"}:
        version = Version(row["version"])
        if field == "archs":
            return version >= Version("2.12") and row["variant"] != "cu129"
        by_pins = field in {"cudnn", "nccl", "triton", "cuda_patch"}
        return bool(row.get("default_on")) and not (by_pins and version < Version("1.13"))
    if table == "jax" and field in {"cuda", "cudnn", "pythons", "platforms", "variant"}:
        return bool(row["variant"] in ("cuda12", "cuda13") and Version(row["version"]) >= Version("0.7.2"))
    if table == "jax" and field == "jaxlib":
        return "+" not in row["jaxlib"]
    return True


def planted(chance: random.Random, tables: tuple[str, ...] = CONFIRMABLE) -> tuple[str, int, str, Any]:
    """(table, row, field, wrong value), every table as likely as another."""
    while True:
        table = chance.choice(tables)
        rows = json.loads(read_table(table))["rows"]
        number = chance.randrange(len(rows))
        row = rows[number]
        fields = [name for name in row if name not in ROW_ITSELF and is_stated(table, row, name)]
        if not fields:
            continue
        field = chance.choice(fields)
        value = other(row[field], chance)
        if value != row[field]:
            return table, number, field, value


def with_error(table: str, number: int, field: str, value: Any) -> bytes:
    document = json.loads(read_table(table))
    document["rows"][number] = {**document["rows"][number], field: value}
    return json.dumps(document).encode()


def has_duplicates(table: str, number: int, field: str, value: Any) -> bool:
    """Two rows about the same, which tests/knowledge/matrix/test_tables.py refuses."""
    rows = json.loads(with_error(table, number, field, value))["rows"]
    keys = Counter(tuple(json.dumps(row.get(one)) for one in KEYS[table]) for row in rows)
    return max(keys.values()) > 1


def test_planted_errors_are_found() -> None:
    """One wrong cell in a table at a time: the comparison differs from the one without it."""
    chance = random.Random(SEED)
    base, missed = differences(BASE), Counter[str]()
    for _ in range(PLANTED):
        table, number, field, value = planted(chance)
        try:
            found = compare({table: with_error(table, number, field, value)})
        except (MatrixUnreadable, ValueError):
            continue  # Not even a value of its kind.
        if differences(found) == base and not has_duplicates(table, number, field, value):
            missed[f"{table}.{field}"] += 1
    assert sum(missed.values()) <= PLANTED * 0.05, missed
