"""What the table of TensorFlow says of a release is what the tables of NumPy, protobuf and Keras say of it."""

from itertools import pairwise

import pytest

from gpudoctor.facts.versions import package_version
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.matrix.types import KerasPairing, NumpyAbi, ProtobufRange, TensorflowBuild
from gpudoctor.plan.specifiers import meets

MATRIX = load_matrix()
#: Releases that tell ranges apart.
TRIED = {
    "numpy": (
        "1.16.6",
        "1.18.5",
        "1.19.5",
        "1.21.6",
        "1.23.5",
        "1.24.0",
        "1.24.3",
        "1.26.4",
        "2.0.2",
        "2.1.3",
        "2.3.0",
    ),
    "protobuf": ("3.6.1", "3.9.2", "3.19.6", "3.20.3", "4.25.3", "5.29.0", "6.33.0"),
    "keras": ("2.6.0", "2.7.0", "2.8.0", "2.14.0", "2.15.0", "3.0.0", "3.11.0"),
}
ASKED = [
    *(("numpy", row.version, row.required) for row in MATRIX.table("numpy")
      if isinstance(row, NumpyAbi) and row.package == "tensorflow" and row.os in (None, "linux")),
    *(("protobuf", row.tensorflow, row.required) for row in MATRIX.table("protobuf") if isinstance(row, ProtobufRange)),
    *(("keras", row.tensorflow, row.keras) for row in MATRIX.table("keras") if isinstance(row, KerasPairing)),
]  # fmt: skip


def row_of(version: str) -> TensorflowBuild | None:
    rows = MATRIX.tensorflow_builds(version, "linux-x86_64", "tensorflow")
    return next((row for row in rows if row.build != "stub"), None)


def plain(text: str | None) -> bool:
    """One specifier for every Python, of the package itself."""
    return bool(text) and not {";", "|"} & set(text or "") and not (text or "")[0].isalpha()


@pytest.mark.parametrize(("package", "version", "required"), ASKED)
def test_each_release_asks_for_what_it_asks_for(package: str, version: str, required: str | None) -> None:
    row = row_of(version)
    told = getattr(row, package) if row is not None else None
    if not plain(told) or not plain(required):
        return
    assert told is not None
    assert required is not None
    assert [meets(one, told) for one in TRIED[package]] == [meets(one, required) for one in TRIED[package]]


@pytest.mark.parametrize(
    ("version", "package", "asked"),
    [("2.14.0", "numpy", "2.0.2"), ("2.6.0", "keras", "2.15.0"), ("2.8.1", "protobuf", "4.25.3")],
)
def test_an_early_release_of_a_line_admits_more(version: str, package: str, asked: str) -> None:
    row = row_of(version)
    assert row is not None
    assert meets(asked, getattr(row, package))


def test_ranges_of_a_platform_do_not_overlap() -> None:
    found: dict[tuple[str, str, str], list[TensorflowBuild]] = {}
    for row in MATRIX.tensorflow_builds():
        found.setdefault((row.dist, row.platform, row.build), []).append(row)
    for rows in found.values():
        for newer, older in pairwise(rows):
            first, last = package_version(newer.first), package_version(older.last)
            assert first is not None
            assert last is not None
            assert last < first, (older.last, newer.first)
