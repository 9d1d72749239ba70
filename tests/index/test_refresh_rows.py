"""scripts/refresh: the newest releases taken out of the tables come back as they were, from what their wheels state."""

import importlib.machinery
import importlib.util
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from gpudoctor.index.claims import Shelf
from gpudoctor.index.files import Found
from gpudoctor.index.wheel_facts import WheelFacts
from gpudoctor.knowledge.matrix import load
from gpudoctor.knowledge.matrix.load import load_matrix
from tests.index.test_contents import LIBRARY, SHELF

SCRIPTS = Path(__file__).parents[2] / "scripts"
DATE = "2031-02-03"
#: What a person adds: words, the grade of a better source, a fault that was measured and what mends it, PTX.
BY_HAND = {"notes", "confidence", "source", "checked", "defect", "links", "ptx"}
#: By table: the field that names a row's release, and the package that it is of.
RELEASES = {
    "torch": ("version", "torch"),
    "companions": ("torch", "torch"),
    "tensorflow": ("last", "tensorflow"),
    "keras": ("tensorflow", "tensorflow"),
    "protobuf": ("tensorflow", "tensorflow"),
    "jax": ("version", "jax"),
    "cudnn": ("cudnn", "cudnn"),
}
PACKAGES = dict.fromkeys(row.package for row in load_matrix().table("releases"))


@pytest.fixture
def refresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    loader = importlib.machinery.SourceFileLoader("refresh", str(SCRIPTS / "refresh"))
    spec = importlib.util.spec_from_loader("refresh", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    path = list(sys.path)
    loader.exec_module(module)
    yield module
    sys.path[:] = path
    for name in ("compat_file", "new_rows"):
        sys.modules.pop(name, None)


@pytest.fixture
def compat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "compat"
    shutil.copytree(load.folder(), folder)
    monkeypatch.setattr(load, "FOLDERS", (str(folder),))
    return folder


def newest() -> dict[str, str]:
    matrix = load_matrix()
    cudnn = matrix.cudnn(12)
    assert cudnn is not None
    found = {package: matrix.newest(package) for package in ("torch", "tensorflow", "jax")}
    return {name: version for name, version in found.items() if version is not None} | {"cudnn": cudnn.cudnn}


def is_of(table: str, row: dict[str, Any], release: dict[str, str]) -> bool:
    if table == "numpy":
        return row["version"] == release.get(row["package"])
    field, package = RELEASES[table]
    return row[field] == release[package]


def without_newest(compat: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows taken out, by table."""
    release, taken = newest(), {}
    for table in (*RELEASES, "numpy"):
        path = compat / f"{table}.json"
        document = json.loads(path.read_text())
        taken[table] = [row for row in document["rows"] if is_of(table, row, release)]
        document["rows"] = [row for row in document["rows"] if not is_of(table, row, release)]
        path.write_text(json.dumps(document))
    return taken


def facts(table: str, rows: list[dict[str, Any]]) -> list[str]:
    # The device code of a cuDNN is scanned, too.
    skipped = BY_HAND | ({"archs"} if table == "cudnn" else set())
    return sorted(json.dumps({k: v for k, v in row.items() if k not in skipped}, sort_keys=True) for row in rows)


def test_the_newest_releases_come_back_as_they_were(refresh: ModuleType, compat: Path) -> None:
    taken = without_newest(compat)
    assert all(taken.values()), "a row of each table was taken out"
    made = refresh.add_rows(LIBRARY, Shelf(SHELF, PACKAGES), DATE)
    for table, rows in taken.items():
        fresh = [row for row in made.rows(table) if row.get("checked") == DATE]
        assert facts(table, fresh) == facts(table, rows), table
        assert all(row["confidence"] in ("metadata", "derived") for row in fresh)
    refresh.write(made)
    order = [row["version"] for row in json.loads((compat / "torch.json").read_text())["rows"]]
    assert order[0] == newest()["torch"]
    assert not refresh.add_rows(LIBRARY, Shelf(SHELF, PACKAGES), DATE).added, "a second run adds nothing"
    load_matrix.cache_clear()
    try:
        rows = load_matrix().torch_builds(newest()["torch"])
        assert {row.checked for row in rows} == {DATE} and all("wheels of torch" in row.source for row in rows)
    finally:
        load_matrix.cache_clear()


class Index:
    """The recorded index with one release more, of the wheels of another."""

    def __init__(self, package: str, version: str, like: str) -> None:
        self.package, self.version, self.like = package, version, like

    def releases(self, package: str) -> tuple[Found, ...] | None:
        found = SHELF.releases(package)
        if package != self.package or found is None:
            return found
        like = next(one for one in found if one.version == self.like)
        return (Found(version=self.version, wheels=like.wheels, requires_python=like.requires_python), *found)

    def __call__(self, package: str, version: str, platform: str) -> WheelFacts | None:
        is_new = package == self.package and version == self.version
        return LIBRARY(package, self.like if is_new else version, platform)


def test_a_release_that_nobody_has_seen(refresh: ModuleType, compat: Path) -> None:
    index = Index("torch", "99.0.0", newest()["torch"])
    made = refresh.add_rows(index, Shelf(index, PACKAGES), DATE)
    assert {row["variant"] for row in made.rows("torch") if row["version"] == "99.0.0"} >= {"cpu", "cu126"}
    assert [table for table, _ in made.added if table == "companions"]
    assert any("RELEASE.md" in text for text in made.by_hand)


def test_wheels_that_say_nothing_are_left_to_a_person(refresh: ModuleType, compat: Path) -> None:
    index = Index("torch", "99.0.0", newest()["torch"])

    def silent(package: str, version: str, platform: str) -> WheelFacts | None:
        return None if version == "99.0.0" else LIBRARY(package, version, platform)

    made = refresh.add_rows(silent, Shelf(index, PACKAGES), DATE)
    assert not made.added and any("torch 99.0.0" in text for text in made.by_hand)
