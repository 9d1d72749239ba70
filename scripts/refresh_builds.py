"""Brings the Pythons and platforms in compat/torch.json and compat/tensorflow.json in line with compat/releases.json.

Works without a network: run scripts/refresh_releases.py first. A range of TensorFlow releases is split where its
Pythons change; a release of tensorflow-cpu without a row gets one. What cannot be derived (how a new torch or
TensorFlow was built) is named and left to a person. No row is dropped. Usage:

    python scripts/refresh_builds.py [--check] [--date YYYY-MM-DD]
"""

import argparse
import datetime
import sys
from functools import cache
from typing import Any

from compat_file import Rows, drop_unused_sources, read_file, source_id, write_file
from packaging.version import Version

from gpudoctor.index.claims_tensorflow import CARRIERS

Row = dict[str, Any]
#: Of releases of one package, by version: platform -> Pythons.
Wheels = dict[Version, dict[str, list[str]]]
SOURCE = "package index file list of {}"


def main() -> int:
    """Rewrite both tables; with --check only say whether they would change (exit 1)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a table would change")
    parser.add_argument("--date", default=datetime.date.today().isoformat(), help="the date to note (default: today)")
    options = parser.parse_args()
    changed = False
    for document in (_torch(read_file("torch")), _tensorflow(read_file("tensorflow"))):
        if document["rows"] == read_file(document["table"])["rows"]:
            continue
        changed = True
        print(f"{document['table']}.json changes")
        if not options.check:
            write_file({**document, "checked": options.date})
    return int(changed and options.check)


def wheels_of(package: str) -> Wheels:
    """What the table `releases` knows of a package; free-threaded Pythons left out."""
    found: Wheels = {}
    for row in read_file("releases")["rows"]:
        if row["package"] == package and not row.get("yanked"):
            pythons = {place: [one for one in ones if one[-1] != "t"] for place, ones in row.get("wheels", {}).items()}
            found.update({Version(version): dict(pythons) for version in row["versions"]})
    return found


@cache
def installable(dist: str) -> Wheels:
    """The wheels of a TensorFlow distribution, for the Pythons that the wheels they require have, too."""
    found = wheels_of(dist)
    for platform, carrier in CARRIERS.items():
        for version, places in wheels_of(carrier).items():
            if platform in found.get(version, {}):
                found[version][platform] = [one for one in found[version][platform] if one in places.get(platform, ())]
    return found


def _torch(document: Row) -> Row:
    """Note platforms that have wheels for other Pythons than the rest."""
    wheels = wheels_of("torch")
    rows = [_torch_row(row, wheels.get(Version(row["version"]), {})) for row in document["rows"]]
    for version in wheels.keys() - {Version(row["version"]) for row in rows}:
        print(f"no row, to be written by hand: torch {version}")
    return {**document, "rows": rows}


def _torch_row(row: Row, wheels: dict[str, list[str]]) -> Row:
    told: dict[str, list[str]] = row.get("pythons_on", {})
    there = {platform: wheels[platform] for platform in row.get("default_on", ()) if platform in wheels}
    different = {platform: ones for platform, ones in {**told, **there}.items() if ones != row["pythons"]}
    return row if different == told else _with_field(row, "pythons_on", different, after="pythons")


def _with_field(row: Row, name: str, value: Any, *, after: str) -> Row:
    fresh: Row = {}
    for key, old in row.items():
        if key != name:
            fresh[key] = old
        if key == after and value:
            fresh[name] = value
    return fresh


def _tensorflow(document: Row) -> Row:
    """Split and add rows."""
    document = {**document, "sources": dict(document["sources"])}
    rows: Rows = []
    for row in document["rows"]:
        rows += _split(row, installable(row["dist"]))
    for dist in ("tensorflow", "tensorflow-cpu", "tensorflow-gpu"):
        rows += _added(dist, installable(dist), rows, document)
    rows.sort(key=lambda row: Version(row["last"]), reverse=True)
    document["rows"] = rows
    drop_unused_sources(document)
    return document


def _split(row: Row, wheels: Wheels) -> Rows:
    """The row as ranges of releases with the same Pythons, newest first; as it is where the index knows none."""
    first, last = Version(row["first"]), Version(row["last"])
    here = sorted((version for version in wheels if first <= version <= last), reverse=True)
    here = [version for version in here if row["platform"] in wheels[version]]
    if not here:
        return [row]
    ranges: list[list[Version]] = []
    for version in here:
        newer = ranges[-1][-1] if ranges else version
        same = wheels[newer][row["platform"]] == wheels[version][row["platform"]]
        if ranges and same and _neighbours(version, newer, wheels):
            ranges[-1].append(version)
        else:
            ranges.append([version])
    return [
        {**row, "first": str(same[-1]), "last": str(same[0]), "pythons": wheels[same[0]][row["platform"]]}
        for same in ranges
    ]


def _neighbours(older: Version, newer: Version, wheels: Wheels) -> bool:
    """Whether no release of the package lies between two."""
    return not any(older < version < newer for version in wheels)


def _added(dist: str, wheels: Wheels, rows: Rows, document: Row) -> Rows:
    """Rows for releases from 1.0 on that have none; only what is certain: tensorflow-cpu is built for the CPU."""
    mine = [row for row in rows if row["dist"] == dist]
    fresh: Rows = []
    for version, places in wheels.items():
        for platform, pythons in places.items() if version.major >= 1 else ():
            if any(row["platform"] == platform and _covers(row, version) for row in mine):
                continue
            if dist != "tensorflow-cpu":
                print(f"no row, to be written by hand: {dist} {version} {platform}")
                continue
            source = source_id(document, SOURCE.format(dist))
            fresh.append(_cpu_row(version, platform, pythons, source))
    return _joined(fresh, wheels)


def _covers(row: Row, version: Version) -> bool:
    return Version(row["first"]) <= version <= Version(row["last"])


def _cpu_row(version: Version, platform: str, pythons: list[str], source: str) -> Row:
    return {
        "line": f"{version.major}.{version.minor}",
        "first": str(version),
        "last": str(version),
        "platform": platform,
        "dist": "tensorflow-cpu",
        "build": "cpu",
        "pythons": pythons,
        "confidence": "metadata",
        "source": source,
    }


def _joined(rows: Rows, wheels: Wheels) -> Rows:
    """Neighbours that differ by their version only become one row."""
    joined: Rows = []
    for row in sorted(rows, key=lambda row: (row["platform"], Version(row["last"])), reverse=True):
        before = joined[-1] if joined else None
        same = before is not None and {**before, "first": "", "last": ""} == {**row, "first": "", "last": ""}
        if before is not None and same and _neighbours(Version(row["last"]), Version(before["first"]), wheels):
            before["first"] = row["first"]
        else:
            joined.append(row)
    return joined


if __name__ == "__main__":
    sys.exit(main())
