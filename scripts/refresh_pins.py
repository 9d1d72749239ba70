"""Fills in what wheels themselves require: pins of torch, of TensorFlow and JAX, and torchvision's torch.

Reads METADATA through the package index that pip is set up for: beside the wheel, or as a part of the archive where the
index serves parts; no wheel is downloaded whole. Rows without any pin are filled; with --all every cell is compared,
and one that says something else is corrected and named. Old releases do not change: --all is seldom needed. Usage:

    python scripts/refresh_pins.py [--all] [--check] [--table NAME ...] [--date YYYY-MM-DD]

Not covered: builds that only PyTorch's own download site has, architectures, cuDNN inside of wheels before torch 1.13.
"""

import argparse
import datetime
import sys
from collections.abc import Iterable
from contextlib import closing
from typing import Any

from compat_file import drop_unused_sources, read_file, source_id, write_file
from packaging.requirements import Requirement
from packaging.version import Version
from wheel_requirements import Build, Wheels

from gpudoctor.host.real import RealHost
from gpudoctor.index.claims_tensorflow import CARRIERS
from gpudoctor.index.fetch import Fetcher
from gpudoctor.index.requirement_text import as_text, holds, named, says_the_same
from gpudoctor.index.settings import read_settings

Row = dict[str, Any]
LINUX = "linux-x86_64"
#: For tables without Pythons of their own.
PYTHONS = ("3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14")
FIRST_TORCH = Version("1.13.0")
#: The citation of what was read of every release of a range.
_EACH = "package metadata of each release"
#: By table: the cells, each with the distribution that it is about.
CELLS = {
    "torch": {"cudnn": "nvidia-cudnn-cu", "nccl": "nvidia-nccl-cu", "triton": "triton", "cuda_patch": "cuda-toolkit"},
    "tensorflow": {"keras": "keras", "numpy": "numpy", "protobuf": "protobuf"},
    "protobuf": {"required": "protobuf"},
    "numpy": {"required": "numpy"},
    "jax": {"jaxlib": "jaxlib"},
}


def main() -> int:
    """Rewrite the tables; with --check only say whether one would change (exit 1)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="compare full cells, too")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a table would change")
    parser.add_argument("--table", action="append", choices=[*CELLS, "companions"], help="only this table")
    parser.add_argument("--date", default=datetime.date.today().isoformat(), help="the date to note (default: today)")
    options = parser.parse_args()
    changed = False
    with closing(Fetcher(read_settings(RealHost(), (sys.executable,)))) as fetcher:
        wheels = Wheels(fetcher)
        for table in options.table or [*CELLS, "companions"]:
            document = read_file(table)
            before = document["rows"]
            refresh = _companions if table == "companions" else _cells
            if table == "tensorflow" and options.all:
                parts = [part for row in before for part in _parts(document, row, wheels)]
                document["rows"] = sorted(parts, key=lambda part: Version(part["last"]), reverse=True)
            rows = refresh(document, wheels, every=options.all)
            if rows != before:
                changed = True
                if not options.check:
                    write_file(_cited({**document, "checked": options.date}, rows))
    return int(changed and options.check)


def _cited(document: Row, rows: list[Row]) -> Row:
    """The document with new rows; those that changed cite the metadata, too."""
    for number, (old, new) in enumerate(zip(document["rows"], rows, strict=True)):
        citation = document["sources"][new["source"]]
        if old != new and "package metadata" not in citation:
            rows[number] = {**new, "source": source_id(document, f"{citation}; package metadata of the release")}
    document["rows"] = rows
    drop_unused_sources(document)
    return document


def build_of(table: str, row: Row) -> Build | None:
    """The wheel whose metadata a row repeats."""
    if table == "torch":
        linux = LINUX in row.get("default_on", ()) and Version(row["version"]) >= FIRST_TORCH
        return ("torch", row["version"], LINUX) if linux else None
    if table == "tensorflow":
        return None if row["platform"] == "any" else (row["dist"], row["last"], row["platform"])
    if table == "protobuf":
        return ("tensorflow", row["tensorflow"], LINUX)
    if table == "numpy":
        places = {None: LINUX, "linux": LINUX, "windows": "windows-x86_64", "macos": "macos-arm64"}
        return (row["package"], row["version"], places[row.get("os")])
    return ("jax", row["version"], LINUX)


def _cells(document: Row, wheels: Wheels, *, every: bool) -> list[Row]:
    table = document["table"]
    cells = CELLS[table]
    wanted = {
        number: build
        for number, row in enumerate(document["rows"])
        if (build := build_of(table, row)) and (every or not any(name in row for name in cells))
    }
    wheels.prepare(wanted.values())
    rows = list(document["rows"])
    for number, build in wanted.items():
        rows[number] = _row(table, rows[number], build, wheels, every=every)
    return rows


def _row(table: str, row: Row, build: Build, wheels: Wheels, *, every: bool) -> Row:
    required = _carried(wheels, build)
    if required is None:
        print(f"{table}: no metadata to be had of {' '.join(build)}")
        return row
    pythons = row.get("pythons", PYTHONS)
    for cell, name in CELLS[table].items():
        told = row.get(cell)
        if told is not None and (not every or told[0].isalpha()):
            # A cell that names another distribution (keras-nightly) was written by hand.
            continue
        found = _pinned(required, name) if table == "torch" else as_text(named(required, name), build[2], pythons)
        same = told == found if table == "torch" else says_the_same(told, found, build[2], pythons)
        if found is not None and not same:
            print(f"{table}: {' '.join(build)}, {cell}: {told or 'nothing'} -> {found}")
            row = _placed(row, cell, found)
    return row


def _parts(document: Row, row: Row, wheels: Wheels) -> list[Row]:
    """A row of several releases as one row for each run of them that asks for the same, newest first."""
    first, last = Version(row["first"]), Version(row["last"])
    if row["platform"] == "any" or first == last:
        return [row]
    dist, platform = row["dist"], row["platform"]
    between = [one for one in wheels.releases(dist, platform) if first <= Version(one) <= last]
    wheels.prepare((dist, one, platform) for one in between)
    runs: list[tuple[Row, list[str]]] = []
    for release in between:
        required = _carried(wheels, (dist, release, platform))
        if required is None:
            print(f"tensorflow: no metadata to be had of {dist} {release} {platform}")
            return [row]
        asked = _asked(row, required)
        if runs and all(
            says_the_same(runs[-1][0][cell], text, platform, row["pythons"]) for cell, text in asked.items()
        ):
            runs[-1] = (asked, [*runs[-1][1], release])
        else:
            runs.append((asked, [release]))
    if len(runs) < 2:
        return [row]
    print(f"tensorflow: {dist} {platform} {row['first']} to {row['last']}: {len(runs)} rows")
    runs[0][1][0], runs[-1][1][-1] = row["first"], row["last"]  # Also where one has left the index.
    citation = document["sources"][row["source"]]
    cited = source_id(document, citation if _EACH in citation else f"{citation}; {_EACH}")
    return [_part({**row, "source": cited}, asked, releases) for asked, releases in reversed(runs)]


def _asked(row: Row, required: tuple[Requirement, ...]) -> Row:
    """What the releases of a row ask for, by cell; a cell that names another distribution is a person's."""
    written = [cell for cell in CELLS["tensorflow"] if row.get(cell, "0")[0].isalpha()]
    names = {cell: name for cell, name in CELLS["tensorflow"].items() if cell not in written}
    return {cell: as_text(named(required, name), row["platform"], row["pythons"]) for cell, name in names.items()}


def _part(row: Row, asked: Row, releases: list[str]) -> Row:
    """A row for some of its releases, with what these ask for; what none of them asks for is left out."""
    part = {**row, "first": releases[0], "last": releases[-1]}
    for cell, text in asked.items():
        if text is None:
            part.pop(cell, None)
        elif not says_the_same(row.get(cell), text, row["platform"], row["pythons"]):
            part = _placed(part, cell, text)
    return part


def _carried(wheels: Wheels, build: Build) -> tuple[Requirement, ...] | None:
    """Requirements of a build, and of the wheel that holds its files where it has none itself."""
    required = wheels.requirements(build)
    carrier = CARRIERS.get(build[2])
    if required is None or carrier is None or not named(required, carrier):
        return required
    return (*required, *(wheels.requirements((carrier, build[1], build[2])) or ()))


def _pinned(required: Iterable[Requirement], name: str) -> str | None:
    """The version that torch pins; the whole specifier where it is not pinned."""
    for one in required:
        mine = one.name == name or (name.endswith("-cu") and one.name.startswith(name))
        if mine and holds(one, LINUX, "3.11") and str(one.specifier):
            text = str(one.specifier)
            return text.removeprefix("==") if text.startswith("==") and "," not in text else text
    return None


def _placed(row: Row, cell: str, value: str) -> Row:
    """The row with a cell; a new one stands before the notes."""
    if cell in row:
        return {**row, cell: value}
    fresh: Row = {}
    for key, old in row.items():
        if key in {"works", "notes", "confidence"} and cell not in fresh:
            fresh[cell] = value
        fresh[key] = old
    return fresh


def _companions(document: Row, wheels: Wheels, *, every: bool) -> list[Row]:
    """Name companions that ask for another torch; which pairs belong together is decided by a person."""
    pairs = [
        ((package, version, LINUX), row["torch"])
        for row in document["rows"]
        for package in ("torchvision", "torchaudio")
        for version in row.get(package, ())
    ]
    wheels.prepare(build for build, _ in pairs if every)
    for build, torch in pairs if every else ():
        asked = named(wheels.requirements(build) or (), "torch")
        if not all(one.specifier.contains(torch) for one in asked):
            print(f"companions: {build[0]} {build[1]} asks for torch{asked[0].specifier}, not {torch}")
    return list(document["rows"])


if __name__ == "__main__":
    sys.exit(main())
