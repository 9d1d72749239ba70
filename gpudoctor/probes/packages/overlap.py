"""Distributions that own the same files, where the last installed has overwritten the other's."""

from collections.abc import Mapping, Sequence

from gpudoctor.facts.python import Overlap
from gpudoctor.host.port import Host, Stat
from gpudoctor.probes.packages.records import Record, is_library, parse_row
from gpudoctor.probes.target.choice import path_rules

#: Folders at the top of a site folder that many distributions litter, to no harm.
_LITTER = frozenset(("benchmarks", "docs", "examples", "scripts", "test", "tests"))
#: Shared files whose size is compared with the disk to tell whose they are.
_PROBED = 48

#: The lines of a RECORD by path.
Owned = dict[bytes, bytes]


def find_overlaps(host: Host, records: Sequence[Record]) -> tuple[tuple[Overlap, ...], frozenset[tuple[str, str]]]:
    """Every pair of distributions that owns the same paths with different content, and (location, path) of those."""
    overlaps: list[Overlap] = []
    contested: set[tuple[str, str]] = set()
    for location, group in _neighbours(host, records):
        owned = {record.package: _owned(record) for record in group}
        for first, second, paths in _pairs(owned):
            differing = [path for path in paths if owned[first][path] != owned[second][path]]
            if differing:
                contested.update((location, path.decode("utf-8", "replace")) for path in differing)
                overlaps.append(_describe(host, location, (owned[first], owned[second]), (first, second), paths))
    return tuple(overlaps), frozenset(contested)


def _neighbours(host: Host, records: Sequence[Record]) -> list[tuple[str, list[Record]]]:
    """Records by site folder that have a top-level module in common: few, so that few are read through."""
    tops = [(record, top) for record in records for top in top_levels(host, record) - _LITTER]
    by_top: dict[tuple[str, str], list[Record]] = {}
    for record, top in tops:
        by_top.setdefault((record.location, top), []).append(record)
    groups: dict[str, dict[str, Record]] = {}
    for (location, _), sharing in by_top.items():
        if len(sharing) > 1:
            groups.setdefault(location, {}).update({record.folder: record for record in sharing})
    return [(location, list(group.values())) for location, group in groups.items()]


def top_levels(host: Host, record: Record) -> set[str]:
    """The first parts of its paths: as top_level.txt says where there is one, else from its lines."""
    text = host.read_text(path_rules(host).join(record.location, record.folder, "top_level.txt"), limit=4096)
    if isinstance(text, str) and text.strip():
        return {line.strip().split("/")[0] for line in text.splitlines() if line.strip()}
    firsts = {line.partition(b"/")[0] for line in record.raw.split(b"\n") if b"/" in line.partition(b",")[0]}
    return {first.decode("utf-8", "replace") for first in firsts} - {record.folder, ".."}


def _owned(record: Record) -> Owned:
    """Its lines with a hash; the metadata folder, scripts outside the site folder and litter are no module's files."""
    prefixes = (b"../", b'"', record.folder.encode(), *(f"{name}/".encode() for name in _LITTER))
    lines = (line.rstrip(b"\r") for line in record.raw.split(b"\n") if not line.startswith(prefixes))
    return {line.partition(b",")[0]: line for line in lines if line and not line.endswith(b",,")}


def _pairs(owned: Mapping[str, Owned]) -> list[tuple[str, str, list[bytes]]]:
    """Pairs of owners with the paths they share, sorted."""
    owners: dict[bytes, list[str]] = {}
    seen: set[bytes] = set()
    shared: set[bytes] = set()
    for rows in owned.values():
        shared |= rows.keys() & seen
        seen |= rows.keys()
    for package, rows in owned.items():
        for path in rows.keys() & shared:
            owners.setdefault(path, []).append(package)
    pairs: dict[tuple[str, str], list[bytes]] = {}
    for path, packages in owners.items():
        for index, first in enumerate(packages):
            for second in packages[index + 1 :]:
                pairs.setdefault((first, second), []).append(path)
    return [(first, second, sorted(paths)) for (first, second), paths in sorted(pairs.items())]


def _describe(
    host: Host, location: str, owned: tuple[Owned, Owned], names: tuple[str, str], shared: list[bytes]
) -> Overlap:
    rows = [(parse_row(owned[0][path]), parse_row(owned[1][path])) for path in shared]
    differing = [(mine, theirs) for mine, theirs in rows if mine and theirs and mine.digest != theirs.digest]
    differing.sort(key=lambda pair: not is_library(pair[0].path))
    join = path_rules(host).join
    votes = [0, 0]
    for mine, theirs in [pair for pair in differing if pair[0].size != pair[1].size][:_PROBED]:
        stat = host.stat(join(location, mine.path))
        votes[0] += isinstance(stat, Stat) and stat.size == mine.size
        votes[1] += isinstance(stat, Stat) and stat.size == theirs.size
    return Overlap(
        first=names[0],
        second=names[1],
        files=len(shared),
        differing=len(differing),
        most=2 * len(shared) > min(len(owned[0]), len(owned[1])),
        example=join(location, differing[0][0].path if differing else shared[0].decode("utf-8", "replace")),
        on_disk=None if votes[0] == votes[1] else names[votes[1] > votes[0]],
    )
