"""Installs a signed update of the compatibility matrix beside the one that came with gpudoctor."""

import datetime
import os
import re
import secrets
import shutil
import tempfile
from contextlib import suppress

import msgspec
from tuf.api import exceptions as tuf
from tuf.ngclient.config import UpdaterConfig
from tuf.ngclient.updater import Updater

from gpudoctor.errors import Failure
from gpudoctor.host.safe_files import open_given
from gpudoctor.index.repository import Repository
from gpudoctor.index.settings import shown
from gpudoctor.knowledge.matrix.editions import CURRENT, Current, Update, current, mark_of, updates
from gpudoctor.knowledge.matrix.load import folder, read_table
from gpudoctor.knowledge.matrix.tables import ALL_TABLES, TABLES, MatrixUnreadable, decode_table, edition_of

#: The keys that updates are signed with, beside the tables.
ROOT = "root.json"
#: Bytes of a table, of which the largest has 160 thousand.
BIGGEST = 16 * 1024 * 1024
LIMITS = UpdaterConfig(
    max_root_rotations=32,
    root_max_length=256 * 1024,
    timestamp_max_length=16 * 1024,
    snapshot_max_length=64 * 1024,
    targets_max_length=256 * 1024,
)


class NotUpdated(Failure):
    """Why the matrix stays as it is, in one sentence; what was there is used on."""

    exit_code = 3

    def __init__(self, why: str) -> None:
        super().__init__(f"Not updated: {why}.")


def trusted_root(path: str | None) -> bytes:
    """The root of trust: a file that the user names, else the one shipped. Raises NotUpdated."""
    file = path or os.path.join(folder(), ROOT)
    try:
        with open_given(file) as given:
            return given.read(LIMITS.root_max_length)
    except FileNotFoundError:
        if path is None:
            raise NotUpdated("this gpudoctor ships no key for updates; name one with --root FILE") from None
        raise NotUpdated(f"{path}: no such file") from None
    except OSError as error:
        raise NotUpdated(f"{file} cannot be read: {error.strerror}") from None


def update(where: str, root: bytes) -> Update:
    """Take the newest edition of a repository. Raises NotUpdated, MatrixUnreadable."""
    base, before = updates(), edition_in_use()
    try:
        os.makedirs(base, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=base, prefix=".incoming-") as incoming:
            tables = _signed_tables(where, root, base, incoming)
            edition = _edition(tables)
            if edition < before or (edition == before and _in_use(tables)):
                return Update(before=before, edition=before, changed=False)
            name = f"{edition}-{secrets.token_hex(4)}"
            os.rename(_whole(incoming, tables), os.path.join(base, name))
        _point_at(base, name, edition, where)
    except OSError as error:
        raise NotUpdated(f"{error.filename or base}: {error.strerror}") from None
    return Update(before=before, edition=edition, changed=True, tables=len(tables))


def edition_in_use() -> str:
    """The edition that is used now. Raises MatrixUnreadable."""
    found = current(folder())
    return found[1].edition if found is not None else max(edition_of(name, read_table(name)) for name in TABLES)


def _in_use(tables: dict[str, bytes]) -> bool:
    """The tables in use are these."""
    found = current(folder())
    place = found[0] if found is not None else folder()
    return all(read_table(name, place) == raw for name, raw in tables.items())


def _signed_tables(where: str, root: bytes, base: str, incoming: str) -> dict[str, bytes]:
    """Every table, as the repository's signatures say it is."""
    trusted = os.path.join(base, "trusted", _place(root))
    os.makedirs(trusted, exist_ok=True)
    repository = None
    try:
        repository = Repository(where)
        client = Updater(
            metadata_dir=trusted,
            metadata_base_url=f"{repository.base}metadata/",
            target_dir=incoming,
            target_base_url=f"{repository.base}targets/",
            fetcher=repository,
            config=LIMITS,
            bootstrap=root,
        )
        client.refresh()
        return {name: _table(client, name, incoming) for name in ALL_TABLES}
    except (tuf.RepositoryError, tuf.DownloadError, ValueError) as error:
        raise NotUpdated(_reason(error)) from None
    finally:
        if repository is not None:
            repository.close()


def _place(root: bytes) -> str:
    """What was last trusted is kept by the keys it was trusted with."""
    # Imported here: a name, no protection.
    from hashlib import sha256

    return sha256(root).hexdigest()[:16]


def _table(client: Updater, name: str, incoming: str) -> bytes:
    target = client.get_targetinfo(f"{name}.json")
    if target is None:
        raise NotUpdated(f"the update has no table {name}: it is made for another gpudoctor")
    if target.length > BIGGEST:
        raise NotUpdated(f"the table {name} of the update is larger than {BIGGEST >> 20} MiB")
    path = client.download_target(target, os.path.join(incoming, f"{name}.json"))
    with open(path, "rb") as stream:
        return stream.read()


def _edition(tables: dict[str, bytes]) -> str:
    """The edition of readable tables: their newest date. Raises NotUpdated."""
    try:
        for name, raw in tables.items():
            decode_table(name, raw)
        found = max(edition_of(name, tables[name]) for name in TABLES)
    except MatrixUnreadable as error:
        raise NotUpdated(f"{error}; the update is made for another gpudoctor") from None
    if re.fullmatch(r"\d{4}-\d\d-\d\d", found) is None:
        raise NotUpdated(f"the update has no date but {found[:20]!r}")
    return found


def _whole(incoming: str, tables: dict[str, bytes]) -> str:
    """A folder of nothing but the tables that were checked."""
    made = os.path.join(incoming, "tables")
    os.mkdir(made)
    for name, raw in tables.items():
        with open(os.path.join(made, f"{name}.json"), "wb") as stream:
            stream.write(raw)
            stream.flush()
            os.fsync(stream.fileno())
    return made


def _point_at(base: str, name: str, edition: str, where: str) -> None:
    """Use the new folder from now on; the one before goes when nothing points at it."""
    found = Current(
        edition=edition,
        folder=name,
        source=shown(where),
        updated=datetime.date.today().isoformat(),
        replaces=mark_of(folder()),
    )
    beside = os.path.join(base, f"{CURRENT}.{os.getpid()}")
    with open(beside, "wb") as stream:
        stream.write(msgspec.json.encode(found))
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(beside, os.path.join(base, CURRENT))
    for other in os.listdir(base):
        if other != name and re.fullmatch(r"\d{4}-\d\d-\d\d-[0-9a-f]{8}", other):
            with suppress(OSError):
                shutil.rmtree(os.path.join(base, other))


#: What a refusal means, in the order in which kinds are asked.
_REASONS: tuple[tuple[type[Exception], str], ...] = (
    (tuf.ExpiredMetadataError, "its signatures have expired: the repository is not kept up, or somebody holds it back"),
    (tuf.BadVersionNumberError, "it is older than what was trusted before"),
    (tuf.UnsignedMetadataError, "it is not signed with the keys that this gpudoctor trusts"),
    (tuf.DownloadLengthMismatchError, "it sends more than it may"),
    (tuf.LengthOrHashMismatchError, "a file is not the one that was signed"),
)


def _reason(error: Exception) -> str:
    for kind, words in _REASONS:
        if isinstance(error, kind):
            return f"the update is refused: {words}"
    if isinstance(error, tuf.DownloadError):
        return f"the update cannot be read: {error}"
    return f"the update is refused: it breaks the rules of its format ({error})"
