"""Updates of the matrix: what is signed and newer is taken, every attack is refused, and what was there stays."""

import datetime
import http.server
import importlib.machinery
import importlib.util
import json
import os
import shutil
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner

from gpudoctor.cli.main import cli
from gpudoctor.index import repository
from gpudoctor.knowledge.matrix import editions
from gpudoctor.knowledge.matrix.load import folder, load_matrix
from gpudoctor.knowledge.matrix.tables import ALL_TABLES, TABLES

SCRIPT = Path(__file__).parents[2] / "scripts" / "matrix_repository"


def _script() -> ModuleType:
    loader = importlib.machinery.SourceFileLoader("matrix_repository", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("matrix_repository", loader))  # type: ignore[arg-type]
    loader.exec_module(module)
    return module


SIGNING = _script()


class Publisher:
    """A repository, its keys and the tables that it publishes."""

    def __init__(self, place: Path) -> None:
        self.keys, self.where, self.tables = place / "keys", place / "repository", place / "tables"
        SIGNING.make_keys(self.keys)
        shutil.copytree(folder(), self.tables)

    @property
    def root(self) -> str:
        return str(self.keys / "root.json")

    def publish(self, edition: str = "2099-01-01", **options: Any) -> "Publisher":
        for name in TABLES:
            self.change(name, checked=edition)
        SIGNING.publish(self.keys, self.where, self.tables, **options)
        return self

    def change(self, name: str, **values: Any) -> None:
        path = self.tables / f"{name}.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **values}))

    def table(self, name: str) -> Path:
        return max((self.where / "targets").glob(f"*.{name}.json"), key=lambda path: path.stat().st_mtime_ns)

    def metadata(self, name: str) -> Path:
        return self.where / "metadata" / name


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with one edition, to be copied."""
    place = tmp_path_factory.mktemp("made")
    Publisher(place).publish()
    return place


@pytest.fixture
def publisher(tmp_path: Path, made: Path) -> Publisher:
    copied = Publisher.__new__(Publisher)
    shutil.copytree(made, tmp_path / "published")
    copied.keys, copied.where, copied.tables = (
        tmp_path / "published" / name for name in ("keys", "repository", "tables")
    )
    return copied


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name in ("XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "data"))
    monkeypatch.setenv("NO_PROXY", "*")
    load_matrix.cache_clear()
    yield tmp_path / "data" / "gpudoctor" / "matrix"
    load_matrix.cache_clear()


def run(publisher: Publisher, where: str | Path | None = None, *more: str) -> tuple[int, str]:
    options = ["matrix", "update", "--from", str(where or publisher.where), "--root", publisher.root, *more]
    result = CliRunner().invoke(cli, options)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    load_matrix.cache_clear()
    return result.exit_code, result.output


def edition() -> str:
    load_matrix.cache_clear()
    return load_matrix().edition


SHIPPED = max(json.loads(Path(folder(), f"{name}.json").read_text())["checked"] for name in TABLES)


def test_a_newer_edition_is_used_from_then_on(publisher: Publisher) -> None:
    assert edition() == SHIPPED
    code, said = run(publisher)
    assert code == 0 and "2099-01-01" in said and edition() == "2099-01-01"
    code, said = run(publisher)
    assert code == 0 and "Nothing newer" in said
    publisher.publish("2099-02-02")
    assert run(publisher, None, "--format", "json")[0] == 0 and edition() == "2099-02-02"


def test_a_change_of_the_same_day_is_taken(publisher: Publisher) -> None:
    run(publisher)
    publisher.change("cudnn", rows=json.loads((publisher.tables / "cudnn.json").read_text())["rows"][1:])
    publisher.publish()
    before = len(load_matrix().table("cudnn"))
    assert run(publisher)[0] == 0
    assert len(load_matrix().table("cudnn")) == before - 1


def test_from_an_archive_and_a_server(publisher: Publisher, tmp_path: Path) -> None:
    archive = tmp_path / "update.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for path in publisher.where.rglob("*.json"):
            packed.write(path, path.relative_to(publisher.where))
    assert run(publisher, archive)[0] == 0 and edition() == "2099-01-01"
    publisher.publish("2099-03-03")
    with serving(publisher.where) as address:
        assert run(publisher, address)[0] == 0
    assert edition() == "2099-03-03"


# Attacks. Each finds an edition in use, and leaves it in use.


def rollback(publisher: Publisher) -> None:
    """What was signed long ago is served again."""
    for path in (publisher.where / "metadata").glob("2.*"):
        path.unlink()
    shutil.copy(publisher.keys / "old-timestamp.json", publisher.metadata("timestamp.json"))


def frozen(publisher: Publisher) -> None:
    publisher.publish("2099-09-09", days=-1)


def wrong_keys(publisher: Publisher) -> None:
    other = publisher.keys.parent / "other"
    SIGNING.make_keys(other)
    SIGNING.publish(other, publisher.where, publisher.tables)


def unsigned(publisher: Publisher) -> None:
    path = publisher.metadata("timestamp.json")
    path.write_text(json.dumps({**json.loads(path.read_text()), "signatures": []}))


def changed_table(publisher: Publisher) -> None:
    publisher.publish("2099-09-09")
    path = publisher.table("torch")
    path.write_bytes(path.read_bytes().replace(b"sm_90", b"sm_91"))


def mixed(publisher: Publisher) -> None:
    """The newest timestamp, with a list of tables of another version."""
    publisher.publish("2099-09-09")
    shutil.copy(publisher.metadata("1.targets.json"), publisher.metadata("3.targets.json"))


def mixed_snapshot(publisher: Publisher) -> None:
    publisher.publish("2099-09-09")
    shutil.copy(publisher.metadata("1.snapshot.json"), publisher.metadata("3.snapshot.json"))


def endless_timestamp(publisher: Publisher) -> None:
    publisher.metadata("timestamp.json").write_bytes(b" " * 100_000)


def endless_table(publisher: Publisher) -> None:
    publisher.publish("2099-09-09")
    with publisher.table("gpus").open("ab") as stream:
        stream.write(b" " * 5_000_000)


def large_table(publisher: Publisher) -> None:
    """Signed, and larger than any table is."""
    publisher.change("gpus", padding=" " * 17_000_000)
    publisher.publish("2099-09-09")


def for_another_gpudoctor(publisher: Publisher) -> None:
    publisher.change("cudnn", rows=[{"cudnn": 9, "cuda": "12.x", "source": "s1"}])
    publisher.publish("2099-09-09")


def without_a_table(publisher: Publisher) -> None:
    SIGNING.ALL_TABLES = tuple(name for name in ALL_TABLES if name != "triton")
    try:
        publisher.publish("2099-09-09")
    finally:
        SIGNING.ALL_TABLES = ALL_TABLES


def no_date(publisher: Publisher) -> None:
    publisher.publish("9999/../../x")


def truncated(publisher: Publisher) -> None:
    publisher.publish("2099-09-09")
    path = publisher.metadata("3.snapshot.json")
    path.write_bytes(path.read_bytes()[:100])


def empty(publisher: Publisher) -> None:
    shutil.rmtree(publisher.where)
    publisher.where.mkdir()


ATTACKS = {
    rollback: "older than what was trusted",
    frozen: "expired",
    wrong_keys: "not signed with the keys",
    unsigned: "not signed with the keys",
    changed_table: "not the one that was signed",
    mixed: "older than what was trusted",
    mixed_snapshot: "older than what was trusted",
    endless_timestamp: "more than it may",
    endless_table: "more than it may",
    large_table: "larger than 16 MiB",
    for_another_gpudoctor: "another gpudoctor",
    without_a_table: "no table triton",
    no_date: "no date",
    truncated: "refused",
    empty: "is not there",
}


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_an_attack_is_refused_and_the_last_good_edition_used(
    publisher: Publisher, attack: Any, own_folder: Path
) -> None:
    shutil.copy(publisher.metadata("timestamp.json"), publisher.keys / "old-timestamp.json")
    publisher.publish("2099-02-02")
    assert run(publisher)[0] == 0 and edition() == "2099-02-02"
    before = Path(own_folder, editions.CURRENT).read_bytes()
    attack(publisher)
    code, said = run(publisher)
    assert code == 3, said
    assert ATTACKS[attack] in said and "Not updated: " in said and "Traceback" not in said
    assert edition() == "2099-02-02" and Path(own_folder, editions.CURRENT).read_bytes() == before
    assert not list(own_folder.glob(".incoming-*"))


def test_a_server_that_never_ends(publisher: Publisher, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a length, and slowly: what it may send and how long it may take are bounded."""
    with serving(publisher.where, endless="timestamp.json") as address:
        code, said = run(publisher, address)
    assert code == 3 and "more than it may" in said
    monkeypatch.setattr(repository, "WHOLE", 0.0)
    with serving(publisher.where) as address:
        code, said = run(publisher, address)
    assert code == 3 and "takes longer" in said
    assert edition() == SHIPPED


@pytest.mark.parametrize(
    ("where", "says"),
    [("/nonexistent/update.zip", "no such file"), ("http://127.0.0.1:9/", "cannot be read")],
)
def test_nothing_there(publisher: Publisher, where: str, says: str) -> None:
    code, said = run(publisher, where)
    assert code == 3 and says in said


def test_a_file_that_is_no_archive(publisher: Publisher, tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(b"no archive")
    assert "no zip archive" in run(publisher, tmp_path / "x.zip")[1]


def test_another_gpudoctor_brings_its_own_tables(publisher: Publisher, monkeypatch: pytest.MonkeyPatch) -> None:
    run(publisher)
    monkeypatch.setattr(editions, "mark_of", lambda _: "installed anew")
    assert edition() == SHIPPED


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b'{"edition": "2099-01-01"}'])
def test_a_damaged_note_of_what_is_in_use(publisher: Publisher, own_folder: Path, raw: bytes) -> None:
    run(publisher)
    Path(own_folder, editions.CURRENT).write_bytes(raw)
    assert edition() == SHIPPED


def test_without_a_root_there_is_no_update(publisher: Publisher) -> None:
    result = CliRunner().invoke(cli, ["matrix", "update", "--from", str(publisher.where)])
    assert result.exit_code == 3 and "--root" in result.output


def test_status_and_age(publisher: Publisher) -> None:
    status = CliRunner().invoke(cli, ["matrix", "status", "--format", "json"])
    assert "source" not in json.loads(status.output)
    past = (datetime.date.today() - datetime.timedelta(days=100)).isoformat()
    assert "100 days old" in (editions.old_words(past) or "")
    assert editions.old_words(datetime.date.today().isoformat()) is None
    run(publisher)
    status = CliRunner().invoke(cli, ["matrix", "status"])
    assert "2099-01-01" in status.output and str(publisher.where) in status.output


def test_the_keys_are_the_owners_alone(publisher: Publisher) -> None:
    assert all(os.stat(path).st_mode & 0o077 == 0 for path in publisher.keys.glob("*.pem"))
    with pytest.raises(SystemExit, match="not replaced"):
        SIGNING.make_keys(publisher.keys)


@contextmanager
def serving(where: Path, endless: str = "") -> Iterator[str]:
    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given, directory=str(where))

        def do_GET(self) -> None:
            if not endless or not self.path.endswith(endless):
                return super().do_GET()
            self.send_response(200)
            self.end_headers()
            try:
                while True:
                    self.wfile.write(b" " * 65536)
            except OSError:
                return None

        def log_message(self, *_: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()


def test_an_old_matrix_says_so_where_it_decides(monkeypatch: pytest.MonkeyPatch, publisher: Publisher) -> None:
    fit = ["matrix", "fit", "--gpu", "RTX 4090", "--driver", "580.65.06", "torch"]
    assert "days old" not in CliRunner().invoke(cli, fit).output
    monkeypatch.setattr(editions, "OLD", -1)
    run(publisher)
    monkeypatch.setattr(editions, "age", lambda _: 120)
    assert "120 days old" in CliRunner().invoke(cli, fit).output
